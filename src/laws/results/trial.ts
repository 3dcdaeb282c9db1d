/** One run of a law of command results: those who act in it, what they did in words, and what was counted. */
import type { CommandResult } from "../../commands/app.js";
import type { CommandKey } from "../../commands/key.js";
import type {
  Claim,
  Claimed,
  CommandResults,
  Forgotten,
  Retention,
  Settlement,
  Standing,
} from "../../commands/results.js";
import { canonicalJson } from "../../ledger/canonical.js";
import { LawBroken } from "../broken.js";
import type { MortalResults, ResultsPlace } from "./subject.js";

/** How long a claim stands that nobody shall see abandoned, in milliseconds. */
const LONG_MS = 3_600_000;

/** A run of one law on one place. */
export class ResultsTrial {
  readonly place: ResultsPlace;
  /** What was done and answered, for a person. */
  readonly steps: string[] = [];
  /** How often something was really exercised, by its name. */
  readonly counts: Record<string, number> = {};
  readonly #keepers: Keeper[] = [];

  constructor(place: ResultsPlace) {
    this.place = place;
  }

  /** Results that act; those of the place, or ones that were made otherwise. */
  async keeper(given: Retention | CommandResults = { newest: 1_000_000 }): Promise<Keeper> {
    const results = "claim" in given ? given : await this.place.results(given);
    const keeper = new Keeper(this, `process ${this.#keepers.length + 1}`, results);
    this.#keepers.push(keeper);
    return keeper;
  }

  /** Counts something that was exercised. */
  count(what: string, times = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + times;
  }

  /** Breaks the law where something is not so. */
  hold(so: boolean, otherwise: string): void {
    this.count("checks");
    if (!so) throw new LawBroken(otherwise);
  }

  /** Breaks the law where an answer is of another kind. */
  kind(answer: { readonly kind: string }, wanted: string, otherwise: string): void {
    this.hold(answer.kind === wanted, `${otherwise}: told ${answer.kind}, not ${wanted}`);
  }

  /** Breaks the law where it is not told this result. */
  result(found: CommandResult | undefined, wanted: CommandResult, otherwise: string): void {
    const equal = canonicalJson(found) === canonicalJson(wanted);
    this.hold(equal, equal ? "" : `${otherwise}: ${canonicalJson(found)}, not ${canonicalJson(wanted)}`);
  }

  /** Breaks the law where what is kept of the effects of a command is not so often there. */
  async kept(commandId: string, times: number, otherwise: string): Promise<void> {
    const kept = (await this.place.effects!.kept()).filter((name) => name === commandId).length;
    this.hold(kept === times, `${otherwise}: ${kept} of its effects are kept, not ${times}`);
  }

  /** Breaks the law where it is not abandoned. */
  abandoned(standing: Standing | Claimed, otherwise: string): void {
    this.kind(standing, "settled", otherwise);
    const { result } = standing as Extract<Standing, { readonly kind: "settled" }>;
    this.hold(
      result.status === "rejected" && result.rejection.reason === "abandoned" && !result.rejection.retryable,
      `${otherwise}: ${canonicalJson(result)}, not abandoned`,
    );
  }

  /** Closes the results that live. */
  async end(): Promise<void> {
    for (const { dead, results } of this.#keepers) if (!dead) await results.close().catch(() => undefined);
  }
}

/** Results that act in a trial. */
export class Keeper {
  readonly name: string;
  readonly results: CommandResults;
  dead = false;
  readonly #trial: ResultsTrial;

  constructor(trial: ResultsTrial, name: string, results: CommandResults) {
    this.#trial = trial;
    this.name = name;
    this.results = results;
  }

  /** Claims a key. */
  async claim(
    key: CommandKey,
    {
      deadlineMs = LONG_MS,
      signature,
      idTime,
    }: { deadlineMs?: number; signature?: string; idTime?: number } = {},
  ): Promise<Claimed> {
    this.#trial.count("claims");
    const asked = { key, deadlineMs, signature, idTime };
    return this.#act(
      `claims ${named(key)}`,
      async () => this.results.claim(asked),
      ({ kind }) => kind,
    );
  }

  /** Claims a key that it must get. */
  async take(key: CommandKey, options: Parameters<Keeper["claim"]>[1] = {}): Promise<Claim> {
    const claimed = await this.claim(key, options);
    this.#trial.kind(claimed, "claimed", `${this.name} does not get ${named(key)}, which is free`);
    return (claimed as Extract<Claimed, { readonly kind: "claimed" }>).claim;
  }

  /** Settles a claim. */
  async settle(claim: Claim, result: CommandResult): Promise<Settlement> {
    this.#trial.count("settlements");
    return this.#act(
      `settles ${named(claim.key)}`,
      async () => this.results.settle(claim, result),
      ({ kind }) => kind,
    );
  }

  /** Claims and settles a key. */
  async carry(
    key: CommandKey,
    result: CommandResult,
    options: Parameters<Keeper["claim"]>[1] = {},
  ): Promise<Claim> {
    const claim = await this.take(key, options);
    this.#trial.kind(
      await this.settle(claim, result),
      "settled",
      `${this.name} cannot settle what it has claimed`,
    );
    return claim;
  }

  /** Gives a claim back. */
  async release(claim: Claim): Promise<boolean> {
    this.#trial.count("releases");
    return this.#act(`releases ${named(claim.key)}`, async () => this.results.release(claim), String);
  }

  /**
   * Makes an effect under a claim, of the name of its command.
   * @param meanwhile what is done in the transaction once it is made
   * @returns `kept`, `fenced` where it was refused, or `failed`
   */
  async effect(
    claim: Claim,
    { settles, meanwhile }: { settles?: CommandResult; meanwhile?: () => Promise<unknown> } = {},
  ): Promise<{ readonly kind: "kept" | "fenced" | "failed"; readonly error?: unknown }> {
    this.#trial.count("effects");
    const { effects } = this.#trial.place;
    return this.#act(
      `makes the effect of ${named(claim.key)}`,
      async () => {
        try {
          await this.results.fence!(claim).run(
            async (handle) => {
              await effects!.make(handle, claim.key.commandId);
              await meanwhile?.();
            },
            settles === undefined ? undefined : () => settles,
          );
          return { kind: "kept" };
        } catch (error) {
          const fenced = (error as { kind?: unknown } | null | undefined)?.kind === "fenced";
          return { kind: fenced ? "fenced" : "failed", error };
        }
      },
      ({ kind }) => kind,
    );
  }

  /** How things stand with a key. */
  async read(key: CommandKey): Promise<Standing> {
    this.#trial.count("reads");
    return this.#act(
      `reads ${named(key)}`,
      async () => this.results.read(key),
      ({ kind }) => kind,
    );
  }

  /** Waits for a key. */
  async wait(key: CommandKey, waitMs: number): Promise<Standing> {
    this.#trial.count("waits");
    return this.#act(
      `waits for ${named(key)}`,
      () => this.results.wait(key, waitMs),
      ({ kind }) => kind,
    );
  }

  /** Forgets. */
  async forget(): Promise<Forgotten> {
    return this.#act(
      "forgets",
      async () => this.results.forget(),
      ({ forgotten }) => String(forgotten),
    );
  }

  /** Its process ends. */
  async die(mortal: MortalResults): Promise<void> {
    this.dead = true;
    await mortal.kill();
    this.#trial.steps.push(`${this.name} dies`);
    this.#trial.count("deaths");
  }

  async #act<T>(words: string, action: () => Promise<T>, told: (value: T) => string): Promise<T> {
    try {
      const value = await action();
      this.#trial.steps.push(`${this.name} ${words}: ${told(value)}`);
      return value;
    } catch (error) {
      this.#trial.steps.push(`${this.name} ${words}: ${String(error)}`);
      throw error;
    }
  }
}

/** A key of a law. */
export function keyOf(commandId: string, tenant = "t", workspace = "w", participant = "p"): CommandKey {
  return { tenant, workspace, participant, commandId };
}

/** An outcome. */
export function outcome(result: string | number): CommandResult {
  return { status: "accepted", result };
}

function named({ commandId }: CommandKey): string {
  return commandId.length > 40 ? `${commandId.slice(0, 40)}…` : commandId;
}
