/** Runs what is queued: takes it up, carries out its steps, settles it. Several processes may do so on one store. */
import { randomUUID } from "node:crypto";
import type { Scope, Storage, Transaction, Written } from "../storage/storage.js";
import { type Claim, giveBack, type Holder, renew, settle, take } from "./claim.js";
import { type AppFunction, type Outcome, runSteps } from "./steps.js";

/** How an engine runs. */
export interface EngineOptions {
  readonly storage: Storage;
  readonly functions: ReadonlyMap<string, AppFunction>;
  /** How long a process may be silent before its runs are taken up by another, in milliseconds. Default: 30,000. */
  readonly leaseMs?: number;
  /** How often it is looked for runs that other processes queued, in milliseconds. Default: 250. */
  readonly pollMs?: number;
  /** The most runs at once. Default: 16. */
  readonly concurrency?: number;
  /** Hears of each transaction that was kept. */
  readonly onWritten: (scope: Scope, written: Written<unknown>) => void;
  /** Gets what the store threw; it is tried again. */
  readonly onError: (error: unknown) => void;
}

/** A run that this process has. */
interface Live {
  readonly scope: Scope;
  readonly runId: string;
  readonly stop: AbortController;
  ended: Promise<void>;
}

/** The end of waiting for a run, where the process closes. */
const CLOSING = Symbol("closing");

/** The engine of one process. It starts at once and runs until it is closed. */
export class Engine {
  readonly #options: Required<EngineOptions>;
  /** New with every start, so that nothing of an earlier process is taken for this one's. */
  readonly #owner = randomUUID();
  readonly #live = new Set<Live>();
  #looking: Promise<void> | undefined;
  #again = false;
  #closed = false;
  readonly #timer: NodeJS.Timeout;

  constructor(options: EngineOptions) {
    this.#options = { leaseMs: 30_000, pollMs: 250, concurrency: 16, ...options };
    this.#timer = setInterval(() => this.wake(), this.#options.pollMs);
    this.#timer.unref();
    this.wake();
  }

  /** Looks for runs now: some may have been queued. */
  wake(): void {
    if (this.#closed) return;
    this.#again = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      if (this.#again) this.wake();
    });
  }

  /** Stops the steps of a run that is not to be settled any more. */
  stop(scope: Scope, runId: string): void {
    for (const live of this.#live) {
      const here = live.scope.tenant === scope.tenant && live.scope.workspace === scope.workspace;
      if (here && live.runId === runId) live.stop.abort();
    }
  }

  /** Takes up nothing more, and gives back what runs, so that another process has not to wait for it. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#looking;
    for (const live of this.#live) live.stop.abort(CLOSING);
    await Promise.all([...this.#live].map(({ ended }) => ended));
  }

  async #look(): Promise<void> {
    const { storage, concurrency, onError } = this.#options;
    try {
      while (this.#again && !this.#closed) {
        this.#again = false;
        const room = concurrency - this.#live.size;
        const due = room > 0 ? await storage.due(room) : [];
        for (const { scope, id } of due) {
          if (this.#closed) return;
          // Where one was taken there may be more than there was room for.
          if (await this.#take(scope, id)) this.#again = true;
        }
      }
    } catch (error) {
      // Looked for again by the timer.
      this.#again = false;
      onError(error);
    }
  }

  async #take(scope: Scope, runId: string): Promise<boolean> {
    const { leaseMs } = this.#options;
    const claim = await this.#write(scope, (transaction) => take(transaction, runId, this.#owner, leaseMs));
    if (claim === undefined) return false;
    const live: Live = { scope, runId, stop: new AbortController(), ended: Promise.resolve() };
    this.#live.add(live);
    live.ended = this.#run(live, claim).finally(() => {
      this.#live.delete(live);
      this.wake();
    });
    return true;
  }

  /** Never throws. */
  async #run(live: Live, claim: Claim): Promise<void> {
    const { functions, leaseMs, onError } = this.#options;
    const { scope, runId, stop } = live;
    const holder: Holder = { owner: this.#owner, attempt: claim.run.attempt };
    const renewing = setInterval(() => {
      this.#write(scope, (transaction) => renew(transaction, runId, holder, leaseMs)).then(
        (held) => held || stop.abort(),
        onError,
      );
    }, leaseMs / 3);
    renewing.unref();
    try {
      const context = { runId, attempt: claim.run.attempt, functions, signal: stop.signal };
      const outcome = await runSteps(claim.definition, claim.event, context).catch((error): Outcome => {
        if (stop.signal.aborted) throw error;
        onError(error);
        return { failed: { reason: "engine_failed", message: "the engine itself failed" } };
      });
      await this.#persist((transaction) => settle(transaction, claim, holder, outcome), live);
    } catch {
      // Aborted: what was cancelled, or is another's by now, is left alone.
      if (stop.signal.reason === CLOSING)
        await this.#persist((transaction) => giveBack(transaction, runId, holder), live);
    } finally {
      clearInterval(renewing);
    }
  }

  /** Writes the end of a run, again for as long as its lease: the store may be away for a while. */
  async #persist(work: (transaction: Transaction) => Promise<unknown>, { scope }: Live): Promise<void> {
    const { leaseMs, pollMs, onError } = this.#options;
    for (const start = performance.now(); ; ) {
      try {
        await this.#write(scope, work);
        return;
      } catch (error) {
        onError(error);
        // When the lease is over it is taken up again, by whoever comes first.
        if (this.#closed || performance.now() - start > leaseMs) return;
      }
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  async #write<T>(scope: Scope, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const written = await this.#options.storage.write(scope, work);
    this.#options.onWritten(scope, written);
    return written.value;
  }
}
