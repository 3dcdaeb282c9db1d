/**
 * The submits of a session: what is sent, what is pending, and what is sent again under its id.
 */
import type { MethodResults, TurnStartParams } from "../../generated/msp/experimental/types.js";
import type { CommandOptions } from "./connection.js";
import { isMspError } from "./errors.js";
import type { SessionView } from "./fold/index.js";
import type {
  PendingCommandSet,
  PendingCommandView,
  PendingRetirement,
  ReplayAnswer,
  SavedPending,
} from "./pending/index.js";

/** What a turn is started with: the params of `turn/start` without what the session adds. */
export type TurnInput = Omit<TurnStartParams, "commandId" | "sessionId">;

/** What submits need of their session. */
export interface SubmissionsHost {
  /** Sends a `turn/start`. */
  readonly send: (input: TurnInput, how: CommandOptions) => Promise<MethodResults["turn/start"]>;
  readonly view: () => SessionView;
  readonly onRetired: (retirement: PendingRetirement<TurnInput>) => void;
  readonly onError: (error: unknown) => void;
}

/** A turn as snapshots name it. */
interface TurnName {
  readonly turnId: string;
  readonly commandId: string;
}

const QUEUED = "queued" satisfies MethodResults["turn/start"]["disposition"];

/** Sends what starts turns, and keeps it until it is on the view or settled. */
export class Submissions {
  readonly #set: PendingCommandSet<TurnInput>;
  readonly #host: SubmissionsHost;
  /** Turns whose command the host rejects, which no event tells; by turn, the reason. */
  readonly #rejected = new Map<string, string>();
  /** How often a turn began or ended: whether something moved while an ack was under way. */
  #movements = 0;

  constructor(set: PendingCommandSet<TurnInput>, host: SubmissionsHost) {
    this.#set = set;
    this.#host = host;
  }

  /** What is pending, as the session lends it out. */
  get pending(): PendingCommandView<TurnInput> {
    return this.#set;
  }

  /** What is pending as a JSON value. */
  save(): SavedPending {
    return this.#set.save();
  }

  /** Why the command of a turn is rejected for good; undefined where it is not. */
  rejectionOf(turnId: string): string | undefined {
    return this.#rejected.get(turnId);
  }

  /** Sends words; they are pending from before, unless they are on the view already. Rejects as a command does. */
  async submit(
    commandId: string,
    input: TurnInput,
    how: CommandOptions,
  ): Promise<MethodResults["turn/start"]> {
    const { displayText } = input;
    // Repeated by a caller who does not know that they arrived: nothing would take them off again.
    if (!this.#isShown(commandId))
      this.#set.submitted({ commandId, input, displayText, anchorAfterItemId: this.#lastItemId() });
    const movements = this.#movements;
    try {
      const ack = await this.#host.send(input, { ...how, commandId });
      const { turnId, disposition } = ack;
      this.#set.acked(commandId, { turnId, disposition });
      // What moved while the ack was under way was not seen to concern this one.
      const queued = this.#set.get(commandId)?.ack?.disposition === QUEUED;
      if (queued && this.#movements !== movements && this.#host.view().activeTurnId !== turnId)
        void this.#replay(commandId);
      return ack;
    } catch (error) {
      if (isMspError(error)) this.#retired(this.#set.ackErrored(commandId, error));
      throw error;
    }
  }

  /** Gives up a submit that was not answered. */
  stopRetrying(commandId: string): PendingRetirement<TurnInput> | undefined {
    const retirement = this.#set.stopRetrying(commandId);
    this.#retired(retirement);
    return retirement;
  }

  /** The view shows a message of a command. */
  shown(commandId: string, itemId: string): void {
    this.#retired(this.#set.observedUserMessage(commandId, itemId));
  }

  /** A turn was taken back from the queue. */
  reclaimed(commandId: string): void {
    this.#retired(this.#set.observedReclaim(commandId));
  }

  /** A turn began or ended: what is queued behind it may have been launched, or have failed to. */
  moved(turnId: string): void {
    this.#movements++;
    for (const commandId of this.#set.observedQueueMovement(turnId)) void this.#replay(commandId);
  }

  /** Its ephemeral host is gone. */
  discard(): void {
    for (const retirement of this.#set.discardEphemeral()) this.#retired(retirement);
  }

  /**
   * The session goes on over a new connection. The function that is returned sends again what has no answer: first
   * what was never answered, then what was, each under its id.
   * @param seeded whether the view is a snapshot's, and not only goes on
   */
  rejoined(seeded: boolean): () => Promise<void> {
    const queued = seeded ? this.#queue() : [];
    const plan = seeded
      ? this.#set.joinSnapshot({
          activeTurn: this.#activeTurn(),
          queuedTurns: queued,
          userMessageCommandIds: this.#userMessages(),
          lastItemId: this.#lastItemId(),
        })
      : this.#set.reconnectedWithoutSnapshot();
    for (const retirement of plan.retirements) this.#retired(retirement);
    const queue = seeded ? queued.map(({ commandId }) => commandId) : undefined;
    return async () => {
      for (const commandId of plan.mustResubmit) {
        // The frames that came with the reply may have settled it.
        const entry = this.#set.get(commandId);
        if (entry !== undefined) await this.submit(commandId, entry.input, {}).catch(this.#host.onError);
      }
      for (const commandId of plan.mustReplay) await this.#replay(commandId, queue);
    };
  }

  /** Sends a pending command again, to learn what came of it. `queue`: the ids that a snapshot shows as queued. */
  async #replay(commandId: string, queue?: readonly string[]): Promise<void> {
    const entry = this.#set.get(commandId);
    if (entry === undefined) return;
    let answer: ReplayAnswer;
    try {
      const { turnId, disposition } = await this.#host.send(entry.input, { commandId });
      answer = { kind: "ack", ack: { turnId, disposition } };
    } catch (error) {
      if (!isMspError(error)) {
        this.#host.onError(error);
        return;
      }
      answer = { kind: "error", error };
    }
    if (!this.#set.has(commandId)) return;
    const retirement =
      queue === undefined
        ? this.#set.replayAnswered(commandId, answer)
        : this.#set.resolveReplayAtJoin(commandId, answer, queue);
    const turnId = entry.ack?.turnId;
    if (turnId !== undefined && retirement !== "held") {
      if (retirement.kind === "rejected") this.#rejected.set(turnId, retirement.reason);
      else if (retirement.kind === "abandoned") this.#rejected.set(turnId, retirement.kind);
    }
    this.#retired(retirement);
  }

  #retired(retirement: PendingRetirement<TurnInput> | "held" | undefined): void {
    if (retirement !== undefined && retirement !== "held") this.#host.onRetired(retirement);
  }

  #isShown(wanted: string): boolean {
    for (const { commandId } of this.#userMessages()) if (commandId === wanted) return true;
    return false;
  }

  #lastItemId(): string | null {
    return [...this.#host.view().items.keys()].at(-1) ?? null;
  }

  #activeTurn(): TurnName | null {
    const { activeTurnId, turns } = this.#host.view();
    if (activeTurnId === undefined) return null;
    return { turnId: activeTurnId, commandId: turns.get(activeTurnId)?.commandId ?? activeTurnId };
  }

  #queue(): TurnName[] {
    return [...this.#host.view().turns.values()].flatMap(({ queued }) => queued ?? []);
  }

  *#userMessages(): Generator<{ readonly commandId: string; readonly itemId: string }> {
    for (const { item } of this.#host.view().items.values()) {
      const { kind, commandId, itemId } = item;
      if (kind === "userMessage" && typeof commandId === "string") yield { commandId, itemId };
    }
  }
}
