/** Commands, each carried out once per id, whatever door they come in by. */
import type { Command, CommandResult, JsonObject, WorkspaceHandle } from "./app.js";
import { Attempt } from "./attempt.js";
import { type Carried, Carrier } from "./carrier.js";
import { type Clock, platformClock } from "./clock.js";
import { type Identity, type PayloadTables, signatureFor } from "./identity.js";
import { readCommandId } from "./ids.js";
import type { CommandKey } from "./key.js";
import { KeyMap } from "./key-map.js";
import { FIRST_PAUSE_MS, LONGEST_PAUSE_MS, rest } from "./pause.js";
import { type RejectionReason, rejected } from "./rejections.js";
import { InMemoryCommandResults } from "./results/memory.js";
import type { Claim, Claimed, ClaimRequest, CommandResults } from "./results.js";
import { type Execution, guarded, type How, silence, type Telemetry } from "./telemetry.js";
import type { WorkspacesOptions } from "./workspaces-options.js";

/** How long is waited for another's claim at once, in milliseconds. */
const WAIT_AT_ONCE_MS = 10_000;

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
  readonly #attempts = new KeyMap<Attempt>();
  readonly #carrier: Carrier;
  // The latest time that an id could have when that was last worked out.
  #latest = Number.NEGATIVE_INFINITY;
  #closed: Promise<void> | undefined;
  #idle: (() => void) | undefined;

  constructor(options: WorkspacesOptions = {}) {
    this.#results = options.results ?? new InMemoryCommandResults();
    this.#identity = options.identity ?? "first-result";
    this.#tables = options.tables;
    this.#waitMs = options.waitMs ?? 30_000;
    this.#deadlineMs = options.deadlineMs ?? 60_000;
    this.#aheadMs = options.aheadMs ?? 600_000;
    const { onError = () => undefined } = options;
    this.#onError = (error, doing) => {
      try {
        onError(error, doing);
      } catch {
        // There is nobody left to tell.
      }
    };
    this.#telemetry = guarded(options.telemetry ?? silence, (error) => this.#onError(error, "execute"));
    this.#clock = options.clock ?? platformClock;
    this.#carrier = new Carrier({
      results: this.#results,
      clock: this.#clock,
      deadlineMs: this.#deadlineMs,
      onError: this.#onError,
      closed: () => this.#closed !== undefined,
      over: ({ key }, attempt, came) => this.#over(key, attempt, came),
    });
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
      this.#carrier.close();
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
    if (commandId === undefined || commandId === null) return refuse(execution, "command_id_missing");
    let read = readCommandId(commandId, this.#latest);
    // To ask the clock takes longer than to read an id: most are not ahead of what it said last.
    if (read.fault === "ahead")
      read = readCommandId(commandId, (this.#latest = this.#clock.now() + this.#aheadMs));
    const { id, time, fault } = read;
    if (fault !== undefined) return refuse(execution, "command_id_malformed", { fault });
    if (this.#closed !== undefined) return refuse(execution, "shutting_down");
    let signature: string | undefined;
    if (this.#identity === "checked") {
      const read = signatureFor(command, this.#tables);
      if (read.refusal !== undefined) return refuse(execution, "invalid_params", read.refusal);
      signature = read.signature;
    }
    const { tenant, workspace, participant } = handle;
    const key: CommandKey = { tenant, workspace, participant, commandId: id };
    const asked: Asked = {
      key,
      idTime: time,
      signature,
      deadlineMs: this.#deadlineMs,
      handle,
      command,
      execution,
      claiming: undefined,
      began: 0,
    };
    if (this.#attempts.get(key) !== undefined) return this.#answer(asked);
    asked.began = this.#moment();
    const claiming = this.#claim(asked);
    // What this process knows by itself is told, or carried out, at once.
    if ("kind" in claiming) {
      if (claiming.kind === "claimed") return this.#carryOutAtOnce(asked, claiming.claim);
      if (claiming.kind === "settled" && !conflicts(signature, claiming.signature)) {
        execution.claimed(claiming.kind);
        return Promise.resolve(answer(execution, claiming.result, "replayed"));
      }
    }
    asked.claiming = claiming;
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
  async #answer(asked: Asked, so: How = "joined"): Promise<CommandResult> {
    const { key, signature, execution } = asked;
    let how = so;
    let until: number | undefined;
    try {
      for (;;) {
        const running = this.#attempts.get(key);
        if (running === undefined) {
          const { result, how: came } = await this.#attempt(asked);
          how = came;
          if (result !== undefined) return answer(execution, result, how);
          continue;
        }
        const fits = !conflicts(signature, running.signature);
        if (!fits && running.decided) return answer(execution, rejected("command_id_conflict"), "refused");
        const waited = execution.waits();
        until ??= this.#clock.elapsed() + this.#waitMs;
        const came = await running.within(until - this.#clock.elapsed(), this.#clock);
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
    const { key, signature, execution } = asked;
    const attempt = new Attempt(signature);
    this.#attempts.set(key, attempt);
    if (asked.claiming === undefined) {
      asked.began = this.#moment();
      asked.claiming = this.#claim(asked);
    }
    const { claiming } = asked;
    asked.claiming = undefined;
    let came: CommandResult | undefined;
    let stays = false;
    try {
      const claimed = "kind" in claiming ? claiming : await claiming;
      execution.claimed(claimed.kind);
      if (claimed.kind === "claimed") {
        attempt.decided = true;
        came = await this.#carrier.carryOut(asked, attempt, claimed.claim, this.#moment(), itself);
        stays = came === undefined;
        return { result: came, how: "carriedOut" };
      }
      if (claimed.kind === "expired" || claimed.kind === "full")
        came = rejected(claimed.kind === "full" ? "overloaded" : "command_id_expired");
      else if (conflicts(signature, claimed.signature)) came = rejected("command_id_conflict");
      else if (claimed.kind === "settled") {
        came = claimed.result;
        return { result: came, how: "replayed" };
      } else {
        attempt.decided = true;
        attempt.foreign = true;
        attempt.signature = claimed.signature;
        stays = true;
        if (this.#idle !== undefined && !this.#runs()) this.#idle();
        void this.#watch(attempt, key);
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
      if (!stays) this.#over(key, attempt, came);
    }
  }

  /** Carries out what was claimed within this turn of the loop. */
  #carryOutAtOnce(asked: Asked, claim: Claim): Promise<CommandResult> {
    const { key, signature, execution, began } = asked;
    const attempt = new Attempt(signature);
    attempt.decided = true;
    this.#attempts.set(key, attempt);
    execution.claimed("claimed");
    return this.#carrier.carryOut(asked, attempt, claim, began, (came) => {
      if (came === undefined) return this.#answer(asked, "carriedOut");
      this.#over(key, attempt, came);
      return answer(execution, came, "carriedOut");
    });
  }

  /** Waits for a claim of another process, for as long as somebody here does. Never throws. */
  async #watch(attempt: Attempt, key: CommandKey): Promise<void> {
    let came: CommandResult | undefined;
    let ms = FIRST_PAUSE_MS;
    do {
      try {
        const standing = await this.#results.wait(key, WAIT_AT_ONCE_MS);
        // Given back and claimed anew by another command meanwhile: those that wait ask from the start.
        if (standing.kind !== "absent" && conflicts(attempt.signature, standing.signature)) break;
        if (standing.kind === "settled") came = standing.result;
        if (standing.kind !== "pending") break;
        ms = FIRST_PAUSE_MS;
      } catch (error) {
        this.#onError(error, "wait");
        await rest(ms);
        ms = Math.min(2 * ms, LONGEST_PAUSE_MS);
      }
      if (this.#closed !== undefined) came = rejected("still_running");
    } while (came === undefined && attempt.waiting > 0);
    this.#over(key, attempt, came);
  }

  /** An attempt is over: the next one with its id asks the store. */
  #over(key: CommandKey, attempt: Attempt, came: CommandResult | undefined): void {
    this.#attempts.delete(key);
    attempt.end(came);
    if (this.#idle !== undefined && !this.#runs()) this.#idle();
  }

  /** The monotonic clock in whole milliseconds, which take less room in what is made for each command. */
  #moment(): number {
    return Math.floor(this.#clock.elapsed());
  }

  /** Whether anything is carried out here. */
  #runs(): boolean {
    for (const { foreign } of this.#attempts.values()) if (!foreign) return true;
    return false;
  }
}

/** A command that was asked for under an id. */
interface Asked extends ClaimRequest, Carried {
  /** The claim, where it was asked for already. */
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

function refuse(execution: Execution, reason: RejectionReason, data?: JsonObject): Promise<CommandResult> {
  return Promise.resolve(answer(execution, rejected(reason, data), "refused"));
}

function itself<T>(value: T): T {
  return value;
}

/** Whether two commands are known to differ. */
function conflicts(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}
