/**
 * What comes of a frame that is folded: always data, never an exception, so that no frame of a host can end the loop
 * that reads it.
 */

/** What a fold did with a frame. */
export type FoldOutcome =
  /** The view is another one now. */
  | { readonly kind: "applied" }
  /** The text is kept until its item is seen. */
  | { readonly kind: "bufferedDelta" }
  /** The view already knows better: a lower revision, a turn that has ended, an approval that nobody waits for. */
  | { readonly kind: "ignoredStale" }
  /** This very event, told by its cursor, is in the view. */
  | { readonly kind: "ignoredDuplicate" }
  /** A message of the protocol that says nothing about the view's state. */
  | { readonly kind: "notFolded" }
  /** A method that this release of the protocol lacks, or params without the members that the fold needs. */
  | { readonly kind: "unrecognised"; readonly why: "method" | "params" }
  /** A frame of another session. */
  | { readonly kind: "foreignSession" }
  /** Events are missing from here on; see {@link FoldedGap}. */
  | { readonly kind: "gapOpened" }
  /** More events are missing than was known. */
  | { readonly kind: "gapExtended" }
  /** The host that kept this session is gone and so is the session. */
  | { readonly kind: "refusedSessionDiscarded" };

// One object each: an outcome costs nothing.
export const APPLIED: FoldOutcome = { kind: "applied" };
export const BUFFERED_DELTA: FoldOutcome = { kind: "bufferedDelta" };
export const STALE: FoldOutcome = { kind: "ignoredStale" };
export const DUPLICATE: FoldOutcome = { kind: "ignoredDuplicate" };
export const NOT_FOLDED: FoldOutcome = { kind: "notFolded" };
export const UNKNOWN_METHOD: FoldOutcome = { kind: "unrecognised", why: "method" };
export const UNUSABLE_PARAMS: FoldOutcome = { kind: "unrecognised", why: "params" };
export const FOREIGN_SESSION: FoldOutcome = { kind: "foreignSession" };
export const GAP_OPENED: FoldOutcome = { kind: "gapOpened" };
export const GAP_EXTENDED: FoldOutcome = { kind: "gapExtended" };
export const DISCARDED: FoldOutcome = { kind: "refusedSessionDiscarded" };
