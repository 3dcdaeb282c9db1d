/**
 * Replays a recorded session against a live host that is started for it.
 */
import { setTimeout as after } from "node:timers/promises";
import {
  type ChildExit,
  type ChildProcessOptions,
  type ChildProcessTransport,
  spawnHost,
} from "../../wire/child-process.js";
import { FrameReader } from "../../wire/frames.js";
import { describedFault } from "../serve.js";
import type { Transcript } from "../transcript.js";
import { type Passed, ReplayPlayer, type ReplayPlayerOptions } from "./player.js";
import type { ReplayReport } from "./report.js";

/** Against which host a session is replayed, and how patiently. */
export interface ReplayOptions extends ReplayPlayerOptions {
  readonly host: Omit<ChildProcessOptions, "shutdownTimeoutMs" | "killTimeoutMs">;
  /** Milliseconds for each frame of the host, and for its end once its input has ended. Default: 10,000. */
  readonly timeoutMs?: number;
}

/** What came of a replay. */
export interface Replayed {
  readonly report: ReplayReport;
  /** What passed, up to the end of the host's input, and whatever came after it that is no part of an orderly end. */
  readonly passed: readonly Passed[];
}

const IS_HOST_DIED_ERROR = Symbol.for("mspkit.hostDiedError");

/** A host that ended before the recorded session did. Nothing is said about what it would have done. */
export class HostDiedError extends Error {
  /** Told by this mark and not by its class, since a program may hold two copies of this module. */
  readonly [IS_HOST_DIED_ERROR] = true;
  override readonly name = "HostDiedError";
  readonly kind = "hostDied";
  readonly exit: ChildExit;
  /** The last that it wrote to standard error; for people. */
  readonly stderrTail: string;

  constructor(exit: ChildExit, stderrTail: string, line: number) {
    const how = exit.signal === null ? `with exit code ${exit.code}` : `by ${exit.signal}`;
    super(`the host ended ${how} before line ${line} of the transcript`);
    this.exit = exit;
    this.stderrTail = stderrTail;
  }
}

/** Whether a value is a {@link HostDiedError}. */
export function isHostDiedError(value: unknown): value is HostDiedError {
  return typeof value === "object" && value !== null && IS_HOST_DIED_ERROR in value;
}

/** After the last recorded frame, so long without another means that the host's input may end; milliseconds. */
const QUIET_MS = 100;

/**
 * Starts a host, plays the client's side of a session to it, and compares what it says. After the last recorded frame
 * its input is closed, and all that it says until it ends is read: only what an orderly shutdown sends may come then,
 * and it must exit with 0.
 * @throws {TranscriptError} when the transcript cannot be played
 * @throws {SpawnError} when the host cannot be started
 * @throws {HostDiedError} when the host ends before the last recorded frame
 */
export async function replaySession(
  transcript: Transcript,
  { host, timeoutMs = 10_000, ...options }: ReplayOptions,
): Promise<Replayed> {
  const player = new ReplayPlayer(transcript, options);
  const transport = spawnHost({ ...host, shutdownTimeoutMs: timeoutMs });
  const session = new Conversation(transport, player, transcript.manifest.serverConfig.frameLimitBytes);
  try {
    await session.play(timeoutMs);
  } finally {
    player.endInput();
    await transport.close();
  }
  return { report: player.end(await transport.exit), passed: player.passed };
}

/** Frames between a player and a host. */
class Conversation {
  readonly #transport: ChildProcessTransport;
  readonly #player: ReplayPlayer;
  #frames = 0;
  #ended: { readonly error?: Error } | undefined;
  #wake = (): void => undefined;

  constructor(transport: ChildProcessTransport, player: ReplayPlayer, limitBytes: number) {
    this.#transport = transport;
    this.#player = player;
    const reader = new FrameReader({
      limitBytes,
      onFrame: (text) => this.#next(player.receive(text)),
      onFault: (fault) => this.#next(player.malformed(...describedFault(fault))),
    });
    transport.open({
      bytes: (chunk) => reader.push(chunk),
      drained: () => undefined,
      ended: (error) => {
        this.#ended = error === undefined ? {} : { error };
        // Half a frame of a host that died early is no frame that it got wrong.
        if (!player.waiting) reader.end();
        this.#wake();
      },
    });
  }

  /** Plays to the last recorded frame, or to the first that differs, and listens for a moment for more. */
  async play(timeoutMs: number): Promise<void> {
    this.#write(this.#player.start());
    while (this.#player.waiting) {
      if (await this.#frameWithin(timeoutMs)) continue;
      if (this.#ended !== undefined) await this.#died(this.#ended.error);
      this.#write(this.#player.missing());
    }
    if (!this.#player.over) while (await this.#frameWithin(QUIET_MS));
  }

  /** The host is gone although more was to come. What it is to be told of that is its exit. */
  async #died(error: Error | undefined): Promise<never> {
    await this.#transport.close();
    const exit = await this.#transport.exit;
    if (exit.code === null && exit.signal === null && error !== undefined) throw error;
    throw new HostDiedError(exit, this.#transport.stderrTail, this.#player.line);
  }

  /** Whether a frame comes before the time is over and before the stream is. */
  async #frameWithin(ms: number): Promise<boolean> {
    const seen = this.#frames;
    const timer = new AbortController();
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    if (this.#ended === undefined)
      await Promise.race([woken, after(ms, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
    return this.#frames > seen;
  }

  #next(lines: readonly string[]): void {
    this.#frames++;
    this.#write(lines);
    this.#wake();
  }

  #write(lines: readonly string[]): void {
    if (lines.length > 0) this.#transport.write(lines.map((line) => `${line}\n`).join(""));
  }
}
