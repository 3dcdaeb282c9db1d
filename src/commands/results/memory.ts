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

/** A claim, and what became of it: one object, of which a replay is told as it is. */
class Row implements Claim {
  kind: "pending" | "settled" = "pending";
  readonly key: CommandKey;
  readonly epoch: number;
  readonly token = "";
  readonly text: string;
  readonly signature: string | undefined;
  readonly idTime: number | undefined;
  /** Until it is settled, its deadline; then when that was. */
  at: number;
  result: CommandResult = ABANDONED;
  waiting: ((standing: Standing) => void)[] | undefined = undefined;

  constructor({ key, signature, idTime }: ClaimRequest, epoch: number, text: string, deadline: number) {
    this.key = key;
    this.epoch = epoch;
    this.text = text;
    this.signature = signature;
    this.idTime = idTime;
    this.at = deadline;
  }
}

/** A row that is settled. */
type SettledRow = Row & Remembered;

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
  readonly #pending = new Map<string, Row>();
  // In the order in which they were settled.
  readonly #settled = new Map<string, SettledRow>();
  // Goes through it once, to what is to be forgotten next.
  #inOrder = this.#settled.values();
  #oldest: SettledRow | undefined;
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

  claim(request: ClaimRequest): Claimed {
    const { key, idTime } = request;
    const text = request.text ?? keyText(key);
    const row = this.#settled.get(text);
    if (row !== undefined) return row;
    const now = this.#clock.elapsed();
    const pending = this.#pending.get(text);
    if (pending !== undefined)
      return pending.at > now
        ? { kind: "pending", signature: pending.signature }
        : this.#settle(pending, ABANDONED);
    if (idTime !== undefined && idTime <= this.#watermarks.of(key.tenant)) return EXPIRED;
    if (this.#pending.size >= this.#newest) return FULL;
    const claim = new Row(request, ++this.#epoch, text, now + request.deadlineMs);
    this.#pending.set(text, claim);
    this.#forget(now);
    return { kind: "claimed", claim };
  }

  settle(claim: Claim, result: CommandResult): Settlement {
    const pending = this.#standing(claim);
    if (pending === undefined) {
      const row = this.#settled.get(keyText(claim.key));
      const ours = row?.epoch === claim.epoch && row.result !== ABANDONED;
      return { kind: ours ? "settled" : "fenced", result: row?.result };
    }
    if (pending.at <= this.#clock.elapsed())
      return { kind: "fenced", result: this.#settle(pending, ABANDONED).result };
    return this.#settle(pending, result);
  }

  release(claim: Claim): boolean {
    const pending = this.#standing(claim);
    if (pending === undefined) return false;
    if (pending.at <= this.#clock.elapsed()) {
      this.#settle(pending, ABANDONED);
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
    if (pending.at <= this.#clock.elapsed()) return this.#settle(pending, ABANDONED);
    return { kind: "pending", signature: pending.signature };
  }

  async wait(key: CommandKey, waitMs: number): Promise<Standing> {
    const standing = this.read(key);
    const pending = this.#pending.get(keyText(key));
    if (standing.kind !== "pending" || pending === undefined || this.#closed) return standing;
    return new Promise((resolve) => {
      const left = pending.at - this.#clock.elapsed();
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

  /** The row of a claim, where it is the one that stands. */
  #standing(claim: Claim): Row | undefined {
    const pending = this.#pending.get(claim instanceof Row ? claim.text : keyText(claim.key));
    return pending?.epoch === claim.epoch ? pending : undefined;
  }

  #settle(row: Row, result: CommandResult): SettledRow {
    this.#pending.delete(row.text);
    row.kind = "settled";
    row.result = result;
    if (this.#ageMs !== Number.POSITIVE_INFINITY) row.at = this.#clock.elapsed();
    const settled = row as SettledRow;
    this.#settled.set(row.text, settled);
    tell(row, settled);
    return settled;
  }

  /** The oldest of those that are settled. A new iterator would go past all that was deleted before, every time. */
  #first(): SettledRow {
    if (this.#oldest === undefined) {
      let next = this.#inOrder.next();
      if (next.done === true) {
        this.#inOrder = this.#settled.values();
        next = this.#inOrder.next();
      }
      this.#oldest = next.value!;
    }
    return this.#oldest;
  }

  /** Forgets what the retention does not keep; how many. */
  #forget(now: number): number {
    let forgotten = 0;
    const oldest = now - this.#ageMs;
    while (this.#settled.size > 0) {
      const over = this.#settled.size + this.#pending.size > this.#newest;
      if (!over && this.#ageMs === Number.POSITIVE_INFINITY) break;
      const { text, key, idTime, at } = this.#first();
      if (!over && at > oldest) break;
      this.#settled.delete(text);
      this.#oldest = undefined;
      if (idTime !== undefined) this.#watermarks.raise(key.tenant, idTime);
      forgotten++;
    }
    return forgotten;
  }
}

/** Tells those that wait for a claim how it ended. */
function tell(claim: Row, standing: Standing): void {
  const { waiting } = claim;
  if (waiting === undefined) return;
  claim.waiting = undefined;
  for (const told of waiting) told(standing);
}
