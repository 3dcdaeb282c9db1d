/** A fuzzing run by words, and what is told of it. */
import { join, relative } from "node:path";
import { addToCorpus, keepFinding, readCorpus } from "../../laws/fuzz/finding.js";
import { FUZZ_FORMATS, fuzzVerdict } from "../../laws/fuzz/formats.js";
import { type FuzzOptions, type FuzzReport, fuzz } from "../../laws/fuzz/fuzz.js";
import type { Given, Io } from "../command.js";
import { Evidence } from "../laws/evidence.js";
import { type OpenedHost, openHost, orDriverTrouble } from "../laws/host.js";
import { interruptible } from "../laws/interruptible.js";
import { EXITS, writeForms } from "../laws/outcome.js";
import type { ReportWord } from "../laws/words.js";

/** The words, read. */
export interface FuzzWords extends Pick<FuzzOptions, "maxFindings" | "workers"> {
  readonly seed: number;
  readonly frames: number;
  readonly timeMs: number | undefined;
  readonly shard: FuzzOptions["shard"] | undefined;
  readonly minCoverage: number | undefined;
  readonly corpus: string | undefined;
  readonly failures: string;
  /** Where what is left of hosts is kept; undefined for nowhere. */
  readonly out: string | undefined;
  readonly reports: readonly ReportWord[];
}

/** No oftener than that is progress drawn; milliseconds. */
const EVERY_MS = 200;

/**
 * Runs it, keeps what was found, and tells of it. Gives the exit code.
 * @throws {TroubleError} where the host cannot be started, or lives on when it is killed
 */
export async function fuzzByWords(given: Given, io: Io, words: FuzzWords): Promise<number> {
  const { corpus, failures, out, minCoverage, reports } = words;
  const host = await orDriverTrouble(() => openHost(given, io));
  const evidence = new Evidence();
  try {
    if (words.timeMs !== undefined) io.err(`seed ${words.seed}\n`);
    const report = await run(host, io, words, evidence);
    const folders = report.findings.map((finding) => {
      const kept = keepFinding(finding, failures);
      if (out !== undefined) evidence.put(finding.id, keepFinding(finding, out));
      return join(relative(io.cwd, failures), relative(failures, kept));
    });
    if (corpus !== undefined) for (const of of report.interesting) addToCorpus(of, corpus);
    const told = { report, folders, minCoverage, repeat: repeatOf(words, host) };
    writeForms((format) => FUZZ_FORMATS[format](told), reports, io);
    return EXITS[fuzzVerdict(told)];
  } finally {
    evidence.clear();
    await host.close();
  }
}

async function run(host: OpenedHost, io: Io, words: FuzzWords, evidence: Evidence): Promise<FuzzReport> {
  const { seed, frames, timeMs, shard, maxFindings = 10, workers = 1, corpus, failures, out } = words;
  let last = performance.now();
  const onProgress = (progress: { readonly frames: number; readonly findings: number }): void => {
    if (performance.now() - last < EVERY_MS) return;
    last = performance.now();
    const found = progress.findings === 0 ? "" : `, ${progress.findings} found`;
    io.err(`\r\u001b[K${progress.frames} frames${found}`);
  };
  try {
    return await interruptible((signal) =>
      orDriverTrouble(() =>
        fuzz(host.driver, {
          seed,
          frames,
          maxFindings,
          workers,
          signal,
          first: [...readCorpus(failures), ...(corpus === undefined ? [] : readCorpus(corpus))],
          ...(timeMs === undefined ? {} : { timeMs }),
          ...(shard === undefined ? {} : { shard }),
          ...(out === undefined ? {} : { onFound: (id, at) => evidence.take(id, at) }),
          ...(io.interactive ? { onProgress } : {}),
        }),
      ),
    );
  } finally {
    if (io.interactive) io.err("\r\u001b[K");
  }
}

/** The command that runs the same cases again; of a run by time, those that the time allows. */
function repeatOf({ seed, frames, timeMs, shard }: FuzzWords, { words }: OpenedHost): string {
  const count = timeMs === undefined ? ` --frames ${frames}` : ` --profile nightly --time ${timeMs}ms`;
  const part = shard === undefined ? "" : ` --shard ${shard.index}/${shard.of}`;
  return `mspkit fuzz --seed ${seed}${count}${part}${words}`;
}
