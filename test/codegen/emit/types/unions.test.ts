import { beforeAll, describe, expect, test } from "vitest";
import { emitProducts, Findings, planSurface } from "../../../../codegen/index.js";
import { bundleOf, load, loadModule, planOf, planOfFile, textOf } from "../../../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA } from "../../../support/repo.js";
import { erase, mistakesOf } from "../../../support/typescript.js";

/** A tagged object. */
function arm(tag: object, more: object = {}, required: readonly string[] = []): object {
  return {
    type: "object",
    properties: { k: { type: "string", ...tag }, ...more },
    required: ["k", ...required],
  };
}

const text = { type: "string" };
const integer = { type: "integer" };
const catchAll = arm({}, { details: { type: "object", properties: {} } });

/** The guards of generated types, as they run. */
async function guardsOf(types: string): Promise<Record<string, (value: unknown) => boolean>> {
  return { ...((await loadModule(erase(types))) as Record<string, (value: unknown) => boolean>) };
}

/** For each guard of a union, the values that it takes. */
async function taken(types: string, values: readonly unknown[]): Promise<Record<string, readonly unknown[]>> {
  const guards = await guardsOf(types);
  return Object.fromEntries(
    Object.entries(guards).map(([name, guard]) => [name, values.filter((value) => guard(value))]),
  );
}

describe("a closed union", () => {
  const CLOSED = bundleOf({
    U: {
      oneOf: [
        arm({ const: "a" }, { v: text }, ["v"]),
        arm({ const: "b" }, { n: integer }, ["n"]),
        { $ref: "#/$defs/C" },
      ],
      "x-msp-openness": "closed",
    },
    C: arm({ enum: ["c", "d"], "x-msp-openness": "closed" }, { list: { type: "array", items: text } }),
    Holder: {
      type: "object",
      properties: { inside: { oneOf: [arm({ const: "x" }, { v: text }, ["v"]), arm({ const: "y" })] } },
      required: ["inside"],
    },
    Scalar: { anyOf: [{ type: "boolean" }, text, { type: "array", items: text }, { type: "null" }] },
  });

  test("narrows by its tag, wherever it stands", async () => {
    const program = `import type { C, Holder, Scalar, U, UA, UB } from "./types.js";
export const arms: Same<U, UA | UB | C> = true;
export const a: U = { k: "a", v: "x" };
export const mixed: U = { k: "a", n: 1 }; // error 2353
export const merged: U = { k: "b", v: "x" }; // error 2353
export const unknownTag: U = { k: "z" }; // error 2322
export const read = (value: U): unknown => {
  value.v; // error 2339
  switch (value.k) {
    case "a":
      return value.v.length;
    case "b":
      return value.n.toFixed();
    case "c":
    case "d":
      return value.list?.length;
  }
  return value satisfies never;
};
export const inside = ({ inside }: Holder): string => (inside.k === "x" ? inside.v : inside.k satisfies "y");
export const scalar: Same<Scalar, boolean | string | string[] | null> = true;
`;
    expect(mistakesOf(await textOf(planOf(CLOSED), "types"), program)).toEqual([]);
  });

  test("has no guards, since it needs none", async () => {
    expect(await guardsOf(await textOf(planOf(CLOSED), "types"))).toEqual({});
  });
});

describe("an open union", () => {
  const OPEN = bundleOf({
    U: {
      anyOf: [
        arm({ const: "a" }, { n: integer }, ["n"]),
        arm({ enum: ["b", "c"], "x-msp-openness": "closed" }, { v: text }, ["v"]),
        catchAll,
      ],
      "x-msp-openness": "open",
    },
  });

  test("has a guard for each arm, which narrows both ways", async () => {
    const program = `import { isUA, isUB, isUOther, type U, type UA, type UB, type UOther } from "./types.js";
declare const value: U;
export const arms: Same<U, UA | UB | UOther> = true;
export const future: U = { k: "z", details: { any: 1 } };
if (value.k === "a") value.n; // error 2339
if (isUA(value)) {
  const arm: UA = value;
  const n: number = value.n;
  console(arm, n);
} else {
  const rest: Same<typeof value, UB | UOther> = true;
  console(rest);
}
if (isUOther(value)) {
  const same: Same<typeof value, UOther> = true;
  const text: string = value.k;
  console(same, text, value.details);
} else {
  const tag: "a" | "b" | "c" = value.k;
  console(tag);
}
if (!isUA(value) && !isUB(value)) value.details;
declare function console(...any: unknown[]): void;
isUA("a"); // error 2345
`;
    expect(mistakesOf(await textOf(planOf(OPEN), "types"), program)).toEqual([]);
  });

  test("its guards tell apart what a peer sends, with every value taken by exactly one", async () => {
    const values = [
      { k: "a", n: 1 },
      { k: "b", v: "" },
      { k: "c", v: "" },
      { k: "z" },
      { k: "" },
      { k: "A" },
    ];
    const found = await taken(await textOf(planOf(OPEN), "types"), values);
    expect(found).toEqual({
      isUA: values.slice(0, 1),
      isUB: values.slice(1, 3),
      isUOther: values.slice(3),
    });
  });

  test("may also have arms that are not objects", async () => {
    const types = await textOf(
      planOf(
        bundleOf({
          U: {
            anyOf: [
              arm({ const: "a" }),
              { type: "null" },
              text,
              { type: "array", items: text },
              { type: "number" },
              arm({}),
            ],
            "x-msp-openness": "open",
          },
        }),
      ),
      "types",
    );
    const program = `import { isUA, isUOther, type U } from "./types.js";
export const none: U = null;
export const list: U = ["x"];
export const read = (value: U): "a" | undefined => (isUA(value) ? value.k : undefined);
export const rest = (value: U): string | undefined => (isUOther(value) ? value.k : undefined);
`;
    expect(mistakesOf(types, program)).toEqual([]);
    const values = [{ k: "a" }, { k: "z" }, null, "a", ["a"], 1];
    expect(await taken(types, values)).toEqual({ isUA: [{ k: "a" }], isUOther: [{ k: "z" }] });
  });

  test("may share an arm with another one", async () => {
    const open = { anyOf: [{ $ref: "#/$defs/A" }, arm({})], "x-msp-openness": "open" };
    const types = await textOf(
      planOf(bundleOf({ A: arm({ const: "a" }, { n: integer }), U: open, V: open })),
      "types",
    );
    const program = `import { type A, isUA, isUOther, isVA, type U, type V } from "./types.js";
export const u = (value: U): A | undefined => (isUA(value) ? value : undefined);
export const v = (value: V): number | undefined => (isVA(value) ? value.n : undefined);
export const other = (value: U): string | undefined => (isUOther(value) ? value.k : undefined);
`;
    expect(mistakesOf(types, program)).toEqual([]);
    expect(await taken(types, [{ k: "a" }, { k: "b" }])).toEqual({
      isUA: [{ k: "a" }],
      isUOther: [{ k: "b" }],
      isVA: [{ k: "a" }],
      isVOther: [{ k: "b" }],
    });
  });

  test("may have its tag beside a reference", async () => {
    const types = await textOf(
      planOf(
        bundleOf({
          Base: { type: "object", properties: { n: integer }, required: ["n"] },
          U: {
            anyOf: [
              { $ref: "#/$defs/Base", properties: { k: { const: "a" } }, required: ["k"] },
              { $ref: "#/$defs/Base", type: "object", properties: { k: { const: "b" } }, required: ["k"] },
              arm({}),
            ],
            "x-msp-openness": "open",
          },
        }),
      ),
      "types",
    );
    const program = `import { type Base, isUA, isUB, type U, type UA } from "./types.js";
export const base: Base = { n: 1, k: "a" }; // error 2353
export const a: UA = { n: 1, k: "a" };
export const b: UA = { n: 1, k: "b" }; // error 2322
export const read = (value: U): number | undefined => (isUA(value) || isUB(value) ? value.n : undefined);
`;
    expect(mistakesOf(types, program)).toEqual([]);
    expect(await taken(types, [{ n: 1, k: "a" }, { n: 1, k: "b" }, { k: "c" }])).toEqual({
      isUA: [{ n: 1, k: "a" }],
      isUB: [{ n: 1, k: "b" }],
      isUOther: [{ k: "c" }],
    });
  });

  test("knows the tags of its own surface, whichever surface is made first", async () => {
    const bundle = bundleOf({
      A: arm({
        enum: ["x", "y"],
        "x-msp-openness": "closed",
        "x-msp-value-stability": { y: "experimental" },
      }),
      U: { anyOf: [{ $ref: "#/$defs/A" }, arm({})], "x-msp-openness": "open" },
    });
    const made: string[][] = [];
    for (const order of [
      ["stable", "experimental"],
      ["experimental", "stable"],
    ] as const) {
      const loaded = load(bundle);
      const texts = new Map<string, string>();
      for (const surface of order) {
        const plan = planSurface(loaded, surface, new Findings());
        texts.set(surface, (await emitProducts(plan!, ["types"]))[0]!.text);
      }
      made.push([texts.get("stable")!, texts.get("experimental")!]);
    }
    expect(made[0]).toEqual(made[1]);
    const [stable, experimental] = made[0]!;
    const values = [{ k: "x" }, { k: "y" }, { k: "z" }];
    expect(await taken(stable!, values)).toEqual({ isUX: [values[0]], isUOther: values.slice(1) });
    expect(await taken(experimental!, values)).toEqual({ isUX: values.slice(0, 2), isUOther: [values[2]] });
  });

  test("has a tag of any spelling", async () => {
    const wild = (name: string, tag: object): object => ({
      type: "object",
      properties: { [name]: { type: "string", ...tag } },
      required: [name],
    });
    for (const tag of ["__proto__", "a-b", "*/", "new", 'q"', "\u2028"]) {
      const open = { anyOf: [wild(tag, { const: "*/ x" }), wild(tag, {})], "x-msp-openness": "open" };
      const types = await textOf(planOf(bundleOf({ U: open })), "types");
      const program = `import { isUOther, isUX, type U } from "./types.js";
export const known = (value: U): "*/ x" | undefined => (isUX(value) ? value[${JSON.stringify(tag)}] : undefined);
export const other = (value: U): boolean => isUOther(value);
`;
      expect(mistakesOf(types, program)).toEqual([]);
      const values = [
        JSON.parse(`{${JSON.stringify(tag)}: "*/ x"}`),
        JSON.parse(`{${JSON.stringify(tag)}: ""}`),
      ];
      expect(await taken(types, values)).toEqual({ isUX: [values[0]], isUOther: [values[1]] });
    }
  });
});

describe("the unions of the bundles", () => {
  let depot: string;
  let msp: string;

  beforeAll(async () => {
    depot = await textOf(planOfFile(DEPOT_SCHEMA), "types");
    msp = await textOf(planOfFile(MSP_SCHEMA), "types");
  });

  test("an event of the depot", async () => {
    const program = `import { type Event_, isEventArrived, isEventClosed, isEventOther } from "./types.js";
export const read = (event: Event_): unknown => {
  if (isEventArrived(event)) return event.lines[0]?.sku;
  if (isEventClosed(event)) return event.place.label;
  const rest: typeof event.what = "anything";
  return isEventOther(event) ? [rest, event.details] : (event satisfies never);
};
`;
    expect(mistakesOf(depot, program)).toEqual([]);
    const values = [{ what: "arrived", lines: [] }, { what: "closed", place: { label: "x" } }, { what: "?" }];
    expect(await taken(depot, values)).toEqual({
      isEventArrived: [values[0]],
      isEventClosed: [values[1]],
      isEventOther: [values[2]],
    });
  });

  test("a tool receipt, and where an MCP server is", async () => {
    const program = `import { isToolReceiptCron, isToolReceiptOther, type SessionMcpServerConfig, type ToolReceipt } from "./types.js";
export const receipt = (value: ToolReceipt): unknown => {
  if (isToolReceiptCron(value)) return value.details satisfies import("./types.js").CronReceipt | undefined;
  return isToolReceiptOther(value) ? value.details?.["any"] : value.family satisfies "codeMode";
};
export const server = (value: SessionMcpServerConfig): unknown => {
  value.command; // error 2339
  return "command" in value ? value.command : undefined;
};
`;
    expect(mistakesOf(msp, program)).toEqual([]);
    const values = [{ family: "cron" }, { family: "codeMode" }, { family: "later", details: {} }];
    expect(await taken(msp, values)).toEqual({
      isToolReceiptCron: [values[0]],
      isToolReceiptCodeMode: [values[1]],
      isToolReceiptOther: [values[2]],
    });
  });
});
