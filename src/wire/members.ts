/**
 * The members of the object that a JSON text is, found without parsing it: for a frame that is too long to be
 * parsed, and for changing one member of a frame and no other byte.
 */
import { endOfString } from "./parse.js";

/** A member of the outermost object. Offsets count UTF-16 code units of the text. */
export interface Member {
  readonly name: string;
  readonly valueStart: number;
  /** Behind the value; undefined where the text ends within it. */
  readonly valueEnd: number | undefined;
}

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /[^\s,\]}]+/y;

/**
 * The members of an object, in the order of the text, duplicates included. Stops, without an error, where the text
 * is no JSON or ends; a text that is JSON is read to its end.
 */
export function* membersOf(text: string): Generator<Member, void> {
  let at = end(SPACE, text, 0) ?? 0;
  if (text[at] !== "{") return;
  do {
    at = end(SPACE, text, at + 1) ?? at;
    const nameEnd = stringEnd(text, at);
    if (nameEnd === undefined) return;
    const name = parsed(text.slice(at, nameEnd));
    at = end(SPACE, text, nameEnd) ?? nameEnd;
    if (text[at] !== ":" || name === undefined) return;
    const valueStart = end(SPACE, text, at + 1) ?? at + 1;
    const valueEnd = endOfValue(text, valueStart);
    yield { name, valueStart, valueEnd };
    if (valueEnd === undefined) return;
    at = end(SPACE, text, valueEnd) ?? valueEnd;
  } while (text[at] === ",");
}

/** Where a match that starts at an offset ends; undefined where there is none. */
function end(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** Where the string that starts at an offset ends; undefined where none starts or it does not end. */
function stringEnd(text: string, start: number): number | undefined {
  const quote = text[start] === '"' ? endOfString(text, start) : -1;
  return quote === -1 ? undefined : quote + 1;
}

function parsed(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined; // not a string of JSON
  }
}

function endOfValue(text: string, start: number): number | undefined {
  const first = text[start];
  if (first === '"') return stringEnd(text, start);
  if (first !== "{" && first !== "[") {
    const stop = end(SCALAR, text, start);
    // A scalar that the end of the text cuts off may go on.
    return stop === text.length ? undefined : stop;
  }
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      const stop = stringEnd(text, at);
      if (stop === undefined) return undefined;
      at = stop - 1;
    } else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return at + 1;
  }
  return undefined;
}
