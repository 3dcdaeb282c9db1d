/** The words of `mspkit laws run` and `mspkit fuzz`, read. */
import { randomInt } from "node:crypto";
import { resolve } from "node:path";
import { didYouMean } from "../../../codegen/bundle/suggest.js";
import type { AnyLaw, LawLevel } from "../../laws/law.js";
import { FORMATS, type ReportFormat } from "../../laws/report/formats.js";
import { type Runs, readRuns, readShard, type Shard } from "../../laws/run/plan.js";
import { type Given, type Io, type Option, UsageError } from "../command.js";
import { text, whole } from "../values.js";

/** Options that say which host is meant. */
export const HOST_WORDS: Readonly<Record<string, Option>> = {
  config: {
    type: "string",
    value: "FILE",
    help: "what the host is (default: mspkit.host.json, if it is there)",
  },
  url: { type: "string", value: "URL", help: "a host that already listens: ws://HOST:PORT" },
  embedded: {
    type: "string",
    value: "STORE",
    help: "the embedded host in simulation, durable or memory, in place of HOST",
  },
};

/** The option for reports. */
export const REPORT_OPTION: Readonly<Record<string, Option>> = {
  report: {
    type: "string",
    value: "FORMAT[=FILE]",
    repeatable: true,
    help: "text, json, junit, md or github-actions; more than once (default: text, on standard output)",
  },
};

/** Where what was found is kept, if nothing else is said. */
export const FAILURES = ".mspkit/failures";

/** Options of every run that makes cases by a seed, until a number or a time is reached. */
export const RUN_WORDS: Readonly<Record<string, Option>> = {
  seed: { type: "string", value: "N", help: "chooses the cases (default: 1, nightly: a new one)" },
  time: { type: "string", value: "TIME", help: "how long a nightly run takes: 90s, 5m, 2h (default: 10m)" },
  shard: { type: "string", value: "I/N", help: "the I-th of N parts of the cases" },
  "max-failures": { type: "string", value: "N", help: "stop after so many failures" },
  out: {
    type: "string",
    value: "DIR",
    help: "what is left of failures: transcripts, stderr, exit status, store",
  },
  failures: {
    type: "string",
    value: "DIR",
    help: `where cases that failed are kept, to be tried first (default: ${FAILURES})`,
  },
  "min-coverage": { type: "string", value: "PERCENT", help: "less coverage of the schema is a failure" },
};

/** A report that is asked for. */
export interface ReportWord {
  readonly format: ReportFormat;
  /** Undefined for standard output. */
  readonly file: string | undefined;
}

const LEVELS: readonly LawLevel[] = ["core", "durable", "connections", "ephemeral"];
const FORMAT_NAMES = Object.keys(FORMATS) as ReportFormat[];
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
/** How long a nightly run takes where nothing is said; milliseconds. */
const NIGHTLY_MS = 600_000;
/** What timers of Node can wait for; milliseconds. */
const LONGEST = 2 ** 31 - 1;

/** A length of time in milliseconds: `15s`, `5m`. */
function duration(given: Given, name: string): number | undefined {
  const value = text(given, name);
  if (value === undefined) return undefined;
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(value);
  const ms = Number(match?.[1]) * (UNITS[match?.[2] ?? ""] ?? Number.NaN);
  if (ms >= 1 && ms <= LONGEST) return ms;
  throw new UsageError(`--${name} takes a length of time such as 90s, 5m or 2h, not "${value}"`);
}

/** The laws that are asked for, in the order of the catalog. */
export function chosenLaws(given: Given, all: readonly AnyLaw[]): readonly AnyLaw[] {
  const ids = text(given, "law")?.split(",");
  const level = text(given, "level");
  if (level !== undefined && !LEVELS.some((known) => known === level))
    throw new UsageError(`--level takes ${LEVELS.join(", ")}, not "${level}"`);
  const known = all.map(({ id }) => id);
  for (const id of ids ?? [])
    if (!known.includes(id))
      throw new UsageError(`there is no law "${id}"${didYouMean(id, known)}; mspkit laws list names them`);
  return all.filter(
    (law) => (ids === undefined || ids.includes(law.id)) && (level === undefined || law.level === level),
  );
}

/** How many cases; undefined for each law's own number. */
export function runsOption(given: Given): Runs | undefined {
  const value = text(given, "runs");
  const runs = value === undefined ? undefined : readRuns(value);
  if (value !== undefined && runs === undefined)
    throw new UsageError(`--runs takes a number, or N% of each law's own, not "${value}"`);
  return runs;
}

/** A part of the cases; undefined for all. */
function shardOption(given: Given): Shard | undefined {
  const value = text(given, "shard");
  const shard = value === undefined ? undefined : readShard(value);
  if (value !== undefined && shard === undefined)
    throw new UsageError(`--shard takes I/N with I from 1 to N, not "${value}"`);
  return shard;
}

/** What {@link RUN_WORDS} and a profile ask for. */
export interface RunWords {
  readonly seed: number;
  /** Of a nightly run, milliseconds; undefined where a number ends it. */
  readonly timeMs: number | undefined;
  readonly shard: Shard | undefined;
  readonly maxFailures: number | undefined;
  readonly minCoverage: number | undefined;
}

/**
 * Reads {@link RUN_WORDS} and the profile, and sees whether they go together.
 * @param count the option that gives a number of something, and whether it was given
 */
export function runWords(given: Given, count: { readonly name: string; readonly given: boolean }): RunWords {
  const profile = text(given, "profile") ?? "pr";
  if (profile !== "pr" && profile !== "nightly")
    throw new UsageError(`--profile takes pr or nightly, not "${profile}"`);
  const nightly = profile === "nightly";
  const time = duration(given, "time");
  const shard = shardOption(given);
  if (time !== undefined && !nightly) throw new UsageError("--time goes with --profile nightly");
  if (nightly && count.given)
    throw new UsageError(`--profile nightly goes by time: --${count.name} excludes it`);
  if (nightly && shard !== undefined)
    throw new UsageError(
      `--shard parts a number of cases: it needs --${count.name} or the profile pr, not a time`,
    );
  return {
    seed: whole(given, "seed", 0) ?? (nightly ? randomInt(2 ** 31) : 1),
    timeMs: nightly ? (time ?? NIGHTLY_MS) : undefined,
    shard,
    maxFailures: whole(given, "max-failures", 1),
    minCoverage: whole(given, "min-coverage", 0, 100),
  };
}

/** The reports that are asked for; the table for people where none goes to standard output. */
export function reportsOption(given: Given, io: Io): readonly ReportWord[] {
  const words = (text(given, "report")?.split(",") ?? []).map((word): ReportWord => {
    const at = word.indexOf("=");
    const name = at === -1 ? word : word.slice(0, at);
    const format = FORMAT_NAMES.find((known) => known === name);
    if (format === undefined)
      throw new UsageError(`--report takes ${FORMAT_NAMES.join(", ")}, not "${name}"`);
    if (at === word.length - 1) throw new UsageError(`--report ${name}= needs a file`);
    return { format, file: at === -1 ? undefined : resolve(io.cwd, word.slice(at + 1)) };
  });
  const printed = words.filter(({ file }) => file === undefined);
  if (printed.length > 1) throw new UsageError("two reports cannot both go to standard output");
  return printed.length === 1 ? words : [{ format: "text", file: undefined }, ...words];
}
