/** The words of the commands that compare versions, read. */
import { resolve } from "node:path";
import { DRIFT_FORMATS, type DriftFormat, isDriftFormat } from "../../../codegen/drift/report/formats.js";
import { type Given, type Io, type Option, UsageError } from "../command.js";
import { text, whole } from "../values.js";
import { REFERENCE, type Reference, readReference } from "./reference.js";

const FORMAT_NAMES = Object.keys(DRIFT_FORMATS);

/** Options that say what is compared with. */
export const AGAINST_OPTION: Readonly<Record<string, Option>> = {
  against: {
    type: "string",
    value: REFERENCE,
    repeatable: true,
    help: "an earlier version; more than once for several (default: baseline/ beside the schema)",
  },
};

/** Options that say how it is proved. */
export const EVIDENCE_OPTIONS: Readonly<Record<string, Option>> = {
  "no-evidence": { type: "boolean", help: "try nothing: tell what the rules say alone; needs no fast-check" },
  runs: { type: "string", value: "N", help: "how many values are tried for each change (default: 100)" },
  seed: { type: "string", value: "N", help: "chooses the values (default: 1)" },
};

/** Options that say how a comparison is told. */
export const REPORT_OPTIONS: Readonly<Record<string, Option>> = {
  format: {
    type: "string",
    value: FORMAT_NAMES.join("|"),
    help: "how changes are shown (default: text)",
  },
  json: { type: "boolean", help: "short for --format json" },
  out: {
    type: "string",
    value: "FILE",
    help: "the file for that format; a text goes to standard output then",
  },
};

/** A reference, with the words that it was read from. */
export interface Named {
  readonly name: string;
  readonly reference: Reference;
}

/** The versions that are compared with, each once; undefined where none is named. */
export function againstOption({ lists }: Given): readonly Named[] | undefined {
  const words = [...new Set(lists["against"] ?? [])];
  if (words.length === 0) return undefined;
  return words.map((name) => ({ name, reference: readReference(name, "against") }));
}

/** How values are drawn; undefined where none are. */
export function evidenceOption(given: Given): { readonly runs?: number; readonly seed?: number } | undefined {
  const runs = whole(given, "runs", 1, 1_000_000);
  const seed = whole(given, "seed", 0);
  if (given.options["no-evidence"] !== true)
    return { ...(runs === undefined ? {} : { runs }), ...(seed === undefined ? {} : { seed }) };
  if (runs !== undefined || seed !== undefined)
    throw new UsageError("--no-evidence goes with neither --runs nor --seed");
  return undefined;
}

/** How a comparison is told, and where. */
export interface Telling {
  readonly format: DriftFormat;
  /** Undefined for standard output. */
  readonly file: string | undefined;
}

/** The form that was asked for. */
export function tellingOption(given: Given, { cwd }: Io): Telling {
  const format = text(given, "format");
  if (given.options["json"] === true && format !== undefined && format !== "json")
    throw new UsageError(`--json and --format ${format} contradict each other`);
  const name = given.options["json"] === true ? "json" : (format ?? "text");
  if (!isDriftFormat(name)) throw new UsageError(`--format takes ${FORMAT_NAMES.join(", ")}, not "${name}"`);
  const out = text(given, "out");
  return { format: name, file: out === undefined ? undefined : resolve(cwd, out) };
}
