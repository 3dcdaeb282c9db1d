/** A disk in memory whose hosts die, or whose writes fail, at a chosen write. The lives of hosts are stores on it. */
import { MemoryPlace, memoryStore } from "../../ledger/index.js";
import { type EntryText, type Log, type Store, StoreError, type TornTail } from "../../ledger/store.js";
import { Random } from "../random.js";

/** When, of a write: nothing of it is there; its first entries are; all of it is, and nobody was told. */
export type Moment = "before" | "torn" | "after";

/** See {@link crashableDisk}. */
export interface CrashableDisk {
  /** How many writes were begun, in all lives. */
  readonly writes: number;
  /** How many faults have come to pass. */
  readonly faults: number;
  /** A store for the life of one host. Several may live at once. */
  store(): Store;
  /** The life whose write is the n-th of the disk, from 1, dies: no call of it ever ends any more. Its logs are free. */
  crashAt(write: number, moment: Moment): void;
  /** The n-th write of the disk, from 1, fails as `failed`; its host lives on. */
  failAt(write: number, moment: Moment): void;
  /** Forgets what was planned and has not come to pass. */
  forget(): void;
  /** A life dies now; without one, every life. */
  crash(store?: Store): void;
}

/** A promise of the dead. */
const never = (): Promise<never> => new Promise(() => undefined);

/** Makes a disk. `seed` chooses how many entries of a torn write are there. */
export function crashableDisk({
  seed = 1,
  now = Date.now,
}: {
  seed?: number;
  now?: () => number;
} = {}): CrashableDisk {
  const place = new MemoryPlace();
  const random = new Random(seed);
  const planned = new Map<number, { readonly moment: Moment; readonly dies: boolean }>();
  const torn = new Map<string, TornTail>();
  const lives = new Set<Life>();
  let writes = 0;
  let faults = 0;

  class Life {
    dead = false;
    outer: Store | undefined;
    readonly inner: Store = memoryStore({ durability: "durable", place, now });
    die(): void {
      this.dead = true;
      lives.delete(this);
      // Gives its logs up at once, as the kernel does.
      void this.inner.close();
    }
    ask<T>(action: () => Promise<T>): Promise<T> {
      if (this.dead) return never();
      return action().then(
        (value) => (this.dead ? never() : value),
        (error: unknown) => {
          if (this.dead) return never();
          throw error;
        },
      );
    }
  }

  function write(life: Life, log: Log, key: string, entries: readonly EntryText[]): void | Promise<void> {
    if (life.dead) return never();
    const fault = planned.get(++writes);
    if (fault === undefined) return log.write(entries);
    faults++;
    const kept = { before: 0, torn: random.int(0, entries.length - 1), after: entries.length }[fault.moment];
    void log.write(entries.slice(0, kept));
    if (fault.moment === "torn") torn.set(key, { place: key, bytes: entries[kept]!.length });
    if (!fault.dies) {
      void log.close();
      throw new StoreError("failed", `write ${writes} failed, as planned`);
    }
    life.die();
    return never();
  }

  return {
    get writes() {
      return writes;
    },
    get faults() {
      return faults;
    },
    store() {
      const life = new Life();
      lives.add(life);
      const { inner } = life;
      const outer: Store = {
        durability: "durable",
        url: "memory",
        state: (space, id) => life.ask(() => inner.state(space, id)),
        list: (space) => life.ask(() => inner.list(space)),
        read: (space, id) => life.ask(() => inner.read(space, id)),
        fence: (space, id) => life.ask(() => inner.fence(space, id)),
        close: () => life.ask(() => inner.close()),
        open: (space, id, options) =>
          life.ask(async () => {
            const log = await inner.open(space, id, options);
            const key = `${space}/${id}`;
            const found = torn.get(key);
            torn.delete(key);
            return {
              id,
              epoch: log.epoch,
              location: key,
              entries: log.entries,
              torn: found,
              write: (entries) => write(life, log, key, entries),
              close: () => life.ask(() => log.close()),
            };
          }),
      };
      life.outer = outer;
      return outer;
    },
    crashAt: (write, moment) => void planned.set(write, { moment, dies: true }),
    failAt: (write, moment) => void planned.set(write, { moment, dies: false }),
    forget: () => planned.clear(),
    crash(store) {
      for (const life of [...lives]) if (store === undefined || life.outer === store) life.die();
    },
  };
}
