/** The laws of a host for whatever runs tests. */
import { catalog } from "../catalog.js";
import type { Ability, Driver } from "../driver/driver.js";
import type { AnyLaw, LawLevel } from "../law.js";
import { LawBroken } from "../law.js";
import type { LawRow } from "../report/report.js";
import { brokenLines } from "../report/text.js";
import { readRuns } from "./plan.js";
import { runLaws } from "./run-laws.js";

/** Which cases of a law are tried. */
export interface CheckOptions {
  /** Chooses the cases. Default: 1. */
  readonly seed?: number;
  /** So many cases, or `N%` of the law's own number. Default: its own number. */
  readonly runs?: number | `${number}%`;
}

/** What came of a law that is not broken. */
export interface Checked extends LawRow {
  readonly verdict: "holds" | "notApplicable";
}

/** A promise of every host, ready to be tried. */
export interface HostLaw {
  readonly id: string;
  readonly level: LawLevel;
  /** What is promised, in one sentence. */
  readonly promise: string;
  /** What a host must be able to do; see {@link Driver.abilities}. */
  readonly needs: readonly Ability[];
  /**
   * Tries it. Resolves where it holds, and where the host cannot do what it needs.
   * @throws {LawBroken} where it is broken, with what passed in the message and the row of the report in the details
   * @throws {LawInconclusive} where too little was tried to say anything
   * @throws {DriverError} where the host cannot be tried
   * @throws {RangeError} for `runs` that are no number of cases
   */
  check(driver: Driver, options?: CheckOptions): Promise<Checked>;
}

const IS_LAW_INCONCLUSIVE = Symbol.for("mspkit.lawInconclusive");

/** Too little was tried to say whether a promise is kept. */
export class LawInconclusive extends Error {
  readonly [IS_LAW_INCONCLUSIVE] = true;
  override readonly name = "LawInconclusive";
  readonly kind = "lawInconclusive";
  readonly row: LawRow;

  constructor(row: LawRow) {
    super(`${row.id}: ${row.why ?? "nothing was tried"}`);
    this.row = row;
  }
}

/** Whether a value is a {@link LawInconclusive}. */
export function isLawInconclusive(value: unknown): value is LawInconclusive {
  return typeof value === "object" && value !== null && IS_LAW_INCONCLUSIVE in value;
}

/** All laws of a host. */
export const laws: readonly HostLaw[] = catalog.map((law) => {
  const { id, level, promise, needs } = law;
  return { id, level, promise, needs, check: (driver, options) => check(law, driver, options) };
});

async function check(law: AnyLaw, driver: Driver, { seed = 1, runs = "100%" }: CheckOptions = {}) {
  const read = readRuns(String(runs));
  if (read === undefined) throw new RangeError(`${runs} is no number of cases, and no percentage`);
  const { report } = await runLaws(driver, { laws: [law], all: catalog, seed, runs: read });
  // Another law that is seen broken in the cases of this one is a finding too.
  for (const row of report.laws)
    if (row.broken !== undefined)
      throw new LawBroken(`${row.broken.what}\n${brokenLines(row, row.broken).join("\n")}`, row, row.id);
  const [row] = report.laws as readonly [LawRow];
  if (row.verdict === "inconclusive") throw new LawInconclusive(row);
  return row as Checked;
}
