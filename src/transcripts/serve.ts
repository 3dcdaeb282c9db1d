/**
 * A canned host on a pair of byte streams.
 */
import type { Readable, Writable } from "node:stream";
import { type FrameFault, FrameReader } from "../wire/frames.js";
import { CannedHost, type CannedHostOptions, type CannedStep } from "./canned-host.js";
import type { ServeFixtureReport } from "./report.js";
import type { Transcript } from "./transcript.js";

/** Where a canned host reads and writes. */
export interface ServeStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** Told how it ended, once what was sent before is written; the reading goes on after a complete session. */
  readonly onReport?: (report: ServeFixtureReport) => void;
}

/**
 * Plays a transcript to a client on two streams. Resolves with the report: when the client has ended its stream, or
 * at once when it did something that was not recorded. A client that reads no more is no fault.
 * @throws {TranscriptError} when the transcript cannot be played
 */
export async function serveStreams(
  transcript: Transcript,
  { input, output, onReport = () => undefined }: ServeStreams,
  options: CannedHostOptions = {},
): Promise<ServeFixtureReport> {
  const player = new CannedPlayer(transcript, options);
  // A client that is gone takes nothing more; whether it sent all of its frames is told by its own stream.
  let gone = output.destroyed;
  output.on("error", () => (gone = true));
  const carryOut = async ({ send, report }: CannedStep): Promise<void> => {
    if (send.length > 0 && !gone) await written(output, `${send.join("\n")}\n`);
    if (report !== undefined) onReport(report);
  };
  await carryOut(player.start());
  try {
    for await (const chunk of input) {
      for (const step of player.push(chunk as Buffer)) await carryOut(step);
      if (player.failed) break;
    }
  } catch {
    // a stream that breaks is a stream that ends
  }
  if (!player.failed) for (const step of player.end()) await carryOut(step);
  return player.report!;
}

/** A canned host behind a framer: bytes in, steps out. */
export class CannedPlayer {
  readonly #host: CannedHost;
  readonly #frames: FrameReader;
  #steps: CannedStep[] = [];

  /** @throws {TranscriptError} when the transcript cannot be played */
  constructor(transcript: Transcript, options: CannedHostOptions = {}) {
    this.#host = new CannedHost(transcript, options);
    this.#frames = new FrameReader({
      limitBytes: transcript.manifest.serverConfig.frameLimitBytes,
      onFrame: (text) => this.#steps.push(this.#host.receive(text)),
      onFault: (fault) => this.#steps.push(this.#host.malformed(...describedFault(fault))),
    });
  }

  /** How it ended; undefined while it goes on. */
  get report(): ServeFixtureReport | undefined {
    return this.#host.report;
  }

  /** Whether the client did something that was not recorded. */
  get failed(): boolean {
    return this.report?.kind === "serveFixtureFailure";
  }

  /** What the host sends before the client's first frame. */
  start(): CannedStep {
    return this.#host.start();
  }

  /** What the host does with the next bytes of the client. */
  push(chunk: Uint8Array): CannedStep[] {
    this.#frames.push(chunk);
    return this.#take();
  }

  /** What the host does when the client's stream has ended. */
  end(): CannedStep[] {
    this.#frames.end();
    this.#steps.push(this.#host.end());
    return this.#take();
  }

  #take(): CannedStep[] {
    const steps = this.#steps;
    this.#steps = [];
    return steps;
  }
}

/** What bytes that are no frame were, as far as they can be shown, and why they are none. */
export function describedFault(fault: FrameFault): [raw: string, errors: string[]] {
  switch (fault.kind) {
    case "tooLong":
      return [fault.prefix, [`the frame has more than ${fault.limitBytes} bytes`]];
    case "notUtf8":
      return [fault.text, ["the frame is not UTF-8"]];
    case "truncated":
      return [fault.text, ["the stream ended within the frame"]];
  }
}

/** Resolves when a text is written, or when nobody reads it any more. */
function written(output: Writable, text: string): Promise<void> {
  return new Promise((resolve) => {
    output.write(text, () => resolve());
  });
}
