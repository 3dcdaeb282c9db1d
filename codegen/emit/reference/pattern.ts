/** A string for a pattern: deterministic, short, and varied enough to show what the pattern is about. */

/** The characters from which classes are filled, the most readable first. */
const ALPHABET =
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_ .:/,;@#+=*!?()[]{}<>|&%$'\"\\^`~";
/** How often a repetition without an end is repeated at most. */
const LONGEST = 4_096;

class Unsupported extends Error {}

/**
 * A string that matches a pattern and whose length in code points is within the bounds; nothing where this small
 * reader finds none.
 */
export function sampleOf(pattern: string, low = 0, high = Infinity): string | undefined {
  const expression = new RegExp(pattern, "u");
  for (let extra = 0; extra <= LONGEST; extra = extra === 0 ? 1 : extra * 2) {
    const sample = attempt(pattern, extra);
    if (sample === undefined) return undefined;
    const length = [...sample].length;
    if (length > high) return undefined;
    if (length >= low && expression.test(sample)) return sample;
  }
  return undefined;
}

function attempt(pattern: string, extra: number): string | undefined {
  try {
    return new Reader(pattern, extra).alternatives();
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

/** Reads a pattern and writes the sample as it goes. */
class Reader {
  readonly #text: string[];
  readonly #extra: number;
  #at = 0;
  #turn = 0;

  constructor(pattern: string, extra: number) {
    this.#text = [...pattern];
    this.#extra = extra;
  }

  /** The first alternative up to the end of the group. */
  alternatives(): string {
    const first = this.#sequence();
    while (this.#take("|")) this.#sequence();
    return first;
  }

  #take(c: string): boolean {
    if (this.#text[this.#at] !== c) return false;
    this.#at++;
    return true;
  }

  #next(): string {
    const c = this.#text[this.#at++];
    if (c === undefined) throw new Unsupported();
    return c;
  }

  #sequence(): string {
    let out = "";
    while (this.#at < this.#text.length && this.#text[this.#at] !== "|" && this.#text[this.#at] !== ")") {
      const start = this.#at;
      let piece = this.#atom();
      const [low, high] = this.#counts();
      const end = this.#at;
      const times = Math.min(high, Math.max(low, 1) + (high > low ? this.#extra : 0));
      for (let i = 1; i < times; i++) {
        this.#at = start;
        piece += this.#atom();
      }
      this.#at = end;
      out += times === 0 ? "" : piece;
    }
    return out;
  }

  #counts(): [number, number] {
    let counts: [number, number] = [1, 1];
    if (this.#take("*")) counts = [0, Infinity];
    else if (this.#take("+")) counts = [1, Infinity];
    else if (this.#take("?")) counts = [0, 1];
    else if (this.#take("{")) {
      let text = "";
      while (!this.#take("}")) text += this.#next();
      const [low = "", high] = text.split(",");
      counts = [Number(low), high === undefined ? Number(low) : high === "" ? Infinity : Number(high)];
    } else return counts;
    this.#take("?");
    return counts;
  }

  #atom(): string {
    const c = this.#next();
    if (c === "^" || c === "$") return "";
    if (c === ".") return this.#pick(/[a-z]/u);
    if (c === "[") return this.#pick(this.#set());
    if (c === "\\") return this.#escape();
    if (c !== "(") return c;
    let silent = false;
    if (this.#take("?")) {
      if (this.#take("<")) {
        if (/[=!]/.test(this.#text[this.#at] ?? "")) throw new Unsupported();
        while (!this.#take(">")) this.#next();
      } else if (this.#take("=") || this.#take("!")) silent = true;
      else if (!this.#take(":")) throw new Unsupported();
    }
    const inner = this.alternatives();
    if (!this.#take(")")) throw new Unsupported();
    return silent ? "" : inner;
  }

  #escape(): string {
    const c = this.#next();
    if (/[dswDSW]/.test(c)) return this.#pick(new RegExp(`\\${c}`, "u"));
    const simple: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", f: "\f", v: "\v" };
    if (simple[c] !== undefined) return simple[c];
    if (/[A-Za-z0-9]/.test(c)) throw new Unsupported();
    return c;
  }

  /** The class that has just begun, as an expression. */
  #set(): RegExp {
    let text = "[";
    for (let c = this.#next(); c !== "]"; c = this.#next()) text += c === "\\" ? c + this.#next() : c;
    return new RegExp(`^${text}]$`, "u");
  }

  /** One of the characters that an expression accepts, another one each time. */
  #pick(expression: RegExp): string {
    const all = [...ALPHABET].filter((c) => expression.test(c));
    const c = all[this.#turn++ % Math.max(all.length, 1)];
    if (c === undefined) throw new Unsupported();
    return c;
  }
}
