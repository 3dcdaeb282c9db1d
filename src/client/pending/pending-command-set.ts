/**
 * The submits of a client that are sent and not yet visible on the session view.
 */
import { isSettlement, SessionDiscardedError } from "../errors.js";
import type { CommandError } from "./command-error.js";
import { type Ack, inRenderOrder, isQueued, type PendingEntry, withAck } from "./entry.js";
import { joinArms, type PendingPlan, type SnapshotJoinFacts } from "./join.js";
import { materialized, type PendingRetirement, reclaimed, rejection } from "./retirement.js";
import {
  type ReadSavedOptions,
  readSaved,
  type SavedPending,
  type SaveOptions,
  writeSaved,
} from "./saved.js";
import type { Held, PendingCommandView, ReplayAnswer, Submission } from "./view.js";

/** How a pending set is made. */
export interface PendingCommandSetOptions {
  /** Ids that died with an ephemeral host. Share one over all sets of a client, so that none replays another's. */
  readonly discardedCommandIds?: Set<string> | undefined;
}

/**
 * Holds each submit from before it is sent until it is settled. Never times out and never makes up an end: see
 * {@link PendingRetirement} for all there are. `Input` is the caller's own type, and handed back as it was given.
 */
export class PendingCommandSet<Input> implements PendingCommandView<Input> {
  readonly #discardedIds: Set<string>;
  readonly #entries = new Map<string, PendingEntry<Input>>();
  #nextSubmissionIndex = 0;
  #discarded = false;

  constructor({ discardedCommandIds = new Set() }: PendingCommandSetOptions = {}) {
    this.#discardedIds = discardedCommandIds;
  }

  /** Whether an error settles a command for good: code -32030, or kind `commandRejected`. */
  static isSettlement(error: CommandError): boolean {
    return isSettlement(error);
  }

  /**
   * A set that goes on where a saved one was: same ids, acks, anchors and order. Follow it with `joinSnapshot` or
   * `reconnectedWithoutSnapshot`. Entries of an ephemeral session whose host is gone must not be replayed: follow
   * it with `discardEphemeral`.
   *
   * @throws SavedPendingError of kind `invalidSavedState` for anything that `save` did not write.
   * @throws SessionDiscardedError where an entry's id is among the discarded ones.
   */
  static restore<Input>(
    saved: unknown,
    options: PendingCommandSetOptions & ReadSavedOptions<Input> = {},
  ): PendingCommandSet<Input> {
    const { entries, nextSubmissionIndex } = readSaved(saved, options);
    const set = new PendingCommandSet<Input>(options);
    for (const entry of entries) {
      set.#refuseDiscarded(entry.commandId);
      set.#entries.set(entry.commandId, entry);
    }
    set.#nextSubmissionIndex = nextSubmissionIndex;
    return set;
  }

  /**
   * The entries as a JSON value, independent of the set. A restart of the application then keeps the pinned ids.
   *
   * @throws SavedPendingError of kind `unsavableInput` where JSON would change an input.
   */
  save(options: SaveOptions<Input> = {}): SavedPending {
    return writeSaved(this.#entries.values(), this.#nextSubmissionIndex, options);
  }

  get discarded(): boolean {
    return this.#discarded;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(commandId: string): boolean {
    return this.#entries.has(commandId);
  }

  get(commandId: string): PendingEntry<Input> | undefined {
    return this.#entries.get(commandId);
  }

  list(): PendingEntry<Input>[] {
    return inRenderOrder(this.#entries.values());
  }

  submitted({ commandId, input, displayText, anchorAfterItemId = null }: Submission<Input>): void {
    this.#refuseDiscarded(commandId);
    if (this.#discarded) {
      throw new SessionDiscardedError("the session ended with its ephemeral host and takes no submits");
    }
    if (this.#entries.has(commandId)) return;
    this.#entries.set(commandId, {
      commandId,
      input,
      ...(displayText === undefined ? {} : { displayText }),
      anchorAfterItemId,
      submissionIndex: this.#nextSubmissionIndex++,
    });
  }

  acked(commandId: string, ack: Readonly<Ack>): void {
    const entry = this.#entries.get(commandId);
    if (entry !== undefined) this.#entries.set(commandId, withAck(entry, ack));
  }

  ackErrored(commandId: string, error: CommandError): PendingRetirement<Input> | Held {
    if (!isSettlement(error)) return "held";
    return this.#retire(commandId, (entry) => rejection(entry, error)) ?? "held";
  }

  /** The client no longer wants to know. Undefined where the id is not pending. */
  stopRetrying(commandId: string): PendingRetirement<Input> | undefined {
    return this.#retire(commandId, ({ input }) => ({
      kind: "retryAbandonedByClient",
      commandId,
      input,
      restoreToComposer: true,
    }));
  }

  /** A user's message is on the view. Undefined where it is another client's: then it is shown and nothing else. */
  observedUserMessage(commandId: string, itemId: string): PendingRetirement<Input> | undefined {
    return this.#retire(commandId, () => materialized(commandId, itemId));
  }

  /** A queued turn was taken back. The id is that of the submit, which `turn/unqueued` has as `commandId`. */
  observedReclaim(commandId: string): PendingRetirement<Input> | undefined {
    return this.#retire(commandId, reclaimed);
  }

  observedQueueMovement(turnId: string): string[] {
    return [...this.#entries.values()]
      .filter(({ ack }) => isQueued(ack) && ack?.turnId !== turnId)
      .map(({ commandId }) => commandId);
  }

  /**
   * The answer to a replay: a durable rejection retires, an ack is stored, anything else holds.
   *
   * @throws SessionDiscardedError for an id that died with an ephemeral host.
   */
  replayAnswered(commandId: string, answer: ReplayAnswer): PendingRetirement<Input> | Held {
    this.#refuseDiscarded(commandId);
    if (answer.kind === "error") return this.ackErrored(commandId, answer.error);
    this.acked(commandId, answer.ack);
    return "held";
  }

  reconnectedWithoutSnapshot(): PendingPlan<Input> {
    const entries = this.list();
    const ids = (which: (entry: PendingEntry<Input>) => boolean): string[] =>
      entries.filter(which).map(({ commandId }) => commandId);
    return {
      retirements: [],
      mustReplay: ids(({ ack }) => ack !== undefined),
      mustResubmit: ids(({ ack }) => ack === undefined),
      kept: ids(() => true),
    };
  }

  joinSnapshot(facts: SnapshotJoinFacts): PendingPlan<Input> {
    const armOf = joinArms<Input>(facts);
    const retirements: PendingRetirement<Input>[] = [];
    const mustReplay: string[] = [];
    const mustResubmit: string[] = [];
    for (const entry of this.list()) {
      const { commandId } = entry;
      const decided = armOf(entry);
      if (decided.arm === "retire") {
        this.#entries.delete(commandId);
        retirements.push(decided.retirement);
        continue;
      }
      this.#entries.set(commandId, decided.row);
      if (decided.arm === "replay") mustReplay.push(commandId);
      if (decided.arm === "resubmit") mustResubmit.push(commandId);
    }
    return { retirements, mustReplay, mustResubmit, kept: this.list().map(({ commandId }) => commandId) };
  }

  resolveReplayAtJoin(
    commandId: string,
    answer: ReplayAnswer,
    snapshotQueuedCommandIds: Iterable<string>,
  ): PendingRetirement<Input> | Held {
    this.#refuseDiscarded(commandId);
    if (answer.kind === "ack" && isQueued(answer.ack) && !includes(snapshotQueuedCommandIds, commandId)) {
      return this.#retire(commandId, reclaimed) ?? "held";
    }
    return this.replayAnswered(commandId, answer);
  }

  /** An ephemeral host died: retires all, and closes the set for good. */
  discardEphemeral(): PendingRetirement<Input>[] {
    const entries = this.list();
    this.#discarded = true;
    this.#entries.clear();
    for (const { commandId } of entries) this.#discardedIds.add(commandId);
    return entries.map(({ commandId, input }) => ({ kind: "terminalUnknown", commandId, input }));
  }

  #retire(
    commandId: string,
    as: (entry: PendingEntry<Input>) => PendingRetirement<Input>,
  ): PendingRetirement<Input> | undefined {
    const entry = this.#entries.get(commandId);
    if (entry === undefined) return undefined;
    this.#entries.delete(commandId);
    return as(entry);
  }

  #refuseDiscarded(commandId: string): void {
    if (!this.#discardedIds.has(commandId)) return;
    throw new SessionDiscardedError(
      `command ${commandId} ended with its ephemeral host: it cannot be replayed`,
    );
  }
}

function includes(ids: Iterable<string>, wanted: string): boolean {
  for (const id of ids) if (id === wanted) return true;
  return false;
}
