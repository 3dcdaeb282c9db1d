/** Random bundles, so small that what their messages say can be enumerated. */
import fc from "fast-check";
import type { Json } from "../../../../codegen/index.js";

/** A schema node as a bundle spells it. */
export interface Node {
  [key: string]: Json;
}

/** A bundle as JSON. */
export interface Bundle extends Node {
  $defs: Record<string, Node>;
  methods: Record<string, Node>;
  notifications: Record<string, Node>;
  requests: Record<string, Node>;
}

/** Definitions that are the whole of a message's part. */
export const ROOTS = ["DoParams", "DoResult", "SeeResult", "Told", "Said", "AskParams", "AskResult"] as const;
/** Definitions that others refer to, each only to later ones. `Spare` is referred to by none. */
const SHARED = ["Common", "Thing", "Word", "Spare"] as const;

/** A reference to a definition. */
export function refTo(name: string): Node {
  return { $ref: `#/$defs/${name}` };
}

/** The definition that a node refers to. */
export function targetOf({ $ref }: Node): string | undefined {
  return typeof $ref === "string" ? $ref.slice("#/$defs/".length) : undefined;
}

const words = fc
  .tuple(fc.subarray(["red", "green", "blue"], { minLength: 1 }), fc.constantFrom("open", "closed"))
  .map(([list, openness]): Node => ({ enum: list, "x-msp-openness": openness, type: "string" }));

const leaf: fc.Arbitrary<Node> = fc.oneof(
  { weight: 3, arbitrary: words },
  {
    weight: 5,
    arbitrary: fc.constantFrom<Node>(
      { type: "string" },
      { type: "string", minLength: 1, maxLength: 3 },
      { type: "string", pattern: "^[ab]+$" },
      { type: "integer", minimum: 0, maximum: 5 },
      { type: "number" },
      { type: "boolean" },
      { const: "k" },
      { type: ["string", "null"] },
      { anyOf: [{ type: "boolean" }, { type: "null" }] },
    ),
  },
);

/** A node that is at most so deep, and refers to nothing but some definitions. */
function node(depth: number, refs: readonly string[]): fc.Arbitrary<Node> {
  const plain = [
    { weight: 4, arbitrary: leaf },
    ...(refs.length === 0 ? [] : [{ weight: 3, arbitrary: fc.constantFrom(...refs).map(refTo) }]),
  ];
  if (depth === 0) return fc.oneof(...plain);
  const inner = node(depth - 1, refs);
  return fc.oneof(
    ...plain,
    {
      weight: 1,
      arbitrary: fc
        .tuple(inner, fc.boolean())
        .map(
          ([items, some]): Node => ({ type: "array", items, maxItems: 2, ...(some ? { minItems: 1 } : {}) }),
        ),
    },
    {
      weight: 1,
      arbitrary: inner.map((additionalProperties): Node => ({ type: "object", additionalProperties })),
    },
    { weight: 1, arbitrary: object(depth - 1, refs) },
    { weight: 1, arbitrary: tagged(depth - 1, refs) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Node>(
        {
          anyOf: [
            { type: "string", maxLength: 2 },
            { type: "integer", minimum: 0, maximum: 5 },
          ],
        },
        { anyOf: [{ type: "boolean" }, { type: "array", items: { type: "string" }, maxItems: 2 }] },
      ),
    },
  );
}

interface Parts {
  readonly properties: Record<string, Node>;
  readonly required: string[];
}

function members(depth: number, refs: readonly string[], names: readonly string[]): fc.Arbitrary<Parts> {
  const one = fc.record({ of: node(depth, refs), what: fc.constantFrom("no", "may", "may", "must", "new") });
  return fc.tuple(...names.map(() => one)).map((list) => {
    const properties: Record<string, Node> = {};
    const required: string[] = [];
    list.forEach(({ of, what }, i) => {
      const name = names[i] as string;
      if (what === "no") return;
      properties[name] = what === "new" ? { ...of, "x-msp-stability": "experimental" } : of;
      if (what === "must") required.push(name);
    });
    return { properties, required };
  });
}

function objectOf({ properties, required }: Parts): Node {
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
}

function object(depth: number, refs: readonly string[]): fc.Arbitrary<Node> {
  return fc.tuple(members(depth, refs, ["a", "b", "c"]), fc.boolean()).map(([parts, tied]) => {
    const made = objectOf(parts);
    const free = Object.entries(parts.properties).flatMap(([name, of]) =>
      parts.required.includes(name) || of["x-msp-stability"] !== undefined ? [] : [name],
    );
    if (tied && free.length > 1) made["dependentRequired"] = { [free[0] as string]: [free[1] as string] };
    return made;
  });
}

/** A union whose arms are told apart by `kind`. */
function tagged(depth: number, refs: readonly string[]): fc.Arbitrary<Node> {
  const arm = members(depth, refs, ["a", "b"]);
  return fc
    .tuple(fc.constantFrom("open", "oneOf", "anyOf"), fc.constantFrom(2, 3), arm, arm, arm)
    .map(([form, count, ...parts]) => {
      const arms = ["one", "two", "three"].slice(0, count).map((word, i) => armOf(word, parts[i] as Parts));
      if (form !== "open") return { [form]: arms };
      return { anyOf: [...arms, catchAll()], "x-msp-openness": "open" };
    });
}

/** An arm of such a union. */
export function armOf(word: string, { properties, required }: Parts): Node {
  return objectOf({ properties: { kind: { const: word }, ...properties }, required: ["kind", ...required] });
}

/** The last arm of an open one. */
export function catchAll(): Node {
  return { type: "object", properties: { kind: { type: "string" } }, required: ["kind"] };
}

const made: fc.Arbitrary<Bundle> = fc
  .record({
    roots: fc.tuple(...ROOTS.map(() => object(1, SHARED.slice(0, 3)))),
    shared: fc.tuple(...SHARED.map((_, i) => node(2, SHARED.slice(i + 1, 3)))),
    recursive: fc.boolean(),
    strict: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ roots, shared, recursive, strict }) => {
    const $defs: Record<string, Node> = {};
    ROOTS.forEach((name, i) => ($defs[name] = roots[i] as Node));
    SHARED.forEach((name, i) => ($defs[name] = shared[i] as Node));
    if (recursive) {
      const whole = $defs["DoResult"] as { properties: Record<string, Node> };
      whole.properties["again"] = { type: "array", items: refTo("DoResult"), maxItems: 2 };
    }
    const bundle: Bundle = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $defs,
      methods: {
        "thing/do": {
          params: refTo("DoParams"),
          result: refTo("DoResult"),
          "x-msp-kind": "action",
          ...(strict === 0 ? { "x-msp-strict": true } : {}),
        },
        "thing/see": { result: refTo("SeeResult"), "x-msp-kind": "query" },
      },
      notifications: {
        "thing/said": { params: refTo("Said"), "x-msp-direction": "client-to-host" },
        "thing/told": { params: refTo("Told"), "x-msp-direction": "host-to-client" },
      },
      requests: { "thing/ask": { params: refTo("AskParams"), result: refTo("AskResult") } },
    };
    // Nodes of one object are edited together: each place gets its own.
    return JSON.parse(textOfBundle(bundle)) as Bundle;
  });

/**
 * Bundles. In some a definition contains itself, in some a method is strict. They are not drawn with a bias towards
 * small ones: an edit that needs a large one would wait for it without end.
 */
export const bundles: fc.Arbitrary<Bundle> = fc.noBias(made);

/** The text of a bundle. */
export function textOfBundle(bundle: Bundle): string {
  return JSON.stringify(bundle, null, 1);
}
