/**
 * One submit that is on its way: sent, or about to be, and not yet visible on the session view.
 */
import type { TurnStartDisposition, TurnStartResult } from "../../../generated/msp/stable/types.js";

/** The words of an open vocabulary that the schema names, without the openness: a misspelt one is then refused. */
type KnownWord<Word extends string> = Word extends string ? (string extends Word ? never : Word) : never;

const QUEUED = "queued" satisfies KnownWord<TurnStartDisposition>;

/** What the host said on admitting a submit. It admits only: what came of it is on the view. */
export type Ack = Pick<TurnStartResult, "turnId" | "disposition">;

/** A row of the pending set. Rows never change: what changes an entry puts a new row in its place. */
export interface PendingEntry<Input> {
  readonly commandId: string;
  /** What the caller submitted, as it was given. */
  readonly input: Input;
  /** Text to show for it, where it differs from the input. */
  readonly displayText?: string;
  /** The last answer of the host; absent until there was one. */
  readonly ack?: Readonly<Ack>;
  /** Item of the view below which to show the entry; null above all. */
  readonly anchorAfterItemId: string | null;
  /** Counts the submits of the set from 0: the order in which the client made them. */
  readonly submissionIndex: number;
  /** Place in the host's queue, from 0, as the last snapshot had it; absent where it had none. */
  readonly queuedOrder?: number;
}

/** Whether an ack promises a turn that waits in the host's queue. Words that nobody knows yet do not. */
export function isQueued(ack: Readonly<Ack> | undefined): boolean {
  return ack?.disposition === QUEUED;
}

/** An entry with an ack, of which no more is kept than what counts. */
export function withAck<Input>(
  entry: PendingEntry<Input>,
  { turnId, disposition }: Readonly<Ack>,
): PendingEntry<Input> {
  return { ...entry, ack: { turnId, disposition } };
}

/**
 * Entries in the order to show them: first what is not known to wait in the host's queue, as submitted; then what
 * waits there, in the order in which it will launch.
 */
export function inRenderOrder<Input>(entries: Iterable<PendingEntry<Input>>): PendingEntry<Input>[] {
  return [...entries].sort(
    (a, b) => (a.queuedOrder ?? -1) - (b.queuedOrder ?? -1) || a.submissionIndex - b.submissionIndex,
  );
}
