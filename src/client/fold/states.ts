/**
 * How the parts of the session's state are folded: the latest to arrive replaces what was there.
 */
import { APPLIED, DUPLICATE, type FoldOutcome, UNUSABLE_PARAMS } from "./outcome.js";
import type { FoldedState, FoldState, StateFamily } from "./state.js";

/**
 * Folds a new state of a family.
 * @param value what a snapshot would say of it; undefined where the event lacks it
 */
export function foldState<F extends StateFamily>(
  state: FoldState,
  family: F,
  params: { readonly viewCursor: string },
  value: FoldedState<F>["value"] | undefined,
): FoldOutcome {
  if (value === undefined) return UNUSABLE_PARAMS;
  const { viewCursor } = params;
  if (viewCursor !== undefined && state.states[family]?.cursor === viewCursor) return DUPLICATE;
  setState(state, family, { value, cursor: viewCursor, event: params });
  return APPLIED;
}

/** Puts in the state of a family. */
export function setState<F extends StateFamily>(state: FoldState, family: F, folded: FoldedState<F>): void {
  const states: { [K in F]: FoldedState<K> | undefined } = state.states;
  states[family] = folded;
}
