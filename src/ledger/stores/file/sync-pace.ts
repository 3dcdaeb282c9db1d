/**
 * Whether a sync runs in place or in a thread.
 *
 * In place it blocks the loop for as long as the disk takes. In a thread it costs two changes of threads more, which on
 * a fast disk is a fifth of all, and several times as much as the sync itself where the processors are busy. So it runs
 * in place while the disk is fast: while a sync in place takes less than 2 ms on average, lately. A disk that turns slow
 * is asked in a thread, and what arrives meanwhile is gathered into one group; it is tried in place again when fifty
 * times as long has passed as the last try took. So a slow disk blocks the loop for a fiftieth of the time, and a fast
 * one is known again soon. This steers speed alone: both ways mean the same.
 */

/** Milliseconds under which a disk counts as fast. */
const FAST_MS = 2;
/** How many syncs the average looks back. */
const WINDOW = 8;
/** How much longer than a slow try it takes to the next. */
const REST = 50;
/** More than this is synced in a thread, however fast the disk is. */
const LARGE_BYTES = 256 * 1024;

/** Chooses how to sync, by how long it took before. One for all logs of a store, which share a disk. */
export class SyncPace {
  readonly #now: () => number;
  #average = 0;
  #last = 0;
  #at = 0;

  /** @param now milliseconds from any start; default: the clock of the process, which never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether to sync in place what has this many bytes. */
  inPlace(bytes: number): boolean {
    return bytes <= LARGE_BYTES && (this.#average < FAST_MS || this.#now() - this.#at > REST * this.#last);
  }

  /** Syncs in place, and takes note of how long it took. */
  measure(sync: () => void): void {
    const start = this.#now();
    sync();
    this.#at = this.#now();
    this.#last = this.#at - start;
    const again = this.#average >= FAST_MS && this.#last < FAST_MS;
    this.#average = again ? this.#last : this.#average + (this.#last - this.#average) / WINDOW;
  }
}
