/**
 * The store in memory. Also the smallest example of the port: nothing here waits for anything.
 */
import {
  type EntryText,
  type Log,
  type LogInfo,
  type OpenOptions,
  type Space,
  type Store,
  StoreError,
  type TornTail,
} from "../store.js";
import { checkEntries, checkId } from "./ids.js";

/** How a memory store is made. */
export interface MemoryStoreOptions {
  /**
   * What it says of itself; default `ephemeral`. `durable` is for simulations, whose processes are parts of one
   * process.
   */
  readonly durability?: "durable" | "ephemeral";
  /** What it keeps its logs in; default: a place of its own. Stores on one place are as hosts on one disk. */
  readonly place?: MemoryPlace;
  /** Unix milliseconds, for `updatedAtMs`. Default: the clock of the machine. */
  readonly now?: () => number;
}

interface Kept {
  readonly entries: EntryText[];
  epoch: number;
  updatedAtMs: number;
  holder: MemoryLog | undefined;
}

/** Where memory stores keep logs. */
export class MemoryPlace {
  readonly #spaces = new Map<Space, Map<string, Kept>>();

  /** @internal The logs of a space. */
  logs(space: Space): Map<string, Kept> {
    let logs = this.#spaces.get(space);
    if (logs === undefined) this.#spaces.set(space, (logs = new Map()));
    return logs;
  }
}

/** Keeps logs in memory: they end with the process. Hosts in one process may share it. */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(options);
}

class MemoryStore implements Store {
  readonly durability: "durable" | "ephemeral";
  readonly url = "memory";
  readonly #place: MemoryPlace;
  readonly #now: () => number;
  readonly #open = new Set<MemoryLog>();
  #closed = false;

  constructor({ durability = "ephemeral", place = new MemoryPlace(), now = Date.now }: MemoryStoreOptions) {
    this.durability = durability;
    this.#place = place;
    this.#now = now;
  }

  async state(space: Space, id: string): Promise<"absent" | "free" | "held"> {
    this.#checkOpen();
    checkId(id);
    const kept = this.#place.logs(space).get(id);
    if (kept === undefined) return "absent";
    return kept.holder === undefined ? "free" : "held";
  }

  async list(space: Space): Promise<readonly LogInfo[]> {
    this.#checkOpen();
    return [...this.#place.logs(space)].map(([id, { updatedAtMs }]) => ({ id, updatedAtMs }));
  }

  async open(space: Space, id: string, { expect }: OpenOptions): Promise<Log> {
    this.#checkOpen();
    checkId(id);
    const logs = this.#place.logs(space);
    let kept = logs.get(id);
    if (kept !== undefined && expect === "new")
      throw new StoreError("exists", `the log ${id} is there already`);
    if (kept?.holder !== undefined) throw new StoreError("inUse", `the log ${id} is held by another`);
    if (kept === undefined) {
      if (expect === "existing") throw new StoreError("notFound", `there is no log ${id}`);
      logs.set(id, (kept = { entries: [], epoch: 0, updatedAtMs: this.#now(), holder: undefined }));
    }
    kept.epoch++;
    const log = new MemoryLog(id, kept, this.#now, (closed) => this.#open.delete(closed));
    kept.holder = log;
    this.#open.add(log);
    return log;
  }

  async read(space: Space, id: string): Promise<readonly EntryText[] | undefined> {
    this.#checkOpen();
    checkId(id);
    return this.#place.logs(space).get(id)?.entries.slice();
  }

  async fence(space: Space, id: string): Promise<void> {
    this.#checkOpen();
    checkId(id);
    const kept = this.#place.logs(space).get(id);
    if (kept === undefined) throw new StoreError("notFound", `there is no log ${id}`);
    kept.epoch++;
    kept.holder = undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const log of [...this.#open]) await log.close();
  }

  #checkOpen(): void {
    if (this.#closed) throw new StoreError("closed", "the store was closed");
  }
}

class MemoryLog implements Log {
  readonly id: string;
  readonly epoch: number;
  readonly location = "";
  readonly entries: readonly EntryText[];
  readonly torn: TornTail | undefined = undefined;
  readonly #kept: Kept;
  readonly #now: () => number;
  readonly #onClose: (log: MemoryLog) => void;
  #state: "open" | "closed" | "fenced" = "open";

  constructor(id: string, kept: Kept, now: () => number, onClose: (log: MemoryLog) => void) {
    this.id = id;
    this.epoch = kept.epoch;
    this.entries = kept.entries.slice();
    this.#kept = kept;
    this.#now = now;
    this.#onClose = onClose;
  }

  write(entries: readonly EntryText[]): void {
    if (this.#state !== "open") throw new StoreError("closed", `the log ${this.id} was closed, or failed`);
    checkEntries(entries);
    if (this.#kept.epoch !== this.epoch) {
      this.#state = "fenced";
      throw new StoreError("fenced", `the log ${this.id} was taken by another`);
    }
    for (const entry of entries) this.#kept.entries.push(entry);
    this.#kept.updatedAtMs = this.#now();
  }

  async close(): Promise<void> {
    this.#state = "closed";
    if (this.#kept.holder === this) this.#kept.holder = undefined;
    this.#onClose(this);
  }
}
