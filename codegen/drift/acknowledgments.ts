/**
 * `acknowledgments.json`: the changes that a project means to make, and what it has announced to remove.
 * `schema/acknowledgments.schema.json` describes it.
 */
import { isJsonObject, type Json, type JsonObject, ordered } from "../bundle/json.js";
import { child, compareNames } from "../bundle/pointer.js";
import type { Source } from "../bundle/source.js";
import { didYouMean } from "../bundle/suggest.js";
import type { Findings } from "../diagnostics/finding.js";
import { type DriftRuleId, driftRules, isDriftRuleId } from "./rules.js";
import { compareReleases, isRelease } from "./version.js";

/** Who has to act upon a change. */
export const ACTORS = ["clients", "hosts", "both", "nobody"] as const;

/** One change that is meant. */
export interface Acknowledgment {
  /** The id of the change: it alone says which one is meant. */
  readonly change: string;
  /** The pointer of the change, for people. */
  readonly pointer: string;
  /** The rule of the change, for people. */
  readonly rule: DriftRuleId;
  /** Why the change is made: at least eight characters. */
  readonly reason: string;
  /** `#12`, `owner/name#12`, or an http(s) address. */
  readonly issue: string;
  readonly acts: (typeof ACTORS)[number];
  /** The release that carries the change. */
  readonly release: string;
}

/** Something that is announced to be removed. */
export interface Deprecation {
  /** Pointer of what is to go, as the change will have it. */
  readonly pointer: string;
  /** Which one of those that stand at one pointer: the word of a list, the shape of an alternative. */
  readonly value?: Json;
  /** The first release that told of it. */
  readonly firstNoticed: string;
  /** The first release that may be without it: later than `firstNoticed`. */
  readonly removableFrom: string;
  readonly reason: string;
  readonly issue: string;
}

/** What the file says, in its order. */
export interface Acknowledgments {
  /** Where the schema of the file is, for editors. */
  readonly $schema?: string;
  readonly acknowledgments: readonly Acknowledgment[];
  readonly deprecations: readonly Deprecation[];
}

/** What holds where there is no file. */
export const NO_ACKNOWLEDGMENTS: Acknowledgments = { acknowledgments: [], deprecations: [] };

/** A reason: eight characters or more, apart from space around them. */
export const REASON_PATTERN = "^\\s*\\S[\\s\\S]{6,}\\S\\s*$";
/** An issue: its number, with or without its repository, or its address. */
export const ISSUE_PATTERN = "^(?:(?:[\\w.\\-]+/[\\w.\\-]+)?#[1-9]\\d*|https?://\\S+)$";
/** The id of a change. */
export const CHANGE_PATTERN = "^[0-9a-f]{16}$";
/** A JSON Pointer (RFC 6901). */
export const POINTER_PATTERN = "^(?:/(?:[^~/]|~[01])*)*$";

interface Form {
  readonly takes: (text: string) => boolean;
  /** What the member has to be, for the finding. */
  readonly means: string;
}

/** May be left out, and may be anything. */
const ANYTHING = "anything";

const matching = (pattern: string, means: string): Form => {
  const expression = new RegExp(pattern, "u");
  return { takes: (text) => expression.test(text), means };
};
const POINTER = matching(POINTER_PATTERN, "a JSON Pointer");
const REASON = matching(REASON_PATTERN, "a text of at least 8 characters");
const ISSUE = matching(ISSUE_PATTERN, "the number of an issue (#12) or a link");
const RELEASE: Form = { takes: isRelease, means: "a release such as 1.4.0" };

const ACKNOWLEDGMENT: Readonly<Record<keyof Acknowledgment, Form>> = {
  change: matching(CHANGE_PATTERN, "the id of a change: 16 hexadecimal digits"),
  pointer: POINTER,
  rule: { takes: isDriftRuleId, means: "the id of a drift rule" },
  reason: REASON,
  issue: ISSUE,
  acts: {
    takes: (text) => (ACTORS as readonly string[]).includes(text),
    means: `one of ${ACTORS.join(", ")}`,
  },
  release: RELEASE,
};
const DEPRECATION: Readonly<Record<keyof Deprecation, Form | typeof ANYTHING>> = {
  pointer: POINTER,
  value: ANYTHING,
  firstNoticed: RELEASE,
  removableFrom: RELEASE,
  reason: REASON,
  issue: ISSUE,
};
const MEMBERS = ["$schema", "acknowledgments", "deprecations"] as const;

/**
 * Reads the file strictly: what is not understood is a finding with its place.
 * @param source the text, as `parseFile` of `codegen/bundle` reads it: keys that stand twice are found there
 * @returns nothing where a finding was made
 */
export function readAcknowledgments(source: Source, findings: Findings): Acknowledgments | undefined {
  const before = findings.count("error");
  const fail: Fail = (pointer, problem) =>
    findings.report("invalid-acknowledgments", source, pointer, { problem });
  const root = source.value;
  if (!isJsonObject(root)) {
    fail("", "the file must hold an object");
    return undefined;
  }
  checkMembers(root, MEMBERS, "", fail);
  const schema = root["$schema"];
  if (schema !== undefined && typeof schema !== "string") fail("/$schema", "$schema must be a string");
  const acknowledgments = rows<Acknowledgment>(root, "acknowledgments", ACKNOWLEDGMENT, fail);
  const deprecations = rows<Deprecation>(root, "deprecations", DEPRECATION, fail);
  for (const { value, at } of deprecations)
    if (compareReleases(value.firstNoticed, value.removableFrom) >= 0)
      fail(`${at}/removableFrom`, "removableFrom must be a later release than firstNoticed");
  for (const [what, list] of [
    ["change", acknowledgments.map(({ value, at }) => ({ key: value.change, at: `${at}/change` }))],
    ["pointer", deprecations.map(({ value, at }) => ({ key: keyOf(value), at: `${at}/pointer` }))],
  ] as const) {
    const seen = new Set<string>();
    for (const { key, at } of list) {
      if (seen.has(key)) findings.report("repeated-acknowledgment", source, at, { what, key });
      seen.add(key);
    }
  }
  if (findings.count("error") > before) return undefined;
  return {
    ...(typeof schema === "string" ? { $schema: schema } : {}),
    acknowledgments: acknowledgments.map(({ value }) => value),
    deprecations: deprecations.map(({ value }) => value),
  };
}

/** What an announcement is about: a pointer, and which one of several there. */
function keyOf({ pointer, value }: Deprecation): string {
  return value === undefined ? pointer : `${pointer} ${JSON.stringify(ordered(value))}`;
}

type Fail = (pointer: string, problem: string) => void;

/** The rows of a list that have the form, each with its pointer; a finding for each one that has it not. */
function rows<T>(
  root: JsonObject,
  name: string,
  form: Readonly<Record<keyof T & string, Form | typeof ANYTHING>>,
  fail: Fail,
): { readonly value: T; readonly at: string }[] {
  const list = root[name];
  if (list === undefined) return [];
  if (!Array.isArray(list)) {
    fail(`/${name}`, `${name} must be an array`);
    return [];
  }
  return list.flatMap((row, i) => {
    const at = `/${name}/${i}`;
    return hasForm(row, form, at, fail) ? [{ value: row as T, at }] : [];
  });
}

function hasForm(
  row: Json,
  form: Readonly<Record<string, Form | typeof ANYTHING>>,
  at: string,
  fail: Fail,
): boolean {
  if (!isJsonObject(row)) {
    fail(at, "an entry must be an object");
    return false;
  }
  let fine = checkMembers(row, Object.keys(form), at, fail);
  for (const [name, member] of Object.entries(form)) {
    if (member === ANYTHING) continue;
    const { takes, means } = member;
    const value = Object.hasOwn(row, name) ? row[name] : undefined;
    if (typeof value === "string" && takes(value)) continue;
    fine = false;
    const near =
      name === "rule" && typeof value === "string" ? didYouMean(value, Object.keys(driftRules)) : "";
    fail(
      `${at}/${name}`,
      `${name} ${value === undefined ? "is missing: it must" : "must"} be ${means}${near}`,
    );
  }
  return fine;
}

function checkMembers(object: JsonObject, known: readonly string[], at: string, fail: Fail): boolean {
  const strange = Object.keys(object).filter((name) => !known.includes(name));
  for (const name of strange) fail(child(at, name), `there is no member "${name}"${didYouMean(name, known)}`);
  return strange.length === 0;
}

/**
 * The canonical text of the file: entries in the order of their pointers, members in the order of their meaning, two
 * spaces, one line feed at the end. Reading it gives the same entries.
 */
export function formatAcknowledgments(file: Acknowledgments): string {
  const { $schema } = file;
  const acknowledgments = [...file.acknowledgments].sort(
    (a, b) => compareNames(a.pointer, b.pointer) || compareNames(a.change, b.change),
  );
  const deprecations = [...file.deprecations].sort((a, b) => compareNames(keyOf(a), keyOf(b)));
  const whole = {
    ...($schema === undefined ? {} : { $schema }),
    acknowledgments: acknowledgments.map((row) => inOrder(row, Object.keys(ACKNOWLEDGMENT))),
    deprecations: deprecations.map((row) => inOrder(row, Object.keys(DEPRECATION))),
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

function inOrder(row: object, names: readonly string[]): object {
  const values = row as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    names.filter((name) => values[name] !== undefined).map((name) => [name, values[name]]),
  );
}
