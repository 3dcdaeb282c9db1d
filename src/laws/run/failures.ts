/** Cases that broke laws, kept in a folder so that they are tried first in the next run. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { timeline } from "../report/timeline.js";
import { writeTranscripts } from "../report/transcript-folders.js";
import type { TriedAgain } from "./rows.js";
import type { KeptCase } from "./run-options.js";

/** The version of the form of a kept case. */
const FORMAT = 1;
/** How the names of folders begin in which fuzzing keeps what it found; no law is called so. */
export const FUZZ_FOLDERS = "fuzz-";
const CASE_FILE = "case.json";

/** A folder of a kept case, and what it holds. */
export interface KeptFolder {
  readonly folder: string;
  readonly kept: KeptCase;
}

/**
 * The kept cases below a folder, by name; none where there is no such folder. What fuzzing has
 * kept there is left alone.
 * @returns also the folders whose case cannot be read, and why
 */
export function readFailures(folder: string): {
  readonly kept: readonly KeptFolder[];
  readonly unreadable: readonly { readonly folder: string; readonly why: string }[];
} {
  const kept: KeptFolder[] = [];
  const unreadable: { readonly folder: string; readonly why: string }[] = [];
  if (!existsSync(folder)) return { kept, unreadable };
  for (const name of readdirSync(folder).sort()) {
    const inner = join(folder, name);
    if (name.startsWith(FUZZ_FOLDERS) || !existsSync(join(inner, CASE_FILE))) continue;
    const read = readCase(inner);
    if (typeof read === "string") unreadable.push({ folder: inner, why: read });
    else kept.push({ folder: inner, kept: read });
  }
  return { kept, unreadable };
}

/** The case of a folder, or what is wrong with it. */
function readCase(folder: string): KeptCase | string {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(join(folder, CASE_FILE), "utf8"));
  } catch (error) {
    return (error as Error).message;
  }
  const { format, law, of, number, seed, runSeed } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (format !== FORMAT) return `its form is not ${FORMAT}`;
  if (typeof law !== "string" || typeof of !== "string") return "it names no law";
  if (![number, seed, runSeed].every(Number.isSafeInteger)) return "it has no numbers and seeds";
  return value as KeptCase;
}

/**
 * Keeps a case below a folder: `LAW-N`, where the same case is or with the next free number.
 * @returns its folder
 */
export function keepFailure(folder: string, finding: TriedAgain, version: string, repeat: string): string {
  const same = JSON.stringify([finding.of, finding.case]);
  for (let n = 1; ; n++) {
    const inner = join(folder, `${finding.law}-${n}`);
    if (existsSync(inner)) {
      const there = readCase(inner);
      if (typeof there === "string" || JSON.stringify([there.of, there.case]) !== same) continue;
    }
    writeFailure(inner, finding, version, repeat);
    return inner;
  }
}

/** Writes a case, its timeline and its transcripts into a folder; what is there of another case is replaced. */
export function writeFailure(folder: string, finding: TriedAgain, version: string, repeat: string): void {
  for (const name of ["transcript", "timeline.txt", CASE_FILE])
    rmSync(join(folder, name), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { law, of, number, case: smallest, seed, runSeed, what, details, again, history } = finding;
  const kept = { format: FORMAT, law, of, number, case: smallest, seed, runSeed, what, details, again };
  writeFileSync(join(folder, "timeline.txt"), timeline(history));
  const transcripts = writeTranscripts(history, folder);
  const text = JSON.stringify({ ...kept, version, repeat, transcripts }, null, 2);
  // Last: a folder without it is none.
  writeFileSync(join(folder, CASE_FILE), `${text}\n`);
}
