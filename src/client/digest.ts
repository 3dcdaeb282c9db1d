/**
 * A digest for the memory of one process: 128 bits of MurmurHash3 (x86, 128 bit), which any platform computes at once.
 * It tells apart what a program sends by accident; it is no defence against somebody who looks for collisions, and
 * nothing durable is built on it.
 */

/** The digest of a text, as 32 hexadecimal digits. UTF-16 units are hashed, so no two texts are one. */
export function digest(text: string): string {
  const [c1, c2, c3, c4] = [0x239b961b, 0xab0e9789, 0x38b34ae5, 0xa1e38b93];
  let h1 = 0;
  let h2 = 0;
  let h3 = 0;
  let h4 = 0;
  // Eight units are a block of sixteen bytes. What is left over is mixed in, padded with zeros, and stirred no further.
  for (let i = 0; i < text.length; i += 8) {
    const k1 = unit(text, i) | (unit(text, i + 1) << 16);
    const k2 = unit(text, i + 2) | (unit(text, i + 3) << 16);
    const k3 = unit(text, i + 4) | (unit(text, i + 5) << 16);
    const k4 = unit(text, i + 6) | (unit(text, i + 7) << 16);
    const whole = i + 8 <= text.length;
    h1 ^= Math.imul(rotated(Math.imul(k1, c1), 15), c2);
    if (whole) h1 = Math.imul(rotated(h1, 19) + h2, 5) + 0x561ccd1b;
    h2 ^= Math.imul(rotated(Math.imul(k2, c2), 16), c3);
    if (whole) h2 = Math.imul(rotated(h2, 17) + h3, 5) + 0x0bcaa747;
    h3 ^= Math.imul(rotated(Math.imul(k3, c3), 17), c4);
    if (whole) h3 = Math.imul(rotated(h3, 15) + h4, 5) + 0x96cd1c35;
    h4 ^= Math.imul(rotated(Math.imul(k4, c4), 18), c1);
    if (whole) h4 = Math.imul(rotated(h4, 13) + h1, 5) + 0x32ac3b17;
  }
  const bytes = text.length * 2;
  h1 ^= bytes;
  h2 ^= bytes;
  h3 ^= bytes;
  h4 ^= bytes;
  h1 += h2 + h3 + h4;
  h2 += h1;
  h3 += h1;
  h4 += h1;
  h1 = mixed(h1);
  h2 = mixed(h2);
  h3 = mixed(h3);
  h4 = mixed(h4);
  h1 += h2 + h3 + h4;
  h2 += h1;
  h3 += h1;
  h4 += h1;
  return hex(h1) + hex(h2) + hex(h3) + hex(h4);
}

/** A UTF-16 unit, zero past the end. */
function unit(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : 0;
}

function rotated(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function mixed(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, "0");
}
