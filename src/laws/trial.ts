/**
 * One case of a law on a host: the clients that act in it, the lives of the host, and all that passed. Laws are written
 * against this and know no transport, process or clock.
 */
import { setTimeout as after } from "node:timers/promises";
import { commandIdMinter } from "../client/command-id.js";
import { CaseVoid, isCaseVoid, LawBroken } from "./broken.js";
import type { ClientOptions, LawClient, Sent, Writing } from "./client.js";
import type { Ability, CrashPoint, Driver, Prompts } from "./driver/driver.js";
import type { JsonObject, Operation, Outcome, Told } from "./model/history.js";
import { History, isAck } from "./model/history.js";
import { Random } from "./random.js";
import { SECOND_HOST, type Stand } from "./stand.js";

/** See the top of the file. */
export class Trial {
  readonly history = new History();
  readonly counts: Record<string, number> = {};
  readonly #stand: Stand;
  readonly #calm: boolean;
  readonly #clients = new Map<number, LawClient>();
  readonly #mint: () => string;
  readonly #watchers = new Set<() => void>();
  #dying = false;

  /** @param seed chooses what chance decides in the ids that clients mint; their time is the time */
  constructor(stand: Stand, seed: number, { calm = false }: { readonly calm?: boolean } = {}) {
    this.#stand = stand;
    this.#calm = calm;
    const random = new Random(seed);
    this.#mint = commandIdMinter({
      fill: (bytes) => {
        for (let i = 0; i < bytes.length; i++) bytes[i] = random.int(0, 255);
      },
    });
  }

  get driver(): Driver {
    return this.#stand.driver;
  }

  get prompts(): Prompts {
    return this.driver.prompts;
  }

  /** Whether the host can do something. Laws need not ask for what they `need`. */
  can(ability: Ability): boolean {
    return this.driver.abilities.has(ability);
  }

  /** A new command id. */
  mint(): string {
    return this.#mint();
  }

  /** Counts something that was exercised. */
  count(what: string, times = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + times;
  }

  /** Breaks the law where something is not so. */
  hold(so: boolean, otherwise: string, details?: unknown): void {
    this.count("checks");
    if (!so) throw new LawBroken(otherwise, details);
  }

  /**
   * The n-th client, from 0; it is made when it is first asked for, and anew where its connection is over. More than
   * one at a time needs the ability `connections`. From {@link SECOND_HOST} on they are of a second host.
   * @throws {CaseVoid} where the host lets nobody in
   */
  async client(n = 0, options: ClientOptions = {}): Promise<LawClient> {
    const found = this.#clients.get(n);
    if (found !== undefined && !found.over) return found;
    const client = await this.#stand.client(n, options, this.history, () => this.#wake());
    this.#clients.set(n, client);
    return client;
  }

  /** Lets a client go and come again: a new connection, or, where a host takes one only, a new life of it. */
  async reconnect(n = 0, options: ClientOptions = {}): Promise<LawClient> {
    if (this.can("connections")) await this.#clients.get(n)?.close();
    else await this.restart();
    this.#clients.delete(n);
    return this.client(n, options);
  }

  /** Sends a request of the n-th client without waiting for the answer. */
  async send(
    method: string,
    params: JsonObject,
    how: Writing & { readonly by?: number } = {},
  ): Promise<Sent> {
    const client = await this.client(how.by ?? 0);
    if (this.#calm) await this.quiet();
    return client.send(method, params, how);
  }

  /**
   * Asks and waits for the answer.
   * @throws {LawBroken} of `answered-once` where it does not come and the host lives
   * @throws {LawBroken} of `stays-alive` where the host ended without being asked to
   */
  async ask(
    method: string,
    params: JsonObject,
    how: Writing & { readonly by?: number } = {},
  ): Promise<Outcome> {
    return this.answer(await this.send(method, params, how));
  }

  /** Waits for the answer of what was sent; throws as {@link ask} does. */
  async answer({ operation, answer }: Sent): Promise<Outcome> {
    let outcome: Outcome | undefined;
    let over = false;
    const done = answer.then((value) => {
      outcome = value;
      over = true;
      this.#wake();
    });
    await this.when(() => over);
    if (over) await done;
    if (outcome !== undefined) return outcome;
    if (over) {
      if (this.#dying) throw new CaseVoid(`the host died before it answered ${operation.method}`);
      // One that ends whoever comes says nothing of any law.
      if (operation.method === "initialize" && !this.history.operations.some(letIn))
        throw new CaseVoid("the host ended before the handshake");
      throw new LawBroken(
        `the host ended, or ended the connection, before it answered ${operation.method}`,
        { params: operation.params },
        "stays-alive",
      );
    }
    // A simulated host that has died says so only when it is made to.
    if (this.#dying) throw new CaseVoid(`${operation.method} had no answer when the host died`);
    throw new LawBroken(
      `${operation.method} was not answered`,
      { params: operation.params },
      "answered-once",
    );
  }

  /** Asks a command under a new id, or the one that the params name; its result. A case in which it is refused is void. */
  async command(
    method: string,
    params: JsonObject,
    how: Writing & { readonly by?: number } = {},
  ): Promise<JsonObject> {
    const outcome = await this.ask(method, { commandId: this.mint(), ...params }, how);
    if ("result" in outcome) return outcome.result;
    throw new CaseVoid(`${method} was refused: ${JSON.stringify(outcome.error)}`);
  }

  /** Begins a session; its id. */
  async session(params: JsonObject = {}, by = 0): Promise<string> {
    const result = await this.command("session/start", params, { by });
    const { sessionId } = (result["session"] ?? {}) as JsonObject;
    if (typeof sessionId !== "string") throw new CaseVoid("a session was started and not named");
    this.history.sessions.add(sessionId);
    return sessionId;
  }

  /** Loads a session on the host that lives now, and listens to it; the result. */
  async resume(sessionId: string, params: JsonObject = {}, by = 0): Promise<JsonObject> {
    return this.command("session/resume", { sessionId, ...params }, { by });
  }

  /** Submits a turn; its ack. */
  async turn(sessionId: string, prompt: string, more: JsonObject = {}, by = 0): Promise<JsonObject> {
    return this.command("turn/start", { sessionId, input: textInput(prompt), ...more }, { by });
  }

  /** Submits a turn that goes on until it is interrupted, and waits for its start; its id. */
  async busy(sessionId: string, by = 0): Promise<string> {
    const { turnId } = await this.turn(sessionId, this.prompts.busy ?? "", {}, by);
    await this.need(started(String(turnId)), "a turn that was started did not begin");
    return String(turnId);
  }

  /** Interrupts a turn and waits for its end. */
  async interrupt(sessionId: string, turnId: string, by = 0): Promise<Told> {
    await this.command("turn/interrupt", { sessionId, turnId }, { by });
    return this.need(completed(turnId), "a turn that was interrupted did not end");
  }

  /** The first message of the host that fits, whichever client hears it; waits for it. Undefined where none comes. */
  async until(fits: (told: Told) => boolean): Promise<Told | undefined> {
    let at = 0;
    let found: Told | undefined;
    await this.when(() => {
      const { told } = this.history;
      for (; found === undefined && at < told.length; at++) if (fits(told[at] as Told)) found = told[at];
      return found !== undefined;
    });
    return found;
  }

  /** The first message that fits; a case without one is void, since it is another law that it should come. */
  async need(fits: (told: Told) => boolean, otherwise: string): Promise<Told> {
    const told = await this.until(fits);
    if (told === undefined) throw new CaseVoid(otherwise);
    return told;
  }

  /** Waits until the host has nothing more to say: for certain in simulation, else for a moment of silence. */
  async quiet(): Promise<void> {
    const { idle } = this.#stand;
    if (idle !== undefined) return idle();
    const moment = Math.min(QUIET_MS, this.driver.timeoutMs / 4);
    for (let lines = -1; lines !== this.history.lines.length; ) {
      lines = this.history.lines.length;
      await after(moment);
    }
  }

  /** Kills the host and starts it again. Clients come again when they are asked for. */
  async crash(): Promise<void> {
    await this.#over("crashed", () => this.#stand.crash());
  }

  /**
   * Lets the host die while something is done, which need not come to its end; then starts it again.
   * @returns whether what was done had ended before
   */
  async crashDuring(point: CrashPoint, action: () => Promise<unknown>): Promise<boolean> {
    let ended = false;
    this.#dying = true;
    this.#stand.plan(point);
    const acted = action().then(
      () => (ended = true),
      (error: unknown) => {
        // What could not be waited for since the host is dead is what was wanted.
        if (!isCaseVoid(error)) throw error;
      },
    );
    const { idle } = this.#stand;
    await Promise.race([acted, idle === undefined ? after(point.delayMs) : idle()]);
    await this.crash();
    await acted;
    this.#dying = false;
    return ended;
  }

  /** Asks the host to end in order, and starts it again. */
  async restart(): Promise<void> {
    await this.#over("stopped", () => this.#stand.stop());
  }

  /** Kills a host and leaves it dead; the first is started again when a client of it is asked for. */
  async kill(which: "first" | "second"): Promise<void> {
    const second = which === "second";
    const life = second ? this.#stand.secondLife : this.#stand.life;
    this.history.happenings.push({ moment: this.history.next(), life, what: "crashed" });
    await (second ? this.#stand.crashSecond() : this.#stand.crash());
    this.#forget(second);
  }

  /** Takes a session from the host that has it. Needs the ability `fence`. */
  async fence(sessionId: string): Promise<void> {
    await this.#stand.place?.fence?.(sessionId);
  }

  async #over(what: "crashed" | "stopped", end: () => Promise<void>): Promise<void> {
    const { life } = this.#stand;
    this.history.happenings.push({ moment: this.history.next(), life, what });
    await end();
    this.#forget(false);
    await this.#stand.start();
    this.history.happenings.push({ moment: this.history.next(), life: life + 1, what: "started" });
  }

  #forget(second: boolean): void {
    for (const n of [...this.#clients.keys()]) if (n >= SECOND_HOST === second) this.#clients.delete(n);
  }

  /** Ends what the case left running, so that the next one on the same host is not disturbed; nobody waits for long. */
  async end(): Promise<void> {
    this.#watchers.clear();
    await this.#stand.release(this.history, this.#clients);
  }

  /** Waits until something holds, which is looked at whenever something has come, and not for ever; whether it does. */
  async when(holds: () => boolean): Promise<boolean> {
    if (holds()) return true;
    const { idle } = this.#stand;
    let givenUp = false;
    let wake = (): void => undefined;
    const onCome = () => wake();
    this.#watchers.add(onCome);
    const patience = new AbortController();
    const { signal } = patience;
    const wait = idle === undefined ? after(this.driver.timeoutMs, undefined, { signal }) : idle();
    void wait.then(
      () => {
        givenUp = true;
        wake();
      },
      () => undefined,
    );
    try {
      while (!holds() && !givenUp)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return holds();
    } finally {
      this.#watchers.delete(onCome);
      patience.abort();
    }
  }

  #wake(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}

const QUIET_MS = 100;

/** The input of a turn that is one text. */
export const textInput = (text: string): readonly JsonObject[] => [{ type: "text", text }];

/** Whether somebody was let in by a handshake. */
const letIn = ({ method, outcome }: Operation): boolean => method === "initialize" && isAck(outcome);

/** Whether a message tells the start of a turn. */
export const started =
  (turnId: string) =>
  ({ method, params }: Told): boolean =>
    method === "turn/started" && params["turnId"] === turnId;

/** Whether a message tells the end of a turn. */
export const completed =
  (turnId: string) =>
  ({ method, params }: Told): boolean =>
    method === "turn/completed" && params["turnId"] === turnId;
