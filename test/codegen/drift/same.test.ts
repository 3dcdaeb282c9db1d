/** What a peer cannot see is no change, and leaves the fingerprint where it is. */
import { describe, expect, test } from "vitest";
import type { Drift } from "../../../codegen/drift/change.js";
import { driftOf } from "../../../codegen/drift/drift.js";
import { bundleOf, load } from "../../support/compile.js";

type Node = Record<string, unknown>;

const text: Node = { type: "string" };
const ref = (name: string): Node => ({ $ref: `#/$defs/${name}` });
const object = (properties: Node, more: Node = {}): Node => ({ type: "object", properties, ...more });

/** A bundle in which one message carries `node` both ways. */
function bundle(node: Node, defs: Node = {}): string {
  return bundleOf(
    { Part: object({ it: node }, { required: ["it"] }), ...defs },
    { methods: { ask: { params: ref("Part"), result: ref("Part") } } },
  );
}

function drift(before: string, after: string): Promise<Drift> {
  return driftOf(load(before), load(after));
}

const point = object({ x: { type: "integer" }, y: { type: "integer" } }, { required: ["x"] });
const arm = (kind: string): Node => object({ kind: { const: kind }, note: text }, { required: ["kind"] });
const ring = (name: string): Node => object({ next: ref(name), value: text });

const CASES: Readonly<Record<string, readonly [string, string]>> = {
  "an inline node behind a reference": [bundle(point), bundle(ref("Point"), { Point: point })],
  "a reference to a reference": [
    bundle(ref("Point"), { Point: point }),
    bundle(ref("Place"), { Place: ref("Point"), Point: point }),
  ],
  "a list of types as anyOf": [
    bundle({ type: ["string", "null"] }),
    bundle({ anyOf: [{ type: "null" }, { type: "string" }] }),
  ],
  "a list of types as anyOf of references": [
    bundle({ type: ["string", "null"] }),
    bundle({ anyOf: [ref("Text"), { type: "null" }] }, { Text: text }),
  ],
  "keys in another order": [
    bundle(object({ a: text, b: point }, { required: ["a", "b"] })),
    bundle({ required: ["b", "a"], properties: { b: point, a: text }, type: "object" }),
  ],
  "arms in another order": [bundle({ oneOf: [arm("a"), arm("b")] }), bundle({ oneOf: [arm("b"), arm("a")] })],
  "a union's keyword where each value has one arm": [
    bundle({ oneOf: [arm("a"), arm("b")] }),
    bundle({ anyOf: [arm("a"), arm("b")] }),
  ],
  "words in another order": [
    bundle({ type: "string", enum: ["a", "b"], "x-msp-openness": "open" }),
    bundle({ type: "string", enum: ["b", "a"], "x-msp-openness": "open" }),
  ],
  "one word as const": [bundle({ const: "a" }), bundle({ type: "string", enum: ["a"] })],
  "a least length of nothing": [bundle(text), bundle({ ...text, minLength: 0 })],
  "others that may be anything": [bundle(point), bundle({ ...point, additionalProperties: {} })],
  "a recursive node that is unrolled once": [
    bundle(ref("Ring"), { Ring: ring("Ring") }),
    bundle(ref("Ring"), { Ring: object({ next: ring("Ring"), value: text }) }),
  ],
};

describe("no change, and the same fingerprint", () => {
  test.each(Object.entries(CASES))("%s", async (_, [before, after]) => {
    expect(after).not.toBe(before);
    for (const [from, to] of [
      [before, after],
      [after, before],
    ] as const) {
      const { changes, fingerprints } = await drift(from, to);
      expect(changes.filter(({ rule }) => !rule.startsWith("definition-"))).toEqual([]);
      expect(changes.filter(({ verdict }) => verdict !== "none")).toEqual([]);
      expect(fingerprints.base).toBe(fingerprints.head);
    }
  });

  test("another node at the same place is seen, so that the comparison is known to look", async () => {
    for (const [before, after] of Object.values(CASES)) {
      const other = JSON.parse(after) as { readonly $defs: { readonly Part: Node } };
      other.$defs.Part["properties"] = { it: { type: "boolean" } };
      const { changes, fingerprints } = await drift(before, JSON.stringify(other));
      expect(changes.filter(({ verdict }) => verdict !== "none").length, before).toBeGreaterThan(0);
      expect(fingerprints.base).not.toBe(fingerprints.head);
    }
  });
});

describe("a definition under another name", () => {
  /** A bundle in which 500 members refer to one definition. */
  function used(name: string, node: Node): string {
    const members = Array.from({ length: 500 }, (_, i) => [`m${i}`, ref(name)]);
    return bundle(object(Object.fromEntries(members)), { [name]: node });
  }

  test.each([
    ["of a plain one", point, point],
    ["of one that contains itself", ring("One"), ring("Two")],
  ])("is suggested once, and is no change: %s", async (_, one, two) => {
    const { changes, hints, fingerprints } = await drift(used("One", one), used("Two", two));
    expect(hints).toEqual([{ kind: "renamed", from: "/$defs/One", to: "/$defs/Two" }]);
    expect(changes.map(({ rule, verdict }) => `${rule} ${verdict}`).sort()).toEqual([
      "definition-added none",
      "definition-removed none",
    ]);
    expect(fingerprints.base).toBe(fingerprints.head);
  });

  test("that also changed is compared with what it was, once", async () => {
    const { changes, hints } = await drift(
      used("One", point),
      used("Two", { ...point, required: ["x", "y"] }),
    );
    expect(hints.length).toBe(1);
    expect(changes.map(({ rule, pointer }) => `${rule} ${pointer}`)).toEqual([
      "definition-removed /$defs/One",
      "definition-added /$defs/Two",
      "member-required /$defs/Two/properties/y",
    ]);
  });

  test("is not suggested where both names are there still", async () => {
    const both = { One: point, Two: point };
    const { hints } = await drift(bundle(ref("One"), both), bundle(ref("Two"), both));
    expect(hints).toEqual([]);
  });
});
