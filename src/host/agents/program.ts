/** A program that does the work of one turn: started, listened to, ended with all that it started. */
import { type ChildProcess, spawn } from "node:child_process";
import { setImmediate as nextTurn } from "node:timers/promises";
import { killGroup } from "../../wire/process-group.js";

/** How a program is run. */
export interface ProgramOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds from SIGTERM to SIGKILL. */
  readonly killTimeoutMs: number;
  /** Milliseconds of waiting for streams that others hold open when the program has ended. */
  readonly leftoverMs: number;
  /** Gets the lines of standard error. */
  readonly onLog: (line: string) => void;
}

/** How a program ended. */
export interface ProgramExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A line of standard error has at most so many characters; a longer one is told in pieces. */
const LONGEST_LINE = 8_192;

/** The host's own secret: no program that it runs needs it. */
const NOT_HANDED_ON = "MSPKIT_TOKEN";

/** A running program. */
export class Program {
  readonly #child: ChildProcess;
  readonly #options: ProgramOptions;
  readonly #exited: Promise<ProgramExit>;
  #exit: ProgramExit | undefined;
  #leftoverMs: number;
  #stopping = false;
  #errorLine = "";
  #lastError = "";
  #errorEnded = false;
  #wake: () => void = () => undefined;

  private constructor(child: ChildProcess, options: ProgramOptions) {
    this.#child = child;
    this.#options = options;
    this.#leftoverMs = options.leftoverMs;
    const wake = (): void => this.#wake();
    this.#exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.#exit = { code, signal };
        resolve(this.#exit);
        wake();
      });
    });
    child.on("error", () => undefined); // a signal that could not be sent; the child's end is told all the same
    child.stdin!.on("error", () => undefined); // it need not read its prompt
    for (const event of ["readable", "end", "error", "close"]) child.stdout!.on(event, wake);
    child.stderr!.setEncoding("utf8");
    child.stderr!.on("data", (text: string) => this.#heard(text));
    for (const event of ["end", "error", "close"])
      child.stderr!.on(event, () => {
        if (this.#errorEnded) return;
        this.#errorEnded = true;
        this.#tell(this.#errorLine);
        wake();
      });
  }

  /** Starts a program with this on its standard input. Rejects where it cannot be started. */
  static async start(options: ProgramOptions, input: string): Promise<Program> {
    const { command, args, cwd, env } = options;
    const child = spawn(command, [...args], {
      cwd,
      env: { ...env, [NOT_HANDED_ON]: undefined },
      stdio: ["pipe", "pipe", "pipe"],
      // A group of its own, so that what it started ends with it.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    const program = new Program(child, options);
    child.stdin!.end(input);
    return program;
  }

  /** How it ended, when it has. */
  get exited(): Promise<ProgramExit> {
    return this.#exited;
  }

  /** The last line of standard error that is not blank. For people. */
  get lastError(): string {
    return this.#lastError;
  }

  /**
   * The next bytes of standard output; undefined at its end, when the signal is aborted, and when the program has ended
   * and only others hold its output. What is not asked for waits in the pipe, and the program with it.
   */
  async read(signal: AbortSignal): Promise<Uint8Array | undefined> {
    const stdout = this.#child.stdout!;
    const wake = (): void => this.#wake();
    signal.addEventListener("abort", wake);
    try {
      let chunk: Uint8Array | null = null;
      await this.#patiently(() => {
        if (signal.aborted || stdout.readableEnded || stdout.destroyed) return true;
        return (chunk = stdout.read() as Uint8Array | null) !== null;
      });
      return chunk ?? undefined;
    } finally {
      signal.removeEventListener("abort", wake);
    }
  }

  /** Waits for the end of standard error. */
  async errorsRead(): Promise<void> {
    await this.#patiently(() => this.#errorEnded);
  }

  /**
   * Ends the program: SIGTERM to its group, SIGKILL when the time is over, and SIGKILL to what it leaves behind.
   * Resolves when it has ended.
   */
  async stop(): Promise<void> {
    if (!this.#stopping && this.#exit === undefined) {
      this.#stopping = true;
      this.#kill("SIGTERM");
      const timer = setTimeout(() => this.#kill("SIGKILL"), this.#options.killTimeoutMs);
      void this.#exited.then(() => {
        clearTimeout(timer);
        this.#kill("SIGKILL");
      });
    }
    await this.#exited;
    this.release();
  }

  /** Reads and writes no more. */
  release(): void {
    this.#child.stdin!.destroy();
    this.#child.stdout!.destroy();
    this.#child.stderr!.destroy();
  }

  #kill(signal: NodeJS.Signals): void {
    try {
      killGroup(this.#child, signal);
    } catch (error) {
      this.#options.onLog(`${signal} cannot be sent: ${(error as Error).message}`); // a program of another user
    }
  }

  /** Waits until something holds; no longer than the patience lasts, once the program has ended. */
  async #patiently(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.#exit === undefined) await this.#woken();
      else if (this.#leftoverMs > 0) {
        const since = performance.now();
        const timer = setTimeout(() => this.#wake(), this.#leftoverMs);
        await this.#woken();
        clearTimeout(timer);
        this.#leftoverMs -= performance.now() - since;
      } else {
        // On a busy machine the time may be over before the pipe was looked at: one look in any case.
        await nextTurn();
        await nextTurn();
        holds();
        return;
      }
    }
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #heard(text: string): void {
    const lines = (this.#errorLine + text).split("\n");
    this.#errorLine = lines.pop() ?? "";
    for (const line of lines) this.#tell(line);
    while (this.#errorLine.length > LONGEST_LINE) {
      this.#tell(this.#errorLine.slice(0, LONGEST_LINE));
      this.#errorLine = this.#errorLine.slice(LONGEST_LINE);
    }
  }

  #tell(line: string): void {
    const told = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (told.trim() === "") return;
    this.#lastError = told;
    this.#options.onLog(told);
  }
}
