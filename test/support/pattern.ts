/** Strings that match a pattern, for the plain patterns that bundles use: literals, classes, groups, repeats. */
import type { Random } from "../../src/laws/random.js";

const CLASS = /\[(\^?)([^\]]+)\]/y;
const LITERAL = /\\(.)|([^[\]\\^$|()])/y;
const REPEAT = /\{(\d+)(?:(,)(\d*))?\}|[*+?]/y;
/** What is drawn from for a class that says what is left out. */
const PRINTABLE = lettersOf(" -~");

/** One string that matches; a pattern that is not understood, or a bad guess, throws. */
export function sampleOf(pattern: string, random: Random): string {
  const start = pattern.startsWith("^") ? 1 : 0;
  const end = pattern.endsWith("$") ? pattern.length - 1 : pattern.length;
  const reader = new Reader(pattern.slice(start, end));
  const make = reader.choice();
  const text = reader.done ? make(random) : undefined;
  if (text === undefined || !new RegExp(pattern, "u").test(text)) throw new Error(`no sample of ${pattern}`);
  return text;
}

type Make = (random: Random) => string;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get done(): boolean {
    return this.#at === this.#text.length;
  }

  /** Alternatives, up to the end of a group or of all. */
  choice(): Make {
    const arms = [this.#sequence()];
    while (this.#take("|")) arms.push(this.#sequence());
    return (random) => random.pick(arms)(random);
  }

  #sequence(): Make {
    const parts: Make[] = [];
    for (let atom = this.#atom(); atom !== undefined; atom = this.#atom()) {
      const one = atom;
      const [low, high] = this.#repeat();
      parts.push((random) => Array.from({ length: random.int(low, high) }, () => one(random)).join(""));
    }
    return (random) => parts.map((part) => part(random)).join("");
  }

  #atom(): Make | undefined {
    if (this.#take("(?:")) {
      const inside = this.choice();
      return this.#take(")") ? inside : undefined;
    }
    const found = this.#match(CLASS);
    if (found !== undefined) {
      const letters = lettersOf(found[2] as string);
      const drawn = found[1] === "^" ? PRINTABLE.filter((letter) => !letters.includes(letter)) : letters;
      return (random) => random.pick(drawn);
    }
    const literal = this.#match(LITERAL);
    return literal === undefined ? undefined : () => (literal[1] ?? literal[2]) as string;
  }

  #repeat(): [number, number] {
    const found = this.#match(REPEAT);
    return found === undefined ? [1, 1] : limitsOf(found);
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at = pattern.lastIndex;
    return found;
  }
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
