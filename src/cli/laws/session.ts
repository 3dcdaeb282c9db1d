/** A run of laws from words: the host, the cases that are kept, the progress, the reports, the exit code. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { Coverage } from "../../laws/coverage/coverage.js";
import type { LawsReport } from "../../laws/report/report.js";
import { type KeptFolder, keepFailure, readFailures, writeFailure } from "../../laws/run/failures.js";
import { type KnownFailure, readKnownFailures } from "../../laws/run/known.js";
import { type LawsRun, runLaws } from "../../laws/run/run-laws.js";
import type { RunLawsOptions } from "../../laws/run/run-options.js";
import { type Given, type Io, UsageError } from "../command.js";
import { packageVersion } from "../package.js";
import { text } from "../values.js";
import { Evidence } from "./evidence.js";
import { type OpenedHost, openHost, orDriverTrouble } from "./host.js";
import { interruptible } from "./interruptible.js";
import { EXITS, writeReports } from "./outcome.js";
import { progressBar } from "./progress.js";
import { FAILURES, type ReportWord } from "./words.js";

/** What the words ask for. */
export interface Asked
  extends Omit<RunLawsOptions, "kept" | "known" | "repeat" | "onBroken" | "onProgress" | "signal"> {
  readonly reports: readonly ReportWord[];
}

/** Runs the laws and tells of it; the exit code. */
export async function runByWords(given: Given, io: Io, { reports, ...asked }: Asked): Promise<number> {
  const { laws, all = laws } = asked;
  const named = text(given, "known");
  const listed = named === undefined ? undefined : knownFailures(resolve(io.cwd, named), all);
  const host = await orDriverTrouble(() => openHost(given, io));
  const evidence = new Evidence();
  try {
    const known = listed ?? (host.knownFailures === undefined ? [] : knownFailures(host.knownFailures, all));
    const folder = resolve(io.cwd, text(given, "failures") ?? FAILURES);
    const kept = asked.case === undefined ? keptCases(folder, io) : [];
    const out = text(given, "out");
    const version = packageVersion();
    if (asked.timeMs !== undefined) io.err(`seed ${asked.seed}\n`);
    const repeat = (of: string, seed: number, number: number): string =>
      `mspkit laws run --law ${of} --seed ${seed} --case ${number}${host.words}`;
    const run = await interruptible((signal) =>
      orDriverTrouble(() =>
        runLaws(host.driver, {
          ...asked,
          known,
          kept: kept.map((entry) => entry.kept),
          coverage: new Coverage(),
          version,
          repeat,
          signal,
          ...(out === undefined ? {} : { onBroken: (broken, stand) => evidence.take(broken.law, stand) }),
          ...(io.interactive ? { onProgress: progressBar(io) } : {}),
        }),
      ),
    );
    if (io.interactive) io.err("\r\u001b[K");
    keep(run, { folder, out: out === undefined ? undefined : resolve(io.cwd, out), evidence, version, io });
    if (given.options["prune"] === true) prune(kept, run, io);
    writeReports(run.report, reports, io);
    if (run.report.profile === "nightly") io.err(`${repeatRun(run.report, host)}\n`);
    return EXITS[run.report.verdict];
  } finally {
    evidence.clear();
    await host.close();
  }
}

function knownFailures(file: string, all: RunLawsOptions["laws"]): readonly KnownFailure[] {
  let list: string;
  try {
    list = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
  const read = readKnownFailures(
    list,
    all.map(({ id }) => id),
  );
  if ("wrong" in read) throw new UsageError(`${file}: ${read.wrong}`);
  return read.known;
}

function keptCases(folder: string, io: Io): readonly KeptFolder[] {
  const { kept, unreadable } = readFailures(folder);
  for (const { folder: inner, why } of unreadable) io.err(`${io.program}: ${inner} is left out: ${why}\n`);
  return kept;
}

/** Keeps what broke, and says where. */
function keep(
  { report, findings }: LawsRun,
  {
    folder,
    out,
    evidence,
    version,
    io,
  }: { folder: string; out: string | undefined; evidence: Evidence; version: string; io: Io },
): void {
  for (const finding of findings) {
    const { repeat = "" } = report.laws.find(({ id }) => id === finding.law)?.broken ?? {};
    const inner = keepFailure(folder, finding, version, repeat);
    io.err(`${finding.law}: kept in ${inner}\n`);
    if (out === undefined) continue;
    const place = join(out, finding.law);
    writeFailure(place, finding, version, repeat);
    evidence.put(finding.law, place);
  }
}

/** Removes kept cases that were tried and broke nothing any more. */
function prune(kept: readonly KeptFolder[], { report, findings }: LawsRun, io: Io): void {
  for (const { folder, kept: entry } of kept) {
    const row = report.laws.find(({ id }) => id === entry.of);
    const broke = findings.some(
      (found) => found.of === entry.of && JSON.stringify(found.case) === JSON.stringify(entry.case),
    );
    if (row?.keptHeld === undefined || broke || !existsSync(folder)) continue;
    rmSync(folder, { recursive: true });
    io.err(`${folder}: removed, since it breaks nothing any more\n`);
  }
}

/** What tries the cases of a nightly run again; at the most a round more of some laws. */
function repeatRun({ seed, runs, chosen }: LawsReport, { words }: OpenedHost): string {
  const laws = (chosen?.laws ?? []).map((id) => ` --law ${id}`).join("");
  return `again: mspkit laws run --seed ${seed} --runs ${runs}${laws}${words}`;
}
