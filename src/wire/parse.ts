/**
 * From the text of a frame to a value, or to the reason why it is none.
 */

/** Levels of arrays and objects that a frame may have, its own included. */
export const MAX_DEPTH = 1_000;

/** Why a text is no value. */
export type ParseFault = "notJson" | "tooDeep";

/**
 * Parses the text of a frame. Of members with one name the last counts, numbers become the nearest double, and a
 * lone surrogate that is escaped stays what it is, as JSON.parse has it.
 */
export function parseFrame(text: string): { readonly value: unknown } | { readonly fault: ParseFault } {
  if (nestsTooDeep(text)) return { fault: "tooDeep" };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { fault: "notJson" };
  }
}

/** Whether a text nests deeper than {@link MAX_DEPTH}. What is not JSON may be said to. */
function nestsTooDeep(text: string): boolean {
  // As many closing brackets are needed, so that most frames are decided by their length.
  if (text.length < 2 * (MAX_DEPTH + 1)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // a string: on to its end
        at = endOfString(text, at);
        if (at === -1) return false;
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > MAX_DEPTH) return true;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
    }
  }
  return false;
}

/** The closing quote of a string whose opening quote is at an offset; -1 where there is none. */
export function endOfString(text: string, start: number): number {
  for (let at = start; ; ) {
    at = text.indexOf('"', at + 1);
    if (at === -1) return -1;
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return at;
  }
}
