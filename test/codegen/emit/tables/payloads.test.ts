/** The table `payloads`: what it says of each construct of the dialect, and that no command lacks it. */
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { payloadsOf } from "../../../../codegen/emit/tables/payloads.js";
import { SURFACES, type SurfacePlan } from "../../../../codegen/index.js";
import { decodePayload, type PayloadShapes } from "../../../../src/ledger/signature.js";
import { bundleOf, loadModule, planOf, planOfFile, textOf } from "../../../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA, ROOT, WORKSPACE_SCHEMA } from "../../../support/repo.js";

const string = { type: "string" };
const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

/** The table of a surface, loaded from its text. */
async function emitted(plan: SurfacePlan): Promise<PayloadShapes> {
  return ((await loadModule(await textOf(plan, "tables", "tables.js"))) as { payloads: PayloadShapes })
    .payloads;
}

/** The table of a bundle with one command whose params have these members, and with more definitions. */
async function tableOf(
  members: object,
  defs: object = {},
  required: readonly string[] = [],
): Promise<PayloadShapes> {
  const params = object({ commandId: string, ...members }, { required: ["commandId", ...required] });
  const bundle = bundleOf(
    { P: params, Unused: object({ x: string }), Answer: object({ x: string }), ...defs },
    {
      methods: {
        go: { params: ref("P"), result: ref("Answer") },
        look: { params: ref("Unused"), result: ref("Answer") },
      },
    },
  );
  return emitted(planOf(bundle));
}

/** What the table says of one member. */
async function member(schema: object, defs: object = {}, required: readonly string[] = []): Promise<unknown> {
  return (await tableOf({ m: schema }, defs, required))["P"]?.members?.["m"];
}

describe("the shape of a member", () => {
  const T = object({ x: string });
  const tag = (kind: string, more: object) =>
    object({ kind: { ...string, const: kind }, ...more }, { required: ["kind"] });

  it.each<[string, object, unknown, object?]>([
    ["a scalar", string, {}],
    ["an enum", ref("E"), {}, { E: { ...string, enum: ["a"], "x-msp-openness": "open" } }],
    ["a free-form object", { type: "object" }, {}],
    ["an object without members", object({}), {}],
    ["any value", {}, { null: true }],
    ["a nullable text", { type: ["string", "null"] }, { null: true }],
    ["a nullable reference", { anyOf: [ref("T"), { type: "null" }] }, { ref: "T", null: true }],
    [
      "a reference that is nullable by its definition",
      ref("N"),
      { null: true },
      { N: { type: ["integer", "null"] } },
    ],
    ["a reference with a text of its own", { ...ref("T"), description: "why" }, { ref: "T" }],
    [
      "an object in place",
      object({ a: string, b: { type: ["null", "string"] } }),
      { members: { a: {}, b: { null: true } } },
    ],
    ["a list of scalars", { type: "array", items: string }, {}],
    ["a list of objects", { type: "array", items: ref("T") }, { items: { ref: "T" } }],
    [
      "a list of lists",
      { type: "array", items: { type: "array", items: ref("T") } },
      { items: { items: { ref: "T" } } },
    ],
    ["a list without items", { type: "array" }, {}],
    ["a map of scalars", { type: "object", additionalProperties: string }, { values: {} }],
    ["a map of objects", { type: "object", additionalProperties: ref("T") }, { values: { ref: "T" } }],
    [
      "a map with members",
      object({ a: string }, { additionalProperties: string }),
      { members: { a: {} }, values: {} },
    ],
    ["a default", { ...string, default: "queue" }, { default: "queue" }],
    [
      "a member named __proto__",
      JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as object,
      { members: JSON.parse('{"__proto__":{}}') as object },
    ],
    [
      "a member named as a keyword",
      object({ items: string, $ref: ref("T") }),
      { members: { $ref: { ref: "T" }, items: {} } },
    ],
    [
      "tagged objects",
      {
        oneOf: [
          tag("a", { x: string, both: string }),
          tag("b", { y: ref("T"), both: { type: ["string", "null"] } }),
        ],
      },
      { members: { both: { null: true }, kind: {}, x: {}, y: { ref: "T" } } },
    ],
    ["an object or a text", { anyOf: [ref("T"), string] }, { ref: "T" }],
    [
      "an object or a list of objects",
      { anyOf: [ref("T"), { type: "array", items: ref("T") }] },
      { members: { x: {} }, items: { ref: "T" } },
    ],
    ["an object, or a list that is free", { anyOf: [ref("T"), { type: "array" }] }, { members: { x: {} } }],
  ])("%s", async (_, schema, shape, defs = {}) => {
    expect(await member(schema, { T, ...defs })).toEqual(shape);
  });

  it("keeps null where a member is required, and has no default there", async () => {
    expect(await member({ type: ["string", "null"], default: null }, {}, ["m"])).toEqual({});
  });
});

describe("the entries of the table", () => {
  it("are the params of commands and what these lead to, each once", async () => {
    const table = await tableOf(
      { a: ref("A"), again: ref("A"), word: ref("E"), free: ref("F") },
      {
        A: object({ b: ref("B") }),
        B: object({ c: string }),
        E: { ...string, enum: ["x"], "x-msp-openness": "open" },
        F: { type: "object" },
      },
    );
    expect(Object.keys(table)).toEqual(["A", "B", "P"]);
  });

  it("lead back to themselves where definitions do", async () => {
    const table = await tableOf(
      { a: ref("A") },
      {
        A: object({ b: ref("B"), list: { type: "array", items: ref("A") } }),
        B: object({ a: { anyOf: [ref("A"), { type: "null" }] } }),
      },
    );
    expect(table).toEqual({
      P: { members: { a: { ref: "A" }, commandId: {} } },
      A: { members: { b: { ref: "B" }, list: { items: { ref: "A" } } } },
      B: { members: { a: { ref: "A", null: true } } },
    });
  });

  it("end where alternatives lead back to themselves under no name", async () => {
    const node = (kind: string, next: object) =>
      object({ kind: { ...string, const: kind }, next }, { required: ["kind"] });
    const either = { oneOf: [ref("A"), ref("B")] };
    const table = await tableOf(
      { m: either },
      { A: node("a", either), B: node("b", { type: "array", items: either }) },
    );
    const deep = (inner: unknown): object => ({
      m: { kind: "a", next: { kind: "b", later: 1, next: [inner] } },
    });
    const value = deep({ kind: "a", later: 1, next: deep({ kind: "b", later: 2 }) });
    const text = JSON.stringify(decodePayload(table, "P", value));
    expect(text).toBe('{"m":{"kind":"a","next":{"kind":"b","next":[{"kind":"a","next":{}}]}}}');
  });

  it("are made of a ring of 2,000 definitions", async () => {
    const ring = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, i) => [
        `D${i}`,
        object({ next: ref(`D${(i + 1) % 2_000}`), x: string }),
      ]),
    );
    const { protocol } = planOf(
      bundleOf(
        { ...ring, P: object({ commandId: string, first: ref("D0") }, { required: ["commandId"] }) },
        { methods: { go: { params: ref("P"), result: ref("D0") } } },
      ),
    );
    expect(Object.keys(payloadsOf(protocol))).toHaveLength(2_001);
  });

  it.each([
    ["MSP", MSP_SCHEMA],
    ["the depot", DEPOT_SCHEMA],
    ["workspaces", WORKSPACE_SCHEMA],
  ])(
    "are there for every command of %s, on both surfaces, and refer to each other alone",
    async (_, file) => {
      for (const surface of SURFACES) {
        const plan = planOfFile(file, surface);
        const table = await emitted(plan);
        const commands = plan.protocol.methods.filter(({ commandId }) => commandId !== "none");
        expect(commands.length).toBeGreaterThan(0);
        for (const { params } of commands) expect(table[params!]).toBeDefined();
        const refs = JSON.stringify(table).match(/(?<="ref":)"[^"]*"/g) ?? [];
        for (const name of refs) expect(Object.keys(table)).toContain(JSON.parse(name));
      }
    },
  );
});

it("a program that does not use the table does not carry it", async () => {
  const sizeOf = async (names: string): Promise<number> => {
    const { outputFiles } = await build({
      stdin: {
        contents: `export { ${names} } from "./generated/msp/experimental/tables.js";`,
        resolveDir: ROOT,
      },
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
      platform: "browser",
    });
    return outputFiles[0]!.contents.length;
  };
  const [without, both] = [await sizeOf("errors"), await sizeOf("errors, payloads")];
  expect(without).toBeLessThan(6_000);
  expect(both - without).toBeGreaterThan(2_000);
});
