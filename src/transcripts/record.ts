/**
 * A proxy between a client and a host that records what passes. Bytes pass unchanged and at once; a side that does
 * not read holds the other up, as it would without the proxy.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as after } from "node:timers/promises";
import { killGroup } from "../wire/process-group.js";
import type { Recording } from "./recording.js";
import type { Side } from "./transcript.js";

/** Between which ends a session is recorded. */
export interface RecordOptions {
  /** The host: a path, or a name that is looked up in PATH; no shell reads it. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** What the client sends. */
  readonly input: Readable;
  /** What the client reads. */
  readonly output: Writable;
  readonly recording: Recording;
  /** Told once, when frames can no longer be recorded. The session goes on without. */
  readonly onLost: (error: unknown) => void;
  /** Ends the session in order when it is aborted: what either side has sent still passes. */
  readonly stop?: AbortSignal;
  /** Ends the host at once when it is aborted. */
  readonly kill?: AbortSignal;
  /** Milliseconds from the end of the host's input, after a stop, to SIGTERM. Default: 30,000. */
  readonly shutdownTimeoutMs?: number;
  /** Milliseconds from SIGTERM to SIGKILL. Default: 1,500, so that a client's own ladder of 2,000 does not come first. */
  readonly killTimeoutMs?: number;
}

/** How the host ended. */
export interface HostExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** After a stop, so long without a byte of the client means that it has sent all; milliseconds. */
const QUIET_MS = 50;
/** How long processes that hold the host's output may outlive it in silence; milliseconds. */
const LEFTOVER_MS = 2_000;

/**
 * Starts a host, passes everything between it and the client, and records it. Resolves when the host has ended and
 * all that it wrote has passed. The host's standard error is this process's.
 * @throws what `spawn` gives when the host cannot be started; nothing has passed then
 */
export async function recordSession(options: RecordOptions): Promise<HostExit> {
  const { command, args, cwd, input, output, stop, kill } = options;
  const host = spawn(command, [...args], {
    cwd,
    stdio: ["pipe", "pipe", "inherit"],
    // A group of its own: an interrupt from the keyboard is the proxy's, which ends the host in order.
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  await once(host, "spawn");
  const tap = tapOf(options);
  const toHost = new Pass(input, host.stdin!, tap("client"));
  const toClient = new Pass(host.stdout!, output, tap("server"));
  void toHost.done.then(() => host.stdin!.end());
  const ended = new AbortController();
  onAbort(stop, () => void stopHost(host, toHost, options, ended.signal));
  onAbort(kill, () => killGroup(host, "SIGKILL"));
  const [code, signal] = (await once(host, "exit")) as [number | null, NodeJS.Signals | null];
  ended.abort();
  input.destroy();
  while (!(await toClient.endsWithin(LEFTOVER_MS)) && kill?.aborted !== true) {
    // What the host started may hold its output open; a client that reads slowly is waited for.
    if (toClient.idle) break;
  }
  host.stdout!.destroy();
  return { code, signal };
}

/** What passes from one stream to another. */
class Pass {
  /** Resolves when the source has ended. A sink that is gone ends nothing. */
  readonly done: Promise<void>;
  #chunks = 0;
  #seen = 0;
  #waiting = false;
  #over = false;

  constructor(source: Readable, sink: Writable, tap: (chunk: Buffer) => void) {
    this.done = this.#run(source, sink, tap).finally(() => {
      this.#over = true;
    });
  }

  /** Whether the source has ended. */
  get over(): boolean {
    return this.#over;
  }

  /** Whether nothing came since this was asked last, though it would have been taken. */
  get idle(): boolean {
    const idle = this.#seen === this.#chunks && !this.#waiting;
    this.#seen = this.#chunks;
    return idle;
  }

  /** Whether the source ends within some milliseconds. */
  async endsWithin(ms: number): Promise<boolean> {
    const timer = new AbortController();
    await Promise.race([this.done, after(ms, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
    return this.#over;
  }

  async #run(source: Readable, sink: Writable, tap: (chunk: Buffer) => void): Promise<void> {
    let gone = false;
    let wake = (): void => undefined;
    for (const event of ["error", "close"])
      sink.on(event, () => {
        gone = true;
        wake();
      });
    sink.on("drain", () => wake());
    try {
      for await (const chunk of source) {
        this.#chunks++;
        tap(chunk as Buffer);
        if (gone || sink.writableEnded || sink.write(chunk)) continue;
        this.#waiting = true;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        this.#waiting = false;
      }
    } catch {
      // a stream that breaks is a stream that ends
    }
  }
}

/** What records the bytes of a side, until that fails. */
function tapOf({ recording, onLost }: RecordOptions): (dir: Side) => (chunk: Buffer) => void {
  let lost = false;
  return (dir) => (chunk) => {
    if (lost) return;
    try {
      recording.add(dir, chunk);
    } catch (error) {
      lost = true;
      onLost(error);
    }
  };
}

/** Ends the host's input once the client's bytes that are under way have passed; then less and less kindly. */
async function stopHost(
  host: ChildProcess,
  toHost: Pass,
  { input, shutdownTimeoutMs = 30_000, killTimeoutMs = 1_500 }: RecordOptions,
  ended: AbortSignal,
): Promise<void> {
  const pause = (ms: number): Promise<void> => after(ms, undefined, { signal: ended }).catch(() => undefined);
  // A host that has the end of its input already has had its time.
  if (!toHost.over) {
    do await pause(QUIET_MS);
    while (!toHost.idle && !ended.aborted);
    // What comes from now on is not passed, so it must not be recorded either.
    input.destroy();
    host.stdin!.end();
    await pause(shutdownTimeoutMs);
  }
  if (ended.aborted) return;
  killGroup(host, "SIGTERM");
  await pause(killTimeoutMs);
  if (!ended.aborted) killGroup(host, "SIGKILL");
}

function onAbort(signal: AbortSignal | undefined, act: () => void): void {
  if (signal?.aborted === true) act();
  else signal?.addEventListener("abort", act, { once: true });
}
