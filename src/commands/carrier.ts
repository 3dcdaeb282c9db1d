/** Carries out what was claimed, once, and has remembered what comes of it. */
import type { Command, CommandResult, Rejection, WorkspaceHandle } from "./app.js";
import type { Attempt } from "./attempt.js";
import { carried } from "./carried.js";
import type { Clock } from "./clock.js";
import { contextOf } from "./context.js";
import { Deadlines } from "./deadlines.js";
import { FIRST_PAUSE_MS, LONGEST_PAUSE_MS, rest } from "./pause.js";
import { ABANDONED, rejected } from "./rejections.js";
import type { Claim, CommandResults, Settlement } from "./results.js";
import type { Execution } from "./telemetry.js";
import type { WorkspacesOptions } from "./workspaces-options.js";

/** How often it is tried on when no more commands are taken. */
const TRIES_WHEN_CLOSED = 5;

/** What a carrier is made of. */
export interface CarrierOptions {
  readonly results: CommandResults;
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly onError: NonNullable<WorkspacesOptions["onError"]>;
  /** Whether no more commands are taken. */
  readonly closed: () => boolean;
  /** Is told of an attempt that was tried on, when it is over. */
  readonly over: (claim: Claim, attempt: Attempt, came: CommandResult) => void;
}

/** What is carried out. */
export interface Carried {
  readonly handle: WorkspaceHandle;
  readonly command: Command;
  readonly execution: Execution;
  /** When its claim was asked for, by the monotonic clock. */
  readonly began: number;
}

/** See above. */
export class Carrier {
  readonly #options: CarrierOptions;
  readonly #deadlines: Deadlines;

  constructor(options: CarrierOptions) {
    this.#options = options;
    this.#deadlines = new Deadlines(options.clock);
  }

  /** Nothing is carried out any more. */
  close(): void {
    this.#deadlines.close();
  }

  /**
   * Carries out what was claimed. Never throws.
   * @param now by the monotonic clock
   * @param told is given what comes of it; undefined where that could not be settled yet, and is tried on
   */
  carryOut<T>(
    { handle, command, execution, began }: Carried,
    attempt: Attempt,
    claim: Claim,
    now: number,
    told: (came: CommandResult | undefined) => T | Promise<T>,
  ): Promise<T> {
    return new Promise((resolve) => {
      const context = contextOf(claim, this.#options.results);
      const ended = (outcome: CommandResult): void => {
        // What comes after its deadline is nothing any more.
        if (attempt.ended === undefined) return;
        attempt.ended = undefined;
        this.#deadlines.remove(attempt);
        const came = this.#settle(attempt, claim, outcome);
        resolve(came === undefined || "status" in came ? told(came) : came.then(told));
      };
      const failed = (error: unknown): void => {
        this.#options.onError(error, "carryOut");
        ended(rejected("handler_failed"));
      };
      attempt.context = context;
      attempt.ended = ended;
      const expiresAt = began + this.#options.deadlineMs;
      this.#deadlines.add(attempt, expiresAt, now);
      // A process that was stopped in between is late.
      if (expiresAt <= now) return attempt.expire();
      try {
        execution
          .within(() => Promise.resolve(handle.carryOut(command, context)))
          .then((given) => ended(carried(given)), failed);
      } catch (error) {
        failed(error);
      }
    });
  }

  /** Has an outcome remembered: the result that stands; undefined where that is tried on. Never throws. */
  #settle(
    attempt: Attempt,
    claim: Claim,
    outcome: CommandResult,
  ): CommandResult | undefined | Promise<CommandResult | undefined> {
    const failed = (error: unknown): undefined => {
      this.#options.onError(error, "settle");
      void this.#concludeLater(attempt, claim, outcome);
      return undefined;
    };
    try {
      const concluded = this.#conclude(claim, outcome);
      return "status" in concluded ? concluded : concluded.catch(failed);
    } catch (error) {
      return failed(error);
    }
  }

  /** Settles a claim, or gives it back where its outcome is not to be remembered: the result that stands. */
  #conclude(claim: Claim, outcome: CommandResult): CommandResult | Promise<CommandResult> {
    const { results } = this.#options;
    if (outcome.status === "rejected" && outcome.rejection.retryable) {
      const released = results.release(claim);
      if (released === true) return outcome;
      return released === false
        ? this.#notReleased(claim, outcome.rejection)
        : released.then((was) => (was ? outcome : this.#notReleased(claim, outcome.rejection)));
    }
    const settling = results.settle(claim, outcome);
    return "kind" in settling ? standing(settling) : settling.then(standing);
  }

  /** What stands where a claim could not be given back. */
  async #notReleased(claim: Claim, rejection: Rejection): Promise<CommandResult> {
    const { results } = this.#options;
    const outcome: CommandResult = { status: "rejected", rejection };
    const found = await results.read(claim.key);
    // An effect has settled it, or it is late.
    if (found.kind === "settled") return found.result;
    // Given back before, by a statement whose answer was lost.
    if (found.kind === "absent") return outcome;
    // It has an effect, so it is not as if it had never been; or it is another's by now.
    const remembered = Object.freeze({ ...rejection, retryable: false });
    const { result } = await results.settle(
      claim,
      Object.freeze({ status: "rejected", rejection: remembered }),
    );
    return result ?? outcome;
  }

  /** The same; of one that is late, what the store made of it. There may be results that no store takes. */
  async #concludeNow(attempt: Attempt, claim: Claim, outcome: CommandResult): Promise<CommandResult> {
    const { results, clock } = this.#options;
    if (clock.elapsed() <= attempt.expiresAt) return this.#conclude(claim, outcome);
    const found = await results.read(claim.key);
    if (found.kind === "pending") return this.#conclude(claim, outcome);
    return found.kind === "settled" ? found.result : ABANDONED;
  }

  /** What was done must not be lost: tries on until the store says how it stands. */
  async #concludeLater(attempt: Attempt, claim: Claim, outcome: CommandResult): Promise<void> {
    let left = TRIES_WHEN_CLOSED;
    for (let ms = FIRST_PAUSE_MS; left > 0; ms = Math.min(2 * ms, LONGEST_PAUSE_MS)) {
      await rest(ms);
      try {
        return this.#options.over(claim, attempt, await this.#concludeNow(attempt, claim, outcome));
      } catch (error) {
        this.#options.onError(error, "settle");
      }
      if (this.#options.closed()) left--;
    }
    this.#options.over(claim, attempt, rejected("still_running"));
  }
}

/** The result that stands after a settlement. */
function standing({ result }: Settlement): CommandResult {
  // Under a key that stands for nothing any more there was a claim that was abandoned.
  return result ?? ABANDONED;
}
