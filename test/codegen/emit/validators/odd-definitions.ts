/** Definitions that protocols seldom have and the dialect allows: where a compiler of schemas goes wrong. */
import type { RuleSettings } from "../../../../codegen/index.js";

/** The rules that some of them break on purpose. */
export const EXCUSED: RuleSettings = {
  severities: { "overlapping-union": "off", "open-union-without-catch-all": "off" },
};

const closed = (tag: string, members: object): object => ({
  type: "object",
  properties: { k: { const: tag }, ...members },
  required: ["k", ...Object.keys(members)],
});

/** By name. */
export const ODD_DEFINITIONS = {
  Anything: {},
  RequiredOnly: { required: ["k"] },
  RequiredNotDeclared: {
    type: "object",
    properties: { a: { type: "string" } },
    required: ["x"],
    additionalProperties: { type: "string" },
  },
  RequiredInMap: { required: ["x"], additionalProperties: { type: "integer" } },
  MembersAndMap: {
    type: "object",
    properties: { a: { type: "string" }, toString: { type: "boolean" }, free: {} },
    required: ["a"],
    additionalProperties: { type: "integer", minimum: 2 },
  },
  Map: { type: "object", additionalProperties: { $ref: "#/$defs/TypeList" } },
  TypeList: { type: ["integer", "null", "string"], minimum: 3, minLength: 2 },
  TypeListOfAll: {
    type: ["array", "boolean", "null", "number", "object", "string"],
    maxItems: 1,
    required: ["a"],
  },
  LengthWithoutType: { minLength: 2, maxLength: 3 },
  RangeWithoutType: { minimum: -1, maximum: 1.5 },
  ItemsWithoutType: { items: { type: "string" }, maxItems: 2 },
  OpenWithLength: {
    type: "string",
    enum: ["ab", "abc"],
    "x-msp-openness": "open",
    minLength: 2,
    maxLength: 4,
  },
  Word: { type: "string", enum: ["ab", "c"] },
  ReferenceWithLength: { $ref: "#/$defs/Word", maxLength: 1 },
  ReferenceWithMembers: {
    $ref: "#/$defs/MembersAndMap",
    required: ["b"],
    properties: { b: { maximum: 9 } },
  },
  MixedEnum: { enum: [1, "all", null, true, [1, { a: 2 }], { k: [1] }, 2.5, "more"] },
  EnumBeyondType: { type: "string", enum: ["a", 1] },
  EnumOfNames: { enum: ["toString", "__proto__", "constructor", "a", "b", "c", "d"] },
  ConstObject: { const: { k: [1, { deep: null }] } },
  ConstZero: { const: 0 },
  ConstArrays: { anyOf: [{ const: [1] }, { const: [2] }, { type: "null" }] },
  WordsWithLength: { anyOf: [{ enum: ["abc", "d"], minLength: 2 }, { const: "e" }] },
  WordsByReference: { oneOf: [{ $ref: "#/$defs/Word" }, { const: "z" }, { enum: [1, 2] }, { const: 3 }] },
  UnionBesideType: { type: "object", anyOf: [{ type: "string" }, { type: "null" }] },
  UnionOfOne: { anyOf: [{ required: ["k"] }] },
  UnionBesideMembers: {
    type: "object",
    properties: { k: { type: "string" } },
    oneOf: [{ required: ["k"] }, { required: ["j"] }],
  },
  Tagged: { oneOf: [closed("a", { v: { type: "string" } }), closed("b", { n: { type: "integer" } })] },
  TaggedOrList: {
    anyOf: [
      { $ref: "#/$defs/Tagged" },
      closed("c", {}),
      { type: "array", items: { $ref: "#/$defs/Tagged" } },
    ],
  },
  OpenTagged: {
    anyOf: [
      closed("a", { v: { type: "string" } }),
      closed("constructor", { n: { type: "integer" } }),
      { type: "object", properties: { k: { type: "string" } }, required: ["k"] },
    ],
    "x-msp-openness": "open",
  },
  TagNamedLikeAMethod: {
    oneOf: [
      { type: "object", properties: { valueOf: { const: "a" } }, required: ["valueOf"] },
      {
        type: "object",
        properties: { valueOf: { const: "b" }, n: { type: "null" } },
        required: ["n", "valueOf"],
      },
    ],
  },
  OverlapAny: { anyOf: [{ type: "number" }, { type: "integer", minimum: 10 }, { type: "string" }] },
  OverlapOne: { oneOf: [{ type: "number" }, { type: "integer", minimum: 10 }] },
  OverlapThree: { oneOf: [{ minLength: 2 }, { maxLength: 3 }, { type: "integer" }] },
  OverlapObjects: {
    oneOf: [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      { type: "object", properties: { b: { type: "string" } }, required: ["b"] },
    ],
  },
  OverlapOpen: { oneOf: [{ type: "string" }, { type: "string", minLength: 2 }], "x-msp-openness": "open" },
  Pair: { dependentRequired: { a: ["b", "toString"], valueOf: ["a"] } },
  ListsOfLists: {
    type: "array",
    items: { type: "array", items: { type: "array", maxItems: 1 }, minItems: 1 },
  },
  delete: {
    type: "object",
    properties: {
      next: { $ref: "#/$defs/delete" },
      peer: { $ref: "#/$defs/turn~1start" },
      n: { type: "integer" },
    },
  },
  "turn/start": { type: "object", properties: { back: { $ref: "#/$defs/delete" }, s: { maxLength: 1 } } },
  Tree: {
    anyOf: [
      { type: "string" },
      { type: "array", items: { $ref: "#/$defs/Tree" } },
      { type: "object", additionalProperties: { $ref: "#/$defs/Tree" } },
    ],
  },
  Names: {
    type: "object",
    properties: {
      constructor: { type: "string" },
      "a/b": { type: "integer" },
      "a~b": { type: "integer" },
      '"\\\n': {},
    },
    required: ["toString", '"\\\n'],
  },
  Sparse: {
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 16 }, (_, i) => [i === 3 ? "valueOf" : `m${i}`, { type: "integer", minimum: i }]),
    ),
    required: ["m0"],
  },
  SparseMap: {
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`m${i}`, { type: "integer" }])),
    required: ["m1", "other"],
    additionalProperties: { type: "string" },
  },
};
