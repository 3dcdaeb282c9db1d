/**
 * How a replay ended.
 */
import type { Divergence } from "../differences.js";

/** The host did what was recorded. */
export interface ReplayComplete {
  readonly kind: "replayComplete";
  readonly scenario: string;
  readonly clientFrames: number;
  readonly serverFrames: number;
}

/** The host did not do what was recorded. */
export interface ReplayFailure {
  readonly kind: "replayFailure";
  readonly problem: /** A frame that differs from the recorded one. */
    | "frameDivergence"
    /** Nothing came, though a frame was recorded. */
    | "frameMissing"
    /** A frame after the last recorded one, and no part of an orderly end. */
    | "frameExtra"
    /** Bytes that are no frame. */
    | "malformedHostFrame"
    /** All frames came, but the host did not end in order when its input did. */
    | "hostExit";
  readonly scenario: string;
  /** 1-based line of the transcript: the host's frame that was expected; the last line where none was. */
  readonly transcriptLine: number;
  /** As recorded; null where no frame was. */
  readonly expectedFrame: string | null;
  /** What the host sent; null where it sent nothing. */
  readonly receivedFrame: string | null;
  readonly divergences: readonly Divergence[];
  /** Why a frame is none, or how the host ended. */
  readonly errors: readonly string[];
}

/** How a replay ended. */
export type ReplayReport = ReplayComplete | ReplayFailure;
