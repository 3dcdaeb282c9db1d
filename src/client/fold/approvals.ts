/**
 * How approvals are folded. The first resolution is final. A request comes up to three times: as a view event, as the
 * host's own request under the same cursor, and again after a resume.
 */
import type {
  ApprovalRequestParams,
  ApprovalResolvedParams,
  ApprovalUpdatedParams,
} from "../../../generated/msp/experimental/types.js";
import { APPLIED, DUPLICATE, type FoldOutcome, STALE, UNUSABLE_PARAMS } from "./outcome.js";
import type { FoldedApproval, FoldState, Writable } from "./state.js";

/** Folds `approval/requested`, and the request that the host sends with it. */
export function foldRequested(state: FoldState, params: ApprovalRequestParams): FoldOutcome {
  const { approvalId, viewCursor, itemId } = params;
  if (typeof approvalId !== "string") return UNUSABLE_PARAMS;
  const held = state.approvals.get(approvalId);
  if (held?.state === "resolved") {
    // It may be paged after the resolution was delivered: what was asked is worth having.
    held.request = params;
    held.itemId = itemId;
    held.viewCursor = viewCursor;
    return STALE;
  }
  // The same request again, perhaps after an update: the update is newer.
  if (held?.state === "pending" && held.request !== undefined && held.viewCursor === viewCursor)
    return DUPLICATE;
  const approval = held ?? newApproval(state, approvalId);
  approval.state = "pending";
  approval.itemId = itemId;
  approval.viewCursor = viewCursor;
  approval.request = params;
  approval.update = undefined;
  return APPLIED;
}

/** Folds `approval/reviewing`: a call that nobody is asked about yet. */
export function foldReviewing(state: FoldState, params: ApprovalRequestParams): FoldOutcome {
  const { approvalId, viewCursor, itemId } = params;
  if (typeof approvalId !== "string") return UNUSABLE_PARAMS;
  const held = state.approvals.get(approvalId);
  if (held !== undefined && held.state !== "reviewing") {
    held.request ??= params;
    held.viewCursor ??= viewCursor;
    return STALE;
  }
  const approval = held ?? newApproval(state, approvalId);
  approval.state = "reviewing";
  approval.itemId = itemId;
  approval.viewCursor = viewCursor;
  approval.request = params;
  return APPLIED;
}

/** Folds `approval/updated`. */
export function foldUpdated(state: FoldState, params: ApprovalUpdatedParams): FoldOutcome {
  const { approvalId, viewCursor } = params;
  if (typeof approvalId !== "string") return UNUSABLE_PARAMS;
  const held = state.approvals.get(approvalId);
  if (held?.state !== "pending") return STALE;
  if (viewCursor !== undefined && held.update?.viewCursor === viewCursor) return DUPLICATE;
  held.update = params;
  return APPLIED;
}

/** Folds `approval/resolved`. */
export function foldResolved(state: FoldState, params: ApprovalResolvedParams): FoldOutcome {
  const { approvalId, itemId } = params;
  if (typeof approvalId !== "string") return UNUSABLE_PARAMS;
  const approval = state.approvals.get(approvalId) ?? newApproval(state, approvalId);
  if (approval.state === "resolved") return STALE;
  approval.state = "resolved";
  approval.itemId ??= itemId;
  approval.update = undefined;
  approval.resolved = params;
  return APPLIED;
}

/** Puts in an approval to which a snapshot or a reply points; nothing where it is known. */
export function pointToApproval(
  state: FoldState,
  pointer: { readonly approvalId: string; readonly itemId?: string; readonly viewCursor: string },
): void {
  if (state.approvals.has(pointer.approvalId)) return;
  const approval = newApproval(state, pointer.approvalId);
  approval.itemId = pointer.itemId;
  approval.viewCursor = pointer.viewCursor;
}

function newApproval(state: FoldState, approvalId: string): Writable<FoldedApproval> {
  const approval: Writable<FoldedApproval> = {
    approvalId,
    state: "pending",
    itemId: undefined,
    viewCursor: undefined,
    request: undefined,
    update: undefined,
    resolved: undefined,
  };
  state.approvals.set(approvalId, approval);
  return approval;
}
