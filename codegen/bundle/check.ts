/**
 * Holds a parsed bundle against the dialect. What passes here is well formed: later stages rely on it and check
 * meaning only.
 */
import type { Findings } from "../diagnostics/finding.js";
import { CheckReport } from "./check-report.js";
import { SchemaCheck } from "./check-schema.js";
import { isJsonObject, type Json, type JsonObject } from "./json.js";
import {
  ANNOTATIONS,
  DIALECT,
  ENTRY_ANNOTATIONS,
  ENTRY_KEYS,
  expect,
  oneOfWords,
  type Place,
  TOP_LEVEL_KEYS,
  type ValueCheck,
} from "./keywords.js";
import { child } from "./pointer.js";
import type { Source } from "./source.js";

/** Checks the whole bundle; every finding has the place of what is wrong. */
export function checkDialect(source: Source, findings: Findings): void {
  new DialectCheck(new CheckReport(source, findings)).bundle();
}

class DialectCheck {
  readonly #report: CheckReport;
  #schemas: SchemaCheck;

  constructor(report: CheckReport) {
    this.#report = report;
    this.#schemas = new SchemaCheck(report, {});
  }

  bundle(): void {
    const root = this.#report.source.value;
    if (!isJsonObject(root)) {
      this.#report.invalid("", "a bundle", "must be an object");
      return;
    }
    this.#dialect(root);
    for (const key of Object.keys(root)) {
      if (!(TOP_LEVEL_KEYS as readonly string[]).includes(key))
        this.#report.extra(key, child("", key), TOP_LEVEL_KEYS);
    }
    for (const key of ["$comment", "title", "description"]) this.#report.value(root, key, "", expect.string);
    this.#protocol(root);
    if (isJsonObject(root["$defs"])) this.#schemas = new SchemaCheck(this.#report, root["$defs"]);
    this.#section(root, "$defs", (node, pointer) => this.#schemas.schema(node, pointer, "definition", 0));
    this.#section(root, "methods", (entry, pointer) => this.#entry(entry, pointer, "method"));
    this.#section(root, "notifications", (entry, pointer) => this.#entry(entry, pointer, "notification"));
    this.#section(root, "requests", (entry, pointer) => this.#entry(entry, pointer, "request"));
    this.#rows(root, "errors", ["code", "kind"], ERROR_ROW, "error");
    this.#rows(root, "reserved", ["identifier"], { identifier: expect.text, reference: expect.string });
    this.#rows(root, "rejections", ["reason"], {
      reason: expect.text,
      methods: expect.names,
      definedBy: oneOfWords("protocol", "host"),
      description: expect.string,
    });
    this.#capabilities(root);
  }

  #dialect(root: JsonObject): void {
    const found = root["$schema"];
    if (found === DIALECT) return;
    if (found === undefined) {
      this.#report.findings.report("unstated-dialect", this.#report.source, "", {
        found: "not stated",
        expected: DIALECT,
      });
    } else if (typeof found === "string" && found.replace(/#$/, "") === DIALECT) {
      const params = { found: `spelled "${found}"`, expected: DIALECT };
      this.#report.findings.report("unstated-dialect", this.#report.source, "/$schema", params);
    } else {
      const params = { found: typeof found === "string" ? found : JSON.stringify(found), expected: DIALECT };
      this.#report.findings.report("unknown-dialect", this.#report.source, "/$schema", params);
    }
  }

  #protocol(root: JsonObject): void {
    const name: ValueCheck = (value) =>
      typeof value === "string" && /^[a-z][a-z0-9-]*$/.test(value)
        ? undefined
        : "must be lower-case letters, digits and hyphens";
    this.#record(root, "protocol", ["name", "version"], {
      name,
      title: expect.text,
      version: expect.integer,
    });
  }

  #capabilities(root: JsonObject): void {
    this.#record(root, "capabilities", [], {
      grantable: expect.names,
      experimental: expect.names,
      reserved: reservedNames,
      descriptions: (value) =>
        isJsonObject(value) && Object.values(value).every((text) => typeof text === "string")
          ? undefined
          : "must be an object of texts by capability",
    });
  }

  /** An object with a fixed set of members. */
  #record(
    root: JsonObject,
    key: string,
    required: readonly string[],
    checks: Readonly<Record<string, ValueCheck>>,
  ): void {
    const value = root[key];
    if (value === undefined) return;
    const pointer = child("", key);
    if (!isJsonObject(value)) this.#report.invalid(pointer, key, "must be an object");
    else this.#fields(value, pointer, key, required, checks);
  }

  #rows(
    root: JsonObject,
    key: string,
    required: readonly string[],
    checks: Readonly<Record<string, ValueCheck>>,
    place?: Place,
  ): void {
    const rows = root[key];
    if (rows === undefined) return;
    const pointer = child("", key);
    if (!Array.isArray(rows)) {
      this.#report.invalid(pointer, key, "must be an array");
      return;
    }
    const seen = new Set<string>();
    rows.forEach((row, i) => {
      const at = child(pointer, i);
      if (!isJsonObject(row)) {
        this.#report.invalid(at, `an entry of ${key}`, "must be an object");
        return;
      }
      this.#fields(row, at, `an entry of ${key}`, required, checks, place);
      for (const name of required) {
        if (!Object.hasOwn(row, name)) continue;
        const id = `${name} ${JSON.stringify(row[name])}`;
        if (seen.has(id)) this.#report.invalid(child(at, name), key, `has ${id} twice`);
        seen.add(id);
      }
    });
  }

  #fields(
    value: JsonObject,
    pointer: string,
    what: string,
    required: readonly string[],
    checks: Readonly<Record<string, ValueCheck>>,
    place?: Place,
  ): void {
    for (const name of required) {
      if (!Object.hasOwn(value, name)) this.#report.invalid(pointer, what, `must have the member "${name}"`);
    }
    for (const name of Object.keys(value)) {
      if (Object.hasOwn(checks, name)) this.#report.value(value, name, pointer, checks[name]!);
      else if (place !== undefined && this.#report.mark(value, name, pointer, place)) continue;
      else this.#report.extra(name, child(pointer, name), Object.keys(checks), "unknown-keyword");
    }
  }

  #section(root: JsonObject, key: string, visit: (node: Json, pointer: string) => void): void {
    const section = root[key];
    if (section === undefined) return;
    const pointer = child("", key);
    if (!isJsonObject(section)) {
      this.#report.invalid(pointer, key, "must be an object");
      return;
    }
    for (const name of Object.keys(section)) visit(section[name] as Json, child(pointer, name));
  }

  #entry(entry: Json, pointer: string, place: "method" | "notification" | "request"): void {
    if (!isJsonObject(entry)) {
      this.#report.invalid(pointer, `a ${place}`, "must be an object");
      return;
    }
    const keys = ENTRY_KEYS[place];
    if (keys.includes("result") && !Object.hasOwn(entry, "result")) {
      this.#report.invalid(pointer, `a ${place}`, 'must have the member "result"');
    }
    for (const key of Object.keys(entry)) {
      const at = child(pointer, key);
      if (keys.includes(key)) {
        const node = entry[key] as Json;
        if (!isJsonObject(node) || Object.keys(node).length !== 1 || !Object.hasOwn(node, "$ref")) {
          this.#report.invalid(at, key, 'must be a reference: {"$ref": "#/$defs/NAME"}');
        } else this.#schemas.schema(node, at, "inner", 0);
      } else if ((ENTRY_ANNOTATIONS as readonly string[]).includes(key)) {
        this.#report.value(entry, key, pointer, ANNOTATIONS[key]!);
      } else if (!this.#report.mark(entry, key, pointer, place)) {
        this.#report.extra(key, at, [...keys, ...ENTRY_ANNOTATIONS], "unknown-keyword");
      }
    }
  }
}

const ERROR_ROW: Readonly<Record<string, ValueCheck>> = {
  code: expect.integer,
  kind: expect.text,
  retryable: expect.boolean,
  overrideKinds: expect.names,
  ...Object.fromEntries(ENTRY_ANNOTATIONS.map((key) => [key, ANNOTATIONS[key]!])),
};

/** The capabilities that are kept for later: rows of a name and a reference. */
function reservedNames(value: Json): string | undefined {
  const isRow = (row: Json): boolean =>
    isJsonObject(row) &&
    expect.text(row["name"] ?? null) === undefined &&
    (row["reference"] === undefined || typeof row["reference"] === "string") &&
    Object.keys(row).every((key) => key === "name" || key === "reference");
  return Array.isArray(value) && value.every(isRow)
    ? undefined
    : 'must be an array of objects with "name" and, where there is one, "reference"';
}
