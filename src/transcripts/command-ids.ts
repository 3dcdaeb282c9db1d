/**
 * Replaces ids within texts: whole words only, so that no id is found inside another, and all in one pass, so that
 * an id that was put in is never taken for a recorded one.
 */
import { endOfString } from "../wire/parse.js";

/** Replaces the words of a map. */
export class WordReplacer {
  readonly #words: ReadonlyMap<string, string>;
  readonly #pattern: RegExp | undefined;

  constructor(words: ReadonlyMap<string, string>) {
    const changed = new Map([...words].filter(([from, to]) => from !== "" && from !== to));
    this.#words = words;
    // Words that stay are in the pattern too: within them nothing else may be replaced. Longest first.
    const all = [...words.keys()].filter((word) => word !== "").sort((a, b) => b.length - a.length);
    this.#pattern =
      changed.size === 0
        ? undefined
        : new RegExp(
            `(?<![\\p{L}\\p{N}])(?:${all.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|")})(?![\\p{L}\\p{N}])`,
            "gu",
          );
  }

  /** A text with its words replaced. */
  text(text: string): string {
    return this.#pattern === undefined
      ? text
      : text.replace(this.#pattern, (word) => this.#words.get(word) ?? word);
  }

  /** A JSON text with the words in its strings replaced, names included; every other byte stays as it is. */
  json(raw: string): string {
    if (this.#pattern === undefined) return raw;
    let out = "";
    let from = 0;
    for (let start = raw.indexOf('"'); start !== -1; start = raw.indexOf('"', from)) {
      const end = endOfString(raw, start);
      if (end === -1) break; // not JSON
      out += raw.slice(from, start) + this.#literal(raw.slice(start, end + 1));
      from = end + 1;
    }
    return out + raw.slice(from);
  }

  #literal(literal: string): string {
    if (this.#pattern === undefined) return literal;
    const body = literal.slice(1, -1);
    if (!body.includes("\\")) {
      return `"${body.replace(this.#pattern, (word) => escaped(this.#words.get(word) ?? word))}"`;
    }
    // One piece of the text for each code unit that it stands for, so that what is around a word keeps its spelling.
    const pieces = body.match(/\\u[0-9a-fA-F]{4}|\\.|[^\\]/gs) ?? [];
    const units = pieces.flatMap((piece) => (piece.startsWith("\\") ? [piece] : piece.split("")));
    const text = JSON.parse(literal) as string;
    let out = "";
    let from = 0;
    for (const match of text.matchAll(this.#pattern)) {
      out += units.slice(from, match.index).join("") + escaped(this.#words.get(match[0]) ?? match[0]);
      from = match.index + match[0].length;
    }
    return from === 0 ? literal : `"${out}${units.slice(from).join("")}"`;
  }
}

function escaped(word: string): string {
  return JSON.stringify(word).slice(1, -1);
}
