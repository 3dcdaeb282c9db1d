/**
 * What a session remembers of a command id, wherever it is kept: in the log, in memory for as long as the host lives,
 * or in the hands of whoever works the answer out.
 */
import type { LedgerRow } from "../ledger/command-ledger.js";
import { firstDifference } from "../ledger/difference.js";
import type { EntryText } from "../ledger/store.js";
import type { Command } from "./session/decision.js";
import { recordsOf } from "./session/fold.js";
import type { CommandAnswer } from "./session/records.js";
import type { SessionState } from "./session/state.js";

type Words = Pick<Command, "method" | "payload">;

/** Commands that keep no durable record: a host remembers them as long as it lives. By command id. */
export type PassingCommands = Map<string, { readonly row: LedgerRow<CommandAnswer>; readonly words: Words }>;

/** How a command stands. */
export type Standing =
  | { readonly kind: "new" }
  | { readonly kind: "conflict" }
  /** It was answered; the answer may be told when its position is durable. */
  | { readonly kind: "answered"; readonly row: LedgerRow<CommandAnswer>; readonly answer: CommandAnswer }
  /** It is being carried out. */
  | { readonly kind: "working"; readonly answer: Promise<CommandAnswer> }
  /** It was taken in, and what came of it is not known. */
  | { readonly kind: "unknown" };

const NEW = { kind: "new" } as const;
const CONFLICT = { kind: "conflict" } as const;
const UNKNOWN = { kind: "unknown" } as const;

/** The memory of one session. */
export class SessionMemory {
  readonly #state: SessionState;
  readonly #passing: PassingCommands;
  readonly #readLog: () => Promise<readonly EntryText[] | undefined>;
  readonly #working = new Map<
    string,
    { readonly command: Command; readonly answer: Promise<CommandAnswer> }
  >();

  constructor(
    state: SessionState,
    passing: PassingCommands,
    readLog: () => Promise<readonly EntryText[] | undefined>,
  ) {
    this.#state = state;
    this.#passing = passing;
    this.#readLog = readLog;
  }

  /** How a command stands with what is remembered of its id. */
  stand({ id, signature }: Command): Standing {
    const working = this.#working.get(id);
    if (working !== undefined)
      return working.command.signature === signature ? { kind: "working", answer: working.answer } : CONFLICT;
    const row = this.#state.ledger.get(id) ?? this.#passing.get(id)?.row;
    if (row === undefined) return NEW;
    if (row.signature !== signature) return CONFLICT;
    return row.answer === undefined ? UNKNOWN : { kind: "answered", row, answer: row.answer };
  }

  /** Remembers a command that keeps no durable record, with its answer. */
  pass({ id, method, payload, signature }: Command, answer: CommandAnswer, position: number): void {
    const row = { signature, answer, settled: true, position };
    this.#passing.set(id, { row, words: { method, payload } });
  }

  /** Remembers a command while it is carried out. */
  work(command: Command, answer: Promise<CommandAnswer>): void {
    const { id } = command;
    this.#working.set(id, { command, answer });
    const over = () => this.#working.delete(id);
    answer.then(over, over);
  }

  /**
   * Where a command differs from the first one under its id: a JSON Pointer into what counts of its params; empty where
   * the method differs.
   */
  async difference(command: Command): Promise<string> {
    const { id } = command;
    const first = this.#working.get(id)?.command ?? this.#passing.get(id)?.words;
    return differenceOf(first ?? firstReceived((await this.#readLog()) ?? [], id), command);
  }
}

/** The first command of an id, from a log: memory has only what stands for its payload. */
export function firstReceived(entries: readonly EntryText[], id: string): Words | undefined {
  for (const entry of entries) {
    if (!entry.includes(id)) continue;
    for (const record of recordsOf(entry)) if (record.type === "received" && record.id === id) return record;
  }
  return undefined;
}

/** Where a command differs from the first one of its id. Empty where the method does, or nothing is known of it. */
export function differenceOf(first: Words | undefined, { method, payload }: Words): string {
  return first?.method === method ? (firstDifference(first.payload, payload) ?? "") : "";
}
