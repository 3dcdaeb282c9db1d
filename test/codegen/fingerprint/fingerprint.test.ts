import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Findings, fingerprintOf, loadSchema, project, type RuleSettings } from "../../../codegen/index.js";
import { bundleOf, load } from "../../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA } from "../../support/repo.js";

type Node = Record<string, unknown>;

const RULES: RuleSettings = { severities: { "overlapping-union": "off" } };

/** A bundle in which one method takes `node` as its params. */
function around(node: Node, defs: Node = {}, more: Node = {}): string {
  const messages = { methods: { ask: { params: ref("Params"), result: ref("Answer") } } };
  return bundleOf(
    { Params: node, Answer: { type: "object", properties: {} }, ...defs },
    { ...messages, ...more },
  );
}

function ref(name: string): Node {
  return { $ref: `#/$defs/${name}` };
}

function print(text: string): string {
  return fingerprintOf(load(text, RULES).protocol).fingerprint;
}

const string = { type: "string" };
const list = { type: "object", properties: { next: ref("Params"), value: string } };

describe("the fingerprint stays where it is", () => {
  const cases: Record<string, [string, string]> = {
    "when keys change places": [
      around({ type: "object", properties: { a: string, b: { type: "integer" } }, required: ["a", "b"] }),
      around({ required: ["b", "a"], properties: { b: { type: "integer" }, a: string }, type: "object" }),
    ],
    "when annotations come and go": [
      around({ type: "object", properties: { a: string } }),
      around({
        type: "object",
        description: "why",
        properties: {
          a: { ...string, title: "t", deprecated: true, default: "x", examples: ["y"], $comment: "c" },
        },
        "x-other": 1,
      }),
    ],
    "when a node is moved into a definition": [
      around({ type: "object", properties: { a: { type: "array", items: string } } }),
      around(
        { type: "object", properties: { a: ref("List") } },
        { List: { type: "array", items: ref("Text") }, Text: string },
      ),
    ],
    "when a definition gets another name": [
      around({ type: "object", properties: { a: ref("One") } }, { One: { type: "integer", minimum: 1 } }),
      around({ type: "object", properties: { a: ref("Two") } }, { Two: { type: "integer", minimum: 1 } }),
    ],
    "when a list of types becomes anyOf": [
      around({ type: "object", properties: { a: { type: ["integer", "null"], minimum: 1 } } }),
      around({
        type: "object",
        properties: { a: { anyOf: [{ type: "null" }, { type: "integer", minimum: 1 }] } },
      }),
    ],
    "when alternatives nest": [
      around({ type: "object", properties: { a: { type: ["boolean", "null", "string"] } } }),
      around(
        { type: "object", properties: { a: { anyOf: [ref("Maybe"), { type: "boolean" }] } } },
        { Maybe: { type: ["string", "null"] } },
      ),
    ],
    "when one closed value is written as const": [
      around({ type: "object", properties: { a: { const: "x" } } }),
      around({
        type: "object",
        properties: { a: { type: "string", enum: ["x"], "x-msp-openness": "closed" } },
      }),
    ],
    "when a definition that nothing reaches is added": [
      around({ type: "object" }),
      around({ type: "object" }, { Spare: string }),
    ],
    "when a recursive definition is unrolled once": [
      around(list),
      around({ type: "object", properties: { value: string, next: list } }),
    ],
    "when two names of one recursive shape take turns": [
      around(list),
      around(
        { type: "object", properties: { next: ref("Other"), value: string } },
        { Other: { type: "object", properties: { next: ref("Params"), value: string } } },
      ),
    ],
    "when another recursive definition is added elsewhere": [
      around(list),
      around(list, { Tree: { type: "object", properties: { kids: { type: "array", items: ref("Tree") } } } }),
    ],
  };
  it.each(Object.entries(cases))("%s", (_, [before, after]) => {
    expect(after).not.toBe(before);
    expect(print(after)).toBe(print(before));
  });
});

describe("the fingerprint moves", () => {
  const object = (member: Node, more: Node = {}): string =>
    around({ type: "object", properties: { a: member }, ...more });
  const open = { type: "string", enum: ["x", "y"], "x-msp-openness": "open" };
  const arms = [
    { type: "object", properties: { t: { const: "a" }, v: string }, required: ["t"] },
    { type: "object", properties: { t: { const: "b" } }, required: ["t"] },
  ];
  const errors = [{ code: 1, kind: "bad" }];
  const cases: Record<string, [string, string]> = {
    "with a member": [object(string), around({ type: "object", properties: { a: string, b: string } })],
    "with a member's name": [object(string), around({ type: "object", properties: { A: string } })],
    "with a type": [object({ type: "number" }), object({ type: "integer" })],
    "with null allowed": [object(string), object({ type: ["string", "null"] })],
    "with required": [object(string), object(string, { required: ["a"] })],
    "with an enum value": [object(open), object({ ...open, enum: ["x", "y", "z"] })],
    "with openness": [object(open), object({ ...open, "x-msp-openness": "closed" })],
    "with a constant": [object({ const: "x" }), object({ const: "y" })],
    "with a constant's type": [object({ const: 1 }), object({ const: "1" })],
    "with minimum": [object({ type: "integer" }), object({ type: "integer", minimum: 0 })],
    "with maximum": [object({ type: "integer", maximum: 5 }), object({ type: "integer", maximum: 6 })],
    "with minLength": [object(string), object({ ...string, minLength: 1 })],
    "with maxLength": [object(string), object({ ...string, maxLength: 1 })],
    "with pattern": [object(string), object({ ...string, pattern: "a" })],
    "with minItems": [object({ type: "array" }), object({ type: "array", minItems: 1 })],
    "with maxItems": [object({ type: "array" }), object({ type: "array", maxItems: 1 })],
    "with items": [object({ type: "array" }), object({ type: "array", items: string })],
    "with additionalProperties": [
      object({ type: "object" }),
      object({ type: "object", additionalProperties: string }),
    ],
    "with dependentRequired": [object(string), object(string, { dependentRequired: { a: ["b"] } })],
    "with an arm": [object({ oneOf: arms }), object({ oneOf: [arms[0]] })],
    "with what is in an arm": [
      object({ oneOf: arms }),
      object({ oneOf: [{ ...arms[0], required: ["t", "v"] }, arms[1]] }),
    ],
    "with a constraint beside a reference": [
      around({ type: "object", properties: { a: ref("T") } }, { T: string }),
      around({ type: "object", properties: { a: { ...ref("T"), maxLength: 1 } } }, { T: string }),
    ],
    "with the params of a method": [
      around({ type: "object" }),
      around({ type: "object" }, {}, { methods: { ask: { result: ref("Answer") } } }),
    ],
    "with an error's code": [
      around({}, {}, { errors }),
      around({}, {}, { errors: [{ code: 2, kind: "bad" }] }),
    ],
    "with an error's retryable, absent or false": [
      around({}, {}, { errors }),
      around({}, {}, { errors: [{ ...errors[0], retryable: false }] }),
    ],
    "with an override kind": [
      around({}, {}, { errors }),
      around({}, {}, { errors: [{ ...errors[0], overrideKinds: ["worse"] }] }),
    ],
    "with a capability": [
      around({}, {}, { capabilities: { grantable: ["a"] } }),
      around({}, {}, { capabilities: { grantable: ["a", "b"] } }),
    ],
    "with a notification": [around({}), around({}, {}, { notifications: { told: {} } })],
    "with a server request": [around({}), around({}, {}, { requests: { asked: { result: ref("Answer") } } })],
    "with the shape of error data": [
      around({}, { ErrorData: { type: "object", properties: {} } }),
      around({}, { ErrorData: { type: "object", properties: { kind: string } } }),
    ],
    "with stability": [
      object(string),
      object({ ...string, "x-msp-stability": "experimental", "x-msp-descriptor": "ask.a" }),
    ],
    "with a descriptor": [
      object({ ...string, "x-msp-stability": "experimental", "x-msp-descriptor": "ask.a" }),
      object({ ...string, "x-msp-stability": "experimental", "x-msp-descriptor": "Params.a" }),
    ],
    "with a recursive shape": [
      around(list),
      around({ type: "object", properties: { next: ref("Params"), value: { type: "integer" } } }),
    ],
    "with how deep a recursive shape differs": [
      around(list),
      around({
        type: "object",
        properties: {
          value: string,
          next: { type: "object", properties: { value: { type: "integer" }, next: ref("Params") } },
        },
      }),
    ],
  };
  it.each(Object.entries(cases))("%s", (_, [before, after]) => {
    expect(print(after)).not.toBe(print(before));
  });
});

describe("marks that say how a host treats valid messages", () => {
  const method = (mark: Node): string =>
    around(
      { type: "object" },
      {},
      {
        methods: { ask: { params: ref("Params"), result: ref("Answer"), ...mark } },
        capabilities: { grantable: ["c"] },
      },
    );
  it.each([
    { "x-msp-kind": "action" },
    { "x-msp-strict": true },
    { "x-msp-capability": "c" },
    { "x-msp-withheld": ["ephemeral"] },
  ])("move `behaviour` and not the fingerprint: %o", (mark) => {
    const before = fingerprintOf(load(method({})).protocol);
    const after = fingerprintOf(load(method(mark)).protocol);
    expect(after.fingerprint).toBe(before.fingerprint);
    expect(after.behaviour).not.toBe(before.behaviour);
  });
});

it("a mark on a definition that carries messages moves `behaviour` and not the fingerprint", () => {
  const event = (mark: Node): string =>
    bundleOf({
      Event: { type: "object", properties: { method: { type: "string" } }, required: ["method"], ...mark },
    });
  const before = fingerprintOf(load(event({})).protocol);
  const after = fingerprintOf(load(event({ "x-msp-carries": "notification" })).protocol);
  expect(after.fingerprint).toBe(before.fingerprint);
  expect(after.behaviour).not.toBe(before.behaviour);
});

describe("the parts", () => {
  it("name the methods that differ, and only these", () => {
    const text = readFileSync(MSP_SCHEMA, "utf8");
    const changed = JSON.parse(text) as { $defs: Record<string, { properties: Node }> };
    changed.$defs["TurnSteerParams"]!.properties["reason"] = { type: "string" };
    const before = fingerprintOf(load(text).protocol).parts.methods;
    const after = fingerprintOf(load(JSON.stringify(changed)).protocol).parts.methods;
    expect(Object.keys(after).filter((name) => after[name] !== before[name])).toEqual(["turn/steer"]);
  });

  it.each([MSP_SCHEMA, DEPOT_SCHEMA])(
    "are the same whether or not the stable surface was digested before: %s",
    (path) => {
      const loaded = loadSchema(path, new Findings())!;
      const stable = project(loaded.protocol, "stable");
      const alone = fingerprintOf(loaded.protocol);
      fingerprintOf(stable);
      expect(fingerprintOf(loaded.protocol, stable)).toEqual(alone);
      expect(alone.fingerprint).not.toBe(fingerprintOf(stable).fingerprint);
    },
  );
});

it("takes a ring of 2,000 definitions, in which one node differs, without trouble", () => {
  const ring = (special: number): string => {
    const defs: Node = {};
    for (let i = 0; i < 2_000; i++) {
      const value = i === special ? { type: "integer" } : string;
      defs[`D${i}`] = { type: "object", properties: { next: ref(`D${(i + 1) % 2_000}`), value } };
    }
    return around({ type: "object", properties: { first: ref("D0") } }, defs);
  };
  const prints = [print(ring(7)), print(ring(8)), print(ring(-1))];
  expect(new Set(prints).size).toBe(3);
  // Without the differing node, the ring is one definition that refers to itself.
  expect(prints[2]).toBe(
    print(
      around(
        { type: "object", properties: { first: ref("D") } },
        { D: { type: "object", properties: { next: ref("D"), value: string } } },
      ),
    ),
  );
});
