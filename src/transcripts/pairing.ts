/**
 * Pairs of a recorded value and the one that a peer uses in its place: one to one, from the first sighting on.
 */

/** Values of which `1` and `"1"` are two. */
export class Pairing {
  readonly #received = new Map<unknown, unknown>();
  readonly #recorded = new Map<unknown, unknown>();
  readonly #who: string;

  /** @param who the peer, as it is called where a pair is broken */
  constructor(who = "the client") {
    this.#who = who;
  }

  /** Pairs two values, or says why they cannot be a pair. */
  pair(recorded: unknown, received: unknown): string | undefined {
    if (this.#received.has(recorded)) {
      const held = this.#received.get(recorded);
      if (held === received) return undefined;
      return `${this.#who} uses ${show(held)} for the recorded ${show(recorded)}`;
    }
    if (this.#recorded.has(received)) {
      return `${this.#who} uses ${show(received)} for the recorded ${show(this.#recorded.get(received))} already`;
    }
    this.#received.set(recorded, received);
    this.#recorded.set(received, recorded);
    return undefined;
  }

  /** The value that the peer uses for a recorded one; undefined where there is none. */
  receivedFor(recorded: unknown): unknown {
    return this.#received.get(recorded);
  }

  /** The recorded value that the peer uses another for; undefined where there is none. */
  recordedOf(received: unknown): unknown {
    return this.#recorded.get(received);
  }

  /** The pairs of texts, from the recorded to the peer's. */
  texts(): ReadonlyMap<string, string> {
    return new Map([...this.#received].filter(isTextPair));
  }
}

function isTextPair(pair: [unknown, unknown]): pair is [string, string] {
  return typeof pair[0] === "string" && typeof pair[1] === "string";
}

function show(value: unknown): string {
  return JSON.stringify(value);
}
