/**
 * A turn as the caller who started it sees it: its items, its text, and how it ends.
 */
import type {
  Item,
  MethodParams,
  MethodResults,
  TurnCompletedParams,
  TurnInputPart,
  TurnRetractedParams,
  TurnStartDisposition,
  TurnUnqueuedParams,
} from "../../generated/msp/experimental/types.js";
import type { CommandOptions } from "./connection.js";
import { type SessionView, shownItem, shownText } from "./fold/index.js";

/** How a turn ended. */
export type TurnOutcome =
  /** It ran, or its launch failed: then it was never `started`, and the error of `params` says `launchError`. */
  | { readonly kind: "completed"; readonly params: TurnCompletedParams; readonly started: boolean }
  /** It was taken back from the queue and never ran. */
  | { readonly kind: "unqueued"; readonly params: TurnUnqueuedParams }
  /** It was interrupted before it said anything, and its message withdrawn. */
  | { readonly kind: "retracted"; readonly params: TurnRetractedParams }
  /** The host rejects its command for good: it will never run. The words are handed back by the pending set. */
  | { readonly kind: "rejected"; readonly reason: string }
  /** Its host kept everything in memory and is gone: nobody knows. */
  | { readonly kind: "terminalUnknown" };

/** What a turn needs of its session. */
export interface TurnHost {
  readonly view: SessionView;
  untilTurnEnds(turnId: string): Promise<TurnOutcome>;
  changesUntilTurnEnds(turnId: string): AsyncIterable<void>;
  steer(
    turnId: string,
    input: string | readonly TurnInputPart[],
    options?: CommandOptions & Pick<MethodParams["turn/steer"], "reasoningEffort">,
  ): Promise<MethodResults["turn/steer"]>;
  interrupt(
    turnId: string,
    options?: CommandOptions & { readonly retract?: boolean },
  ): Promise<MethodResults["turn/interrupt"]>;
  unqueue(turnId: string, options?: CommandOptions): Promise<MethodResults["turn/unqueue"]>;
}

/** A turn of a session. */
export class Turn {
  readonly turnId: string;
  /** The command that brought it about; undefined for a turn that was only looked up. */
  readonly commandId: string | undefined;
  /** What the host did with the command: `started`, `queued`, `steered` into a turn that ran, or a word to come. */
  readonly disposition: TurnStartDisposition | undefined;
  readonly #session: TurnHost;

  constructor(
    session: TurnHost,
    turnId: string,
    {
      commandId,
      disposition,
    }: { readonly commandId?: string; readonly disposition?: TurnStartDisposition } = {},
  ) {
    this.#session = session;
    this.turnId = turnId;
    this.commandId = commandId;
    this.disposition = disposition;
  }

  /**
   * How it ends; one promise a call. Rejects with `hostDied` when a durable host dies first: reconnect, and ask again.
   */
  get completed(): Promise<TurnOutcome> {
    return this.#session.untilTurnEnds(this.turnId);
  }

  /**
   * Its items as they change: each in the order of appearance, then again whenever there is a newer one, deltas
   * included. Ends with the turn, also when it never runs.
   */
  async *items(): AsyncGenerator<Item, void, undefined> {
    const told = new Map<string, string>();
    for await (const _ of this.#session.changesUntilTurnEnds(this.turnId)) {
      for (const folded of this.#session.view.items.values()) {
        if (folded.item.turnId !== this.turnId) continue;
        const item = shownItem(folded);
        const state = `${item.revision} ${item.status} ${shownText(folded)?.length}`;
        if (told.get(item.itemId) === state) continue;
        told.set(item.itemId, state);
        yield item;
      }
    }
  }

  /** What the agent says, piece by piece as it comes; the pieces together are its messages. Ends with the turn. */
  async *text(): AsyncGenerator<string, void, undefined> {
    const told = new Map<string, number>();
    for await (const _ of this.#session.changesUntilTurnEnds(this.turnId)) {
      for (const folded of this.#session.view.items.values()) {
        const { turnId, kind, itemId } = folded.item;
        if (turnId !== this.turnId || kind !== "agentMessage") continue;
        const text = shownText(folded) ?? "";
        const from = told.get(itemId) ?? 0;
        told.set(itemId, Math.max(from, text.length));
        if (text.length > from) yield text.slice(from);
      }
    }
  }

  /** Adds to it while it runs. Refused when it does not run any more: what was said is not moved to another turn. */
  steer(
    input: string | readonly TurnInputPart[],
    options?: CommandOptions & Pick<MethodParams["turn/steer"], "reasoningEffort">,
  ): Promise<MethodResults["turn/steer"]> {
    return this.#session.steer(this.turnId, input, options);
  }

  /** Stops it, ahead of other commands. Over when `completed` says so. */
  interrupt(
    options?: CommandOptions & { readonly retract?: boolean },
  ): Promise<MethodResults["turn/interrupt"]> {
    return this.#session.interrupt(this.turnId, options);
  }

  /** Takes it back from the queue. Refused once it runs; it is never stopped by this. */
  unqueue(options?: CommandOptions): Promise<MethodResults["turn/unqueue"]> {
    return this.#session.unqueue(this.turnId, options);
  }
}
