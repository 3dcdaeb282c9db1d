/** Bundles that differ from a sound one in one place: every key at every place, with values of every form. */
import type { Json, JsonObject } from "../../codegen/bundle/json.js";
import {
  ANNOTATIONS,
  DIALECT,
  ENTRY_ANNOTATIONS,
  JSON_TYPES,
  KEYWORDS,
  MARKS,
  TOP_LEVEL_KEYS,
} from "../../codegen/bundle/keywords.js";
import { tokens } from "../../codegen/bundle/pointer.js";

/** A small bundle in which every kind of place occurs. */
export const SEED: JsonObject = {
  $schema: DIALECT,
  protocol: { name: "seed", title: "Seed", version: 1 },
  capabilities: {
    grantable: ["a"],
    experimental: ["b"],
    reserved: [{ name: "c" }],
    descriptions: { a: "A." },
  },
  errors: [
    { code: -1, kind: "one" },
    { code: -2, kind: "two" },
  ],
  reserved: [{ identifier: "x" }, { identifier: "y" }],
  rejections: [{ reason: "r" }, { reason: "s", methods: ["m"], definedBy: "host" }],
  methods: { m: { params: { $ref: "#/$defs/Box" }, result: { $ref: "#/$defs/Box" } } },
  notifications: { n: { params: { $ref: "#/$defs/Box" } } },
  requests: { q: { result: { $ref: "#/$defs/Box" } } },
  $defs: {
    Box: {
      type: "object",
      properties: { size: { type: "integer" }, tint: { enum: ["red", "blue"], "x-msp-openness": "closed" } },
      additionalProperties: { type: "string" },
      required: ["size"],
      dependentRequired: { size: ["tint"] },
    },
    List: { type: "array", items: { type: "string" } },
    Either: { anyOf: [{ type: "string" }, { type: "null" }] },
    Word: { enum: ["a", "b"], "x-msp-openness": "open", "x-msp-value-stability": { b: "experimental" } },
  },
};

const MARK_KEYS = Object.keys(MARKS);
const NODE_KEYS = [...KEYWORDS.keys(), ...Object.keys(ANNOTATIONS), ...MARK_KEYS];
const ENTRY = [...ENTRY_ANNOTATIONS, ...MARK_KEYS, "params", "result"];
const ROW = "code kind retryable overrideKinds identifier reference reason methods definedBy name".split(" ");

/**
 * The objects of {@link SEED} whose keys are changed, with the keys that get every value there; other keys get a few.
 */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  "": TOP_LEVEL_KEYS,
  "/protocol": ["name", "title", "version"],
  "/capabilities": ["grantable", "experimental", "reserved", "descriptions"],
  "/capabilities/reserved/0": ["name", "reference"],
  "/errors/0": [],
  "/errors/1": [...ENTRY, ...ROW],
  "/reserved/1": ROW,
  "/rejections/1": ROW,
  "/methods": ["m"],
  "/methods/m": ENTRY,
  "/methods/m/params": ["$ref"],
  "/methods/m/result": ["$ref"],
  "/notifications": ["n"],
  "/notifications/n": ENTRY,
  "/requests": ["q"],
  "/requests/q": ENTRY,
  "/$defs": ["Box"],
  "/$defs/Box": NODE_KEYS,
  "/$defs/Box/properties": ["size"],
  "/$defs/Box/properties/size": MARK_KEYS,
  "/$defs/Box/properties/tint": [...MARK_KEYS, "enum"],
  "/$defs/Box/additionalProperties": [],
  "/$defs/List": [],
  "/$defs/List/items": MARK_KEYS,
  "/$defs/Either": [...MARK_KEYS, "oneOf"],
  "/$defs/Either/anyOf/0": ["type", "$ref", "x-msp-openness"],
  "/$defs/Word": [...MARK_KEYS, "enum", "anyOf", "oneOf"],
};

const KEYS = [
  ...new Set([
    ...TOP_LEVEL_KEYS,
    ...NODE_KEYS,
    ...ENTRY,
    ...ROW,
    ..."version grantable experimental descriptions format uniqueItems prefixItems allOf not if $id".split(
      " ",
    ),
    ..."$anchor definitions Type x-other x- x-msp x-msp-unknown constructor toString __proto__".split(" "),
  ]),
];

/** What a key gets where it does not belong: each is right for some keys. */
const FEW: readonly Json[] = ["experimental", true, {}];

const WORDS = [
  ...JSON_TYPES,
  ..."open closed experimental stable errorData record command query action required optional none notification".split(
    " ",
  ),
  ..."durable host-lifetime client-to-host host-to-client view broadcast notification protocol host ephemeral Text".split(
    " ",
  ),
];

/** Keys whose values are words. */
const WORDY = new Set([...MARK_KEYS, "type", "definedBy"]);

const VALUES: readonly Json[] = [
  "string",
  "open",
  null,
  true,
  false,
  0,
  -1,
  -1e300,
  1.5,
  1e300,
  "",
  " \u00a0\ufeff",
  "[",
  "#/$defs/Box",
  "#/$defs/",
  "#/$defs/Box/properties",
  "#/definitions/Box",
  DIALECT,
  `${DIALECT}#`,
  `${DIALECT}##`,
  "http://json-schema.org/draft-07/schema#",
  [],
  [""],
  ["ephemeral"],
  ["ephemeral", "ephemeral"],
  ["string", "null"],
  ["string", "string"],
  ["a", 1],
  [1],
  [{}],
  [{}, {}],
  [true],
  [{ a: 1, b: 2 }],
  [{ const: { a: 1, b: 2 } }, { const: { b: 2, a: 1 } }],
  [{ type: "string" }, { type: "null", format: "x" }],
  [{ name: "n" }, { name: "o", reference: "r" }],
  [{ name: "n", reference: null }],
  [{ code: 1, kind: "k", deprecated: true }],
  [{ code: 1, kind: "k", deprecated: "yes" }],
  [{ identifier: "i" }],
  [{ reason: "r", definedBy: "nobody" }],
  {},
  { a: "experimental" },
  { a: "stable" },
  { red: "experimental", blue: "experimental" },
  { red: "experimental" },
  { b: true },
  { a: ["b"] },
  { a: ["b", "b"] },
  { a: {} },
  { a: { type: "string", "x-msp-strict": true } },
  { a: { result: { $ref: "#/$defs/Box" } } },
  { a: { result: { $ref: "#/$defs/Box", description: "d" } } },
  { $ref: "#/$defs/Box" },
  { $ref: "#/$defs/Box", description: "d" },
  { $ref: "#/$defs/Nowhere" },
  { type: "string", minLength: 3, maxLength: 2 },
  { name: "n", version: 1, title: "T" },
  { name: "N", version: 1 },
];

/** One mutant: what was done, and the text of the bundle. */
export interface Mutant {
  readonly name: string;
  readonly text: string;
}

/** All mutants of {@link SEED}. */
export function* mutants(): Iterable<Mutant> {
  for (const value of VALUES) yield { name: `root := ${JSON.stringify(value)}`, text: JSON.stringify(value) };
  for (const [place, own] of Object.entries(PLACES)) {
    const original = at(SEED, place) as JsonObject;
    for (const key of Object.keys(original)) {
      yield write(`remove ${place}/${key}`, place, (node) => delete node[key]);
      yield write(`misspell ${place}/${key}`, place, (node) => {
        node[`${key}s`] = node[key] as Json;
        delete node[key];
      });
    }
    for (const key of KEYS) {
      const values = !own.includes(key) ? FEW : WORDY.has(key) ? [...WORDS, ...VALUES] : VALUES;
      for (const value of values) {
        yield write(`${place}/${key} = ${JSON.stringify(value)}`, place, (node) => set(node, key, value));
      }
    }
    if (place === "") continue;
    for (const value of VALUES) {
      const parent = place.slice(0, place.lastIndexOf("/"));
      yield write(`${place} := ${JSON.stringify(value)}`, parent, (node) =>
        set(node, tokens(place).at(-1) as string, value),
      );
    }
  }
}

function write(name: string, place: string, change: (node: JsonObject) => void): Mutant {
  const root = structuredClone(SEED);
  change(at(root, place) as JsonObject);
  return { name, text: JSON.stringify(root, null, 2) };
}

/** Sets an own member, whatever its name. */
function set(node: JsonObject, key: string, value: Json): void {
  Object.defineProperty(node, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The value at a pointer. */
export function at(root: Json, pointer: string): Json | undefined {
  let value: Json | undefined = root;
  for (const token of tokens(pointer)) {
    value = typeof value === "object" && value !== null ? (value as JsonObject)[token] : undefined;
  }
  return value;
}
