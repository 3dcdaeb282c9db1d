/** Commands, each carried out once per id, whatever door they come in by. */
import type { Command, CommandResult, JsonObject, WorkspaceHandle } from "./app.js";
import { Attempt } from "./attempt.js";
import { carried } from "./carried.js";
import { type Clock, platformClock } from "./clock.js";
import { contextOf } from "./context.js";
import { type Identity, type PayloadTables, signatureFor } from "./identity.js";
import { readCommandId } from "./ids.js";
import { type CommandKey, KeyTexts } from "./key.js";
import { ABANDONED, type RejectionReason, rejected } from "./rejections.js";
import { InMemoryCommandResults } from "./results/memory.js";
import type { Claim, Claimed, ClaimRequest, CommandResults } from "./results.js";
import { type Execution, type How, silence, type Telemetry } from "./telemetry.js";
import type { WorkspacesOptions } from "./workspaces-options.js";

/** The first pause after the store failed, doubled each time, and the longest one. In milliseconds. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 2_000;
/** How long is waited for another's claim at once, in milliseconds. */
const WAIT_AT_ONCE_MS = 10_000;
/** How often it is tried on when no more commands are taken. */
const TRIES_WHEN_CLOSED = 5;

/**
 * The one entry of a process to commands; every door shares it. A handle of a workspace cannot reach what is
 * remembered, since that spans tenants.
 */
export class Workspaces {
  readonly #results: CommandResults;
  readonly #identity: Identity;
  readonly #tables: PayloadTables | undefined;
  readonly #waitMs: number;
  readonly #deadlineMs: number;
  readonly #aheadMs: number;
  readonly #telemetry: Telemetry;
  readonly #onError: NonNullable<WorkspacesOptions["onError"]>;
  readonly #clock: Clock;
  // Those that run come in the order of their deadlines, since all have as long.
  readonly #attempts = new Map<string, Attempt>();
  readonly #keyTexts = new KeyTexts();
  #sweeping = false;
  #closed: Promise<void> | undefined;
  #idle: (() => void) | undefined;

  constructor(options: WorkspacesOptions = {}) {
    this.#results = options.results ?? new InMemoryCommandResults();
    this.#identity = options.identity ?? "first-result";
    this.#tables = options.tables;
    this.#waitMs = options.waitMs ?? 30_000;
    this.#deadlineMs = options.deadlineMs ?? 60_000;
    this.#aheadMs = options.aheadMs ?? 600_000;
    this.#telemetry = options.telemetry ?? silence;
    this.#onError = options.onError ?? (() => undefined);
    this.#clock = options.clock ?? platformClock;
  }

  /** What a repeated id stands for. */
  get identity(): Identity {
    return this.#identity;
  }

  /**
   * Carries a command out by its workspace, once for its id, and answers what came of it; a repeat is answered the same.
   * Never throws and never rejects: whatever goes wrong is a rejection.
   * @param commandId as a door was given it, undefined where it was not
   */
  execute(
    handle: WorkspaceHandle,
    command: Command,
    { commandId }: { readonly commandId: unknown },
  ): Promise<CommandResult> {
    let execution: Execution | undefined;
    try {
      execution = this.#telemetry.execute(command);
      return this.#execute(handle, command, commandId, execution);
    } catch (error) {
      this.#onError(error, "execute");
      const result = rejected("internal_error");
      execution?.ended(result, "refused");
      return Promise.resolve(result);
    }
  }

  /** Refuses what comes from now on, waits for what runs, and closes the results. The same promise again. */
  close(): Promise<void> {
    return (this.#closed ??= (async () => {
      if (this.#runs()) await new Promise<void>((resolve) => (this.#idle = resolve));
      // Those that wait for another process are told that it still runs.
      await this.#results.close();
    })());
  }

  #execute(
    handle: WorkspaceHandle,
    command: Command,
    commandId: unknown,
    execution: Execution,
  ): Promise<CommandResult> {
    const told = (reason: RejectionReason, data?: JsonObject) =>
      Promise.resolve(answer(execution, rejected(reason, data), "refused"));
    if (commandId === undefined || commandId === null) return told("command_id_missing");
    const { id, time, fault } = readCommandId(commandId, this.#clock.now() + this.#aheadMs);
    if (fault !== undefined) return told("command_id_malformed", { fault });
    if (this.#closed !== undefined) return told("shutting_down");
    let signature: string | undefined;
    if (this.#identity === "checked") {
      const read = signatureFor(command, this.#tables);
      if (read.refusal !== undefined) return told("invalid_params", read.refusal);
      signature = read.signature;
    }
    const { tenant, workspace, participant } = handle;
    const key: CommandKey = { tenant, workspace, participant, commandId: id };
    const text = this.#keyTexts.of(key);
    const asked: Asked = {
      handle,
      command,
      text,
      request: { key, text, idTime: time, signature, deadlineMs: this.#deadlineMs },
      execution,
      claiming: undefined,
      began: 0,
    };
    if (!this.#attempts.has(text)) {
      asked.began = this.#clock.elapsed();
      const claiming = this.#claim(asked.request);
      // What is remembered in this process is told at once.
      if ("kind" in claiming && claiming.kind === "settled" && !conflicts(signature, claiming.signature)) {
        execution.claimed(claiming.kind);
        return Promise.resolve(answer(execution, claiming.result, "replayed"));
      }
      asked.claiming = claiming;
    }
    return this.#answer(asked);
  }

  #claim(request: ClaimRequest): Claimed | Promise<Claimed> {
    try {
      return this.#results.claim(request);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Carries it out, or waits for who does; again, where that one gave the id back. */
  async #answer(asked: Asked): Promise<CommandResult> {
    const { text, request, execution } = asked;
    let how: How = "joined";
    try {
      for (;;) {
        const running = this.#attempts.get(text);
        if (running === undefined) {
          const { result, how: came } = await this.#attempt(asked);
          how = came;
          if (result !== undefined) return answer(execution, result, how);
          continue;
        }
        const fits = !conflicts(request.signature, running.signature);
        if (!fits && running.decided) return answer(execution, rejected("command_id_conflict"), "refused");
        const waited = execution.waits();
        const came = await running.within(this.#waitMs, this.#clock);
        waited(came === "late" ? came : (came?.status ?? "again"));
        if (came === "late") return answer(execution, rejected("still_running"), how);
        // Another command, and now it may be known which one the id stands for: from the start.
        if (came !== undefined && fits) return answer(execution, came, how);
      }
    } catch (error) {
      this.#onError(error, "execute");
      return answer(execution, rejected("internal_error"), "refused");
    }
  }

  /** Claims a command and carries it out. No result: who asked waits for the attempt like the others. */
  async #attempt(asked: Asked): Promise<Attempted> {
    const { text, request, execution } = asked;
    const attempt = new Attempt(request.signature);
    this.#attempts.set(text, attempt);
    if (asked.claiming === undefined) {
      asked.began = this.#clock.elapsed();
      asked.claiming = this.#claim(request);
    }
    const { began, claiming } = asked;
    asked.claiming = undefined;
    let came: CommandResult | undefined;
    let stays = false;
    try {
      const claimed = "kind" in claiming ? claiming : await claiming;
      execution.claimed(claimed.kind);
      if (claimed.kind === "claimed") {
        attempt.decided = true;
        came = await this.#carryOut(asked, attempt, claimed.claim, began + this.#deadlineMs);
        stays = came === undefined;
        return { result: came, how: "carriedOut" };
      }
      if (claimed.kind === "expired" || claimed.kind === "full")
        came = rejected(claimed.kind === "full" ? "overloaded" : "command_id_expired");
      else if (conflicts(request.signature, claimed.signature)) came = rejected("command_id_conflict");
      else if (claimed.kind === "settled") {
        came = claimed.result;
        return { result: came, how: "replayed" };
      } else {
        attempt.decided = true;
        attempt.foreign = true;
        attempt.signature = claimed.signature;
        stays = true;
        if (this.#idle !== undefined && !this.#runs()) this.#idle();
        void this.#watch(text, attempt, request.key);
        return { result: undefined, how: "waited" };
      }
      return { result: came, how: "refused" };
    } catch (error) {
      // Nothing after the claim throws.
      this.#onError(error, "claim");
      execution.claimed("failed");
      came = rejected("results_unavailable");
      return { result: came, how: "refused" };
    } finally {
      if (!stays) this.#over(text, attempt, came);
    }
  }

  /** What comes of a claim; undefined where that could not be settled yet, and is tried on. Never throws. */
  async #carryOut(
    { handle, command, text, execution }: Asked,
    attempt: Attempt,
    claim: Claim,
    expiresAt: number,
  ): Promise<CommandResult | undefined> {
    const context = contextOf(claim, this.#results);
    const outcome = await execution.within(
      () =>
        new Promise<CommandResult>((resolve) => {
          const failed = (error: unknown): void => {
            this.#onError(error, "carryOut");
            resolve(rejected("handler_failed"));
          };
          attempt.expire = () => {
            context.abort();
            resolve(ABANDONED);
          };
          // A process that was stopped in between is late.
          if (this.#expires(attempt, expiresAt)) return attempt.expire();
          try {
            Promise.resolve(handle.carryOut(command, context)).then(
              (given) => resolve(carried(given)),
              failed,
            );
          } catch (error) {
            failed(error);
          }
        }),
    );
    attempt.expiresAt = undefined;
    try {
      return await this.#conclude(claim, outcome);
    } catch (error) {
      this.#onError(error, "settle");
      void this.#concludeLater(text, attempt, claim, outcome);
      return undefined;
    }
  }

  /** Settles a claim, or gives it back where its outcome is not to be remembered: the result that stands. */
  async #conclude(claim: Claim, outcome: CommandResult): Promise<CommandResult> {
    if (outcome.status === "rejected" && outcome.rejection.retryable) {
      await this.#results.release(claim);
      return outcome;
    }
    const settling = this.#results.settle(claim, outcome);
    const { result } = "kind" in settling ? settling : await settling;
    // Under a key that stands for nothing any more there was a claim that was abandoned.
    return result ?? ABANDONED;
  }

  /** What was done must not be lost: tries on until the store says how it stands. */
  async #concludeLater(text: string, attempt: Attempt, claim: Claim, outcome: CommandResult): Promise<void> {
    let left = TRIES_WHEN_CLOSED;
    for (let pause = FIRST_PAUSE_MS; left > 0; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      await this.#pause(pause);
      try {
        const result = await this.#conclude(claim, outcome);
        return this.#over(text, attempt, result);
      } catch (error) {
        this.#onError(error, "settle");
      }
      if (this.#closed !== undefined) left--;
    }
    this.#over(text, attempt, rejected("still_running"));
  }

  /** Waits for a claim of another process, for as long as somebody here does. Never throws. */
  async #watch(text: string, attempt: Attempt, key: CommandKey): Promise<void> {
    let came: CommandResult | undefined;
    let pause = FIRST_PAUSE_MS;
    do {
      try {
        const standing = await this.#results.wait(key, WAIT_AT_ONCE_MS);
        if (standing.kind === "settled") came = standing.result;
        if (standing.kind !== "pending") break;
        pause = FIRST_PAUSE_MS;
      } catch (error) {
        this.#onError(error, "wait");
        await this.#pause(pause);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
      }
      if (this.#closed !== undefined) came = rejected("still_running");
    } while (came === undefined && attempt.waiting > 0);
    this.#over(text, attempt, came);
  }

  /** An attempt is over: the next one with its id asks the store. */
  #over(text: string, attempt: Attempt, came: CommandResult | undefined): void {
    this.#attempts.delete(text);
    attempt.end(came);
    if (this.#idle !== undefined && !this.#runs()) this.#idle();
  }

  /** Whether anything is carried out here. */
  #runs(): boolean {
    for (const { foreign } of this.#attempts.values()) if (!foreign) return true;
    return false;
  }

  /** Has an attempt ended at its deadline; whether that is over already. */
  #expires(attempt: Attempt, at: number): boolean {
    const left = at - this.#clock.elapsed();
    if (left <= 0) return true;
    attempt.expiresAt = at;
    if (!this.#sweeping) {
      this.#sweeping = true;
      this.#clock.after(left, () => this.#sweep());
    }
    return false;
  }

  /** Ends what has come to its deadline. One timer is for all. */
  #sweep(): void {
    this.#sweeping = false;
    const now = this.#clock.elapsed();
    for (const { expiresAt, expire } of this.#attempts.values()) {
      if (expiresAt === undefined) continue;
      if (expiresAt <= now) expire?.();
      else {
        this.#sweeping = true;
        this.#clock.after(expiresAt - now, () => this.#sweep());
        break;
      }
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(ms, resolve));
  }
}

/** A command that was asked for under an id. */
interface Asked {
  readonly handle: WorkspaceHandle;
  readonly command: Command;
  /** The text of the key. */
  readonly text: string;
  readonly request: ClaimRequest;
  readonly execution: Execution;
  /** The claim, where it was asked for already, and when that was by the monotonic clock. */
  claiming: Claimed | Promise<Claimed> | undefined;
  began: number;
}

interface Attempted {
  readonly result: CommandResult | undefined;
  readonly how: How;
}

function answer(execution: Execution, result: CommandResult, how: How): CommandResult {
  execution.ended(result, how);
  return result;
}

/** Whether two commands are known to differ. */
function conflicts(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}
