/**
 * The command ids that a client has used, with what it sent under each: so that no id ever stands for two payloads,
 * and an answer that differs from an earlier one is noticed. Digests are kept, not payloads.
 */
import { canonicalJson } from "../ledger/canonical.js";
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
    const signature = digest(canonicalJson([method, params]));
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
    if (this.#ids.size > this.#most) this.#forgetOldest();
    return used;
  }

  /** Takes note of an ack; false where it differs from an earlier one. */
  acked(used: UsedId, result: unknown): boolean {
    const ack = digest(canonicalJson(result));
    used.ack ??= ack;
    used.mayBeAdmitted = true;
    return used.ack === ack;
  }

  /** An attempt is over. */
  release(used: UsedId): void {
    used.inFlight--;
  }

  #forgetOldest(): void {
    for (const [id, { inFlight }] of this.#ids) {
      if (inFlight > 0) continue;
      this.#ids.delete(id);
      return;
    }
  }
}
