/** Effects that end with their claim: whoever waits for what they hold shall not wait for longer. */
import { StoreError } from "../../ledger/store.js";

/** What an effect is told whose claim is over, or another's. */
export function fenced(): StoreError {
  return new StoreError("fenced", "the claim of the command is over, or another's");
}

/** What comes of an effect within some milliseconds; fails as `fenced` then. The effect may go on: it has lost. */
export function inTime<T>(leftMs: number, effect: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // A timer may come a little early, and one with a longer delay at once. It keeps the process alive: somebody waits.
    const timer = setTimeout(() => reject(fenced()), Math.min(leftMs + 1, 0x7fff_ffff));
    const made = (async () => effect())();
    made.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
