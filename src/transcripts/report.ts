/**
 * How a canned session ended, as the one line that the canned host prints.
 */
import type { Divergence } from "./differences.js";

/** Every recorded frame was exchanged. */
export interface ServeFixtureComplete {
  readonly kind: "serveFixtureComplete";
  readonly scenario: string;
  readonly clientFrames: number;
  readonly serverFrames: number;
}

/** The client did not do what was recorded. */
export interface ServeFixtureFailure {
  readonly kind: "serveFixtureFailure";
  readonly problem: /** A frame that differs from the recorded one. */
    | "frameDivergence"
    /** Bytes that are no frame. */
    | "malformedClientFrame"
    /** No more frames, though more were recorded. */
    | "clientEof";
  readonly scenario: string;
  /** 1-based line of the transcript: the client's frame that was expected. */
  readonly transcriptLine: number;
  /** As recorded. */
  readonly expectedFrame: string;
  /** What the client sent; null where it sent nothing. */
  readonly receivedFrame: string | null;
  readonly divergences: readonly Divergence[];
  /** Why a malformed frame is no frame. */
  readonly errors: readonly string[];
}

/** How a canned session ended. */
export type ServeFixtureReport = ServeFixtureComplete | ServeFixtureFailure;
