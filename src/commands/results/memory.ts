/** Results in memory: of one process, and gone with it. */
import type { CommandResult } from "../app.js";
import { type Clock, platformClock } from "../clock.js";
import { type CommandKey, keyText } from "../key.js";
import { ABANDONED } from "../rejections.js";
import {
  type Claim,
  type Claimed,
  type ClaimRequest,
  type CommandResults,
  DEFAULT_NEWEST,
  type Forgotten,
  type Remembered,
  type Retention,
  type Settlement,
  type Standing,
} from "../results.js";
import { retentionOf } from "./retention.js";
import { Watermarks } from "./watermarks.js";

/** How results in memory are made. */
export interface MemoryResultsOptions {
  /** Default: the newest 10,000. Claims that are pending count too, and are never forgotten. */
  readonly retention?: Retention;
  readonly clock?: Clock;
}

/** A claim, and what is known of it. */
interface MemoryClaim extends Claim {
  readonly text: string;
  readonly signature: string | undefined;
  readonly idTime: number | undefined;
  readonly deadline: number;
  waiting: ((standing: Standing) => void)[] | undefined;
}

/** A settled row. It has the form of what a claim is told, so a replay makes nothing. */
interface Row extends Remembered {
  readonly claim: MemoryClaim;
  readonly settledAt: number;
}

const EXPIRED = { kind: "expired" } as const;
const FULL = { kind: "full" } as const;
const ABSENT = { kind: "absent" } as const;

/** See {@link CommandResults}. Forgets exactly: what is settled first is forgotten first. */
export class InMemoryCommandResults implements CommandResults {
  readonly shared = false;
  readonly durability = "ephemeral";
  readonly url = "memory";
  readonly #clock: Clock;
  readonly #newest: number;
  readonly #ageMs: number;
  readonly #pending = new Map<string, MemoryClaim>();
  // In the order in which they were settled.
  readonly #settled = new Map<string, Row>();
  readonly #watermarks = new Watermarks();
  #epoch = 0;
  #closed = false;

  /** Throws a RangeError for a retention that keeps nothing. */
  constructor({ retention = { newest: DEFAULT_NEWEST }, clock = platformClock }: MemoryResultsOptions = {}) {
    this.#clock = clock;
    const { newest = Number.POSITIVE_INFINITY, ageMs = Number.POSITIVE_INFINITY } = retentionOf(retention);
    this.#newest = newest;
    this.#ageMs = ageMs;
  }

  claim({ key, idTime, signature, deadlineMs }: ClaimRequest): Claimed {
    const text = keyText(key);
    const row = this.#settled.get(text);
    if (row !== undefined) return row;
    const now = this.#clock.elapsed();
    const pending = this.#pending.get(text);
    if (pending !== undefined)
      return pending.deadline > now
        ? { kind: "pending", signature: pending.signature }
        : this.#abandon(pending);
    if (idTime !== undefined && idTime <= this.#watermarks.of(key.tenant)) return EXPIRED;
    if (this.#pending.size >= this.#newest) return FULL;
    const epoch = ++this.#epoch;
    const claim: MemoryClaim = {
      key,
      epoch,
      token: "",
      text,
      signature,
      idTime,
      deadline: now + deadlineMs,
      waiting: undefined,
    };
    this.#pending.set(text, claim);
    this.#forget(now);
    return { kind: "claimed", claim };
  }

  settle(claim: Claim, result: CommandResult): Settlement {
    const pending = this.#standing(claim);
    if (pending === undefined) {
      const row = this.#settled.get(keyText(claim.key));
      return {
        kind: row?.claim === claim && row.result !== ABANDONED ? "settled" : "fenced",
        result: row?.result,
      };
    }
    if (pending.deadline <= this.#clock.elapsed())
      return { kind: "fenced", result: this.#abandon(pending).result };
    return { kind: "settled", result: this.#settle(pending, result).result };
  }

  release(claim: Claim): boolean {
    const pending = this.#standing(claim);
    if (pending === undefined) return false;
    if (pending.deadline <= this.#clock.elapsed()) {
      this.#abandon(pending);
      return false;
    }
    this.#pending.delete(pending.text);
    tell(pending, ABSENT);
    return true;
  }

  read(key: CommandKey): Standing {
    const text = keyText(key);
    const row = this.#settled.get(text);
    if (row !== undefined) return row;
    const pending = this.#pending.get(text);
    if (pending === undefined) return ABSENT;
    if (pending.deadline <= this.#clock.elapsed()) return this.#abandon(pending);
    return { kind: "pending", signature: pending.signature };
  }

  async wait(key: CommandKey, waitMs: number): Promise<Standing> {
    const standing = this.read(key);
    const pending = this.#pending.get(keyText(key));
    if (standing.kind !== "pending" || pending === undefined || this.#closed) return standing;
    return new Promise((resolve) => {
      const left = pending.deadline - this.#clock.elapsed();
      const stop = this.#clock.after(Math.min(waitMs, left), () => {
        const at = pending.waiting?.indexOf(told) ?? -1;
        if (at >= 0) pending.waiting?.splice(at, 1);
        // A timer may come a little early.
        resolve(
          left <= waitMs && this.#standing(pending) !== undefined
            ? this.wait(key, waitMs - left)
            : this.read(key),
        );
      });
      const told = (standing: Standing): void => {
        stop();
        resolve(standing);
      };
      (pending.waiting ??= []).push(told);
    });
  }

  forget(): Forgotten {
    const forgotten = this.#forget(this.#clock.elapsed());
    return { forgotten, settled: this.#settled.size, pending: this.#pending.size };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const pending of this.#pending.values())
      tell(pending, { kind: "pending", signature: pending.signature });
  }

  /** The claim, where it is the one that stands. */
  #standing(claim: Claim): MemoryClaim | undefined {
    const { text = keyText(claim.key) } = claim as Partial<MemoryClaim>;
    const pending = this.#pending.get(text);
    return pending?.epoch === claim.epoch ? pending : undefined;
  }

  #abandon(pending: MemoryClaim): Row {
    return this.#settle(pending, ABANDONED);
  }

  #settle(claim: MemoryClaim, result: CommandResult): Row {
    this.#pending.delete(claim.text);
    const settledAt = this.#ageMs === Number.POSITIVE_INFINITY ? 0 : this.#clock.elapsed();
    const row: Row = { kind: "settled", signature: claim.signature, result, claim, settledAt };
    this.#settled.set(claim.text, row);
    tell(claim, row);
    return row;
  }

  /** Forgets what the retention does not keep; how many. */
  #forget(now: number): number {
    let forgotten = 0;
    const oldest = now - this.#ageMs;
    while (this.#settled.size > 0) {
      const over = this.#settled.size + this.#pending.size > this.#newest;
      if (!over && this.#ageMs === Number.POSITIVE_INFINITY) break;
      const [text, { claim, settledAt }] = this.#settled.entries().next().value!;
      if (!over && settledAt > oldest) break;
      this.#settled.delete(text);
      if (claim.idTime !== undefined) this.#watermarks.raise(claim.key.tenant, claim.idTime);
      forgotten++;
    }
    return forgotten;
  }
}

/** Tells those that wait for a claim how it ended. */
function tell(claim: MemoryClaim, standing: Standing): void {
  const { waiting } = claim;
  if (waiting === undefined) return;
  claim.waiting = undefined;
  for (const told of waiting) told(standing);
}
