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

/**
 * Clients from this number on are of a second host on the same place. It is started when the first of them is asked for,
 * and ends with the case. Needs the abilities `twoHosts` and `connections`.
 */
export const SECOND_HOST = 10;

/** Lives of second hosts are counted from here. */
const SECOND_LIVES = 1_000_000;

/** See the top of the file. */
export class Stand {
  readonly driver: Driver;
  #place: HostPlace | undefined;
  #host: RunningHost | undefined;
  #kept: Kept | undefined;
  /** Whether the host that lives has had a connection. */
  #used = false;
  #second: RunningHost | undefined;
  #seconds = 0;
  /** Life of the host, from 0, counted over all cases. */
  life = 0;

  constructor(driver: Driver) {
    this.driver = driver;
  }

  /** The host that lives now. */
  get host(): RunningHost | undefined {
    return this.#host;
  }

  /** Life of the second host, the one that lives or the next. */
  get secondLife(): number {
    return SECOND_LIVES + this.#seconds;
  }

  /** Where time is made up: resolves when nothing is under way any more in what lives. Elsewhere undefined. */
  get idle(): (() => Promise<void>) | undefined {
    const idle = this.#host?.idle;
    const other = this.#second?.idle;
    if (idle === undefined || other === undefined) return idle ?? other;
    return async () => void (await Promise.all([idle(), other()]));
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
   * @throws {CaseVoid} where the host ends before it has answered, or what it writes is a fault
   * @throws {LawBroken} of `handshake` where it refuses, of `answered-once` where it says nothing
   */
  async client(n: number, options: ClientOptions, history: History, wake: () => void): Promise<LawClient> {
    const { handshake = true } = options;
    const key = JSON.stringify([options.experimental ?? false, options.capabilities ?? []]);
    const kept = this.#kept;
    const again = n === 0 && handshake && kept?.options === key;
    if (kept !== undefined && again && !kept.client.over) {
      kept.client.adopt(history, wake);
      return kept.client;
    }
    // A host of one connection lives once for each way to begin.
    if (this.#used && !this.driver.abilities.has("connections")) await this.stop();
    const second = n >= SECOND_HOST;
    const host = second ? await this.#startSecond() : (this.#host ?? (await this.start()));
    const life = second ? this.secondLife : this.life;
    let spoil = (): void => undefined;
    const spoiled = new Promise<"spoiled">((resolve) => {
      spoil = () => resolve("spoiled");
    });
    const heard = () => {
      if (history.faults.length > 0) spoil();
      wake();
    };
    const client = new LawClient(await host.connect(), { history, connection: n, life, wake: heard });
    this.#used = true;
    history.happenings.push({ moment: history.next(), life, what: "connected", connection: n });
    if (!handshake) {
      client.bare();
      return client;
    }
    const outcome = await this.#within(Promise.race([client.initialize(options), spoiled]), host);
    // Whoever writes what is no frame need not be waited for.
    if (outcome === "spoiled")
      throw new CaseVoid("the host broke the protocol before the handshake was over");
    if (outcome === "late") throw new LawBroken("initialize was not answered", undefined, "answered-once");
    if (outcome === undefined) throw new CaseVoid(`the host ended before the handshake: ${host.stderrTail}`);
    if ("error" in outcome)
      throw new LawBroken("a valid handshake was refused", { error: outcome.error }, "handshake");
    if (!this.driver.abilities.has("connections")) this.#kept = { client, options: key };
    return client;
  }

  async #startSecond(): Promise<RunningHost> {
    this.#place ??= await this.driver.place();
    this.#second ??= await this.#place.start();
    return this.#second;
  }

  /** Kills the second host, where there is one. */
  async crashSecond(): Promise<void> {
    const second = this.#second;
    if (second === undefined) return;
    this.#second = undefined;
    this.#seconds++;
    await second.crash();
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
    await this.crashSecond();
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
      await this.crashSecond();
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
    this.#used = false;
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
