/**
 * `mspkit.config.json`: what a project generates, and how it takes the rules. `schema/config.schema.json` describes it.
 */
import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isJsonObject, type JsonObject } from "./bundle/json.js";
import { child } from "./bundle/pointer.js";
import { parseFile } from "./bundle/read.js";
import type { Source } from "./bundle/source.js";
import { didYouMean } from "./bundle/suggest.js";
import { isRuleId, type RuleId, rules, type Severity } from "./diagnostics/catalog.js";
import type { Excuse, Findings, RuleSettings } from "./diagnostics/finding.js";
import type { Surface } from "./model/protocol.js";
import { PRODUCTS, type Product, SURFACES } from "./plan/plan.js";

/** The name of the file, in the folder where a command runs. */
export const CONFIG_FILE = "mspkit.config.json";

/** A configuration; paths are absolute. */
export interface Config {
  readonly source: Source;
  readonly schema?: string;
  readonly out?: string;
  readonly surfaces?: readonly Surface[];
  readonly products?: readonly Product[];
  readonly severities: Readonly<Partial<Record<RuleId, Severity | "off">>>;
  readonly excuses: readonly Excuse[];
}

const KEYS = ["$schema", "schema", "out", "surfaces", "products", "rules", "excuses"];
const LEVELS = ["error", "warning", "note", "off"];

/**
 * Reads a configuration.
 * @param place the folder that may have one, or the file that is one
 * @returns nothing where the folder has none, or where a finding says what is wrong with it
 * @throws {TroubleError} when a file that was named cannot be read
 */
export function readConfig(place: string, findings: Findings): Config | undefined {
  const named = statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true;
  const path = named ? resolve(place) : resolve(place, CONFIG_FILE);
  if (!named && !existsSync(path)) return undefined;
  const source = parseFile(path, findings);
  if (source === undefined) return undefined;
  const before = findings.count("error");
  const fail = (pointer: string, problem: string): void =>
    findings.report("invalid-config", source, pointer, { problem });
  const root = source.value;
  if (!isJsonObject(root)) {
    fail("", "the configuration must be an object");
    return undefined;
  }
  for (const key of Object.keys(root)) {
    if (!KEYS.includes(key)) fail(child("", key), `there is no setting "${key}"${didYouMean(key, KEYS)}`);
  }
  if (root["$schema"] !== undefined && typeof root["$schema"] !== "string")
    fail("/$schema", "$schema must be a string");
  const text = (key: string): string | undefined => {
    const value = root[key];
    if (value === undefined || (typeof value === "string" && value !== "")) return value;
    fail(`/${key}`, `${key} must be a path`);
    return undefined;
  };
  const schema = text("schema");
  const out = text("out");
  const surfaces = readNames(root, "surfaces", "surface", SURFACES, fail);
  // With none of them a check would hold whatever the folder has.
  if (surfaces?.length === 0) fail("/surfaces", "surfaces must name one at least");
  const products = readNames(root, "products", "product", PRODUCTS, fail);
  const severities = readSeverities(root, fail);
  const excuses = readExcuses(root, fail);
  if (findings.count("error") > before) return undefined;
  const at = dirname(path);
  return {
    source,
    ...(schema === undefined ? {} : { schema: resolve(at, schema) }),
    ...(out === undefined ? {} : { out: resolve(at, out) }),
    ...(surfaces === undefined ? {} : { surfaces }),
    ...(products === undefined ? {} : { products }),
    severities,
    excuses,
  };
}

/**
 * The rule settings of a configuration for a schema.
 * @param own the schema that the excuses are about: by default the one that the configuration names
 */
export function ruleSettings(
  config: Config | undefined,
  schema: string,
  own: string | undefined = config?.schema,
): RuleSettings {
  if (config === undefined) return {};
  const holds = own !== undefined && resolve(own) === resolve(schema);
  return { severities: config.severities, ...(holds ? { excuses: config.excuses } : {}) };
}

/** Reports the excuses of a configuration that excused nothing, once all rules were checked. */
export function reportUnusedExcuses(config: Config, findings: Findings): void {
  for (const excuse of findings.unusedExcuses()) {
    const { rule, pointer } = excuse;
    findings.report("unused-excuse", config.source, `/excuses/${config.excuses.indexOf(excuse)}`, {
      rule,
      pointer,
    });
  }
}

type Fail = (pointer: string, problem: string) => void;

/** A list of known names. */
function readNames<Name extends string>(
  root: JsonObject,
  key: string,
  word: string,
  known: readonly Name[],
  fail: Fail,
): Name[] | undefined {
  const value = root[key];
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) {
    fail(`/${key}`, `${key} must be an array`);
    return undefined;
  }
  value.forEach((name, i) => {
    if (typeof name !== "string" || !(known as readonly string[]).includes(name)) {
      fail(`/${key}/${i}`, `there is no ${word} ${JSON.stringify(name)}${didYouMean(String(name), known)}`);
    }
  });
  return value as Name[];
}

function readSeverities(root: JsonObject, fail: Fail): Partial<Record<RuleId, Severity | "off">> {
  const value = root["rules"];
  if (value === undefined) return {};
  if (!isJsonObject(value)) {
    fail("/rules", "rules must be an object of severities by rule");
    return {};
  }
  for (const [id, level] of Object.entries(value)) {
    const at = child("/rules", id);
    if (!checkRule(id, at, fail)) continue;
    if (!LEVELS.includes(level as string)) fail(at, `a severity is one of ${LEVELS.join(", ")}`);
  }
  return value as Partial<Record<RuleId, Severity | "off">>;
}

function readExcuses(root: JsonObject, fail: Fail): Excuse[] {
  const value = root["excuses"];
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    fail("/excuses", "excuses must be an array");
    return [];
  }
  value.forEach((excuse, i) => {
    const at = `/excuses/${i}`;
    if (!isJsonObject(excuse)) {
      fail(at, "an excuse must be an object");
      return;
    }
    for (const key of ["pointer", "rule", "reason"]) {
      const text = excuse[key];
      const empty = typeof text !== "string" || (key === "reason" && text.trim() === "");
      if (empty) fail(`${at}/${key}`, `an excuse needs a ${key}`);
    }
    for (const key of Object.keys(excuse)) {
      if (!["pointer", "rule", "reason"].includes(key)) fail(child(at, key), `an excuse has no "${key}"`);
    }
    if (typeof excuse["rule"] === "string") checkRule(excuse["rule"], `${at}/rule`, fail);
  });
  return value as unknown as Excuse[];
}

function checkRule(id: string, pointer: string, fail: Fail): boolean {
  if (!isRuleId(id)) fail(pointer, `there is no rule "${id}"${didYouMean(id, Object.keys(rules))}`);
  else if ("needed" in rules[id])
    fail(pointer, `the rule ${id} can be neither changed nor excused: later stages rely on it`);
  else return true;
  return false;
}
