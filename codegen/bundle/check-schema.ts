/**
 * Holds schema nodes against the dialect.
 */
import type { CheckReport } from "./check-report.js";
import { isJsonObject, type Json, type JsonObject, MAX_DEPTH } from "./json.js";
import { ANNOTATIONS, JSON_TYPES, KEYWORDS, type Place } from "./keywords.js";
import { child, unescapeToken } from "./pointer.js";
import { didYouMean } from "./suggest.js";

/** Prefix of a reference to a definition. */
export const DEFS = "#/$defs/";

/** The definition that a checked reference names. */
export function refName(ref: string): string {
  return unescapeToken(ref.slice(DEFS.length));
}

/** Checks the schema nodes of one bundle. */
export class SchemaCheck {
  readonly #report: CheckReport;
  readonly #defs: JsonObject;

  /** @param defs the definitions that references may name */
  constructor(report: CheckReport, defs: JsonObject) {
    this.#report = report;
    this.#defs = defs;
  }

  /** Checks a node and all inside it. */
  schema(node: Json, pointer: string, place: Place, depth: number): void {
    if (!isJsonObject(node)) {
      this.#report.invalid(
        pointer,
        "a schema",
        typeof node === "boolean"
          ? "must be an object; the dialect has no boolean schemas"
          : "must be an object",
      );
      return;
    }
    if (depth > MAX_DEPTH) {
      this.#report.findings.report("json-syntax", this.#report.source, pointer, {
        problem: `schemas nest deeper than ${MAX_DEPTH} levels`,
      });
      return;
    }
    let choice: string | undefined;
    let bounded = false;
    for (const key of Object.keys(node)) {
      if (this.#commonplace(key, node[key] as Json)) continue;
      if (KEYWORDS.has(key)) {
        this.#keyword(node, key, pointer, depth);
        bounded ||= key.startsWith("m");
        if (CHOICES.has(key)) {
          if (choice !== undefined)
            this.#report.invalid(
              child(pointer, key),
              key,
              `may not stand beside ${choice}; put one of them in a definition`,
            );
          choice = key;
        }
      } else if (Object.hasOwn(ANNOTATIONS, key)) this.#report.value(node, key, pointer, ANNOTATIONS[key]!);
      else if (!this.#report.mark(node, key, pointer, place)) {
        this.#report.extra(
          key,
          child(pointer, key),
          [...KEYWORDS.keys(), ...Object.keys(ANNOTATIONS)],
          "unknown-keyword",
        );
      }
    }
    if (bounded) this.#bounds(node, pointer);
    const openness = node["x-msp-openness"];
    if (openness !== undefined) this.#openness(node, openness, choice, pointer);
    const stabilities = node["x-msp-value-stability"];
    if (isJsonObject(stabilities))
      this.#valueStability(
        node["enum"],
        openness === "open",
        stabilities,
        child(pointer, "x-msp-value-stability"),
      );
  }

  /** The keys that most nodes consist of, when there is nothing to say about them. */
  #commonplace(key: string, value: Json): boolean {
    if (typeof value !== "string") return false;
    if (key === "type") return (JSON_TYPES as readonly string[]).includes(value);
    return key === "description";
  }

  #openness(node: JsonObject, openness: Json, choice: string | undefined, pointer: string): void {
    if (choice === undefined)
      this.#report.invalid(
        child(pointer, "x-msp-openness"),
        "x-msp-openness",
        "belongs on an enum or a union",
      );
    const values = node["enum"];
    if (openness === "open" && Array.isArray(values) && !values.every((v) => typeof v === "string")) {
      this.#report.invalid(child(pointer, "enum"), "an open enum", "must have string values");
    }
  }

  #valueStability(values: Json | undefined, open: boolean, stabilities: JsonObject, at: string): void {
    for (const word of Object.keys(stabilities)) {
      if (Array.isArray(values) && values.includes(word)) continue;
      this.#report.invalid(
        child(at, word),
        "x-msp-value-stability",
        `names "${word}", which the enum does not have`,
      );
    }
    if (!open && Array.isArray(values) && values.every((v) => Object.hasOwn(stabilities, String(v)))) {
      const problem = "leaves a closed enum no stable value; mark what holds it instead";
      this.#report.invalid(at, "x-msp-value-stability", problem);
    }
  }

  #keyword(node: JsonObject, key: string, pointer: string, depth: number): void {
    const keyword = KEYWORDS.get(key)!;
    if (!this.#report.value(node, key, pointer, keyword.check)) return;
    const value = node[key] as Json;
    const at = child(pointer, key);
    if (keyword.children === "schema") this.schema(value, at, "inner", depth + 1);
    else if (keyword.children === "schemas") {
      (value as Json[]).forEach((arm, i) => this.schema(arm, child(at, i), "inner", depth + 1));
    } else if (keyword.children === "schemaMap") {
      const members = value as JsonObject;
      for (const name of Object.keys(members))
        this.schema(members[name] as Json, child(at, name), "member", depth + 1);
    } else if (key === "type") this.#type(value, at);
    else if (key === "$ref") this.#ref(value as string, at);
    else if (key === "pattern") {
      try {
        new RegExp(value as string, "u");
      } catch (error) {
        const problem = (error as Error).message.replace(/^Invalid regular expression: /, "");
        this.#report.findings.report("invalid-pattern", this.#report.source, at, { problem });
      }
    }
  }

  #type(value: Json, at: string): void {
    const list = Array.isArray(value) ? value : [value];
    if (list.length === 0 || new Set(list).size !== list.length) {
      this.#report.invalid(at, "type", "must be a JSON type or an array of different ones");
    }
    list.forEach((type, i) => {
      if (typeof type !== "string")
        this.#report.invalid(at, "type", "must be a JSON type or an array of them");
      else if (!(JSON_TYPES as readonly string[]).includes(type)) {
        const hint = didYouMean(type, JSON_TYPES);
        this.#report.findings.report(
          "unknown-type",
          this.#report.source,
          Array.isArray(value) ? child(at, i) : at,
          {
            type,
            hint,
          },
        );
      }
    });
  }

  #ref(ref: string, at: string): void {
    const known = ref.startsWith(DEFS) && !ref.slice(DEFS.length).includes("/");
    if (known && Object.hasOwn(this.#defs, refName(ref))) return;
    const hint = known ? didYouMean(refName(ref), Object.keys(this.#defs)) : "";
    this.#report.findings.report("dangling-ref", this.#report.source, at, { ref, hint });
  }

  #bounds(node: JsonObject, pointer: string): void {
    for (const [lower, upper] of BOUNDS) {
      const low = node[lower];
      const high = node[upper];
      if (typeof low === "number" && typeof high === "number" && low > high) {
        this.#report.findings.report("contradictory-bounds", this.#report.source, child(pointer, lower), {
          lower,
          upper,
        });
      }
    }
  }
}

/** A node has at most one of these, so that its openness has one meaning. */
const CHOICES = new Set(["enum", "anyOf", "oneOf"]);

const BOUNDS = [
  ["minimum", "maximum"],
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
] as const;
