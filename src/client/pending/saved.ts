/**
 * Pending entries as a JSON value, for an application that is to find them again after its own restart.
 */
import type { PendingEntry } from "./entry.js";
import { jsonCopy } from "./json-copy.js";
import { SavedPendingError } from "./saved-error.js";

/** What `save` writes: a JSON value, of a format that this number names. */
export interface SavedPending {
  readonly format: 1;
  /** In the order of their submission. Inputs as JSON has them. */
  readonly entries: readonly PendingEntry<unknown>[];
  /** The index of the next submit. */
  readonly nextSubmissionIndex: number;
}

/** How inputs are saved. */
export interface SaveOptions<Input> {
  /** Makes a JSON value of an input; without it an input has to be one. Members that are undefined are left out. */
  readonly writeInput?: ((input: Input) => unknown) | undefined;
}

/** How inputs are read back. */
export interface ReadSavedOptions<Input> {
  /** Makes an input of its JSON value, or throws. Without it the value is believed to be one. */
  readonly readInput?: ((value: unknown) => Input) | undefined;
}

const FORMAT = 1;

/** The members of an entry, and what each has to be; what is not here is no member. */
const ENTRY = {
  commandId: isText,
  input: (value: unknown) => value !== undefined,
  displayText: optional(isText),
  ack: optional(isObject),
  anchorAfterItemId: (value: unknown) => value === null || isText(value),
  submissionIndex: isIndex,
  queuedOrder: optional(isIndex),
} satisfies Record<keyof PendingEntry<unknown>, Check>;

type Check = (value: unknown) => boolean;
type Members = Readonly<Record<string, unknown>>;

/** The saved form of entries, which are in the order of their submission. */
export function writeSaved<Input>(
  entries: Iterable<PendingEntry<Input>>,
  nextSubmissionIndex: number,
  { writeInput = (input) => input }: SaveOptions<Input>,
): SavedPending {
  const rows = Array.from(entries, (entry, index) => {
    try {
      return {
        ...entry,
        ...(entry.ack && { ack: { ...entry.ack } }),
        input: jsonCopy(writeInput(entry.input)),
      };
    } catch (cause) {
      throw new SavedPendingError("unsavableInput", `/entries/${index}/input`, messageOf(cause), { cause });
    }
  });
  return { format: FORMAT, entries: rows, nextSubmissionIndex };
}

/** The entries of a saved form. Throws a {@link SavedPendingError} for anything else. */
export function readSaved<Input>(
  saved: unknown,
  { readInput = (value) => value as Input }: ReadSavedOptions<Input>,
): { readonly entries: readonly PendingEntry<Input>[]; readonly nextSubmissionIndex: number } {
  const top = membersOf(saved, "", {
    format: (value) => value === FORMAT,
    entries: Array.isArray,
    nextSubmissionIndex: isIndex,
  });
  const nextSubmissionIndex = top["nextSubmissionIndex"] as number;
  const ids = new Set<string>();
  let last = -1;
  const entries = Array.from(top["entries"] as readonly unknown[], (value, index) => {
    const at = `/entries/${index}`;
    const row = membersOf(value, at, ENTRY) as unknown as PendingEntry<unknown>;
    const ack = row.ack && membersOf(row.ack, `${at}/ack`, { turnId: isText, disposition: isText });
    if (ids.has(row.commandId)) throw invalid(`${at}/commandId`, "an id that another entry has");
    if (row.submissionIndex <= last) throw invalid(`${at}/submissionIndex`, "not above the one before");
    if (row.submissionIndex >= nextSubmissionIndex) {
      throw invalid(`${at}/submissionIndex`, "not below nextSubmissionIndex");
    }
    ids.add(row.commandId);
    last = row.submissionIndex;
    try {
      return { ...row, ...(ack && { ack }), input: readInput(jsonCopy(row.input)) } as PendingEntry<Input>;
    } catch (cause) {
      throw new SavedPendingError("invalidSavedState", `${at}/input`, messageOf(cause), { cause });
    }
  });
  return { entries, nextSubmissionIndex };
}

/** The members of an object that has what it must and nothing else. */
function membersOf(value: unknown, at: string, checks: Readonly<Record<string, Check>>): Members {
  if (!isObject(value)) throw invalid(at, "not an object");
  const members: Members = { ...value };
  for (const [name, check] of Object.entries(checks)) {
    const has = Object.hasOwn(members, name);
    if (!has && !check(undefined)) throw invalid(at, `${name} is missing`);
    if (has && (members[name] === undefined || !check(members[name]))) {
      throw invalid(`${at}/${name}`, "not what can stand here");
    }
  }
  const foreign = Object.keys(members).find((name) => !Object.hasOwn(checks, name));
  if (foreign !== undefined) throw invalid(at, `an unknown member, ${JSON.stringify(foreign)}`);
  return members;
}

function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(where: string, why: string): SavedPendingError {
  return new SavedPendingError("invalidSavedState", where, why);
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
