/**
 * The view of a session: a fold of the same log, as far as it was told. Events have cursors, pages read them again, and
 * snapshots are what a client that has seen them all would show.
 */
import type {
  CumulativeTokenUsage,
  EffectiveApprovalModeState,
  Item,
  PendingRequestPointer,
  Session,
  SourceRange,
  TurnRef,
  UnframedViewNotification,
  ViewSnapshot,
} from "../../../generated/msp/experimental/types.js";
import { SessionFold } from "../../client/fold/index.js";
import { snapshotOf } from "../../client/fold/serve-snapshot.js";
import { addText } from "./decide/items.js";
import { promptOf } from "./decision.js";
import type { SessionRecord, ViewEvent } from "./records.js";
import { cursorOf, DEFAULT_MODE, keyOf, type Payload } from "./state.js";

/** An event as it was told: its method, and its params with session, cursor and range. */
export interface ToldEvent extends UnframedViewNotification {
  readonly at: number;
}

/** Where a cursor points. */
export type Place =
  /** After the event of this number. */
  | { readonly kind: "at"; readonly ordinal: number }
  /** To events that are not kept any more. */
  | { readonly kind: "truncated" }
  /** Nowhere: no such cursor was made. */
  | { readonly kind: "unknown" };

/** Units of the words of a waiting turn that snapshots show, and of the first prompt that rows of sessions do. */
const SHOWN_WORDS = 512;

const NO_USAGE: CumulativeTokenUsage = { outputTokens: 0, promptTokens: 0, totalTokens: 0 };

/** The view of one session. */
export class SessionViewLog {
  readonly sessionId: string;
  readonly #fold: SessionFold;
  readonly #retained: number;
  #session!: Session;
  #events: ToldEvent[] = [];
  /** How many events came before those that are kept. */
  #dropped = 0;
  #fragment = 0;
  #active: TurnRef | null = null;
  #queued: TurnRef[] = [];
  #turnCount = 0;
  #boundary: number | undefined;
  #updatedAt = 0;
  #firstPrompt: string | undefined;
  #mode: EffectiveApprovalModeState = DEFAULT_MODE;
  readonly #words = new Map<string, Pick<TurnRef, "displayText" | "truncated">>();
  readonly #sequences = new Map<string, number>();
  readonly #firsts = new Map<string, SourceRange["first"]>();
  /** Messages that are being streamed. */
  readonly #streaming = new Map<string, Item>();

  /** `retained`: how many events are kept to be read again. */
  constructor(sessionId: string, retained: number) {
    this.sessionId = sessionId;
    this.#retained = retained;
    this.#fold = new SessionFold(sessionId);
  }

  /** The number of the last event. */
  get ordinal(): number {
    return this.#dropped + this.#events.length;
  }

  /** The cursor of the last event. */
  get head(): string {
    return cursorOf(this.sessionId, this.ordinal);
  }

  /** The number of the first event that can be read again. */
  get first(): number {
    return this.#dropped + 1;
  }

  /** The number of the event with which the history was compacted last. */
  get boundary(): number | undefined {
    return this.#boundary;
  }

  /** Folds a record; the event that it is, where it is one. */
  apply(record: SessionRecord): ToldEvent | undefined {
    this.#updatedAt = Math.max(this.#updatedAt, record.at);
    switch (record.type) {
      case "session": {
        this.#session = record.session;
        this.#mode = record.session.approvalMode ?? DEFAULT_MODE;
        const { modelId, providerId } = record.session;
        if (modelId !== null) this.#fold.seed({ effectiveModel: { modelId, providerId, source: "default" } });
        for (const event of record.history) this.#event(event);
        return undefined;
      }
      case "received":
        if (record.method === "turn/start") this.#words.set(record.id, wordsOf(record.payload));
        return undefined;
      case "turn": {
        const { turnId, commandId, place } = record;
        const ref = { turnId, commandId, ...this.#words.get(keyOf(commandId)) };
        this.#words.delete(keyOf(commandId));
        if (place === "now") this.#active = ref;
        else if (place === "first") this.#queued.unshift(ref);
        else this.#queued.push(ref);
        return undefined;
      }
      case "launching": {
        const [first] = this.#queued;
        if (first?.turnId !== record.turnId) return undefined;
        this.#queued.shift();
        this.#active = first;
        return undefined;
      }
      case "requeued":
        if (this.#active !== null) this.#queued.unshift(this.#active);
        this.#active = null;
        return undefined;
      case "event":
        return this.#event(record);
      default:
        return undefined;
    }
  }

  /** What is told and not kept: with a cursor of its own that counts nothing. */
  passing(method: "item/started" | "item/delta", params: Readonly<Record<string, unknown>>): ToldEvent {
    const viewCursor = cursorOf(this.sessionId, this.ordinal, ++this.#fragment);
    if (method === "item/started") {
      const item = params["item"] as Item;
      this.#streaming.set(item.itemId, { ...item });
    } else {
      const { itemId, field, delta } = params as { itemId: string; field: string; delta: string };
      const item = this.#streaming.get(itemId);
      if (item !== undefined) addText(item, field, delta);
    }
    const told = { sessionId: this.sessionId, viewCursor, ...params };
    return { method, params: told as never, at: 0 };
  }

  /** A message that is being streamed, as far as it was told. */
  streaming(itemId: string): Item | undefined {
    return this.#streaming.get(itemId);
  }

  #event({ method, params, stream, at }: ViewEvent): ToldEvent {
    const ordinal = this.ordinal + 1;
    const of = stream ?? { kind: "session", id: this.sessionId };
    // A client may have named a turn like its session.
    const key = `${of.kind} ${of.id}`;
    const sequence = (this.#sequences.get(key) ?? 0) + 1;
    this.#sequences.set(key, sequence);
    const last = { id: `r${ordinal}`, sequence };
    const sourceRange = { stream: of, first: this.#firstOf(method, params, last), last };
    const event: ToldEvent = {
      method,
      params: {
        sessionId: this.sessionId,
        viewCursor: cursorOf(this.sessionId, ordinal),
        sourceRange,
        ...params,
      },
      at,
    };
    this.#events.push(event);
    if (this.#events.length > this.#retained * 1.25) {
      // In one go and not for each event: moving the list costs as much as the list is long.
      const excess = this.#events.length - this.#retained;
      this.#events = this.#events.slice(excess);
      this.#dropped += excess;
    }
    this.#fragment = 0;
    this.#fold.apply(method, event.params);
    this.#note(method, params as Readonly<Record<string, unknown>>, key);
    return event;
  }

  #firstOf(method: string, params: object, last: SourceRange["first"]): SourceRange["first"] {
    if (!method.startsWith("item/")) return last;
    const { itemId, status } = (params as { readonly item: Item }).item;
    const first = this.#firsts.get(itemId) ?? last;
    if (status === "inProgress") this.#firsts.set(itemId, first);
    else this.#firsts.delete(itemId);
    return first;
  }

  #note(method: string, params: Readonly<Record<string, unknown>>, stream: string): void {
    const turnId = params["turnId"];
    if (method === "turn/completed" || method === "turn/unqueued") {
      // One that was taken back is none of the session's turns.
      if (method === "turn/completed") this.#turnCount++;
      if (this.#active?.turnId === turnId) this.#active = null;
      else this.#queued = this.#queued.filter((ref) => ref.turnId !== turnId);
      // One that ended has said all; that of the session, which tells of turns that were taken back, goes on.
      if (method === "turn/completed") this.#sequences.delete(stream);
    } else if (method === "item/updated") {
      const item = params["item"] as Item;
      const streamed = this.#streaming.get(item.itemId);
      if (streamed !== undefined) Object.assign(streamed, item);
    } else if (method === "item/completed") {
      const item = params["item"] as Item;
      this.#streaming.delete(item.itemId);
      if (item.kind === "userMessage") this.#firstPrompt ??= shortened(item.text ?? "");
      if (item.kind === "compaction" && item.outcome === "compacted") this.#boundary = this.ordinal;
    } else if (method === "session/approvalModeChanged") {
      const { mode, source, commandId } = params as never as {
        mode: string;
        source: string;
        commandId: string;
      };
      this.#mode = { mode: mode as EffectiveApprovalModeState["mode"], source, lastCommandId: commandId };
    }
  }

  /** Where a cursor points: that of a reply, of an event, or of something that was told and not kept. */
  place(cursor: string): Place {
    const prefix = `v:${this.sessionId}:`;
    const digits = cursor.startsWith(prefix)
      ? /^(\d{1,15})(?:\.\d+)?$/.exec(cursor.slice(prefix.length))
      : null;
    const ordinal = digits === null ? Number.NaN : Number(digits[1]);
    if (!(ordinal <= this.ordinal)) return { kind: "unknown" };
    return ordinal < this.#dropped ? { kind: "truncated" } : { kind: "at", ordinal };
  }

  /** The event of a number; undefined where it is not kept, or did not happen yet. */
  event(ordinal: number): ToldEvent | undefined {
    return this.#events[ordinal - this.#dropped - 1];
  }

  /** Whether an approval or questions wait for the user, by its pointer. */
  get pendingRequests(): PendingRequestPointer[] {
    const { approvals, userInputs } = this.#fold.state;
    const pointers: PendingRequestPointer[] = [];
    for (const { approvalId, state, viewCursor = this.head } of approvals.values())
      if (state === "pending") pointers.push({ kind: "approval", approvalId, viewCursor });
    for (const { userInputId, state, viewCursor = this.head } of userInputs.values())
      if (state === "pending") pointers.push({ kind: "userInput", userInputId, viewCursor });
    return pointers;
  }

  /** What the host asks again, for each request that waits: its method, and its params as they were asked. */
  get openRequests(): {
    readonly method: "approval/request" | "userInput/request";
    readonly params: object;
  }[] {
    const { approvals, userInputs } = this.#fold.state;
    return [
      ...[...approvals.values()].flatMap(({ state, request, update }) =>
        state === "pending" && request !== undefined
          ? [{ method: "approval/request" as const, params: inForce(request, update) }]
          : [],
      ),
      ...[...userInputs.values()].flatMap(({ state, request }) =>
        state === "pending" && request !== undefined
          ? [{ method: "userInput/request" as const, params: request }]
          : [],
      ),
    ];
  }

  /** Whether an item was told. */
  hasItem(itemId: string): boolean {
    return this.#fold.state.items.has(itemId) || this.#streaming.has(itemId);
  }

  /** The session as it is, for who joins it. */
  snapshot(): ViewSnapshot {
    const base = { viewCursor: this.head, approvalMode: this.#mode, tokenUsage: NO_USAGE };
    const snapshot = snapshotOf(this.#fold, base);
    const { state } = snapshot;
    const streaming = new Map(this.#streaming);
    for (const [i, { itemId }] of state.items.entries()) {
      const item = streaming.get(itemId);
      if (item === undefined) continue;
      state.items[i] = { ...item };
      streaming.delete(itemId);
    }
    state.items.push(...[...streaming.values()].map((item) => ({ ...item })));
    state.activeTurn = this.#active;
    state.queuedTurns = [...this.#queued];
    state.turnCount = this.#turnCount;
    state.approvalMode = this.#mode;
    return { ...snapshot, viewCursor: this.head };
  }

  /** The row of the session. */
  row(path: string): Session {
    const { states, approvals, userInputs } = this.#fold.state;
    const model = states.effectiveModel?.value;
    const name = states.name?.value;
    const attention = [
      ...([...approvals.values()].some(({ state }) => state === "pending") ? ["approvalPending"] : []),
      ...([...userInputs.values()].some(({ state }) => state === "pending") ? ["inputPending"] : []),
    ];
    return {
      ...this.#session,
      path,
      status: this.#active === null ? "idle" : "running",
      activeTurnId: this.#active?.turnId ?? null,
      turnCount: this.#turnCount,
      updatedAt: new Date(this.#updatedAt).toISOString(),
      approvalMode: this.#mode,
      ...(model == null ? {} : { modelId: model.modelId, providerId: model.providerId }),
      ...(name == null ? {} : { name, nameOrigin: "custom" }),
      ...(this.#firstPrompt === undefined ? {} : { firstUserPrompt: this.#firstPrompt }),
      ...(attention.length === 0 ? {} : { attention }),
    };
  }
}

function inForce(request: object, update: { readonly [name: string]: unknown } | object | undefined): object {
  if (update === undefined) return request;
  const { currentRequirementId, availableChoices, subject } = update as Record<string, unknown>;
  return { ...request, currentRequirementId, availableChoices, subject };
}

function wordsOf(payload: Payload): Pick<TurnRef, "displayText" | "truncated"> {
  const { displayText, input } = payload as { displayText?: string; input?: never[] };
  const words = displayText ?? promptOf(input ?? []);
  if (words === "") return {};
  if (words.length <= SHOWN_WORDS) return { displayText: words };
  return { displayText: shortened(words), truncated: true };
}

/** As much of a text as is shown; never half a character. */
function shortened(words: string): string {
  return words.length <= SHOWN_WORDS ? words : words.slice(0, SHOWN_WORDS).replace(/[\uD800-\uDBFF]$/, "");
}
