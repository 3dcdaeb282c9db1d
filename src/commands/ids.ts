/**
 * Command ids: which texts are one, what stands for the same id, and the time that is in it.
 *
 * | the id | |
 * | --- | --- |
 * | absent | refused: `command_id_missing` |
 * | no text, or an empty one | refused: `command_id_malformed` (`notText`, `empty`) |
 * | more than 128 characters (code points) | refused: `tooLong` |
 * | a control or format character, a line or paragraph separator, half of a surrogate pair | refused: `unprintable` |
 * | white space at an end | refused: `unprintable`, since a header does not keep it |
 * | a UUID of any version | is an id; letter case does not count |
 * | a UUID of version 7 | has a time. More than the allowance ahead of the clock: refused, `ahead` |
 * | any other text | is an id; letter case counts, and there is no time in it |
 */

/** Why a text is no command id. */
export type CommandIdFault = "notText" | "empty" | "tooLong" | "unprintable" | "ahead";

/** The most characters of an id. */
export const MAX_ID_CHARACTERS = 128;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|^\s|\s$/u;

/** An id as it is looked up, or why it is none. */
export type ReadCommandId =
  | { readonly id: string; readonly time: number | undefined; readonly fault?: never }
  | { readonly id?: never; readonly time?: never; readonly fault: CommandIdFault };

/**
 * Reads an id.
 * @param text what a door was given, whatever it is; never undefined or null
 * @param latest the latest time that an id may have, in Unix milliseconds
 */
export function readCommandId(text: unknown, latest: number): ReadCommandId {
  if (typeof text !== "string") return { fault: "notText" };
  const id = text.length === 36 ? uuidOf(text) : undefined;
  if (id !== undefined) {
    const time = timeOf(id);
    return time !== undefined && time > latest ? { fault: "ahead" } : { id, time };
  }
  if (text === "") return { fault: "empty" };
  // Each character has one or two code units: what is long is not looked at any closer.
  if (text.length > 2 * MAX_ID_CHARACTERS) return { fault: "tooLong" };
  if (text.length > MAX_ID_CHARACTERS && [...text].length > MAX_ID_CHARACTERS) return { fault: "tooLong" };
  return UNPRINTABLE.test(text) ? { fault: "unprintable" } : { id: text, time: undefined };
}

/** A text of 36 characters as a UUID in lower case; undefined where it is none. */
function uuidOf(text: string): string | undefined {
  for (let at = 0; at < 36; at++) {
    const code = text.charCodeAt(at);
    const fits =
      at === 8 || at === 13 || at === 18 || at === 23
        ? code === 0x2d
        : (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66);
    if (!fits) return UUID.test(text) ? text.toLowerCase() : undefined;
  }
  return text;
}

/** The time in a UUID of version 7 that is in lower case: its first 48 bits. */
function timeOf(uuid: string): number | undefined {
  if (uuid[14] !== "7" || !"89ab".includes(uuid[19]!)) return undefined;
  let time = 0;
  for (let at = 0; at < 13; at++) {
    if (at === 8) continue; // the first hyphen
    const code = uuid.charCodeAt(at);
    // Digits come before letters.
    time = time * 16 + (code < 0x3a ? code - 0x30 : code - 0x57);
  }
  return time;
}
