/**
 * JSON Pointers (RFC 6901) and the one order in which names are sorted.
 */

/** One reference token, escaped: `~` as `~0`, `/` as `~1`. */
export function escapeToken(token: string): string {
  return /[~/]/.test(token) ? token.replaceAll("~", "~0").replaceAll("/", "~1") : token;
}

/** A reference token as it was before escaping. */
export function unescapeToken(token: string): string {
  return token.includes("~") ? token.replaceAll("~1", "/").replaceAll("~0", "~") : token;
}

/** The pointer of a child of `base`. */
export function child(base: string, token: string | number): string {
  return `${base}/${typeof token === "number" ? token : escapeToken(token)}`;
}

/** The unescaped tokens of a pointer; the root has none. */
export function tokens(pointer: string): string[] {
  return pointer === "" ? [] : pointer.slice(1).split("/").map(unescapeToken);
}

/** Units from which on the two orders differ. */
const HIGH = /[\ud800-\uffff]/;

/**
 * Orders strings by Unicode code point, on every platform and in every locale.
 * JavaScript's own `<` orders by UTF-16 unit, which differs above U+FFFF.
 */
export function compareNames(a: string, b: string): number {
  if (!HIGH.test(a) && !HIGH.test(b)) return a < b ? -1 : a > b ? 1 : 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const xSurrogate = x >= 0xd800 && x <= 0xdfff;
    const ySurrogate = y >= 0xd800 && y <= 0xdfff;
    if (xSurrogate !== ySurrogate) return xSurrogate ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}
