/**
 * The command ids that a client has used, with what it sent under each: so that no id ever stands for two payloads,
 * and an answer that differs from an earlier one is noticed. Digests are kept, not payloads.
 */
import { digest } from "./digest.js";
import { ProtocolError } from "./errors.js";

/** What is known of an id. */
export interface UsedId {
  readonly signature: string;
  ack: string | undefined;
  /** Attempts that wait for an answer. */
  inFlight: number;
  /** Whether an earlier attempt may have been admitted: then no later error says that nothing was. */
  mayBeAdmitted: boolean;
}

/** The memory of a client. It spans its reconnects. */
export class UsedIds {
  readonly #most: number;
  readonly #ids = new Map<string, UsedId>();
  /** The ids from the oldest on. A map's own order is slow to read from the front once much of it was deleted there. */
  readonly #order: string[] = [];
  #oldest = 0;

  /** `most`: ids to remember; the oldest that are not in flight are forgotten first. */
  constructor(most = 100_000) {
    if (!Number.isSafeInteger(most) || most < 1)
      throw new RangeError(`the memory of ids must have room for a positive number, not ${most}`);
    this.#most = most;
  }

  /** How many ids are remembered. */
  get size(): number {
    return this.#ids.size;
  }

  /**
   * Uses an id for a payload, and counts it as in flight until `release`.
   * @throws {ProtocolError} when it was used for another payload
   */
  use(commandId: string, method: string, params: object): UsedId {
    const signature = digest([method, params]);
    const known = this.#ids.get(commandId);
    if (known !== undefined) {
      if (known.signature !== signature)
        throw new ProtocolError(
          "commandIdReused",
          `commandId ${commandId} was reused with a different payload; nothing was sent`,
          "nothingAdmitted",
        );
      known.inFlight++;
      return known;
    }
    const used: UsedId = { signature, ack: undefined, inFlight: 1, mayBeAdmitted: false };
    this.#ids.set(commandId, used);
    this.#order.push(commandId);
    if (this.#ids.size > this.#most) this.#forgetOldest();
    return used;
  }

  /** Takes note of an ack; false where it differs from an earlier one. */
  acked(used: UsedId, result: unknown): boolean {
    const ack = digest(result);
    used.ack ??= ack;
    used.mayBeAdmitted = true;
    return used.ack === ack;
  }

  /** An attempt is over. */
  release(used: UsedId): void {
    used.inFlight--;
  }

  #forgetOldest(): void {
    for (let left = this.#ids.size; left > 0; left--) {
      const id = this.#order[this.#oldest++]!;
      if (this.#ids.get(id)?.inFlight === 0) {
        this.#ids.delete(id);
        break;
      }
      // It counts as new, so that it is not looked at each time.
      this.#order.push(id);
    }
    if (this.#oldest <= this.#most) return;
    this.#order.splice(0, this.#oldest);
    this.#oldest = 0;
  }
}
