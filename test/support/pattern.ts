/** Strings that match a pattern, for the plain patterns that bundles use: literals, classes, groups of none, repeats. */
import type { Random } from "../../src/laws/random.js";

const ATOM = /\[([^\]]+)\]|\\(.)|([^[\]\\^$])/y;
const REPEAT = /\{(\d+)(?:(,)(\d*))?\}|[*+?]/y;

/** One string that matches; a pattern that is not understood, or a bad guess, throws. */
export function sampleOf(pattern: string, random: Random): string {
  let text = "";
  let at = pattern.startsWith("^") ? 1 : 0;
  const end = pattern.endsWith("$") ? pattern.length - 1 : pattern.length;
  while (at < end) {
    ATOM.lastIndex = at;
    const atom = ATOM.exec(pattern);
    if (atom === null) throw new Error(`no sample of ${pattern}`);
    at = ATOM.lastIndex;
    const letters = atom[1] === undefined ? [(atom[2] ?? atom[3]) as string] : lettersOf(atom[1]);
    REPEAT.lastIndex = at;
    const repeat = REPEAT.exec(pattern);
    let [low, high] = [1, 1];
    if (repeat !== null) {
      at = REPEAT.lastIndex;
      [low, high] = limitsOf(repeat);
    }
    for (let n = random.int(low, high); n > 0; n--) text += random.pick(letters);
  }
  if (!new RegExp(pattern, "u").test(text)) throw new Error(`no sample of ${pattern}`);
  return text;
}

function limitsOf([whole, least, comma, most]: RegExpExecArray): [number, number] {
  if (whole === "*") return [0, 4];
  if (whole === "+") return [1, 5];
  if (whole === "?") return [0, 1];
  const low = Number(least);
  if (comma === undefined) return [low, low];
  return [low, most === "" || most === undefined ? low + 4 : Number(most)];
}

function lettersOf(body: string): string[] {
  const letters: string[] = [];
  for (let i = 0; i < body.length; i++) {
    if (body[i + 1] === "-" && i + 2 < body.length) {
      for (let code = body.charCodeAt(i); code <= body.charCodeAt(i + 2); code++)
        letters.push(String.fromCharCode(code));
      i += 2;
    } else letters.push(body[i] as string);
  }
  return letters;
}
