/** What is sent, as data: it can be kept, made smaller, and sent again to another host. */

/**
 * What a frame is meant to be: `valid`, a message that the schema allows; `nearMiss`, one with one thing wrong; `hostile`,
 * text that breaks some rule of JSON, of the envelope or of taste; `script`, a step of a short story.
 */
export type FrameKind = "valid" | "nearMiss" | "hostile" | "script";

/** A frame to be sent. */
export interface FuzzFrame {
  readonly kind: FrameKind;
  /**
   * Without its line end. `{{...}}` stands for what is known only when it is sent: `{{id}}` a new request id, `{{new}}` a
   * new command id, `{{command:N}}` one that was used before, `{{seen:NAME:N}}` a text that the host has told under a
   * name, `"{{object:NAME:N}}"` an object, `{{long:N}}` and `{{deep:N}}` many letters and many brackets, `{{bytes:HEX}}`
   * bytes that need be no text.
   */
  readonly text: string;
  /** What is special about it, for people. */
  readonly why: string;
}

/** How a connection begins. */
export interface Opening {
  readonly experimental: boolean;
  readonly capabilities: readonly string[];
}

/**
 * Frames that are sent over one connection, in parts. The answers to a part are waited for before the next but one is
 * sent; those to the first parts, before the next one is.
 */
export interface FuzzCase {
  readonly opening: Opening;
  /** After how many of the first parts the host is left alone for a moment, so that it gets on with what it began. */
  readonly calm: number;
  readonly batches: readonly (readonly FuzzFrame[])[];
}

/** How many frames a case has. */
export function framesIn({ batches }: FuzzCase): number {
  return batches.reduce((sum, batch) => sum + batch.length, 0);
}
