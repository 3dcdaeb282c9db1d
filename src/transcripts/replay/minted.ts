/**
 * What a live host mints in the place of what was recorded: ids, cursors, ranges. A pair holds from its first sighting
 * on, and the client's recorded lines are told again in the host's words.
 */
import { canonicalJson } from "../../ledger/canonical.js";
import { membersOf } from "../../wire/members.js";
import { endOfString } from "../../wire/parse.js";
import { WordReplacer } from "../command-ids.js";
import { type Divergence, differences, type Frame, isObject } from "../differences.js";
import { Pairing } from "../pairing.js";
import { mintedKind, roleOf } from "./vocabulary.js";

/** The pairs of one replay. */
export class Minted {
  readonly #kinds = new Map<string, Pairing>();
  readonly #requests = new Pairing("the host");
  readonly #ranges = new Pairing("the host");

  /** What differs between a recorded frame of the host and the one that came. Pairs what is seen for the first time. */
  divergencesOf(expected: Frame, received: Frame): Divergence[] {
    const words = new WordReplacer(this.#texts());
    return differences(expected, received, {
      value: (path, recorded, given) => this.#verdict(path, recorded, given, expected),
      optional: (path) => roleOf(path).role === "passing",
      // An id within a text: the sentence of a rejection, say.
      same: (recorded, given) =>
        recorded === given || (typeof recorded === "string" && words.text(recorded) === given),
    });
  }

  /**
   * A recorded line of the client in the host's words. Ids that the host has not named are the client's own, and from
   * now on the host must use them as they are. What needs no other word stays as it is, byte for byte.
   */
  told(raw: string): string {
    let out = "";
    let from = 0;
    let name = "";
    for (let start = raw.indexOf('"'); start !== -1; ) {
      const end = endOfString(raw, start);
      if (end === -1) break; // not JSON: the host is to say so
      const literal = raw.slice(start, end + 1);
      const text = parsed(literal);
      if (/^[ \t\r\n]*:/.test(raw.slice(end + 1))) name = text ?? "";
      else if (text !== undefined) {
        const word = this.#word(name, text);
        if (word !== text) {
          out += raw.slice(from, start) + JSON.stringify(word);
          from = end + 1;
        }
      }
      start = raw.indexOf('"', end + 1);
    }
    return this.#underHostsId(out + raw.slice(from));
  }

  /** What the host says for a recorded text; the text itself where it says nothing else. */
  #word(name: string, text: string): string {
    const kind = mintedKind(name);
    if (kind === undefined) return text;
    const own = this.#kind(kind).receivedFor(text);
    if (typeof own === "string") return own;
    // A task is named by its item at some hosts.
    for (const [other, pairs] of this.#kinds) {
      const word = other === "cursor" ? undefined : pairs.receivedFor(text);
      if (typeof word === "string") return word;
    }
    this.#kind(kind).pair(text, text);
    return text;
  }

  /** An answer to a request of the host carries the id that the host used. */
  #underHostsId(raw: string): string {
    const members = [...membersOf(raw)];
    if (members.some(({ name }) => name === "method")) return raw;
    const id = members.findLast(({ name }) => name === "id");
    if (id?.valueEnd === undefined) return raw;
    const own = this.#requests.receivedFor(JSON.parse(raw.slice(id.valueStart, id.valueEnd)));
    return own === undefined
      ? raw
      : raw.slice(0, id.valueStart) + JSON.stringify(own) + raw.slice(id.valueEnd);
  }

  #verdict(path: string, recorded: unknown, given: unknown, frame: Frame): true | string | undefined {
    if (path === "id" && typeof frame["method"] === "string") {
      if (!Number.isSafeInteger(given) || (given as number) < 1) return "a host numbers its requests from 1";
      return this.#requests.pair(recorded, given) ?? true;
    }
    const is = roleOf(path);
    switch (is.role) {
      case "exact":
        return undefined;
      case "own":
      case "passing":
        return true;
      case "range":
        if (!isObject(recorded) || !isObject(given)) return undefined;
        return this.#ranges.pair(canonicalJson(recorded), canonicalJson(given)) ?? true;
      case "minted":
        if (typeof recorded !== "string" || typeof given !== "string") return undefined;
        return this.#kind(is.kind).pair(recorded, given) ?? true;
    }
  }

  #kind(name: string): Pairing {
    let pairs = this.#kinds.get(name);
    if (pairs === undefined) {
      pairs = new Pairing("the host");
      this.#kinds.set(name, pairs);
    }
    return pairs;
  }

  #texts(): ReadonlyMap<string, string> {
    return new Map([...this.#kinds.values()].flatMap((pairs) => [...pairs.texts()]));
  }
}

function parsed(literal: string): string | undefined {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return undefined; // no string of JSON
  }
}
