/**
 * What a pending set must hold, as plain lists and the rules of the protocol read one by one; and a ledger of what
 * became of each submit.
 */
import assert from "node:assert/strict";
import type {
  Ack,
  CommandError,
  PendingCommandSet,
  PendingEntry,
  PendingPlan,
  PendingRetirement,
  ReplayAnswer,
  SnapshotJoinFacts,
} from "../../../src/client/pending/index.js";

/** What the users of these tests submit: no two submits are equal. */
export interface Words {
  readonly serial: number;
  readonly parts: readonly { readonly type: "text"; readonly text: string }[];
}

/** Counts by name. */
export type Counts = Record<string, number>;

type Row = { -readonly [Name in keyof PendingEntry<Words>]: PendingEntry<Words>[Name] };
type Retirement = PendingRetirement<Words>;

/** The kinds by which each command may retire; the others retire nothing. */
const CAUSES: Readonly<Record<string, readonly Retirement["kind"][]>> = {
  error: ["rejected", "abandoned"],
  replay: ["rejected", "abandoned"],
  resolve: ["rejected", "abandoned", "reclaimed"],
  reclaim: ["reclaimed"],
  userMessage: ["materialized"],
  join: ["materialized"],
  stopRetrying: ["retryAbandonedByClient"],
  ephemeralDeath: ["terminalUnknown"],
};

/** The kinds that oblige to hand the words back, those that only show them, and the one that has none. */
const HANDS_BACK: Readonly<Record<Retirement["kind"], "restore" | "show" | "nothing">> = {
  materialized: "nothing",
  rejected: "restore",
  abandoned: "restore",
  reclaimed: "restore",
  retryAbandonedByClient: "restore",
  terminalUnknown: "show",
};

/** The state that a set should be in. */
export class Model {
  /** In the order of submission. */
  rows: Row[] = [];
  readonly dead = new Set<string>();
  closed = false;
  next = 0;
  submits = 0;
  readonly counts: Counts;
  /** What was submitted and has not ended, by id: copies that nothing else holds. */
  readonly #open = new Map<string, Words>();
  #taken = 0;
  readonly #ended = new Map<number, string>();

  constructor(counts: Counts) {
    this.counts = counts;
  }

  count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }

  find(id: string): Row | undefined {
    return this.rows.find(({ commandId }) => commandId === id);
  }

  /** Takes a submit as the ledger's, and returns the words to submit. */
  words(text: string): Words {
    return { serial: this.submits++, parts: [{ type: "text", text }] };
  }

  open(row: Row): void {
    this.rows.push(row);
    this.#open.set(row.commandId, structuredClone(row.input));
    this.next++;
    this.#taken++;
  }

  /** Enters what the set really returned: one end for each submit, by a named cause, with the words as submitted. */
  enter(cause: string, retirement: Retirement): void {
    const { kind, commandId } = retirement;
    const words = this.#open.get(commandId);
    assert.ok(words !== undefined, `${commandId} was retired by ${cause} while it was not pending`);
    assert.ok(!this.#ended.has(words.serial), `${commandId} was retired twice`);
    assert.ok(CAUSES[cause]?.includes(kind), `${cause} retired ${commandId} as ${kind}`);
    const restores = (retirement as { restoreToComposer?: unknown }).restoreToComposer;
    assert.equal(restores, HANDS_BACK[kind] === "restore" ? true : undefined);
    if (HANDS_BACK[kind] === "nothing") assert.ok(!("input" in retirement));
    else assert.deepEqual((retirement as { input?: unknown }).input, words);
    this.#open.delete(commandId);
    this.#ended.set(words.serial, kind);
    this.count(kind === "materialized" ? `by ${retirement.matchedBy}` : `by ${kind}`);
  }

  /** Fails unless every submit that was taken either ended or is pending in the set, with the words as they were. */
  keeps(set: PendingCommandSet<Words>): void {
    assert.deepEqual(new Map(set.list().map(({ commandId, input }) => [commandId, input])), this.#open);
    assert.equal(this.#ended.size + this.#open.size, this.#taken);
  }

  /** What retires an entry of the model, as the set has to tell it. */
  retire(id: string, retirement: Retirement | undefined): Retirement | undefined {
    if (this.find(id) === undefined) return undefined;
    this.rows = this.rows.filter(({ commandId }) => commandId !== id);
    return retirement;
  }

  shown(): Row[] {
    const queued = this.rows.filter(({ queuedOrder }) => queuedOrder !== undefined);
    queued.sort((a, b) => (a.queuedOrder ?? 0) - (b.queuedOrder ?? 0));
    return [...this.rows.filter(({ queuedOrder }) => queuedOrder === undefined), ...queued];
  }

  errored(id: string, error: CommandError): Retirement | "held" {
    const input = this.find(id)?.input;
    if (input === undefined || (error.code !== -32030 && error.kind !== "commandRejected")) return "held";
    const common = { commandId: id, input, restoreToComposer: true } as const;
    const { reason = "" } = error;
    const retirement =
      reason === "abandoned"
        ? ({ kind: "abandoned", ...common } as const)
        : ({ kind: "rejected", reason, ...common } as const);
    return this.retire(id, retirement) ?? "held";
  }

  acked(id: string, { turnId, disposition }: Ack): void {
    const row = this.find(id);
    if (row !== undefined) row.ack = { turnId, disposition };
  }

  answered(id: string, answer: ReplayAnswer): Retirement | "held" {
    if (answer.kind === "error") return this.errored(id, answer.error);
    this.acked(id, answer.ack);
    return "held";
  }

  reclaimed(id: string): Retirement | undefined {
    const input = this.find(id)?.input;
    if (input === undefined) return undefined;
    return this.retire(id, { kind: "reclaimed", commandId: id, input, restoreToComposer: true });
  }

  resolved(id: string, answer: ReplayAnswer, queue: readonly string[]): Retirement | "held" {
    const stale = answer.kind === "ack" && answer.ack.disposition === "queued" && !queue.includes(id);
    return stale ? (this.reclaimed(id) ?? "held") : this.answered(id, answer);
  }

  joined(facts: SnapshotJoinFacts): PendingPlan<Words> {
    const retirements: Retirement[] = [];
    const mustReplay: string[] = [];
    const mustResubmit: string[] = [];
    for (const row of this.shown()) {
      const { commandId, ack } = row;
      const message = [...facts.userMessageCommandIds].find((one) => one.commandId === commandId);
      const place = facts.queuedTurns.findIndex((turn) => turn.commandId === commandId);
      const active = facts.activeTurn;
      delete row.queuedOrder;
      if (message !== undefined) {
        this.rows.splice(this.rows.indexOf(row), 1);
        retirements.push({ kind: "materialized", matchedBy: "userMessage", ...message });
      } else if (active !== null && active.commandId === commandId) {
        this.rows.splice(this.rows.indexOf(row), 1);
        retirements.push({ kind: "materialized", matchedBy: "activeTurn", commandId });
      } else if (place !== -1) {
        row.queuedOrder = place;
        row.anchorAfterItemId = facts.lastItemId;
        this.count("kept in the queue");
      } else if (ack === undefined) {
        mustResubmit.push(commandId);
        this.count("to resubmit");
      } else if (active !== null && active.turnId === ack.turnId) {
        this.count("kept as a steer");
      } else {
        mustReplay.push(commandId);
        this.count("to replay");
      }
    }
    return { retirements, mustReplay, mustResubmit, kept: this.shown().map(({ commandId }) => commandId) };
  }
}
