/**
 * What a host remembers of commands: under each id one signature and one answer. The rows are a fold of a log; this is
 * their form in memory, of constant size a command.
 */

/** What is remembered of one command. */
export interface LedgerRow<Answer> {
  /** Stands for the method and the payload that came first. */
  readonly signature: string;
  /** What a repeat is answered; undefined while it is being worked out. */
  answer: Answer | undefined;
  /** Whether the outcome is final. */
  settled: boolean;
  /** The place in the log that must be durable before the answer may be told. */
  position: number;
}

/** How an id stands with what is remembered. */
export type Standing<Answer> =
  | { readonly kind: "new" }
  /** The same command again. */
  | { readonly kind: "repeat"; readonly row: LedgerRow<Answer> }
  /** The id stands for something else. */
  | { readonly kind: "conflict" };

const NEW = { kind: "new" } as const;
const CONFLICT = { kind: "conflict" } as const;

/** The rows of one scope, by command id in one letter case. */
export class CommandLedger<Answer> {
  readonly #rows = new Map<string, LedgerRow<Answer>>();
  readonly #open = new Set<string>();

  /** How many commands are remembered. */
  get size(): number {
    return this.#rows.size;
  }

  /** The ids that were taken in and are not settled, in the order in which they came. */
  get open(): ReadonlySet<string> {
    return this.#open;
  }

  /** What is remembered of an id. */
  get(id: string): LedgerRow<Answer> | undefined {
    return this.#rows.get(id);
  }

  /** How a command stands: new, a repeat, or another one under an id that is taken. */
  stand(id: string, signature: string): Standing<Answer> {
    const row = this.#rows.get(id);
    if (row === undefined) return NEW;
    return row.signature === signature ? { kind: "repeat", row } : CONFLICT;
  }

  /** Takes a command in. An id that is there already is never replaced: that throws. */
  receive(id: string, signature: string, answer: Answer | undefined, position: number): void {
    if (this.#rows.has(id)) throw new Error(`the command ${id} is there already`);
    this.#rows.set(id, { signature, answer, settled: false, position });
    this.#open.add(id);
  }

  /** Settles a command, with another answer from now on where one is given. The first settlement stands. */
  settle(id: string, position: number, answer?: Answer): void {
    const row = this.#rows.get(id);
    if (row === undefined) throw new Error(`the command ${id} was never taken in`);
    if (row.settled) return;
    row.settled = true;
    row.position = position;
    if (answer !== undefined) row.answer = answer;
    this.#open.delete(id);
  }

  /** Forgets a command that came to nothing before it was settled. */
  withdraw(id: string): void {
    if (this.#open.delete(id)) this.#rows.delete(id);
  }
}
