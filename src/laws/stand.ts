/**
 * Where the cases of a law are tried, one after the other: a place, the host that lives on it, and connections. A host
 * that a case left in order serves the next one too, since starting one is what takes time.
 */
import { mintCommandId } from "../client/command-id.js";
import { CaseVoid, LawBroken } from "./broken.js";
import { type ClientOptions, LawClient } from "./client.js";
import type { CrashPoint, Driver, HostPlace, RunningHost } from "./driver/driver.js";
import type { History } from "./model/history.js";

/** A connection that can be used again, and how it began. */
interface Kept {
  readonly client: LawClient;
  readonly options: string;
}

/** See the top of the file. */
export class Stand {
  readonly driver: Driver;
  #place: HostPlace | undefined;
  #host: RunningHost | undefined;
  #kept: Kept | undefined;
  /** Life of the host, from 0, counted over all cases. */
  life = 0;

  constructor(driver: Driver) {
    this.driver = driver;
  }

  /** The host that lives now. */
  get host(): RunningHost | undefined {
    return this.#host;
  }

  /** The place of the host; undefined before the first start. */
  get place(): HostPlace | undefined {
    return this.#place;
  }

  /** Starts a host on the place, which is made where there is none. */
  async start(): Promise<RunningHost> {
    this.#place ??= await this.driver.place();
    this.#host = await this.#place.start();
    return this.#host;
  }

  /**
   * A connection with its handshake done.
   * @throws {CaseVoid} where the host ends before it has answered
   * @throws {LawBroken} of `handshake` where it refuses, of `answered-once` where it says nothing
   */
  async client(n: number, options: ClientOptions, history: History, wake: () => void): Promise<LawClient> {
    const key = JSON.stringify([options.experimental ?? false, options.capabilities ?? []]);
    const kept = this.#kept;
    if (n === 0 && kept !== undefined && !kept.client.over && kept.options === key) {
      kept.client.adopt(history, wake);
      return kept.client;
    }
    // A host of one connection lives once for each way to begin.
    if (kept !== undefined && !this.driver.abilities.has("connections")) await this.stop();
    const host = this.#host ?? (await this.start());
    const { life } = this;
    const client = new LawClient(await host.connect(), { history, connection: n, life, wake });
    history.happenings.push({ moment: history.next(), life, what: "connected", connection: n });
    const outcome = await this.#within(client.initialize(options), host);
    if (outcome === "late") throw new LawBroken("initialize was not answered", undefined, "answered-once");
    if (outcome === undefined) throw new CaseVoid(`the host ended before the handshake: ${host.stderrTail}`);
    if ("error" in outcome)
      throw new LawBroken("a valid handshake was refused", { error: outcome.error }, "handshake");
    if (!this.driver.abilities.has("connections")) this.#kept = { client, options: key };
    return client;
  }

  /** Waits for something, as long as the driver says, or until a simulated host has nothing more to do. */
  async #within<T>(done: Promise<T>, host: RunningHost): Promise<T | "late"> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => {
      if (host.idle === undefined) timer = setTimeout(() => resolve("late"), this.driver.timeoutMs);
      else void host.idle().then(() => resolve("late"));
    });
    const first = await Promise.race([done, late]);
    clearTimeout(timer);
    return first;
  }

  /** Plans a crash of the host that lives. */
  plan(point: CrashPoint): void {
    this.#host?.plan(point);
  }

  /** Kills the host. */
  async crash(): Promise<void> {
    await this.#host?.crash();
    this.#gone();
  }

  /** Ends the host in order. */
  async stop(): Promise<void> {
    await this.#host?.stop();
    this.#gone();
  }

  /** Lets go of what a case used. What it left running is stopped; a connection that can be used again is kept. */
  async release(history: History, clients: ReadonlyMap<number, LawClient>): Promise<void> {
    const over = this.#host === undefined || (await isSettled(this.#host.ended));
    if (over || history.faults.length > 0) return this.clear();
    const running = runningTurns(history);
    for (const client of clients.values()) {
      if (client.over) continue;
      if (client.connection === 0)
        for (const [turnId, sessionId] of running)
          client.send("turn/interrupt", { sessionId, turnId, commandId: mintCommandId() });
      if (client !== this.#kept?.client) await client.close();
    }
  }

  /** Ends the host and takes the place away. */
  async clear(): Promise<void> {
    try {
      await this.#host?.crash();
    } finally {
      this.#gone();
      const place = this.#place;
      this.#place = undefined;
      await place?.remove();
    }
  }

  #gone(): void {
    this.#host = undefined;
    this.#kept = undefined;
    this.life++;
  }
}

/** Turns that were told to start and not to end, with their sessions. */
function runningTurns({ told }: History): Map<string, string> {
  const running = new Map<string, string>();
  for (const { method, params } of told) {
    const { turnId, sessionId } = params;
    if (typeof turnId !== "string" || typeof sessionId !== "string") continue;
    if (method === "turn/started") running.set(turnId, sessionId);
    if (method === "turn/completed") running.delete(turnId);
  }
  return running;
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const not = Symbol();
  return (await Promise.race([promise, Promise.resolve(not)])) !== not;
}
