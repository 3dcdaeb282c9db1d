/** Which laws are tried on a host, and how. */
import type { CoverageReport } from "../coverage/coverage.js";
import type { AnyLaw } from "../law.js";
import type { Line } from "../model/history.js";
import type { Stand } from "../stand.js";
import type { KnownFailure } from "./known.js";
import type { Runs, Shard } from "./plan.js";
import type { Broken } from "./run-law.js";

/** A case that broke a law in a run before. */
export interface KeptCase {
  readonly law: string;
  readonly of: string;
  readonly number: number;
  readonly case: unknown;
  readonly seed: number;
  /** The seed of the run that found it. */
  readonly runSeed: number;
}

/** What is watched while laws are tried. */
export interface CoverageCount {
  note(line: Line): void;
  report(served: ReadonlySet<string>): CoverageReport;
}

/** Which laws are tried, and how. */
export interface RunLawsOptions {
  /** The laws that are tried, in the order of the report. */
  readonly laws: readonly AnyLaw[];
  /** All laws: one that was not chosen may be seen broken. Default: `laws`. */
  readonly all?: readonly AnyLaw[];
  /** Default: 1. */
  readonly seed?: number;
  /** Default: each law's own number. */
  readonly runs?: Runs;
  /** Tries further cases in rounds, until so many milliseconds are over; `runs` does not count then. */
  readonly timeMs?: number;
  readonly shard?: Shard;
  /** This case alone; for one law. */
  readonly case?: number;
  /** How many laws are tried at once. Default: 2; never more than the driver has places. Changes no result. */
  readonly workers?: number;
  /** Stops after so many broken laws that no known failure excuses. Default: never. */
  readonly maxFailures?: number;
  readonly known?: readonly KnownFailure[];
  /** Cases that are tried before all others. */
  readonly kept?: readonly KeptCase[];
  /** Today: YYYY-MM-DD. Default: by the clock. */
  readonly today?: string;
  /** How long a case that breaks is made smaller; milliseconds. Default: 30,000. */
  readonly shrinkMs?: number;
  readonly coverage?: CoverageCount;
  /** Less coverage than this percentage breaks the run. */
  readonly minCoverage?: number;
  /** The version of the toolkit. Default: empty. */
  readonly version?: string;
  /** The command that tries a case again. */
  readonly repeat?: (of: string, seed: number, number: number) => string;
  readonly onProgress?: (progress: Progress) => void;
  /** Called with a case that broke a law, while its host is still there. */
  readonly onBroken?: (broken: Broken, stand: Stand) => Promise<void>;
  /** Gives the run up: hosts are killed. */
  readonly signal?: AbortSignal;
}

/** How far a run is. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  /** The law that was tried last. */
  readonly law: string;
  readonly broken: number;
}
