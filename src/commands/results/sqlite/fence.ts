/** Effects that are kept in the same SQLite database as the results: they stand or fall with their claim. */
import type { CommandResult, Fence } from "../../app.js";
import type { Claim } from "../../results.js";
import type { Effects } from "./effects.js";

/** See {@link Fence}. */
export class SqliteFence implements Fence {
  readonly epoch: number;
  readonly #claim: Claim;
  readonly #effects: Effects;

  constructor(claim: Claim, effects: Effects) {
    this.epoch = claim.epoch;
    this.#claim = claim;
    this.#effects = effects;
  }

  run<T>(effect: (handle: unknown) => Promise<T>, result?: (value: T) => CommandResult): Promise<T> {
    return this.#effects.run(this.#claim, effect, result);
  }
}
