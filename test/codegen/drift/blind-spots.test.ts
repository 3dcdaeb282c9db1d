/** What other comparisons of schemas miss, invent, or never come back from. */
import { describe, expect, test } from "vitest";
import { type Change, type Drift, PAIRINGS } from "../../../codegen/drift/change.js";
import { driftOf, loadTextForDrift } from "../../../codegen/drift/drift.js";
import { Findings, fingerprintOf, type Loaded, planSurface, project } from "../../../codegen/index.js";
import { bundleOf, load } from "../../support/compile.js";
import { loadGenerated } from "../../support/samples.js";
import { doubtsOf } from "./witness-check.js";

type Node = Record<string, unknown>;

const ref = (name: string): Node => ({ $ref: `#/$defs/${name}` });
const object = (properties: Node, more: Node = {}): Node => ({ type: "object", properties, ...more });

/** A bundle in which the host sends `node` in a result. */
function sent(node: Node, defs: Node = {}): string {
  return bundleOf({ It: node, ...defs }, { methods: { read: { result: ref("It") } } });
}

/** A bundle in which the client sends it. */
function asked(node: Node, defs: Node = {}): string {
  return bundleOf(
    { It: node, Nothing: { type: "object" }, ...defs },
    { methods: { ask: { params: ref("It"), result: ref("Nothing") } } },
  );
}

/** Unions whose arms may overlap are what some of these are about. */
const loaded = (text: string): Loaded => load(text, { severities: { "overlapping-union": "off" } });

function drift(before: string, after: string): Promise<Drift> {
  return driftOf(loaded(before), loaded(after), { evidence: { load: loadGenerated } });
}

/** A value, but for what a map holds: any name and any value there do as well. */
function shown(value: unknown): string {
  const names = Object.keys(value as object);
  return names.length === 1 && !/^[a-z]$/.test(names[0]!) ? '{"*":?}' : JSON.stringify(value);
}

/** `RULE POINTER: VERDICT WITNESS | VERDICT WITNESS`, for an old and for a new client. */
function told({ rule, pointer, pairings, evidence }: Change): string {
  const of = PAIRINGS.map((pairing) => {
    const witness = evidence?.witnesses[pairing];
    return pairings[pairing].verdict + (witness === undefined ? "" : ` ${shown(witness.value)}`);
  });
  return `${rule} ${pointer}: ${of.join(" | ")}`;
}

const plain = object({ a: { type: "string" } });
const numbers: Node = { x: { type: "integer" }, y: { type: "integer" } };

/** Each edit, as a host sends it and as a client does. */
const EDITS: Readonly<
  Record<
    string,
    {
      readonly before: Node;
      readonly after: Node;
      /** The type of a definition beside it, before and after. */
      readonly values?: readonly [string, string];
      readonly host: string;
      readonly client: string;
    }
  >
> = {
  "an arm after the last one": {
    before: object({ n: { anyOf: [{ type: "integer", minimum: 1 }] } }),
    after: object({
      n: {
        anyOf: [
          { type: "integer", minimum: 1 },
          { type: "integer", maximum: 1 },
        ],
      },
    }),
    host: 'arm-added /$defs/It/properties/n: breaking {"n":0} | additive',
    client: 'arm-added /$defs/It/properties/n: additive | additive {"n":0}',
  },
  "a shape for members that are not declared": {
    before: { type: "object" },
    after: { type: "object", additionalProperties: { type: "string" } },
    host: 'others-restricted /$defs/It/additionalProperties: additive | breaking {"*":?}',
    client: 'others-restricted /$defs/It/additionalProperties: breaking {"*":?} | additive',
  },
  "the type of a map's values, behind a reference": {
    before: { type: "object", additionalProperties: ref("Value") },
    after: { type: "object", additionalProperties: ref("Value") },
    values: ["integer", "string"],
    host: 'type-added /$defs/Value: breaking {"*":?} | additive\ntype-removed /$defs/Value: additive | breaking {"*":?}',
    client:
      'type-added /$defs/Value: additive | additive {"*":?}\ntype-removed /$defs/Value: breaking {"*":?} | additive',
  },
  "a least length": {
    before: plain,
    after: object({ a: { type: "string", minLength: 1 } }),
    host: 'bound-tightened /$defs/It/properties/a/minLength: additive | breaking {"a":""}',
    client: 'bound-tightened /$defs/It/properties/a/minLength: breaking {"a":""} | additive',
  },
  "one member that needs another": {
    before: object({ a: { type: "string" }, b: { type: "string" } }),
    after: object({ a: { type: "string" }, b: { type: "string" } }, { dependentRequired: { a: ["b"] } }),
    host: 'dependency-added /$defs/It/dependentRequired: additive | breaking {"a":""}',
    client: 'dependency-added /$defs/It/dependentRequired: breaking {"a":""} | additive',
  },
  "an object that becomes one of two that overlap": {
    before: object(numbers, { required: ["x", "y"] }),
    after: { oneOf: [object(numbers, { required: ["x"] }), object(numbers, { required: ["y"] })] },
    host: 'shape-changed /$defs/It: breaking {"x":0} | breaking {"x":0,"y":0}',
    client: 'shape-changed /$defs/It: breaking {"x":0,"y":0} | additive {"x":0}',
  },
  "a member of the name of a keyword": {
    before: object({ enum: { type: "boolean" }, items: { type: "string" } }),
    after: object({ items: { type: "string" } }),
    host: "member-removed /$defs/It/properties/enum: unknown | additive",
    client: "member-removed /$defs/It/properties/enum: unknown | additive",
  },
};

const planOf = (of: Loaded) => planSurface(of, "stable", new Findings())!;

describe("what others miss", () => {
  test.each(Object.entries(EDITS))("%s", async (_, edit) => {
    const { before, after, values = ["integer", "integer"], host, client } = edit;
    for (const [around, wanted] of [
      [sent, host],
      [asked, client],
    ] as const) {
      const [was, is] = values.map((type): Node => ({ Value: { type } }));
      const [from, to] = [around(before, was), around(after, is)];
      const { changes } = await drift(from, to);
      expect(changes.map(told).join("\n")).toBe(wanted);
      const witnesses = changes.flatMap(({ evidence }) => Object.values(evidence?.witnesses ?? {}));
      expect(await doubtsOf(witnesses, planOf(loaded(from)), planOf(loaded(to)))).toEqual([]);
    }
  });

  test("a keyword that nobody here knows is named, and nobody says that it harms no one", async () => {
    const text = (more: Node): string => sent(object({ a: object({}, more) }));
    const of = (more: Node): Loaded => loadTextForDrift(text(more), "bundle.json").loaded as Loaded;
    const strict = { unevaluatedProperties: false };
    const pointer = "/$defs/It/properties/a/unevaluatedProperties";
    const added = await driftOf(of({}), of(strict), { evidence: { load: loadGenerated } });
    expect(added.changes.map(told)).toEqual([`keyword-changed ${pointer}: unknown | unknown`]);
    const removed = await driftOf(of(strict), of({}));
    expect(removed.changes.map(told)).toEqual([`keyword-changed ${pointer}: unknown | unknown`]);
    expect((await driftOf(of(strict), of(strict))).changes).toEqual([]);
  });

  test("one in a definition that no message carries harms no one", async () => {
    const text = (more: Node): string => sent({ type: "object" }, { Spare: object({}, more) });
    const of = (more: Node): Loaded => loadTextForDrift(text(more), "bundle.json").loaded as Loaded;
    const { changes } = await driftOf(of({}), of({ unevaluatedProperties: false, default: {} }));
    expect(changes.map(told)).toEqual([
      "default-changed /$defs/Spare: none | none",
      "keyword-changed /$defs/Spare/unevaluatedProperties: none | none",
    ]);
  });
});

describe("a number that had to be whole for a while", () => {
  /** Three releases of a notification of the host. */
  const release = (type: string): string =>
    bundleOf(
      { Progress: object({ progress: { type } }, { required: ["progress"] }) },
      { notifications: { progress: { params: ref("Progress") } } },
    );
  const [first, second] = [release("number"), release("integer")];
  const at = "/$defs/Progress/properties/progress/type";

  test("breaks a new client by what an old host sends, and an old one when it is taken back", async () => {
    const { changes } = await drift(first, second);
    expect(changes.map(({ rule, pointer, breaks }) => ({ rule, pointer, breaks }))).toEqual([
      { rule: "type-removed", pointer: at, breaks: ["new-client-old-host"] },
    ]);
    const back = await drift(second, first);
    expect(back.changes.map(({ rule, pointer, breaks }) => ({ rule, pointer, breaks }))).toEqual([
      { rule: "type-added", pointer: at, breaks: ["old-client-new-host"] },
    ]);
    for (const { witness } of [...changes, ...back.changes]) {
      expect(witness?.sender).toBe("host");
      const { progress } = witness!.value as { readonly progress: number };
      expect(Number.isInteger(progress)).toBe(false);
    }
  });

  test("is an older release again by its fingerprint", async () => {
    const { fingerprints } = await drift(second, first);
    const older = fingerprintOf(project(loaded(first).protocol, "stable")).fingerprint;
    expect(fingerprints.head).toBe(older);
    expect(fingerprints.base).not.toBe(older);
  });
});

describe("what contains itself", () => {
  /** Definitions that refer to each other in a ring; one member of one of them has a name of its own. */
  function ring(length: number, name: string): string {
    const defs = Array.from({ length }, (_, i): [string, Node] => [
      `R${i}`,
      object({
        next: ref(`R${(i + 1) % length}`),
        back: ref(`R${(i + length - 1) % length}`),
        [i === length >> 1 ? name : "value"]: { type: "string" },
      }),
    ]);
    return bundleOf(Object.fromEntries(defs), {
      methods: { walk: { params: ref("R0"), result: ref("R0") } },
    });
  }

  // A walk of each path would not end; the time limit of the test is what would tell.
  test.each([3, 2_000])("a ring of %i has one change where one member was renamed", async (length) => {
    const { changes, hints, fingerprints } = await drift(ring(length, "old"), ring(length, "new"));
    const place = `/$defs/R${length >> 1}/properties`;
    expect(changes.map(told)).toEqual([
      `member-added ${place}/new: additive | additive`,
      `member-removed ${place}/old: unknown | additive`,
    ]);
    expect(hints).toEqual([{ kind: "renamed", from: `${place}/old`, to: `${place}/new` }]);
    expect(fingerprints.base).not.toBe(fingerprints.head);
  });

  test("a ring of 2000 whose definitions were all renamed is no change, and each is suggested once", async () => {
    const before = ring(2_000, "value");
    const { changes, hints, fingerprints } = await drift(before, before.replaceAll(/\bR(\d+)/g, "Q$1"));
    expect(changes.filter(({ verdict }) => verdict !== "none")).toEqual([]);
    expect(hints.length).toBe(2_000);
    expect(new Set(hints.map(({ to }) => to)).size).toBe(2_000);
    expect(fingerprints.base).toBe(fingerprints.head);
  });

  test("a union of 1000 arms, all of them changed and turned round, is compared arm by arm", async () => {
    const arms = (turned: boolean, type: string): string => {
      const list = Array.from({ length: 1_000 }, (_, i) =>
        object({ kind: { const: `k${i}` }, value: { type } }, { required: ["kind"] }),
      );
      return sent({ oneOf: turned ? list.reverse() : list });
    };
    const { changes } = await driftOf(load(arms(false, "string")), load(arms(true, "integer")));
    expect(changes.length).toBe(2_000);
    expect(new Set(changes.map(({ rule }) => rule))).toEqual(new Set(["type-added", "type-removed"]));
  });
});
