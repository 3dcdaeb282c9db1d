/**
 * The laws of the ledger: a command is taken in once and settled once, at its time; what it was answered changes in two
 * ways only; and every answer and event is one of the schema's.
 */
import { isProtocolError } from "../../../generated/msp/experimental/server.js";
import { errors, methods, notifications } from "../../../generated/msp/experimental/validators.js";
import { told } from "../../../src/host/answers.js";
import type { CommandName } from "../../../src/host/payloads.js";
import { type Command, keepsRecord } from "../../../src/host/session/decision.js";
import type { CommandAnswer } from "../../../src/host/session/records.js";
import { keyOf } from "../../../src/host/session/state.js";
import type { ToldEvent } from "../../../src/host/session/view.js";
import type { Standing } from "../../../src/host/session-memory.js";
import {
  ackOf,
  type Counts,
  commandIn,
  eventsOf,
  hold,
  outcomeOf,
  reasonOf,
  recordsOf,
  same,
} from "./law.js";
import { answerOf, type Happened, type Simulation } from "./simulation.js";

interface Row {
  readonly method: string;
  readonly signature: string;
  answer: CommandAnswer;
  settled: boolean;
  durable: boolean;
}

type Check = ((value: unknown) => object | null) | undefined;

const CHECKS: Readonly<Record<string, Check>> = notifications;

/** The laws of the ledger. */
export class LedgerLaws {
  readonly #counts: Counts;
  readonly #rows = new Map<string, Row>();

  constructor(counts: Counts) {
    this.#counts = counts;
  }

  happened(happened: Happened, events: readonly ToldEvent[]): void {
    const command = commandIn(happened);
    if (command !== undefined) this.#command(happened, command);
    else hold("only commands are taken in", recordsOf(happened, "received").length === 0, happened);
    if (happened.what === "recovered") this.#forget();
    for (const settled of recordsOf(happened, "settled")) this.#settle(settled, happened);
    this.#ends(happened);
    if (happened.what === "recovered") this.#recovered(happened);
    for (const { method, params } of events) {
      same(`an event is one of the schema's: ${method}`, CHECKS[method]?.(params), null);
      this.#counts.met("an event that is checked");
    }
  }

  repeated(command: Command, standing: Standing): void {
    const row = this.#rows.get(command.id);
    // What has not become durable was told to nobody.
    if (row === undefined) return;
    if (row.signature !== command.signature) {
      same("another payload is a conflict", standing.kind, "conflict");
      this.#counts.met("a conflict");
      return;
    }
    const answer = answerOf(standing);
    hold("a repeated command is answered", answer !== undefined, standing);
    this.#mayBecome(command.id, row, answer);
    this.#counts.met("ack" in answer ? "a repeat of an ack" : "a repeat of a rejection");
  }

  /** The ledger says what the model says. */
  settled({ state }: Simulation): void {
    for (const [id, { method, answer, settled, durable }] of [...this.#rows].slice(-20)) {
      if (!durable) continue;
      const row = state.ledger.get(id);
      same(`the ledger keeps what ${method} was answered`, row?.answer, answer);
      same(`the ledger knows whether ${method} is settled`, row?.settled, settled);
    }
  }

  /** Nothing more comes. */
  finished(): void {
    for (const [id, row] of this.#rows) hold("each command is settled", row.settled, { id, row });
  }

  #command(happened: Happened, { id, method, spelt, signature }: Command): void {
    const { answer, records } = happened.decision;
    const outcome = outcomeOf(happened);
    this.#counts.met(`${method}: ${outcome}`);
    if ("refusal" in answer) {
      const { kind, data } = answer.refusal;
      same(
        `a refusal is one of the schema's: ${kind}`,
        (errors as Record<string, Check>)[kind]?.(data),
        null,
      );
      hold("a refusal leaves no row", records.length === 0, records);
      return;
    }
    const result = told(method, spelt, answer);
    const check = isProtocolError(result) ? errors.commandRejected : methods[method as CommandName].result;
    const value = isProtocolError(result) ? result.data : result;
    same(`an answer is one of the schema's: ${method}`, (check as Check)?.(value), null);
    const durable = keepsRecord(method);
    const received = recordsOf(happened, "received");
    same("a command with a record is taken in once", received.length, durable ? 1 : 0);
    hold("a command is taken in once", !this.#rows.has(id), { id });
    if (durable) {
      hold("the intake comes first", records[0] === received[0], records);
      same(
        "the intake is the command's, with its answer",
        [received[0]!.id, received[0]!.answer],
        [id, answer],
      );
    }
    const settled = recordsOf(happened, "settled").some((record) => record.id === id);
    same("a command is settled at its time", settled, durable && !isLong(happened, method));
    this.#rows.set(id, { method, signature, answer, settled: !durable, durable });
  }

  #settle(
    { id, answer, outcome }: { id: string; answer?: CommandAnswer; outcome: string },
    happened: Happened,
  ): void {
    const row = this.#rows.get(id);
    hold("a command is settled once", row?.settled === false, { id, row });
    row.settled = true;
    const last = answer ?? row.answer;
    same("a command is settled as it is answered", outcome, "ack" in last ? "accepted" : "rejected");
    if (answer === undefined) return;
    const reason = reasonOf(answer);
    const failed = eventsOf(happened, "turn/completed").some(
      ({ turnId, error }) => keyOf(turnId) === id && error?.kind === "launchError",
    );
    const waited = "ack" in row.answer && row.answer.ack["disposition"] === "queued";
    if (reason === "deferred_start_failed")
      hold("only a launch that failed takes an ack back", failed && waited, row);
    else {
      const crashed = reason === "abandoned" && happened.what === "recovered";
      hold("an ack is taken back for two reasons", crashed, { row, answer });
    }
    this.#counts.met(`an ack that is taken back: ${reason}`);
    row.answer = answer;
  }

  /** A start is settled with its turn, a compaction with its item. */
  #ends(happened: Happened): void {
    const over = [
      ...eventsOf(happened, "turn/completed").map(({ turnId }) => turnId),
      ...eventsOf(happened, "turn/unqueued").map(({ turnId }) => turnId),
      ...eventsOf(happened, "item/completed").flatMap(({ item }) =>
        item.kind === "compaction" ? [String(item.commandId)] : [],
      ),
    ].map(keyOf);
    for (const id of over) {
      const row = this.#rows.get(id);
      if (row !== undefined) hold("a command is settled with its outcome", row.settled, { id, row });
    }
    for (const { id, answer } of recordsOf(happened, "settled"))
      if (id !== commandIn(happened)?.id && happened.what !== "recovered")
        hold("a command is not settled before its outcome", over.includes(id), { id, answer });
    for (const { turnId, error } of eventsOf(happened, "turn/completed")) {
      const answer = this.#rows.get(keyOf(turnId))?.answer;
      if (error?.kind !== "launchError" || answer === undefined || !("ack" in answer)) continue;
      same("a queued turn that cannot be launched takes its ack back", answer.ack["disposition"], "started");
    }
  }

  #mayBecome(id: string, row: Row, answer: CommandAnswer): void {
    const reason = reasonOf(answer);
    // It may have been settled already and not be durable yet: then it is answered when that is.
    const taken = !row.settled && (reason === "deferred_start_failed" || reason === "abandoned");
    if (!taken) same(`a repeat of ${row.method} ${id} has the values of the first`, answer, row.answer);
  }

  /** What keeps no record is forgotten with its host. */
  #forget(): void {
    for (const [id, { durable }] of this.#rows) if (!durable) this.#rows.delete(id);
  }

  #recovered(happened: Happened): void {
    const open = [...this.#rows].filter(([, { settled }]) => !settled);
    for (const [id, { method, answer }] of open) {
      const waits = method === "turn/start" && "ack" in answer && answer.ack["disposition"] === "queued";
      hold("a host that loads a session abandons what was under way", waits, { id, answer });
      this.#counts.met("a queued turn that keeps its ack over a restart");
    }
    const left = happened.decision.records.filter(({ type }) => type === "launching").length;
    hold("a host that loads a session launches what waits", open.length === 0 || left === 1, happened);
  }
}

/** Whether the outcome of a command comes later than its answer. */
function isLong(happened: Happened, method: string): boolean {
  const ack = ackOf(happened);
  if (ack === undefined) return false;
  if (method === "turn/start") return ack["disposition"] !== "steered";
  return method === "session/compact" && ack["status"] === "accepted";
}
