/** Runs a law at its default budget, as `mspkit laws run` does, and says what came of it. */
import { onTestFinished } from "vitest";
import type { Driver } from "../../src/laws/driver/driver.js";
import type { AnyLaw, Verdict } from "../../src/laws/law.js";
import { type LawRun, runLaw, verdictOf } from "../../src/laws/run/run-law.js";
import { Stand } from "../../src/laws/stand.js";

/** What came of it. */
export interface Ran {
  readonly verdict: Verdict;
  readonly run: LawRun;
  /** Frames that clients wrote in the smallest case that breaks it, handshakes left out. */
  readonly clientFrames: number;
}

/** Tries a law; `cases` where the default is not meant. */
export async function ran(law: AnyLaw, driver: Driver, { seed = 1, cases = law.runs } = {}): Promise<Ran> {
  const stand = new Stand(driver);
  onTestFinished(() => stand.clear());
  const run = await runLaw(law, stand, { seed, cases: Array.from({ length: cases }, (_, i) => i) });
  const lines = run.broken?.history.lines ?? [];
  return {
    verdict: verdictOf(law, run),
    run,
    clientFrames: lines.filter(({ dir, handshake }) => dir === "client" && !handshake).length,
  };
}

/** What a run says in words, for a test that fails. */
export function toldOf({ run: { broken, counts, voidReasons, void: voids, cases } }: Ran): string {
  if (broken === undefined) return JSON.stringify({ cases, voids, counts, voidReasons });
  const lines = broken.history.lines.map(
    ({ dir, raw }) => `${dir === "client" ? ">" : "<"} ${raw.slice(0, 300)}`,
  );
  return [broken.law, broken.what, JSON.stringify(broken.details), ...lines].join("\n");
}
