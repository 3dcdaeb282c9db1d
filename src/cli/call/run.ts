/**
 * One call from end to end: the host reached, hands shaken, the call made as often as asked, listened, closed.
 */
import { TroubleError } from "../../../codegen/diagnostics/finding.js";
import { mintCommandId } from "../../client/command-id.js";
import { Connection, type HandshakeOptions } from "../../client/connection.js";
import { ConnectionError, isMspError, ProtocolError } from "../../client/errors.js";
import { UsedIds } from "../../client/used-ids.js";
import { knownReleases } from "../../releases/known.js";
import { isSpawnError } from "../../wire/child-process.js";
import { wireErrors } from "../../wire/errors.js";
import { connectWebSocket, MissingPackageError, spawnHost } from "../../wire/node.js";
import { EXIT, type Io } from "../command.js";
import { packageVersion } from "../package.js";
import { CallLog } from "./log.js";
import type { Prepared } from "./prepare.js";
import type { CallSurface } from "./surface.js";
import { type HostTransport, Tap } from "./tap.js";
import type { CallWords } from "./words.js";

/** Makes a call; the exit code. */
export async function runCall(words: CallWords, call: Prepared, of: CallSurface, io: Io): Promise<number> {
  const log = new CallLog({ of, io, quiet: words.quiet, until: words.until });
  const tap = new Tap(await reach(words, io), (arrival) => log.arrived(arrival));
  const stop = new AbortController();
  const forget = onSignals(() => {
    if (stop.signal.aborted) tap.kill("SIGKILL");
    stop.abort();
  });
  try {
    const run = new CallRun(words, call, of, io, log, tap, stop.signal);
    return await run.run();
  } finally {
    forget();
  }
}

/** The way to the host. */
async function reach({ host, timeoutMs }: CallWords, io: Io): Promise<HostTransport> {
  if ("command" in host) {
    const shutdownTimeoutMs = Math.min(timeoutMs, 30_000);
    return spawnHost({ ...host, cwd: io.cwd, shutdownTimeoutMs, onStderr: (text) => io.err(text) });
  }
  try {
    const token = process.env["MSPKIT_TOKEN"] || undefined;
    return await connectWebSocket(host.url, { openTimeoutMs: timeoutMs, token });
  } catch (error) {
    if (error instanceof MissingPackageError)
      throw new TroubleError("ws", "is not installed", "npm install --save-dev ws");
    // A name with several addresses fails with several errors and no words of its own.
    const { message, code } = error as Error & { code?: string };
    const hint = message.endsWith(" 401") ? "It wants to be told a token: set MSPKIT_TOKEN." : undefined;
    throw new TroubleError(host.url, `cannot be reached: ${message === "" ? code : message}`, hint);
  }
}

class CallRun {
  readonly #words: CallWords;
  readonly #call: Prepared;
  readonly #of: CallSurface;
  readonly #io: Io;
  readonly #log: CallLog;
  readonly #tap: Tap;
  readonly #stop: AbortSignal;
  #inconclusive = false;

  constructor(
    words: CallWords,
    call: Prepared,
    of: CallSurface,
    io: Io,
    log: CallLog,
    tap: Tap,
    stop: AbortSignal,
  ) {
    this.#words = words;
    this.#call = call;
    this.#of = of;
    this.#io = io;
    this.#log = log;
    this.#tap = tap;
    this.#stop = stop;
  }

  async run(): Promise<number> {
    const connection = await this.#open();
    if (connection === undefined) return EXIT.inconclusive;
    let lost: string | undefined;
    try {
      this.#greet(connection);
      lost = (await this.#send(connection)) ?? (await this.#listen(connection));
    } finally {
      await connection.close();
    }
    const exit = await connection.exit;
    if (exit !== undefined && exit.code !== 0)
      this.#tell(`the host ended with ${exit.code ?? exit.signal ?? "nothing"}`);
    if (lost !== undefined) {
      this.#tell(lost);
      return EXIT.trouble;
    }
    if (this.#log.findings > 0 || this.#log.errors > 0) return EXIT.finding;
    return this.#inconclusive ? EXIT.inconclusive : EXIT.fine;
  }

  /** Shakes hands; undefined when it was interrupted. */
  async #open(): Promise<Connection | undefined> {
    const { words, tap } = { words: this.#words, tap: this.#tap };
    const options: HandshakeOptions = {
      clientInfo: { name: words.clientName, version: packageVersion() },
      experimental: words.surface === "experimental",
      requestedCapabilities: words.capabilities,
      // What was found is told with the greeting.
      fingerprint: "ignore",
      releases: knownReleases(),
    };
    const shared = {
      usedIds: new UsedIds(),
      mintCommandId,
      peer: {
        errors: wireErrors(this.#of.tables.errors),
        onProtocolFault: (fault: Parameters<CallLog["fault"]>[0]) => this.#log.fault(fault),
      },
    };
    const patience = new Patience(words.timeoutMs, this.#stop);
    // A host that says nothing is ended, and the handshake with it.
    patience.signal.addEventListener("abort", () => {
      tap.kill("SIGTERM");
      void tap.close();
    });
    try {
      const connection = await Connection.open(tap, shared, options);
      if (this.#log.handshake === 0) return connection;
      await connection.close();
    } catch (error) {
      if (this.#stop.aborted) return undefined;
      if (patience.signal.aborted)
        throw new TroubleError(nameOf(words), `did not answer initialize within ${words.timeoutMs} ms`);
      throw new TroubleError(nameOf(words), handshakeProblem(error));
    } finally {
      patience.end();
    }
    throw new TroubleError(nameOf(words), "the answer to initialize is not valid");
  }

  #greet({ host, fingerprint, durability }: Connection): void {
    const { capabilities, surface } = this.#words;
    const { serverInfo, grantedCapabilities, experimentalApi } = host;
    this.#tell(`${serverInfo.name} ${serverInfo.version}, ${durability}; ${fingerprint.message}`);
    const granted: readonly string[] = grantedCapabilities;
    const missing = capabilities.filter((name) => !granted.includes(name));
    if (missing.length > 0) this.#tell(`not granted: ${missing.join(", ")}`);
    const needed = this.#call.row?.capability;
    if (needed !== undefined && !granted.includes(needed) && !missing.includes(needed))
      this.#tell(`${this.#words.method} needs the capability ${needed}: --capability ${needed} asks for it`);
    if (surface === "experimental" && !experimentalApi)
      this.#tell("the host does not serve what is experimental");
  }

  /** Makes the calls one after the other; how the connection was lost, where it was. */
  async #send(connection: Connection): Promise<string | undefined> {
    const { method, repeat, timeoutMs } = this.#words;
    for (let i = 0; i < repeat && !this.#stop.aborted; i++) {
      const patience = new Patience(timeoutMs, this.#stop);
      try {
        // What the host says is shown, so nothing is tried again.
        await connection.request(method, this.#call.params, { maxAttempts: 1, signal: patience.signal });
      } catch (error) {
        if (isMspError(error)) continue; // the log has it
        if (error instanceof ProtocolError) {
          // The log has told of an answer that differs.
          if (error.breach !== "replayMismatch") this.#log.finding(error.message);
          continue;
        }
        if (!(error instanceof ConnectionError)) throw error;
        switch (error.kind) {
          case "cancelled":
            this.#inconclusive = true;
            this.#tell(
              `${method}: ${this.#stop.aborted ? "interrupted before an answer came" : `no answer within ${timeoutMs} ms`}; whether it was carried out is not known`,
            );
            return undefined;
          case "unencodable":
          case "queueFull":
            this.#log.finding(`${error.message}; nothing was sent`);
            return undefined;
          case "malformedAnswer":
            continue; // the log has told of it
          default:
            return error.message;
        }
      } finally {
        patience.end();
      }
    }
    const answered = this.#log.results + this.#log.errors;
    if (this.#stop.aborted && answered < repeat) {
      this.#inconclusive = true;
      this.#tell(`interrupted after ${answered} of ${repeat} calls`);
    }
    return undefined;
  }

  /** Keeps listening as long as asked; how the connection was lost, where it was. */
  async #listen(connection: Connection): Promise<string | undefined> {
    const { until, waitMs, timeoutMs } = this.#words;
    if (this.#inconclusive) return undefined;
    const over = connection.closed.then(() => "over" as const);
    // After refusals nothing comes of the call.
    if (until !== undefined && this.#log.results > 0) {
      const patience = new Patience(timeoutMs, this.#stop);
      const what = await Promise.race([this.#log.came.then(() => "came" as const), patience.over, over]);
      patience.end();
      if (what === "over") return `the connection ended before ${until} came`;
      if (what === "patience") {
        this.#inconclusive = true;
        this.#tell(
          this.#stop.aborted
            ? `interrupted before ${until} came`
            : `${until} did not come within ${timeoutMs} ms`,
        );
        return undefined;
      }
    }
    if (waitMs > 0 && !this.#stop.aborted) {
      const patience = new Patience(waitMs, this.#stop);
      const what = await Promise.race([patience.over, over]);
      patience.end();
      if (what === "over") return howLost(connection);
    }
    return undefined;
  }

  #tell(text: string): void {
    this.#io.err(`${this.#io.program}: ${text}\n`);
  }
}

/** Why a connection that ended by itself did not end in order; undefined where it did. */
async function howLost(connection: Connection): Promise<string | undefined> {
  const error = await connection.closed;
  if (error !== undefined) return `the connection was lost: ${error.message}`;
  const exit = await connection.exit;
  return exit === undefined || exit.code === 0 ? undefined : "the host ended while it was listened to";
}

/** Something that ends after a while, or when the whole run is to stop. */
class Patience {
  readonly #end = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #stop: AbortSignal;
  readonly #stopped = (): void => this.#end.abort();

  constructor(milliseconds: number, stop: AbortSignal) {
    this.#stop = stop;
    this.#timer = setTimeout(this.#stopped, milliseconds);
    stop.addEventListener("abort", this.#stopped);
    if (stop.aborted) this.#end.abort();
  }

  /** Aborted when it is over. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Resolves when it is over. */
  get over(): Promise<"patience"> {
    const { signal } = this.#end;
    return new Promise((resolve) => {
      if (signal.aborted) resolve("patience");
      else signal.addEventListener("abort", () => resolve("patience"), { once: true });
    });
  }

  /** It is not needed any more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#stop.removeEventListener("abort", this.#stopped);
  }
}

/** The words for a handshake that failed. */
function handshakeProblem(error: unknown): string {
  let cause = error as Error;
  while (!isSpawnError(cause) && cause.cause instanceof Error) cause = cause.cause;
  if (isSpawnError(cause) && cause.cause instanceof Error) return `cannot be started: ${cause.cause.message}`;
  // An answer without what every answer to initialize has is found out by looking at it.
  if (cause instanceof TypeError) return "the answer to initialize is not valid";
  return (error as Error).message;
}

/** What a host is called in messages. */
function nameOf({ host }: CallWords): string {
  return "url" in host ? host.url : host.command;
}

/** Calls at each signal that asks this process to end; the function that is returned ends that. */
function onSignals(called: () => void): () => void {
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const name of names) process.on(name, called);
  return () => {
    for (const name of names) process.off(name, called);
  };
}
