/** Names and texts that would break a careless generator: correct output, or a finding with its place. */
import { describe, expect, test } from "vitest";
import {
  emitProducts,
  Findings,
  loadSchemaText,
  PRODUCTS,
  type SurfacePlan,
} from "../../../codegen/index.js";
import { bundleOf, findingsOf, planOf, textOf, validatorsOf } from "../../support/compile.js";
import { check } from "../../support/typescript.js";

/** A text that goes into the JSON of a bundle as an own `__proto__` member too, which an object literal would not. */
const own = (entries: readonly (readonly [string, unknown])[]): object => Object.fromEntries(entries);

const NAMES = [
  "delete",
  "__proto__",
  "Error",
  "String",
  "constructor",
  "toString",
  "turn/start",
  "a b",
  "1st",
  "é",
];
const MEMBERS = [
  ...[
    "delete",
    "class",
    "default",
    "items",
    "anyOf",
    "$ref",
    "enum",
    "properties",
    "required",
    "type",
    "const",
  ],
  ...[
    "deprecated",
    "x-msp-openness",
    "constructor",
    "toString",
    "__proto__",
    "a-b",
    "",
    "a~b",
    "a/b",
    "'\"\\",
  ],
];
const TEXT =
  "ends here */ \u0024{x} `y` \u2028\u2029 <script></script> <!-- --> \\ \\u002a/ \r\n @deprecated {@link x}";

/** What the TypeScript and JavaScript of a plan look like to a user's compiler. */
async function problemsOf(plan: SurfacePlan): Promise<string[]> {
  const files = await emitProducts(plan, PRODUCTS);
  const scripts = Object.fromEntries(
    files.filter(({ name }) => /^[\w.]+\.(ts|js)$/.test(name)).map(({ name, text }) => [name, text]),
  );
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["types.ts", "validators.js", "tables.d.ts"]));
  for (const { name, text } of files) if (name.endsWith(".json")) JSON.parse(text);
  return check(scripts, { allowJs: true, checkJs: false }).map((p) => `${p.file}:${p.line} ${p.message}`);
}

function hostileBundle(): string {
  const members = own(MEMBERS.map((name) => [name, { type: "string", description: TEXT, default: TEXT }]));
  const node = { type: "object", description: TEXT, properties: members, required: MEMBERS };
  return bundleOf(own(NAMES.map((name) => [name, node])), {
    description: TEXT,
    protocol: { name: "p", title: TEXT, version: 1 },
    errors: [{ code: -1, kind: "__proto__", description: TEXT }],
    methods: own(
      NAMES.map((name) => [
        name,
        { description: TEXT, result: { $ref: `#/$defs/${name.replace("/", "~1")}` } },
      ]),
    ),
  });
}

describe("hostile names and texts", () => {
  test("compile, and every global keeps its meaning", async () => {
    const plan = planOf(hostileBundle());
    expect(await problemsOf(plan)).toEqual([]);
    const types = await textOf(plan, "types");
    for (const name of ["Error", "String"])
      expect(types).not.toMatch(new RegExp(`(type|interface) ${name}\\b`));
    expect(types).toContain("Error_");
  });

  test("a text that could end a comment is what the compile test is about", () => {
    const problems = check({ "types.ts": `/** ${TEXT} */\nexport type A = 1;\n` });
    expect(problems.length).toBeGreaterThan(0);
  });

  test("are validated like any others", async () => {
    const { definitions, methods } = await validatorsOf(planOf(hostileBundle()));
    const value = own(MEMBERS.map((name) => [name, "x"]));
    expect(NAMES.filter((name) => Object.hasOwn(definitions, name))).toEqual(NAMES);
    for (const name of NAMES) {
      expect(definitions[name]!(value)).toBeNull();
      expect(Object.hasOwn(methods, name)).toBe(true);
      for (const [i, member] of MEMBERS.entries()) {
        const pointer = `/${member.replaceAll("~", "~0").replaceAll("/", "~1")}`;
        const without = own(MEMBERS.filter((other) => other !== member).map((other) => [other, "x"]));
        expect(definitions[name]!(without), member).not.toBeNull();
        const wrong = own(MEMBERS.map((other, j) => [other, i === j ? 1 : "x"]));
        expect(definitions[name]!(wrong)?.[0]?.instanceLocation).toBe(pointer);
      }
    }
  });

  test("members named like keywords are members, in the model too", () => {
    const plan = planOf(hostileBundle());
    const names = plan.protocol.definitions.get("delete")!.schema.members!.map(({ name }) => name);
    expect(names.toSorted()).toEqual([...MEMBERS].sort());
  });

  test("names that clash are a finding at each of them, never told apart by order", () => {
    const defs = { "foo-bar": { type: "string" }, foo_bar: { type: "integer" } };
    const clashes = (given: object): string[] =>
      findingsOf(bundleOf(given))
        .filter(({ rule }) => rule === "name-clash")
        .map(({ instanceLocation }) => instanceLocation);
    expect(clashes(defs)).toEqual(["/$defs/foo-bar", "/$defs/foo_bar"]);
    expect(clashes({ foo_bar: defs.foo_bar, "foo-bar": defs["foo-bar"] }).toSorted()).toEqual(clashes(defs));
    expect(clashes({ foo_bar: defs.foo_bar })).toEqual([]);
  });

  test("the names of the others do not move when a definition is added", async () => {
    const before = {
      B: { type: "string" },
      "c-d": { type: "string" },
      Error: { type: "object", properties: {} },
    };
    const after = { A: { type: "null" }, ...before, "c-e": { type: "null" }, Z: { type: "null" } };
    const exported = async (defs: object): Promise<string[]> =>
      [
        ...(await textOf(planOf(bundleOf(defs)), "types")).matchAll(/^export (?:type|interface) ([\w$]+)/gm),
      ].map((match) => match[1]!);
    const names = await exported(before);
    const more = await exported(after);
    expect(names).toEqual(expect.arrayContaining(["B", "c_d", "Error_"]));
    expect(more.filter((name) => names.includes(name))).toEqual(names);
    expect(more.filter((name) => !names.includes(name))).toEqual(["A", "Z", "c_e"]);
  });
});

describe("a bundle may be small", () => {
  test.each([
    ["nothing at all", {}],
    ["definitions only", { $defs: { A: { type: "string" } } }],
    ["one method, no description", { $defs: { R: {} }, methods: { m: { result: { $ref: "#/$defs/R" } } } }],
    ["notifications only", { notifications: { n: {} } }],
  ])("%s", async (_, more) => {
    const text = bundleOf({}, more);
    const plan = planOf(text);
    expect(plan.protocol.requests).toEqual([]);
    expect(plan.protocol.reserved).toEqual([]);
    expect(plan.protocol.capabilities).toEqual([]);
    expect(await problemsOf(plan)).toEqual([]);
    const findings = new Findings();
    loadSchemaText(text, "b.json", findings);
    expect(findings.hasErrors).toBe(false);
  });
});
