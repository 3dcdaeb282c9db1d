/**
 * The transport of a client that spawns its host: the standard streams of a child process in a group of its own.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as after } from "node:timers/promises";
import { killGroup } from "./process-group.js";
import { StreamsTransport } from "./streams.js";
import type { Receiver, Transport } from "./transport.js";

/** Which program to run, and how long to wait for its end. */
export interface ChildProcessOptions {
  /** A path, or a name that is looked up in PATH. No shell reads it. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Working folder of the child. Default: this process's. */
  readonly cwd?: string;
  /** The whole environment of the child. Default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds from `close` to SIGTERM, 0 to 2,147,483,647. Default: 30,000. */
  readonly shutdownTimeoutMs?: number;
  /** Milliseconds from SIGTERM to SIGKILL. Default: 2,000. */
  readonly killTimeoutMs?: number;
  /** Gets what the child writes to standard error, as it comes. The tail is kept all the same. */
  readonly onStderr?: (text: string) => void;
}

/** How a child ended. Both null: it never ran. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program that could not be started. Told by `kind`. */
export class SpawnError extends Error {
  readonly kind = "spawnFailed";
  readonly command: string;

  constructor(command: string, cause: Error) {
    super(`${command}: cannot be started: ${cause.message}`, { cause });
    this.name = "SpawnError";
    this.command = command;
  }
}

/** Whether an error is a {@link SpawnError}. */
export function isSpawnError(error: Error): error is SpawnError {
  return "kind" in error && error.kind === ("spawnFailed" satisfies SpawnError["kind"]);
}

const TAIL_BYTES = 8_192;
const TAIL_LINES = 100;
/** How long processes that hold the child's streams may outlive it; milliseconds. */
const LEFTOVER_MS = 2_000;
const MOST_MS = 2_147_483_647;

/** A running child and the connection to it. */
export class ChildProcessTransport implements Transport {
  readonly #child: ChildProcess;
  readonly #streams: StreamsTransport;
  readonly #shutdownTimeoutMs: number;
  readonly #killTimeoutMs: number;
  readonly #exit: Promise<ChildExit>;
  /** Its streams are read to their ends, standard error too. */
  readonly #streamsClosed: Promise<void>;
  #spawnError: SpawnError | undefined;
  #tail = "";
  #exited = false;
  #closing: Promise<void> | undefined;

  constructor(options: ChildProcessOptions) {
    this.#shutdownTimeoutMs = milliseconds("shutdownTimeoutMs", options.shutdownTimeoutMs ?? 30_000);
    this.#killTimeoutMs = milliseconds("killTimeoutMs", options.killTimeoutMs ?? 2_000);
    const { command, args = [], cwd, env, onStderr } = options;
    const child = spawn(command, [...args], {
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
      stdio: ["pipe", "pipe", "pipe"],
      // A group of its own, so that what the host started can be ended with it.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    this.#child = child;
    this.#streams = new StreamsTransport({ input: child.stdout!, output: child.stdin! });
    child.stderr!.setEncoding("utf8");
    child.stderr!.on("data", (text: string) => {
      this.#tail = tailOf(this.#tail + text);
      onStderr?.(text);
    });
    child.stderr!.on("error", () => undefined); // the tail is a courtesy
    this.#streamsClosed = new Promise((resolve) => {
      child.once("close", () => resolve());
    });
    this.#exit = new Promise((resolve) => {
      child.once("error", (error) => {
        // Also emitted for a signal that could not be sent; then the child runs on.
        if (child.pid !== undefined) return;
        this.#spawnError = new SpawnError(command, error);
        this.#exited = true;
        this.#streams.end(this.#spawnError);
        resolve({ code: null, signal: null });
      });
      child.once("exit", (code, signal) => {
        this.#exited = true;
        resolve({ code, signal });
        this.#endLeftovers();
      });
    });
  }

  /** The child's process id, which is its group's too; undefined where it never ran. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves when the child has ended. */
  get exit(): Promise<ChildExit> {
    return this.#exit;
  }

  /**
   * The last that the child wrote to standard error: at most 8 KiB and 100 lines, complete once `close` has resolved.
   * For people; never to be parsed.
   */
  get stderrTail(): string {
    return this.#tail;
  }

  open(receiver: Receiver): void {
    this.#streams.open(receiver);
    if (this.#spawnError !== undefined) queueMicrotask(() => receiver.ended(this.#spawnError));
  }

  write(frames: string): boolean {
    return this.#streams.write(frames);
  }

  pause(): void {
    this.#streams.pause();
  }

  resume(): void {
    this.#streams.resume();
  }

  /** Sends a signal to the child and all that it started. */
  kill(signal: NodeJS.Signals): void {
    killGroup(this.#child, signal);
  }

  /** Ends standard input, waits, sends SIGTERM, waits, sends SIGKILL. Resolves when the child has ended. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const done = new AbortController();
    const pause = (ms: number): Promise<void> =>
      after(ms, undefined, { signal: done.signal }).catch(() => undefined);
    // What waits to be written has the same budget: a child that reads nothing does not hold this up.
    void this.#streams.endOutput();
    this.#streams.resume();
    await Promise.race([this.#exit, pause(this.#shutdownTimeoutMs)]);
    if (!this.#exited) {
      this.kill("SIGTERM");
      await Promise.race([this.#exit, pause(this.#killTimeoutMs)]);
      if (!this.#exited) this.kill("SIGKILL");
    }
    await this.#exit;
    done.abort();
    await this.#streams.close();
    if (this.#spawnError === undefined) await this.#streamsClosed;
  }

  /** The child is gone; what it started may hold its streams for a while, and no longer. */
  #endLeftovers(): void {
    const timer = setTimeout(() => {
      this.#child.stdout?.destroy();
      this.#child.stdin?.destroy();
      this.#child.stderr?.destroy();
    }, LEFTOVER_MS);
    this.#child.once("close", () => clearTimeout(timer));
  }
}

/** Starts a program; the connection to it. A program that cannot be started ends the connection with {@link SpawnError}. */
export function spawnHost(options: ChildProcessOptions): ChildProcessTransport {
  return new ChildProcessTransport(options);
}

function milliseconds(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 0 && value <= MOST_MS) return value;
  throw new RangeError(`${name} must be an integer from 0 to ${MOST_MS}, not ${value}`);
}

function tailOf(text: string): string {
  const bytes = Buffer.from(text);
  let cut = bytes.length - TAIL_BYTES;
  // Not in the middle of a character.
  while (cut > 0 && ((bytes[cut] ?? 0) & 0xc0) === 0x80) cut++;
  const kept = cut > 0 ? bytes.subarray(cut).toString() : text;
  const lines = kept.split("\n");
  // The last piece is a line that is not finished, or nothing.
  return lines.slice(-(TAIL_LINES + 1)).join("\n");
}
