/**
 * How items are folded: full objects by revision, and the text that is streamed into them.
 */
import type {
  Item,
  ItemDeltaParams,
  ItemStartedParams,
  ItemStatus,
} from "../../../generated/msp/experimental/types.js";
import { DEFAULT_FIELD, streamedTexts, textAt, withTextAt } from "./fields.js";
import { APPLIED, BUFFERED_DELTA, DUPLICATE, type FoldOutcome, STALE, UNUSABLE_PARAMS } from "./outcome.js";
import type { FoldedItem, FoldState, HeldItem, Known } from "./state.js";

/** Every other status is final, those included that a later release brings. */
const OPEN = "inProgress" satisfies Known<ItemStatus>;

/** Whether an item has not ended. */
export function isOpen(item: Item): boolean {
  return item.status === OPEN;
}

/** Whether a value has what the fold needs of an item. */
export function isItem(value: unknown): value is Item {
  if (typeof value !== "object" || value === null) return false;
  const { itemId, revision } = value as Partial<Item>;
  return typeof itemId === "string" && Number.isInteger(revision);
}

/** Folds a full object. */
export function foldItem(
  state: FoldState,
  { item, viewCursor }: Pick<ItemStartedParams, "item" | "viewCursor">,
  completes: boolean,
): FoldOutcome {
  if (!isItem(item)) return UNUSABLE_PARAMS;
  const held = state.items.get(item.itemId);
  if (held === undefined) {
    insert(state, item, viewCursor);
    return APPLIED;
  }
  const { revision } = held.item;
  // A host that numbers the end like the beginning would otherwise leave the item open for ever.
  const endsAnyway = completes && item.revision === revision && isOpen(held.item);
  if (item.revision <= revision && !endsAnyway) return STALE;
  held.item = item;
  keepStreams(held, held.streams);
  return APPLIED;
}

/** Folds appended text. */
export function foldDelta(
  state: FoldState,
  { itemId, field = DEFAULT_FIELD, delta, viewCursor }: ItemDeltaParams,
): FoldOutcome {
  if (typeof itemId !== "string" || typeof delta !== "string" || typeof field !== "string")
    return UNUSABLE_PARAMS;
  if (viewCursor === state.head && viewCursor !== undefined) return DUPLICATE;
  const held = state.items.get(itemId);
  if (held === undefined) {
    let streams = state.unseen.get(itemId);
    if (streams === undefined) state.unseen.set(itemId, (streams = new Map()));
    streams.set(field, (streams.get(field) ?? "") + delta);
    return BUFFERED_DELTA;
  }
  if (!isOpen(held.item)) return STALE;
  held.streams ??= new Map();
  held.streams.set(field, (held.streams.get(field) ?? textAt(held.item, field) ?? "") + delta);
  return APPLIED;
}

/** Puts in an item that was not seen before. */
export function insert(state: FoldState, item: Item, firstCursor: string | undefined): void {
  const held: HeldItem = { item, firstCursor, streams: undefined };
  state.items.set(item.itemId, held);
  state.lastItem = held;
  const early = state.unseen.get(item.itemId);
  if (early === undefined) return;
  state.unseen.delete(item.itemId);
  keepStreams(held, early);
}

/** Puts in an item of a snapshot, which has the text that was streamed so far in its members. */
export function insertSeeded(state: FoldState, item: Item): void {
  insert(state, item, undefined);
  const texts = isOpen(item) ? streamedTexts(item) : undefined;
  if (texts !== undefined && texts.size > 0 && state.lastItem !== undefined)
    state.lastItem.streams = new Map(texts);
}

/** The full object has the last word, wherever it has one. */
function keepStreams(held: HeldItem, streams: Map<string, string> | undefined): void {
  held.streams = undefined;
  if (streams === undefined || !isOpen(held.item)) return;
  for (const field of streams.keys()) if (textAt(held.item, field)) streams.delete(field);
  if (streams.size > 0) held.streams = streams;
}

/** Moves an item to the end of the order; nothing where it is not held. */
export function moveToEnd(state: FoldState, itemId: string): void {
  const held = state.items.get(itemId);
  if (held === undefined || held === state.lastItem) return;
  state.items.delete(itemId);
  state.items.set(itemId, held);
  state.lastItem = held;
}

/** An item as a person should see it: its last object, with the text that has been streamed since. */
export function shownItem({ item, streams }: FoldedItem): Item {
  let shown = item;
  for (const [field, text] of streams ?? []) shown = withTextAt(shown, field, text);
  return shown;
}

/** The text of a field of an item, streamed text included; undefined when it has none there. */
export function shownText({ item, streams }: FoldedItem, field: string = DEFAULT_FIELD): string | undefined {
  return streams?.get(field) ?? textAt(item, field);
}
