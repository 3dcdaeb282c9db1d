/**
 * A transport carries bytes between two peers: a pair of pipes, a child process, a WebSocket, a pair in memory. All
 * behave alike, and one suite of tests holds them to it.
 */

/** What a transport delivers to. */
export interface Receiver {
  /** The next bytes, cut anywhere. They are the receiver's until it returns. */
  bytes(chunk: Uint8Array): void;
  /** More may be written: what was written before is gone. Called after a write that answered false. */
  drained(): void;
  /**
   * Nothing will be delivered any more; called once, last. `error` says why, where it was not an orderly end. What is
   * written may still arrive, until this end is closed too.
   */
  ended(error?: Error): void;
}

/** One end of a connection. */
export interface Transport {
  /** Begins to deliver. Called once; nothing is delivered before it returns. */
  open(receiver: Receiver): void;
  /**
   * Writes text made of whole frames, each with its line end. False asks to wait for `drained`; the text is taken
   * all the same. Never throws; where the connection is over, the text goes nowhere.
   */
  write(frames: string): boolean;
  /** Asks for no more bytes until `resume`. Some may still come. */
  pause(): void;
  /** Asks for bytes again. */
  resume(): void;
  /**
   * Ends the connection in order: what was written is delivered, and what the other end still writes arrives.
   * Resolves when both have ended; the same promise again.
   */
  close(): Promise<void>;
}
