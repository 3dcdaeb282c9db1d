import ts from "typescript";
import { describe, expect, test } from "vitest";
import { typeName } from "../../../../codegen/plan/names.js";
import { bundleOf, findingsOf, planOf, textOf } from "../../../support/compile.js";
import { check, mistakesOf, programOf } from "../../../support/typescript.js";

const text = { type: "string" };

/** Every word that means something to the language somewhere. */
const WORDS: readonly string[] = Array.from(
  { length: ts.SyntaxKind.LastKeyword - ts.SyntaxKind.FirstKeyword + 1 },
  (_, i) => ts.tokenToString(ts.SyntaxKind.FirstKeyword + i) ?? "",
);

/** A bundle in which each name is a definition, used in every place where a type can stand. */
function everywhere(names: readonly string[]): string {
  const definitions: Record<string, unknown> = {};
  const put = (name: string, value: unknown): void => {
    Object.defineProperty(definitions, name, { value, enumerable: true, configurable: true });
  };
  const methods: [string, object][] = [];
  for (const name of names) {
    const ref = { $ref: `#/$defs/${name.replaceAll("~", "~0").replaceAll("/", "~1")}` };
    put(name, { type: "object", properties: Object.fromEntries([[name, ref]]) });
    put(`use of ${name}`, {
      type: "object",
      properties: {
        plain: ref,
        list: { type: "array", items: ref },
        map: { type: "object", additionalProperties: ref },
        nullable: { anyOf: [ref, { type: "null" }] },
      },
      required: ["plain"],
    });
    put(`alias of ${name}`, ref);
    methods.push([name, { params: ref, result: ref }]);
  }
  return bundleOf(definitions, { methods: Object.fromEntries(methods) });
}

/** The types and the declarations that refer to them. */
async function declarationsOf(bundle: string): Promise<Record<string, string>> {
  const plan = planOf(bundle);
  return {
    "types.ts": await textOf(plan, "types"),
    "validators.d.ts": await textOf(plan, "validators", "validators.d.ts"),
    "tables.d.ts": await textOf(plan, "tables", "tables.d.ts"),
  };
}

test("a definition may be named by any word of the language", async () => {
  expect(WORDS.length).toBeGreaterThan(80);
  expect(WORDS).toEqual(expect.arrayContaining(["delete", "keyof", "infer", "unique", "intrinsic", "as"]));
  expect(check(await declarationsOf(everywhere(WORDS)))).toEqual([]);
});

test("a member may be named by any word of the language", async () => {
  const properties = Object.fromEntries(WORDS.map((word) => [word, text]));
  const required = WORDS.filter((_, i) => i % 2 === 0);
  const types = await textOf(planOf(bundleOf({ T: { type: "object", properties, required } })), "types");
  const program = `import type { T } from "./types.js";
export const names: Same<keyof T, ${WORDS.map((word) => JSON.stringify(word)).join(" | ")}> = true;
`;
  expect(mistakesOf(types, program)).toEqual([]);
});

test("a definition may have the name of a type that the language's library declares, and hides none", async () => {
  const program = programOf({ "empty.ts": "export {};\n" }, { lib: ["lib.esnext.d.ts"] });
  const globals = program
    .getTypeChecker()
    .getSymbolsInScope(program.getSourceFiles().find((file) => !file.isDeclarationFile)!, ts.SymbolFlags.Type)
    .map(({ name }) => name)
    .filter((name) => /^\w+$/.test(name));
  expect(globals.length).toBeGreaterThan(100);
  expect(globals).toEqual(expect.arrayContaining(["Record", "Error", "Promise", "Awaited"]));
  expect(globals.filter((name) => typeName(name) === name)).toEqual([]);
  expect(check(await declarationsOf(everywhere(globals)))).toEqual([]);
});

test("names that hide a global, or are no identifier, get one of their own, and the globals stay what they are", async () => {
  const names = [
    "Error",
    "Record",
    "Request",
    "Event",
    "String",
    "delete",
    "__proto__",
    "constructor",
    "turn/start",
  ];
  const files = await declarationsOf(everywhere([...names, "1st", "foo-bar", "äö"]));
  const program = `import type { __proto___, _1st, constructor_, delete_, Error_, foo_bar, Record_, turn_start } from "./types.js";
export const ours: [__proto___?, _1st?, constructor_?, delete_?, Error_?, foo_bar?, Record_?, turn_start?] = [];
`;
  expect(mistakesOf(files["types.ts"]!, program)).toEqual([]);
  expect(check(files)).toEqual([]);
  // With everything imported, the library's own names still mean what they meant.
  const all = `export * from "./types.js";
export const record: Record<string, number> = { a: 1 };
export const error: Error = new TypeError("x");
export const word: String = new String("x");
`;
  expect(check({ ...files, "all.ts": all })).toEqual([]);
});

test("a definition may have the name of a type that the products export", async () => {
  const { "types.ts": types } = await declarationsOf(bundleOf({}));
  const own = [...types!.matchAll(/^export (?:type|interface) (\w+)/gm)].map((match) => match[1]!);
  expect(own).toHaveLength(10);
  const names = [...own, "Validate", "Violation", "is", "definitions", "methods", "validateX", "X"];
  const files = await declarationsOf(everywhere(names));
  expect(check(files)).toEqual([]);
  expect(own.filter((name) => typeName(name) === name)).toEqual([]);
});

describe("a name depends on its definition alone", () => {
  const definitions = { Error: text, "foo-bar": text, Place: { type: "object", properties: { a: text } } };

  test("and the texts of the others do not move when one is added", async () => {
    const blocks = async (more: object): Promise<Set<string>> =>
      new Set((await textOf(planOf(bundleOf({ ...definitions, ...more })), "types")).split("\n\n").slice(1));
    const before = await blocks({});
    const after = await blocks({ Error1: text, foo: text, Aaa: text, Place2: text });
    expect([...before].filter((block) => !after.has(block))).toEqual([]);
    expect(after.size).toBe(before.size + 4);
  });

  test("and two that would get one name are refused, not told apart by their order", () => {
    for (const pair of [
      { "foo-bar": text, foo_bar: text },
      { Error: text, Error_: text },
      { U: openUnion("a"), UA: text },
      { U: openUnion("a-b", "a b") },
      { A: tagged("a-b"), B: tagged("a b"), U: openUnion({ $ref: "#/$defs/A" }, { $ref: "#/$defs/B" }) },
    ]) {
      const errors = findingsOf(bundleOf(pair)).filter(({ severity }) => severity === "error");
      expect(errors.map(({ rule }) => rule)).toEqual(["name-clash", "name-clash"]);
    }
    // A closed union has no guards, so arms that are definitions bring no name that could clash.
    const arms = [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/B" }];
    const closed = bundleOf({ A: tagged("a-b"), B: tagged("a b"), U: { oneOf: arms } });
    expect(findingsOf(closed).filter(({ severity }) => severity === "error")).toEqual([]);
  });
});

function tagged(tag: string | undefined): object {
  const properties = { k: tag === undefined ? text : { const: tag } };
  return { type: "object", properties, required: ["k"] };
}

function openUnion(...arms: readonly (string | object)[]): object {
  const known = arms.map((arm) => (typeof arm === "string" ? tagged(arm) : arm));
  return { anyOf: [...known, tagged(undefined)], "x-msp-openness": "open" };
}
