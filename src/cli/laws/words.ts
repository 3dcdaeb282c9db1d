/** The words of `mspkit laws run`, read. */
import { resolve } from "node:path";
import { didYouMean } from "../../../codegen/bundle/suggest.js";
import type { AnyLaw, LawLevel } from "../../laws/law.js";
import type { ReportFormat } from "../../laws/report/formats.js";
import { type Runs, readRuns, readShard, type Shard } from "../../laws/run/plan.js";
import { type Given, type Io, type Option, UsageError } from "../command.js";

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

/** A report that is asked for. */
export interface ReportWord {
  readonly format: ReportFormat;
  /** Undefined for standard output. */
  readonly file: string | undefined;
}

const LEVELS: readonly LawLevel[] = ["core", "durable", "connections", "ephemeral"];
const FORMAT_NAMES: readonly ReportFormat[] = ["text", "json", "junit", "md", "github-actions"];
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
/** What timers of Node can wait for; milliseconds. */
const LONGEST = 2 ** 31 - 1;

/** The text of an option; undefined where it is not given. */
export function text({ options }: Given, name: string): string | undefined {
  const value = options[name] as string | undefined;
  if (value === "") throw new UsageError(`--${name} needs a value`);
  return value;
}

/** A whole number. */
export function whole(given: Given, name: string, least: number, most = 2 ** 31 - 1): number | undefined {
  const value = text(given, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= least && number <= most) return number;
  throw new UsageError(`--${name} takes a whole number from ${least}, not "${value}"`);
}

/** A length of time in milliseconds: `15s`, `5m`. */
export function duration(given: Given, name: string): number | undefined {
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
export function shardOption(given: Given): Shard | undefined {
  const value = text(given, "shard");
  const shard = value === undefined ? undefined : readShard(value);
  if (value !== undefined && shard === undefined)
    throw new UsageError(`--shard takes I/N with I from 1 to N, not "${value}"`);
  return shard;
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
