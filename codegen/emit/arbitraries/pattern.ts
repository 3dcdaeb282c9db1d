/**
 * Patterns that fast-check cannot draw from as they are. It draws from groups, classes and repetitions, but not from
 * assertions that look around; these are taken out, and what is drawn is then held against the whole pattern.
 */
import { CannotEmit } from "../../diagnostics/finding.js";

/** A pattern to draw from where the given one has look-arounds; undefined where it can be drawn from itself. */
export function drawablePattern(pattern: string, pointer: string): string | undefined {
  if (/\\[1-9]|\\k</.test(pattern.replaceAll("\\\\", "")))
    throw new CannotEmit(pointer, "its pattern refers back to a group");
  let out = pattern;
  for (let start = lookAround(out); start !== -1; start = lookAround(out)) {
    const end = groupEnd(out, start);
    // A repetition of an assertion changes nothing.
    const after = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(out.slice(end))?.[0].length ?? 0;
    out = out.slice(0, start) + out.slice(end + after);
  }
  out = out.replaceAll(/\\[bB]/g, (word, at: number) => (isEscaped(out, at) ? word : ""));
  return out === pattern ? undefined : out;
}

/** Where the first assertion begins, or -1. */
function lookAround(pattern: string): number {
  for (let i = 0, inClass = false; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === "\\") i++;
    else if (c === "[") inClass = true;
    else if (c === "]") inClass = false;
    else if (!inClass && /^\(\?(?:=|!|<=|<!)/.test(pattern.slice(i, i + 4))) return i;
  }
  return -1;
}

/** The index after the parenthesis that closes the group at `start`. */
function groupEnd(pattern: string, start: number): number {
  let depth = 0;
  for (let i = start, inClass = false; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === "\\") i++;
    else if (c === "[") inClass = true;
    else if (c === "]") inClass = false;
    else if (!inClass && c === "(") depth++;
    else if (!inClass && c === ")" && --depth === 0) return i + 1;
  }
  return pattern.length;
}

function isEscaped(text: string, at: number): boolean {
  let n = 0;
  while (text[at - 1 - n] === "\\") n++;
  return n % 2 === 1;
}
