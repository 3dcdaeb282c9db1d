/** The two verdicts on a bundle, of `schema/dialect.schema.json` by ajv and of the dialect check, and how they are held together. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { isJsonObject, type Json, type JsonObject, jsonEqual } from "../../codegen/bundle/json.js";
import { child } from "../../codegen/bundle/pointer.js";
import { type Finding, Findings, parseBundle, type RuleId } from "../../codegen/index.js";
import { ROOT } from "../support/repo.js";
import { at } from "./mutants.js";

/** The published schema of the dialect. */
export const dialect = JSON.parse(
  readFileSync(join(ROOT, "schema/dialect.schema.json"), "utf8"),
) as JsonObject;

/** The schema, compiled as strictly as ajv can. */
export function compile(schema: JsonObject): ValidateFunction {
  return new Ajv2020({ strictTypes: false, strictRequired: false, ownProperties: true }).compile(schema);
}

/** A damaged dialect schema; made in a hurry, since there are many. */
export function compilePoisoned(schema: JsonObject): ValidateFunction {
  const options = {
    strict: false,
    meta: false,
    validateSchema: false,
    inlineRefs: false,
    ownProperties: true,
  };
  return new Ajv2020({ ...options, code: { optimize: false } }).compile(schema);
}

/** What the dialect check finds and JSON Schema cannot say. */
export const BEYOND: Readonly<Record<string, (finding: Finding, root: Json) => boolean>> = {
  "a reference to a definition that is not there": ({ rule, params }) =>
    rule === "dangling-ref" && /^#\/\$defs\/[^/]*$/.test(String(params["ref"])),
  "a lower bound above the upper": ({ rule }) => rule === "contradictory-bounds",
  "a pattern that does not compile": ({ rule }) => rule === "invalid-pattern",
  "value stability of a value that the enum lacks": ({ rule, instanceLocation }, root) =>
    rule === "invalid-value" &&
    /\/x-msp-value-stability\/[^/]*$/.test(instanceLocation) &&
    Array.isArray(at(root, instanceLocation.replace(/\/x-msp-value-stability\/[^/]*$/, "/enum"))),
  "value stability that leaves a closed enum no stable value": ({ rule, instanceLocation }, root) => {
    const marks = at(root, instanceLocation);
    const values = at(root, instanceLocation.replace(/x-msp-value-stability$/, "enum"));
    return (
      rule === "invalid-value" &&
      /\/x-msp-value-stability$/.test(instanceLocation) &&
      isJsonObject(marks) &&
      Object.values(marks).every((word) => word === "experimental") &&
      Array.isArray(values) &&
      values.every((value) => Object.hasOwn(marks, String(value)))
    );
  },
  "two rows with one code, kind, identifier or reason": ({ rule, instanceLocation }, root) => {
    const [, section, row, key] =
      /^\/(errors|reserved|rejections)\/(\d+)\/(code|kind|identifier|reason)$/.exec(instanceLocation) ?? [];
    if (rule !== "invalid-value" || section === undefined) return false;
    const value = at(root, instanceLocation);
    const rows = at(root, `/${section}`) as Json[];
    return rows
      .slice(0, Number(row))
      .some((other) => value !== undefined && isJsonObject(other) && jsonEqual(other[key!] ?? null, value));
  },
};

/** What the dialect check says of one bundle. */
export interface Verdict {
  readonly name: string;
  readonly value: Json;
  readonly accepted: boolean;
  readonly rules: ReadonlySet<RuleId>;
  readonly beyond: ReadonlySet<string>;
}

/** The verdict of the dialect check; what JSON Schema cannot say is told apart. */
export function verdictOf(name: string, text: string): Verdict {
  const value = JSON.parse(text) as Json;
  const findings = new Findings();
  parseBundle(text, "bundle.json", findings);
  const beyond = new Set<string>();
  const errors = findings.sorted().filter((finding) => {
    if (finding.severity !== "error") return false;
    const reason = Object.keys(BEYOND).find((key) => BEYOND[key]!(finding, value));
    if (reason !== undefined) beyond.add(reason);
    return reason === undefined;
  });
  return {
    name,
    value,
    accepted: errors.length === 0,
    rules: new Set(errors.map(({ rule }) => rule)),
    beyond,
  };
}

/** The first mutant on which a schema and the dialect check differ. */
export function disagreement(validate: ValidateFunction, verdicts: readonly Verdict[]): string | undefined {
  return verdicts.find(({ value, accepted }) => validate(value) !== accepted)?.name;
}

/** The dialect schema without one of its assertions, for each of them. */
export function* poisons(): Iterable<{ readonly pointer: string; readonly poisoned: JsonObject }> {
  const named = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);
  function* visit(value: Json, pointer: string, isSchema: boolean): Iterable<string> {
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) yield* visit(item, child(pointer, i), true);
    } else if (isJsonObject(value)) {
      for (const [key, inner] of Object.entries(value)) {
        if (key === "$ref" && ANYTHING.has(String(inner))) continue;
        if (inner === false && !ASSERTIONS.has(key)) yield child(pointer, key);
        else if (isSchema && ASSERTIONS.has(key)) yield child(pointer, key);
        if (!isSchema || (key !== "enum" && key !== "const")) {
          yield* visit(inner, child(pointer, key), !isSchema || !named.has(key));
        }
      }
    }
  }
  for (const pointer of visit(dialect, "", true)) {
    const poisoned = structuredClone(dialect);
    const cut = pointer.lastIndexOf("/");
    delete (at(poisoned, pointer.slice(0, cut)) as JsonObject)[pointer.slice(cut + 1)];
    yield { pointer, poisoned };
  }
}

/** References for the sake of their description alone. */
const ANYTHING = new Set(["#/$defs/foreign", "#/$defs/default"]);

const ASSERTIONS = new Set(
  `$ref additionalProperties anyOf const enum if items maximum minItems minLength minimum minProperties not pattern
  required then type uniqueItems`.split(/\s+/),
);
