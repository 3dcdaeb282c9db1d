/** Results in memory: of one process, and gone with it. */
import type { CommandResult } from "../app.js";
import { type Clock, platformClock } from "../clock.js";
import type { CommandKey } from "../key.js";
import { KeyMap } from "../key-map.js";
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
  readonly signature: string | undefined;
  readonly idTime: number | undefined;
  /** Until it is settled, its deadline, in whole milliseconds, which take less room; then when that was. */
  at: number;
  result: CommandResult = ABANDONED;
  waiting: ((standing: Standing) => void)[] | undefined = undefined;
  /** The one that was settled next. */
  next: SettledRow | undefined = undefined;

  constructor({ key, signature, idTime }: ClaimRequest, epoch: number, deadline: number) {
    this.key = key;
    this.epoch = epoch;
    this.signature = signature;
    this.idTime = idTime;
    this.at = Math.ceil(deadline);
  }

  get token(): string {
    return "";
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
  readonly #rows = new KeyMap<Row>();
  #pending = 0;
  #settled = 0;
  // Those that are settled, in the order in which they were.
  #oldest: SettledRow | undefined;
  #latest: SettledRow | undefined;
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
    const row = this.#rows.get(key);
    if (row?.kind === "settled") return row as SettledRow;
    const now = this.#clock.elapsed();
    if (row !== undefined)
      return row.at > now ? { kind: "pending", signature: row.signature } : this.#settle(row, ABANDONED);
    if (idTime !== undefined && idTime <= this.#watermarks.of(key.tenant)) return EXPIRED;
    if (this.#pending >= this.#newest) return FULL;
    const claim = new Row(request, ++this.#epoch, now + request.deadlineMs);
    this.#rows.set(key, claim);
    this.#pending++;
    this.#forget(now);
    return { kind: "claimed", claim };
  }

  settle(claim: Claim, result: CommandResult): Settlement {
    const row = this.#rows.get(claim.key);
    if (row?.kind !== "pending" || row.epoch !== claim.epoch) {
      if (row?.kind !== "settled") return { kind: "fenced", result: undefined };
      const ours = row.epoch === claim.epoch && row.result !== ABANDONED;
      return { kind: ours ? "settled" : "fenced", result: row.result };
    }
    if (row.at <= this.#clock.elapsed())
      return { kind: "fenced", result: this.#settle(row, ABANDONED).result };
    return this.#settle(row, result);
  }

  release(claim: Claim): boolean {
    const row = this.#rows.get(claim.key);
    if (row?.kind !== "pending" || row.epoch !== claim.epoch) return false;
    if (row.at <= this.#clock.elapsed()) {
      this.#settle(row, ABANDONED);
      return false;
    }
    this.#rows.delete(claim.key);
    this.#pending--;
    tell(row, ABSENT);
    return true;
  }

  read(key: CommandKey): Standing {
    const row = this.#rows.get(key);
    if (row === undefined) return ABSENT;
    if (row.kind === "settled") return row as SettledRow;
    if (row.at <= this.#clock.elapsed()) return this.#settle(row, ABANDONED);
    return { kind: "pending", signature: row.signature };
  }

  async wait(key: CommandKey, waitMs: number): Promise<Standing> {
    const standing = this.read(key);
    const pending = this.#rows.get(key);
    if (standing.kind !== "pending" || pending === undefined || this.#closed) return standing;
    return new Promise((resolve) => {
      const left = pending.at - this.#clock.elapsed();
      const stop = this.#clock.after(Math.min(waitMs, left), () => {
        const at = pending.waiting?.indexOf(told) ?? -1;
        if (at >= 0) pending.waiting?.splice(at, 1);
        // A timer may come a little early.
        resolve(
          left <= waitMs && this.#rows.get(key) === pending && pending.kind === "pending"
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
    return { forgotten, settled: this.#settled, pending: this.#pending };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const row of this.#rows.values()) tell(row, { kind: "pending", signature: row.signature });
  }

  #settle(row: Row, result: CommandResult): SettledRow {
    row.kind = "settled";
    row.result = result;
    if (this.#ageMs !== Number.POSITIVE_INFINITY) row.at = this.#clock.elapsed();
    const settled = row as SettledRow;
    if (this.#latest === undefined) this.#oldest = settled;
    else this.#latest.next = settled;
    this.#latest = settled;
    this.#pending--;
    this.#settled++;
    tell(row, settled);
    return settled;
  }

  /** Forgets what the retention does not keep; how many. */
  #forget(now: number): number {
    let forgotten = 0;
    for (let row = this.#oldest; row !== undefined; row = this.#oldest) {
      const over = this.#settled + this.#pending > this.#newest;
      if (!over && (this.#ageMs === Number.POSITIVE_INFINITY || row.at > now - this.#ageMs)) break;
      this.#rows.delete(row.key);
      this.#oldest = row.next;
      if (row.next === undefined) this.#latest = undefined;
      // A handler that hangs holds its claim, and would hold by it all that were settled later.
      row.next = undefined;
      this.#settled--;
      if (row.idTime !== undefined) this.#watermarks.raise(row.key.tenant, row.idTime);
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
