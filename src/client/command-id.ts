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
const CHANCE_BYTES = 8;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/**
 * Makes a function that mints ids. Each is greater than the one before, also when the clock stands still or goes back:
 * a counter of 12 bits goes on within a millisecond, and into the next one when it is full.
 */
export function commandIdMinter({ now = Date.now, fill = platformChance }: MinterOptions = {}): () => string {
  let last = -1;
  let tick = 0;
  // Chance is asked for many ids at once: asking costs more than what is done with it.
  const pool = new Uint8Array(CHANCE_BYTES * 128);
  let used = pool.length;
  return () => {
    const time = now();
    if (time > last) {
      last = time;
      tick = 0;
    } else if (++tick > LAST_TICK) {
      last++;
      tick = 0;
    }
    if (used === pool.length) {
      fill(pool);
      used = 0;
    }
    const at = last.toString(16).padStart(12, "0");
    let tail = HEX[(pool[used++]! & 0x3f) | 0x80]!; // the variant of RFC 9562
    for (let i = 1; i < CHANCE_BYTES; i++) tail += HEX[pool[used++]!]!;
    return `${at.slice(0, 8)}-${at.slice(8)}-7${HEX[tick >> 8]!.slice(1)}${HEX[tick & 0xff]}-${tail.slice(0, 4)}-${tail.slice(4)}`;
  };
}

function platformChance(bytes: Uint8Array): void {
  globalThis.crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
}

/** Mints a command id from the platform's clock and chance. */
export const mintCommandId: () => string = commandIdMinter();
