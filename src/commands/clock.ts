/** Time, as it is passed in. */

/** A clock with timers. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** Milliseconds since some moment; never goes back, whatever is done to the time of day. */
  elapsed(): number;
  /**
   * Calls back once, after some milliseconds; what is given back ends that. It keeps a process alive only where somebody
   * waits for it.
   */
  after(ms: number, action: () => void, awaited?: boolean): () => void;
}

/** The clock of the platform. */
export const platformClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, action, awaited = false) {
    // A timer with a longer delay would fire at once.
    const timer: unknown = setTimeout(action, Math.min(ms, 0x7fff_ffff));
    if (!awaited) (timer as { unref?: () => void }).unref?.();
    return () => clearTimeout(timer as ReturnType<typeof setTimeout>);
  },
};
