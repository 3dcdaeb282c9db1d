/**
 * Commands that belong to no session: each has a log of its own in the store, whose holder is the one that carries it
 * out. So one command is carried out once, whichever host of the store it reaches.
 */
import {
  isProtocolError,
  type ProtocolError,
  protocolError,
} from "../../generated/msp/experimental/server.js";
import { isStoreError, type Log, type Store } from "../ledger/store.js";
import { conflict, type Told, told } from "./answers.js";
import { type Command, keepsRecord } from "./session/decision.js";
import {
  ABANDONED,
  type CommandAnswer,
  type CommandReceived,
  type CommandSettled,
  type CommandWithdrawn,
} from "./session/records.js";
import { differenceOf } from "./session-memory.js";

type CommandRecord = CommandReceived | CommandSettled | CommandWithdrawn;
type Words = Pick<Command, "method" | "payload" | "signature">;

/** How a command is carried out. */
export interface Effect {
  /**
   * Gives the answer; throws an error of the protocol where nothing was admitted. After anything else that it throws
   * its outcome is not known: it is begun again where that may be, and settled as abandoned where not.
   */
  run(): CommandAnswer | Promise<CommandAnswer>;
  /** Whether it may be begun again after a crash. Otherwise the command is settled as abandoned then. */
  readonly repeatable: boolean;
  /** What a client is told while another host carries the command out. */
  readonly elsewhere: () => ProtocolError;
}

/** The ledger of a host. */
export class HostLedger {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #known = new Map<
    string,
    { readonly words: Words; readonly begunBy: string; readonly answer: Promise<CommandAnswer> }
  >();

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** Carries a command out, or repeats what it was answered. */
  async command(
    command: Command,
    effect: Effect,
  ): Promise<{ readonly told: Told; readonly answer: CommandAnswer | undefined }> {
    const { method, id, spelt, signature } = command;
    let known = this.#known.get(id);
    if (known === undefined) {
      const words: { current: Words } = { current: command };
      const answer = this.#first(command, effect, (first) => {
        words.current = first;
      });
      known = {
        get words() {
          return words.current;
        },
        begunBy: signature,
        answer,
      };
      this.#known.set(id, known);
      // What admitted nothing is not remembered.
      answer.catch(() => this.#known.delete(id));
    }
    let answer: CommandAnswer;
    try {
      answer = await known.answer;
    } catch (error) {
      if (known.begunBy === signature) throw error;
      // Another payload was tried under the id, and admitted nothing: what it was told is not for this one.
      return this.command(command, effect);
    }
    const { words } = known;
    if (words.signature !== signature)
      return { told: conflict(method, spelt, differenceOf(words, command)), answer: undefined };
    return { told: told(method, spelt, answer), answer };
  }

  async #first(command: Command, effect: Effect, isOf: (words: Words) => void): Promise<CommandAnswer> {
    if (!keepsRecord(command.method)) return effect.run();
    const log = await this.#open(command.id, effect);
    try {
      return await this.#claimed(log, command, effect, isOf);
    } finally {
      await log.close().catch(() => undefined);
    }
  }

  async #claimed(
    log: Log,
    command: Command,
    effect: Effect,
    isOf: (words: Words) => void,
  ): Promise<CommandAnswer> {
    const { method, id, signature, payload } = command;
    const write = (...records: CommandRecord[]) => log.write([JSON.stringify(records)]);
    let received: CommandReceived | undefined;
    let settled: CommandSettled | undefined;
    for (const record of log.entries.flatMap((entry) => JSON.parse(entry) as CommandRecord[])) {
      if (record.type === "received") received = record;
      else if (record.type === "settled") settled = record;
      else received = undefined;
    }
    if (received === undefined)
      await write({ type: "received", id, method, signature, payload, at: this.#now() });
    else isOf(received);
    if (settled?.answer !== undefined) return settled.answer;
    const settle = async (answer: CommandAnswer) => {
      const outcome = "ack" in answer ? "accepted" : "rejected";
      await write({ type: "settled", id, outcome, answer, at: this.#now() });
      return answer;
    };
    // Another command under its id touches nothing.
    if (received !== undefined && received.signature !== signature)
      throw conflict(method, command.spelt, differenceOf(received, command));
    // Somebody took it in and died.
    if (received !== undefined && !effect.repeatable) return settle(ABANDONED);
    let answer: CommandAnswer;
    try {
      answer = await effect.run();
    } catch (error) {
      if (isProtocolError(error)) await write({ type: "withdrawn", id, at: this.#now() });
      // Nobody knows how far it came.
      else if (!effect.repeatable) await settle(ABANDONED);
      throw error;
    }
    return settle(answer);
  }

  async #open(id: string, effect: Effect): Promise<Log> {
    try {
      return await this.#store.open("commands", id, { expect: "any" });
    } catch (error) {
      if (!isStoreError(error)) throw error;
      if (error.kind === "inUse" || error.kind === "fenced") throw effect.elsewhere();
      throw protocolError("internal", { details: { store: error.kind } }, error.message);
    }
  }
}
