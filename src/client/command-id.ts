/**
 * Command ids: UUIDs of version 7, new for every logical command and in the order in which they were made.
 */

/** What a minter is made of; the defaults are the platform's. */
export interface MinterOptions {
  /** Unix time in milliseconds. */
  readonly now?: () => number;
  /** Fills bytes with chance. */
  readonly fill?: (bytes: Uint8Array) => void;
}

const LAST_TICK = 0xfff;

/**
 * Makes a function that mints ids. Each is greater than the one before, also when the clock stands still or goes back:
 * a counter of 12 bits goes on within a millisecond, and into the next one when it is full.
 */
export function commandIdMinter({ now = Date.now, fill = platformChance }: MinterOptions = {}): () => string {
  let last = -1;
  let tick = 0;
  return () => {
    const time = now();
    if (time > last) {
      last = time;
      tick = 0;
    } else if (++tick > LAST_TICK) {
      last++;
      tick = 0;
    }
    const chance = new Uint8Array(8);
    fill(chance);
    chance[0] = (chance[0]! & 0x3f) | 0x80; // the variant of RFC 9562
    const at = last.toString(16).padStart(12, "0");
    const tail = Array.from(chance, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return `${at.slice(0, 8)}-${at.slice(8)}-7${tick.toString(16).padStart(3, "0")}-${tail.slice(0, 4)}-${tail.slice(4)}`;
  };
}

function platformChance(bytes: Uint8Array): void {
  globalThis.crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
}

/** Mints a command id from the platform's clock and chance. */
export const mintCommandId: () => string = commandIdMinter();
