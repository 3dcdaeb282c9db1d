/**
 * How questions to the user are folded. The first settlement is final.
 */
import type {
  UserInputRequestParams,
  UserInputSettledParams,
} from "../../../generated/msp/experimental/types.js";
import { APPLIED, DUPLICATE, type FoldOutcome, STALE, UNUSABLE_PARAMS } from "./outcome.js";
import type { FoldedUserInput, FoldState, Writable } from "./state.js";

/** Folds `userInput/requested`, and the request that the host sends with it. */
export function foldAsked(state: FoldState, params: UserInputRequestParams): FoldOutcome {
  const { userInputId, viewCursor, itemId } = params;
  if (typeof userInputId !== "string") return UNUSABLE_PARAMS;
  const input = state.userInputs.get(userInputId) ?? newUserInput(state, userInputId);
  const repeats = input.request !== undefined && input.viewCursor === viewCursor;
  if (input.state === "pending" && repeats) return DUPLICATE;
  input.itemId = itemId;
  input.viewCursor = viewCursor;
  // It may be paged after the settlement was delivered: what was asked is worth having.
  input.request = params;
  return input.state === "settled" ? STALE : APPLIED;
}

/** Folds `userInput/settled`. */
export function foldSettled(state: FoldState, params: UserInputSettledParams): FoldOutcome {
  const { userInputId } = params;
  if (typeof userInputId !== "string") return UNUSABLE_PARAMS;
  const input = state.userInputs.get(userInputId) ?? newUserInput(state, userInputId);
  if (input.state === "settled") return STALE;
  input.state = "settled";
  input.settled = params;
  return APPLIED;
}

/** Puts in a question to which a snapshot or a reply points; nothing where it is known. */
export function pointToUserInput(
  state: FoldState,
  pointer: { readonly userInputId: string; readonly itemId?: string; readonly viewCursor: string },
): void {
  if (state.userInputs.has(pointer.userInputId)) return;
  const input = newUserInput(state, pointer.userInputId);
  input.itemId = pointer.itemId;
  input.viewCursor = pointer.viewCursor;
}

function newUserInput(state: FoldState, userInputId: string): Writable<FoldedUserInput> {
  const input: Writable<FoldedUserInput> = {
    userInputId,
    state: "pending",
    itemId: undefined,
    viewCursor: undefined,
    request: undefined,
    settled: undefined,
  };
  state.userInputs.set(userInputId, input);
  return input;
}
