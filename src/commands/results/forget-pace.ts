/** How often what is kept in a database is forgotten: that reads all rows, so the more there are, the less often. */
import { DEFAULT_NEWEST, type Retention } from "../results.js";

/** How much more than is kept may be there, and the least of that. */
const SLACK = 0.05;
const LEAST_SLACK = 50;

/** Counts settlements. */
export class ForgetPace {
  #every: number;
  #settled: number;

  constructor({ newest = DEFAULT_NEWEST }: Retention) {
    this.#every = slackOf(newest);
    // Of processes that live briefly one in so many forgets: as often as one that lives long.
    this.#settled = Math.floor(Math.random() * this.#every);
  }

  /** Counts one; whether so many came since the count began that it is time to forget. */
  settled(): boolean {
    return ++this.#settled >= this.#every;
  }

  /** Begins to count anew. */
  begin(): void {
    this.#settled = 0;
  }

  /** So many rows are left. */
  left(rows: number): void {
    this.#every = slackOf(rows);
  }
}

function slackOf(rows: number): number {
  return Math.max(LEAST_SLACK, Math.floor(rows * SLACK));
}
