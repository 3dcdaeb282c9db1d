import { describe, expect, test } from "vitest";
import type { RuleSettings } from "../../../../codegen/index.js";
import { bundleOf, findingsOf, planOf, planOfFile, textOf } from "../../../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA } from "../../../support/repo.js";
import { mistakesOf } from "../../../support/typescript.js";

const text = { type: "string" };
const integer = { type: "integer" };

async function typesOf(definitions: object, rules: RuleSettings = {}): Promise<string> {
  return textOf(planOf(bundleOf(definitions), "experimental", rules), "types");
}

describe("required, optional and nullable", () => {
  const definitions = {
    T: { type: "object", properties: { x: integer } },
    N: {
      type: "object",
      properties: {
        a: text,
        b: { type: ["string", "null"] },
        c: { anyOf: [{ $ref: "#/$defs/T" }, { type: "null" }] },
        d: { type: ["integer", "null"] },
      },
      required: ["b"],
    },
  };

  test("are three things, written as a reader expects", async () => {
    const types = await typesOf(definitions);
    expect(types).toContain(
      "export interface N {\n  a?: string;\n  b: string | null;\n  c?: T | null;\n  d?: number | null;\n}\n",
    );
  });

  test("are told apart by the compiler", async () => {
    const program = `import type { N, T } from "./types.js";
export const same: Same<N, { a?: string; b: string | null; c?: T | null; d?: number | null }> = true;
export const least: N = { b: null };
export const all: N = { a: "", b: "", c: null, d: null };
export const missing: N = {}; // error 2741
export const nothing: N = { a: null, b: "" }; // error 2322
export const absent: N = { a: undefined, b: "" }; // error 2375
export const other: N = { b: "", c: undefined }; // error 2375
`;
    expect(mistakesOf(await typesOf(definitions), program)).toEqual([]);
  });
});

test("a reference with text or a bound beside it is the definition's type, of which there is one", async () => {
  const types = await typesOf({
    T: { type: "string", enum: ["a", "b"] },
    R: {
      type: "object",
      properties: {
        x: { $ref: "#/$defs/T" },
        y: { $ref: "#/$defs/T", description: "why" },
        z: { $ref: "#/$defs/T", maxLength: 1 },
      },
    },
  });
  expect(types.match(/export (?:type|interface) (?:T\w*|R\w*) /g)).toEqual([
    "export interface R ",
    "export type T ",
  ]);
  expect(types).toContain(
    "  x?: T;\n  /** why */\n  y?: T;\n  /** Length at most 1 code points. */\n  z?: T;\n",
  );
});

test("members beside a reference are added to it", async () => {
  const program = `import type { Both } from "./types.js";
export const both: Both = { x: 1, y: "" };
export const less: Both = { x: 1 }; // error 2322
`;
  const types = await typesOf({
    T: { type: "object", properties: { x: integer }, required: ["x"] },
    Both: { $ref: "#/$defs/T", type: "object", properties: { y: text }, required: ["y"] },
  });
  expect(mistakesOf(types, program)).toEqual([]);
});

test("members named like keywords of the schema are ordinary", async () => {
  const types = await typesOf({
    K: {
      type: "object",
      properties: {
        items: { type: "array", items: text },
        anyOf: { type: "array", items: text },
        $ref: text,
        enum: { type: "boolean" },
        deprecated: text,
        "x-msp-openness": text,
      },
      required: ["items", "$ref"],
    },
  });
  const program = `import type { K } from "./types.js";
export const same: Same<
  K,
  { items: string[]; anyOf?: string[]; $ref: string; enum?: boolean; deprecated?: string; "x-msp-openness"?: string }
> = true;
`;
  expect(mistakesOf(types, program)).toEqual([]);
  expect(types).not.toContain("@deprecated");
});

test("members with the names of Object's own are ordinary", async () => {
  const types = await typesOf({
    P: {
      type: "object",
      properties: { constructor: text, ["__proto__"]: integer },
      required: ["toString", "__proto__"],
    },
  });
  const program = `import type { P } from "./types.js";
export const all: P = { ["__proto__"]: 1, toString: 0, constructor: "x" };
export const proto: P["__proto__"] = 1;
export const missing: P = { toString: 0 }; // error 2741
export const wrong: P = { ["__proto__"]: 1, toString: 0, constructor: 1 }; // error 2322
`;
  expect(mistakesOf(types, program)).toEqual([]);
});

describe("what a type cannot say, or a schema does not, is never narrowed and never lost", () => {
  test("an unknown type is an error, not a loose type", () => {
    const errors = findingsOf(bundleOf({ A: { type: "strnig" } })).filter((f) => f.severity === "error");
    expect(errors.map((f) => f.rule)).toEqual(["unknown-type"]);
  });

  test("a required member without a property is there, and unknown", async () => {
    const program = `import type { B } from "./types.js";
export const same: Same<B, { x: unknown }> = true;
export const missing: B = {}; // error 2741
`;
    const types = await typesOf({ B: { type: "object", properties: {}, required: ["x"] } });
    expect(mistakesOf(types, program)).toEqual([]);
  });

  test("alternatives that only require members leave the type as wide as it is", async () => {
    const types = await typesOf(
      {
        C: {
          type: "object",
          properties: { k: text },
          oneOf: [{ required: ["k"] }, { required: ["j"] }],
        },
      },
      { severities: { "overlapping-union": "off" } },
    );
    const program = `import type { C } from "./types.js";
export const k: C = { k: "x" };
const some: { j: number } = { j: 1 };
export const j: C = some as object;
`;
    expect(mistakesOf(types, program)).toEqual([]);
  });

  test("a free-form object is a record of unknown values, and not an empty type", async () => {
    const program = `import type { D, Holder } from "./types.js";
export const same: Same<D, Record<string, unknown>> = true;
export const any: D = { a: 1, b: [null] };
export const text: D = "x"; // error 2322
export const read = (value: D): string => value["a"]; // error 2322
export const inside: Same<Holder["free"], Record<string, unknown>> = true;
`;
    const free = { type: "object", properties: {} };
    const types = await typesOf({
      D: free,
      Holder: { type: "object", properties: { free }, required: ["free"] },
    });
    expect(mistakesOf(types, program)).toEqual([]);
  });

  test("a map has values of its type; declared members stand beside other ones", async () => {
    const program = `import type { Declared, Numbers, Tree } from "./types.js";
export const numbers: Numbers = { a: 1 };
export const words: Numbers = { a: "" }; // error 2322
export const unchecked = (value: Numbers): number => value["a"]; // error 2322
export const tree: Tree = { a: { b: { c: {} } } };
export const leaf: Tree = { a: 1 }; // error 2322
export const more: Declared = { known: "x", other: 1 };
export const wrong: Declared = { known: 1 }; // error 2322
export const read = (value: Declared): string => value.known;
`;
    const types = await typesOf({
      Numbers: { type: "object", additionalProperties: integer },
      // An alias that contains itself.
      Tree: { type: "object", additionalProperties: { $ref: "#/$defs/Tree" } },
      Declared: {
        type: "object",
        properties: { known: text },
        required: ["known"],
        additionalProperties: integer,
      },
    });
    expect(mistakesOf(types, program)).toEqual([]);
  });

  test("a node without any keyword takes every value", async () => {
    const program = `import type { Any, List } from "./types.js";
export const same: Same<Any, unknown> = true;
export const list: Same<List, unknown[]> = true;
`;
    expect(mistakesOf(await typesOf({ Any: {}, List: { type: "array" } }), program)).toEqual([]);
  });

  test("aliases may contain themselves in every way that ends", async () => {
    const json = [{ type: ["boolean", "null", "number", "string"] }, { type: "array", items: ref("J") }];
    const types = await typesOf({
      J: { anyOf: [...json, { type: "object", additionalProperties: ref("J") }] },
      A: { type: "array", items: ref("B") },
      B: { anyOf: [ref("A"), { type: "null" }, { type: "object", additionalProperties: ref("A") }] },
    });
    const program = `import type { A, J } from "./types.js";
export const json: J = { a: [1, null, { b: "x" }] };
export const wrong: J = { a: [undefined] }; // error 2322
export const nested: A = [[], null, { a: [null] }];
`;
    expect(mistakesOf(types, program)).toEqual([]);
  });
});

function ref(name: string): object {
  return { $ref: `#/$defs/${name}` };
}

describe("an experimental member", () => {
  test("of the protocol is in the experimental type alone", async () => {
    const program = `import type { TurnSteerParams } from "./types.js";
const least = { commandId: "c", expectedTurnId: "t", input: [], sessionId: "s" };
export const without: TurnSteerParams = least;
export const known: "tokenBudget" extends keyof TurnSteerParams ? true : false = EXPECTED;
export const budget: TurnSteerParams = { ...least, tokenBudget: 1 };
`;
    const stable = await textOf(planOfFile(MSP_SCHEMA, "stable"), "types");
    const inStable = program.replace("EXPECTED", "false").replace("tokenBudget: 1 };", "$& // error 2353");
    expect(mistakesOf(stable, inStable)).toEqual([]);
    const experimental = await textOf(planOfFile(MSP_SCHEMA, "experimental"), "types");
    expect(mistakesOf(experimental, program.replace("EXPECTED", "true"))).toEqual([]);
  });

  test("of an arm and of a definition is so too, with the rest unchanged", async () => {
    const stable = await textOf(planOfFile(DEPOT_SCHEMA, "stable"), "types");
    const experimental = await textOf(planOfFile(DEPOT_SCHEMA), "types");
    for (const gone of ["carrier", "dryRun", "Stocktake", "urgent", "@experimental"]) {
      expect(stable).not.toContain(gone);
      expect(experimental).toContain(gone);
    }
    const program = `import type { MethodName, MoveParams, TargetDepot } from "./types.js";
export const target: Same<TargetDepot, { name: string; to: "depot" }> = true;
export const move: MoveParams = { lines: [], target: { to: "place", label: "x" } };
export const names: Same<MethodName, "find" | "move" | "open" | "ping" | "tree"> = true;
`;
    expect(mistakesOf(stable, program)).toEqual([]);
  });
});
