/** What a fuzzing run finds, and where it is kept. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { History } from "../model/history.js";
import { writeTranscripts } from "../report/transcript-folders.js";
import { FUZZ_FOLDERS } from "../run/failures.js";
import { type FuzzCase, type FuzzFrame, framesIn } from "./frame.js";
import type { KeptLine } from "./wire.js";

/**
 * What is wrong: `crash`, the host ended; `hang`, what was due never came; `leak`, its memory grows with what is sent;
 * `badAnswer`, what came is not what may come; `lawBroken`, a law does not hold of it afterwards.
 */
export type FindingKind = "crash" | "hang" | "leak" | "badAnswer" | "lawBroken";

/** Something that is wrong with a host. */
export interface Finding {
  /** Its name in the run. */
  readonly id: string;
  readonly kind: FindingKind;
  readonly what: string;
  readonly details: unknown;
  /** The number of the case in which it was seen; -1 for one that was kept from a run before. */
  readonly number: number;
  /** The fewest frames that show it. Of a broken law: what was sent before. */
  readonly case: FuzzCase;
  /** Whether it was seen again on a new host. */
  readonly again: boolean;
  /** What passed when it was seen last, without what other cases did. */
  readonly lines: readonly KeptLine[];
  /** The law, where one is broken. */
  readonly law?: string;
  /** The last that the host wrote to standard error. */
  readonly stderrTail: string;
}

/**
 * Writes a finding below a folder: `case.json`, and a transcript of what passed. What was kept of the same finding is
 * replaced. Gives its own folder.
 */
export function keepFinding(finding: Finding, folder: string): string {
  const { lines, id: _, ...told } = finding;
  const { kind, law } = finding;
  const own = join(folder, `${FUZZ_FOLDERS}${law ?? kind}-${nameOf(finding.case)}`);
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "case.json"), `${JSON.stringify({ fuzz: 1, ...told }, null, 1)}\n`);
  const history = new History();
  for (const { dir, raw } of lines)
    history.lines.push({ moment: history.next(), connection: 0, life: 0, dir, raw, handshake: false });
  writeTranscripts(history, own);
  if (finding.stderrTail !== "") writeFileSync(join(own, "stderr.txt"), finding.stderrTail);
  return own;
}

/** Cases of a folder, by the names of their files. What is no case is left out. */
export function readCorpus(folder: string): FuzzCase[] {
  if (!existsSync(folder)) return [];
  const found: FuzzCase[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort(byName)) {
    const file = entry.isDirectory() ? join(folder, entry.name, "case.json") : join(folder, entry.name);
    if (!file.endsWith(".json") || !existsSync(file)) continue;
    const of = caseIn(readFileSync(file, "utf8"));
    if (of !== undefined) found.push(of);
  }
  return found;
}

/** Adds a case to a folder, unless it is there. */
export function addToCorpus(of: FuzzCase, folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${nameOf(of)}.json`), `${JSON.stringify(of, null, 1)}\n`);
}

/** The case of a file: of the corpus, or of a finding. */
function caseIn(text: string): FuzzCase | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { case: inner, fuzz } = value as { readonly case?: unknown; readonly fuzz?: unknown };
  const of = (fuzz === undefined ? value : inner) as Partial<FuzzCase> | null | undefined;
  const { opening, batches, calm } = of ?? {};
  const isFrame = (frame: Partial<FuzzFrame>): boolean => typeof frame?.text === "string";
  if (typeof opening?.experimental !== "boolean" || !Array.isArray(opening.capabilities)) return undefined;
  if (!Array.isArray(batches) || !batches.every((batch) => Array.isArray(batch) && batch.every(isFrame)))
    return undefined;
  if (!Number.isSafeInteger(calm)) return undefined;
  return framesIn(of as FuzzCase) === 0 ? undefined : (of as FuzzCase);
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}

function nameOf(of: FuzzCase): string {
  return createHash("sha256").update(JSON.stringify(of)).digest("hex").slice(0, 12);
}
