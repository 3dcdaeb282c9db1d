/** A fuzzing run by words, and what is told of it. */

import { FAMILIES } from "../../laws/coverage/coverage.js";
import { addToCorpus, type Finding, keepFinding, readCorpus } from "../../laws/fuzz/finding.js";
import { framesIn } from "../../laws/fuzz/frame.js";
import { type FuzzReport, fuzz } from "../../laws/fuzz/fuzz.js";
import type { Given, Io } from "../command.js";
import { type OpenedHost, openHost, orDriverTrouble } from "../laws/host.js";

/** The words, read. */
export interface FuzzWords {
  readonly seed: number;
  readonly frames: number;
  readonly timeMs: number | undefined;
  readonly shard: { readonly index: number; readonly of: number } | undefined;
  readonly maxFindings: number;
  readonly minCoverage: number | undefined;
  readonly corpus: string | undefined;
  readonly failures: string;
  readonly json: boolean;
}

/** What a run came to, for the exit code. */
export interface FuzzOutcome {
  readonly found: boolean;
  /** Whether too little was answered for the run to say anything. */
  readonly inconclusive: boolean;
}

/** Lines of missing points that are shown. */
const SHOWN = 12;
/** No oftener than that is progress drawn; milliseconds. */
const EVERY_MS = 200;

/**
 * Runs it, keeps what was found, and tells of it.
 * @throws {TroubleError} where the host cannot be started, or lives on when it is killed
 */
export async function fuzzByWords(given: Given, io: Io, words: FuzzWords): Promise<FuzzOutcome> {
  const host = await orDriverTrouble(() => openHost(given, io));
  try {
    const report = await orDriverTrouble(() => run(host, io, words));
    const folders = report.findings.map((finding) => keepFinding(finding, words.failures));
    if (words.corpus !== undefined) for (const of of report.interesting) addToCorpus(of, words.corpus);
    const short = words.minCoverage !== undefined && report.coverage.percent < words.minCoverage;
    if (words.json) io.out(`${JSON.stringify(plain(report, folders))}\n`);
    else io.out(tell(report, folders, host, words, short));
    const found = report.findings.length > 0 || short;
    return { found, inconclusive: report.answers === 0 || report.frames === 0 };
  } finally {
    await host.close();
  }
}

function run(host: OpenedHost, io: Io, words: FuzzWords): Promise<FuzzReport> {
  const { seed, frames, timeMs, shard, maxFindings, corpus, failures } = words;
  let last = performance.now();
  const onProgress = (progress: { readonly frames: number; readonly findings: number }): void => {
    if (performance.now() - last < EVERY_MS) return;
    last = performance.now();
    const found = progress.findings === 0 ? "" : `, ${progress.findings} found`;
    io.err(`\r\u001b[K${progress.frames} frames${found}`);
  };
  return fuzz(host.driver, {
    seed,
    frames,
    maxFindings,
    first: [...readCorpus(failures), ...(corpus === undefined ? [] : readCorpus(corpus))],
    ...(timeMs === undefined ? {} : { timeMs }),
    ...(shard === undefined ? {} : { shard }),
    ...(io.interactive ? { onProgress } : {}),
  }).finally(() => {
    if (io.interactive) io.err("\r\u001b[K");
  });
}

function plain(report: FuzzReport, folders: readonly string[]): object {
  const { findings, interesting, ...rest } = report;
  return {
    kind: "fuzzReport",
    format: 1,
    ...rest,
    interesting: interesting.length,
    findings: findings.map(({ lines: _, ...finding }, at) => ({ ...finding, folder: folders[at] })),
  };
}

function tell(
  report: FuzzReport,
  folders: readonly string[],
  host: OpenedHost,
  { seed, minCoverage }: FuzzWords,
  short: boolean,
): string {
  const { frames, cases, answers, skipped, findings, coverage, laws, durationMs } = report;
  const seconds = (durationMs / 1_000).toFixed(1);
  let out = `${frames} frames in ${cases} cases to ${report.driver}, ${answers} answers, ${seconds} s, seed ${seed}\n`;
  if (skipped > 0) out += `${skipped} frames that are no UTF-8 were left out: the transport carries text\n`;
  for (const [at, finding] of findings.entries()) out += `\n${findingText(finding, folders[at]!)}`;
  if (findings.length > 0) out += `\nAgain: mspkit fuzz --seed ${seed} --frames ${frames}${host.words}\n\n`;
  out += `exercised: ${FAMILIES.map((name) => `${name} ${coverage[name].reached}/${coverage[name].total}`).join(", ")}; ${coverage.percent} %\n`;
  const missing = FAMILIES.flatMap((name) => coverage[name].missing.map((point) => `${name}: ${point}`));
  for (const point of missing.slice(0, SHOWN)) out += `  not reached, ${point}\n`;
  if (missing.length > SHOWN) out += `  and ${missing.length - SHOWN} more\n`;
  if (short) out += `that is less than ${minCoverage} %\n`;
  if (laws.length > 0)
    out += `laws afterwards: ${laws.map(({ id, verdict }) => `${id} ${verdict}`).join(", ")}\n`;
  return `${out}${findings.length === 0 ? "nothing found" : `${findings.length} found`}\n`;
}

function findingText(finding: Finding, folder: string): string {
  const { kind, what, again, law } = finding;
  const name = law === undefined ? kind : `${kind} (${law})`;
  let out = `${name}: ${what}${again ? "" : "; it was not seen again on a new host"}\n`;
  const frames = finding.case.batches.flat();
  if (law === undefined)
    for (const { text } of frames.slice(0, SHOWN))
      out += `  > ${text.length > 200 ? `${text.slice(0, 200)}…` : text}\n`;
  if (law === undefined && framesIn(finding.case) > SHOWN) out += `  and ${frames.length - SHOWN} more\n`;
  return `${out}  ${JSON.stringify(finding.details).slice(0, 600)}\n  kept in ${folder}\n`;
}
