/** The life of a host that is a program: a process group of its own, which is killed whole and leaves nothing behind. */
import { randomUUID } from "node:crypto";
import { setTimeout as after } from "node:timers/promises";
import { type ChildProcessTransport, isSpawnError, spawnHost } from "../../wire/child-process.js";
import { CRASH_MS, runCrashCommand } from "./crash-command.js";
import { DriverError, type HostExit } from "./driver.js";
import { commandOf, killAll, MARK, memoryOfGroup, remainsAfterDeath, remainsOf } from "./survivors.js";

/** How a host is started, and how it is ended. */
export interface ProcessOptions {
  /** The program and its words; no shell reads them. */
  readonly words: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `SIGKILL` to the group, or the words of a command that kills the host; `{pid}` in them is the id of its process. */
  readonly crash: "SIGKILL" | readonly string[];
  /** What asks the host to end: the end of its standard input, or SIGTERM. */
  readonly stop: "endOfInput" | "SIGTERM";
  /** Milliseconds from being asked to end to being made to. */
  readonly stopMs: number;
}

/** A host that was started. */
export class HostProcess {
  readonly transport: ChildProcessTransport;
  /** Resolves when the process has ended; what it started may live. */
  readonly ended: Promise<HostExit>;
  readonly #options: ProcessOptions;
  readonly #mark: string;
  readonly #pid: number;
  #planned: NodeJS.Timeout | undefined;
  #exited = false;
  #ending: Promise<unknown> | undefined;

  private constructor(transport: ChildProcessTransport, options: ProcessOptions, mark: string, pid: number) {
    this.transport = transport;
    this.#options = options;
    this.#mark = mark;
    this.#pid = pid;
    this.ended = transport.exit;
    void this.ended.then(() => {
      this.#exited = true;
    });
    livesOn(this);
  }

  /**
   * Starts a program.
   * @throws {DriverError} `cannotStart` where there is no such program
   */
  static async start(options: ProcessOptions): Promise<HostProcess> {
    const [command = "", ...args] = options.words;
    const mark = randomUUID();
    const { cwd, env, stopMs } = options;
    const transport = spawnHost({
      command,
      args,
      cwd,
      env: { ...env, [MARK]: mark },
      shutdownTimeoutMs: stopMs,
    });
    const { pid } = transport;
    if (pid !== undefined) return new HostProcess(transport, options, mark, pid);
    const error = await new Promise<Error | undefined>((resolve) => {
      transport.open({ bytes: () => undefined, drained: () => undefined, ended: resolve });
    });
    const why = error !== undefined && isSpawnError(error) ? error.message : `${command} did not start`;
    throw new DriverError("cannotStart", why, { cause: error });
  }

  /** Id of the process that was started, and of its group. */
  get pid(): number {
    return this.#pid;
  }

  get stderrTail(): string {
    return this.transport.stderrTail;
  }

  /** Bytes of memory that its group uses, where that can be known. */
  memoryBytes(): number | undefined {
    return memoryOfGroup(this.#pid);
  }

  /** Kills it after a while, without waiting for that. */
  crashAfter(delayMs: number): void {
    clearTimeout(this.#planned);
    const kill = () => void this.#kill().catch(() => undefined);
    // A timer takes a millisecond at the least, in which a quick host has answered.
    if (delayMs === 0) setImmediate(kill);
    else this.#planned = setTimeout(kill, delayMs);
  }

  /**
   * Kills it; resolves when nothing of it lives.
   * @throws {DriverError} `survivor` where something does, which is then killed
   */
  async crash(): Promise<void> {
    clearTimeout(this.#planned);
    try {
      await this.#kill();
    } catch (error) {
      // What cannot be crashed as it is said must not live on either.
      this.abandon();
      this.#isGone();
      throw error;
    }
    await this.#mustDie();
  }

  /** Asks it to end, and makes it where it does not; resolves when nothing of it lives. Throws as {@link crash} does. */
  async stop(): Promise<HostExit> {
    clearTimeout(this.#planned);
    const { stop } = this.#options;
    if (stop === "SIGTERM") this.transport.kill("SIGTERM");
    await this.transport.close();
    await this.#mustDie();
    return this.ended;
  }

  /** Kills all of it now, without looking at what comes of it. */
  abandon(): void {
    killAll(remainsOf(this.#pid, this.#mark));
  }

  async #kill(): Promise<void> {
    const { crash } = this.#options;
    if (crash === "SIGKILL" || this.#exited) this.transport.kill("SIGKILL");
    // A second crash command would find nothing to kill.
    else this.#ending ??= runCrashCommand(crash, this.#options, this.#pid);
    await this.#ending;
  }

  async #mustDie(): Promise<void> {
    const dead = await within(this.ended, CRASH_MS);
    const left = await remainsAfterDeath(this.#pid, this.#mark);
    if (dead && left.length === 0) return this.#isGone();
    const told = left.map(commandOf).join(", ");
    this.abandon();
    this.#isGone();
    const [command = ""] = this.#options.words;
    throw new DriverError(
      "survivor",
      `${command} was killed and something of it lived on: ${told === "" ? `process ${this.#pid}` : told}`,
    );
  }

  #isGone(): void {
    hosts.delete(this);
    // What it wrote last is read to its end, and its pipes are let go.
    void this.transport.close();
  }
}

/** Whether something comes to its end in time. */
export async function within(done: Promise<unknown>, ms: number): Promise<boolean> {
  const patience = new AbortController();
  const late = after(ms, false, { signal: patience.signal }).catch(() => false);
  const first = await Promise.race([done.then(() => true), late]);
  patience.abort();
  return first;
}

/** Hosts that may live. Nothing of them is to outlive this process. */
const hosts = new Set<HostProcess>();
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
let watches = false;

function livesOn(host: HostProcess): void {
  hosts.add(host);
  if (watches) return;
  watches = true;
  process.on("exit", abandonAll);
  for (const signal of SIGNALS) {
    const die = () => {
      // Where others listen too, it is they who say what becomes of this process.
      if (process.listenerCount(signal) > 1) return;
      abandonAll();
      process.off(signal, die);
      process.kill(process.pid, signal);
    };
    process.on(signal, die);
  }
}

function abandonAll(): void {
  for (const host of hosts) host.abandon();
  hosts.clear();
}
