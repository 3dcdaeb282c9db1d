/**
 * The dialect: which words a bundle may use, where, and with what values.
 * `schema/dialect.schema.json` publishes the same; a test holds the two together.
 */
import { isJsonObject, type Json, jsonEqual } from "./json.js";

/** The dialect that a bundle's `$schema` names. */
export const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** The JSON types of the dialect. */
export const JSON_TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"] as const;
/** One JSON type; `integer` is a number without a fraction. */
export type JsonType = (typeof JSON_TYPES)[number];

/** Says what is wrong with a value, or nothing. */
export type ValueCheck = (value: Json) => string | undefined;

function names(value: Json): string | undefined {
  if (!Array.isArray(value) || !value.every((x) => typeof x === "string"))
    return "must be an array of strings";
  return new Set(value).size === value.length ? undefined : "names something twice";
}

/** Whether two of some values are equal; the order of members does not matter. */
function hasTwice(values: readonly Json[]): boolean {
  const plain = values.filter((value) => typeof value !== "object" || value === null);
  if (new Set(plain).size !== plain.length) return true;
  const nested = values.filter((value) => typeof value === "object" && value !== null);
  return nested.some((value, i) => nested.slice(0, i).some((other) => jsonEqual(value, other)));
}

const isIndex = (value: Json): boolean => typeof value === "number" && Number.isInteger(value) && value >= 0;

/** Checks of values, named by what they accept. */
export const expect = {
  anything: () => undefined,
  string: (value) => (typeof value === "string" ? undefined : "must be a string"),
  text: (value) =>
    typeof value === "string" && value.trim() !== "" ? undefined : "must be a string that says something",
  boolean: (value) => (typeof value === "boolean" ? undefined : "must be true or false"),
  isTrue: (value) => (value === true ? undefined : "must be true; leave it out otherwise"),
  number: (value) => (typeof value === "number" && Number.isFinite(value) ? undefined : "must be a number"),
  integer: (value) => (Number.isSafeInteger(value) ? undefined : "must be an integer"),
  count: (value) => (isIndex(value) ? undefined : "must be a whole number from 0"),
  array: (value) => (Array.isArray(value) ? undefined : "must be an array"),
  object: (value) => (isJsonObject(value) ? undefined : "must be an object"),
  names,
  values: (value) => {
    if (!Array.isArray(value) || value.length === 0) return "must be an array with at least one value";
    return hasTwice(value) ? "has a value twice" : undefined;
  },
  nameLists: (value) => {
    if (!isJsonObject(value)) return "must be an object of arrays of strings";
    for (const list of Object.values(value)) {
      const problem = names(list);
      if (problem !== undefined) return `${problem} for each member`;
    }
    return undefined;
  },
} satisfies Record<string, ValueCheck>;

/** A check that accepts one of a list of words. */
export function oneOfWords(...words: readonly string[]): ValueCheck {
  return (value) =>
    typeof value === "string" && words.includes(value)
      ? undefined
      : `must be ${words.map((w) => `"${w}"`).join(" or ")}`;
}

/** How the children of a keyword are reached. */
type Children = "schema" | "schemas" | "schemaMap" | undefined;

/** One assertion keyword of a schema node. */
export interface Keyword {
  readonly check: ValueCheck;
  readonly children?: Children;
}

/** The assertions of a schema node; they mean what JSON Schema 2020-12 says. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map(
  Object.entries<Keyword>({
    type: { check: expect.anything },
    enum: { check: expect.values },
    const: { check: expect.anything },
    properties: { check: expect.object, children: "schemaMap" },
    required: { check: expect.names },
    additionalProperties: { check: expect.object, children: "schema" },
    items: { check: expect.object, children: "schema" },
    anyOf: { check: expect.values, children: "schemas" },
    oneOf: { check: expect.values, children: "schemas" },
    $ref: { check: expect.string },
    pattern: { check: expect.string },
    minimum: { check: expect.number },
    maximum: { check: expect.number },
    minLength: { check: expect.count },
    maxLength: { check: expect.count },
    minItems: { check: expect.count },
    maxItems: { check: expect.count },
    dependentRequired: { check: expect.nameLists },
  }),
);

/** The annotations of a schema node; they never decide whether a value is valid. */
export const ANNOTATIONS: Readonly<Record<string, ValueCheck>> = {
  description: expect.string,
  title: expect.string,
  examples: expect.array,
  deprecated: expect.boolean,
  default: expect.anything,
  $comment: expect.string,
};

/** Where a mark may stand. `inner` is a schema node that is neither a definition nor a member. */
export type Place = "definition" | "member" | "inner" | "method" | "notification" | "request" | "error";

/** One `x-msp-*` mark. */
export interface Mark {
  readonly on: readonly Place[];
  readonly check: ValueCheck;
}

/** The marks of the dialect. */
export const MARKS: Readonly<Record<string, Mark>> = {
  "x-msp-stability": {
    on: ["definition", "member", "method", "notification", "request", "error"],
    check: oneOfWords("experimental"),
  },
  "x-msp-descriptor": {
    on: ["definition", "member", "method", "notification", "request", "error"],
    check: expect.text,
  },
  "x-msp-openness": { on: ["definition", "member", "inner"], check: oneOfWords("open", "closed") },
  "x-msp-value-stability": {
    on: ["definition", "member", "inner"],
    check: (value) =>
      isJsonObject(value) && Object.values(value).every((word) => word === "experimental")
        ? undefined
        : 'must be an object of "experimental" by enum value',
  },
  "x-msp-role": {
    on: ["definition"],
    check: oneOfWords("errorData", "request", "notification", "successResponse", "errorResponse", "record"),
  },
  "x-msp-carries": { on: ["definition"], check: oneOfWords("notification") },
  "x-msp-capability": { on: ["member", "method", "notification"], check: expect.text },
  "x-msp-kind": { on: ["method"], check: oneOfWords("command", "query", "action") },
  "x-msp-command-id": { on: ["method"], check: oneOfWords("required", "optional", "none") },
  "x-msp-record": { on: ["method"], check: oneOfWords("durable", "host-lifetime") },
  "x-msp-strict": { on: ["method"], check: expect.isTrue },
  "x-msp-withheld": {
    on: ["method"],
    check: (value) => (jsonEqual(value, ["ephemeral"]) ? undefined : 'must be ["ephemeral"]'),
  },
  "x-msp-direction": { on: ["notification"], check: oneOfWords("client-to-host", "host-to-client") },
  "x-msp-scope": { on: ["notification"], check: oneOfWords("view", "broadcast") },
  "x-msp-protected": { on: ["notification", "request"], check: expect.isTrue },
};

/** The sections of a bundle. */
export const TOP_LEVEL_KEYS = [
  "$schema",
  "$comment",
  "title",
  "description",
  "protocol",
  "capabilities",
  "errors",
  "reserved",
  "rejections",
  "methods",
  "notifications",
  "requests",
  "$defs",
] as const;

/** Keys of the entries in the sections `methods`, `notifications` and `requests`, besides marks and annotations. */
export const ENTRY_KEYS: Readonly<Record<"method" | "notification" | "request", readonly string[]>> = {
  method: ["params", "result"],
  notification: ["params"],
  request: ["params", "result"],
};

/** The annotations that entries and error rows may carry. */
export const ENTRY_ANNOTATIONS = ["description", "title", "deprecated", "$comment"] as const;
