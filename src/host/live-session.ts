/**
 * A session that this host has loaded: the edge around the pure part. What is decided is applied at once and appended;
 * it is told, and acted on, when it is durable. All of it goes through one line, in the order in which it was decided.
 */
import { isProtocolError, protocolError } from "../../generated/msp/experimental/server.js";
import type { Log } from "../ledger/store.js";
import { conflict, type Told, told } from "./answers.js";
import { DurableLine, type InLine } from "./durable-line.js";
import { failureOf } from "./failure.js";
import { recovered } from "./session/decide/lifecycle.js";
import { stop } from "./session/decide/turns.js";
import { decide } from "./session/decide.js";
import {
  type Command,
  type Context,
  type Decision,
  Draft,
  type Effect,
  keepsRecord,
} from "./session/decision.js";
import { foldEntries } from "./session/fold.js";
import { ABANDONED, type CommandAnswer, type SessionRecord } from "./session/records.js";
import { SessionState } from "./session/state.js";
import { SessionViewLog } from "./session/view.js";
import { type PassingCommands, SessionMemory } from "./session-memory.js";
import type { Listener, SessionOwner } from "./session-owner.js";
import { SessionWork } from "./session-work.js";

/** What becomes durable, and what follows from it. */
interface Step extends InLine {
  readonly records?: readonly SessionRecord[];
  readonly passing?: {
    readonly method: "item/started" | "item/delta";
    readonly params: Readonly<Record<string, unknown>>;
  };
  readonly effects?: readonly Effect[];
  readonly after?: () => void;
}

/** A session that is loaded. */
export class LiveSession {
  readonly state: SessionState;
  readonly view: SessionViewLog;
  /** The folder of its log; empty where it is in memory. */
  readonly path: string;
  readonly listeners = new Set<Listener>();
  readonly #owner: SessionOwner<LiveSession>;
  readonly #log: Log;
  readonly #line: DurableLine<Step>;
  readonly #work: SessionWork;
  readonly #memory: SessionMemory;
  /** Commands under way whose effect is outside the session. */
  #outside = 0;
  readonly #leavingFor = new Set<string>();
  #winding = false;
  #watchers: (() => void)[] = [];
  #releasing: Promise<void> | undefined;
  #closed = false;

  /**
   * Loads a session from its log; begins one where the log is empty and its first records are given.
   * @param passing what the host remembers of the session besides its log
   */
  constructor(
    owner: SessionOwner<LiveSession>,
    log: Log,
    sessionId: string,
    passing: PassingCommands,
    first?: readonly SessionRecord[],
  ) {
    const { surroundings, agent } = owner;
    this.#owner = owner;
    this.#log = log;
    this.path = log.location;
    this.state = new SessionState();
    this.view = new SessionViewLog(sessionId, surroundings.retainedEvents);
    this.#memory = new SessionMemory(this.state, passing, () => surroundings.readLog(log.id));
    this.#line = new DurableLine(log, {
      defer: surroundings.defer,
      ready: (steps) => this.#tell(steps),
      lost: (error) => this.#lost(error),
    });
    this.#work = new SessionWork({
      state: this.state,
      agent,
      surroundings,
      input: (decider) => this.#input(decider),
      passing: (method, params) =>
        this.#line.add({ position: this.#line.appended, passing: { method, params } }),
      pressure: () => (this.#line.waiting > surroundings.maxWaitingEvents ? this.#line.settled() : undefined),
    });
    foldEntries(log.entries, this.state, this.view);
    if (first !== undefined) this.#commit({ records: first, effects: [] }, {});
  }

  /** The id of the session, as its first client spelt it. */
  get sessionId(): string {
    return this.state.sessionId;
  }

  /** The key of the session: its id in one letter case. */
  get key(): string {
    return this.#log.id;
  }

  /** Whether the session was given up, or lost, or is being given up. */
  get released(): boolean {
    return this.#closed || this.#releasing !== undefined;
  }

  /** Whether something runs that giving the session up waits for. */
  get busy(): boolean {
    return this.#work.busy || this.#outside > 0;
  }

  /** The commands for which the session is about to be given up. */
  get leavingFor(): ReadonlySet<string> {
    return this.#leavingFor;
  }

  /** Closes what was under way when the last holder went away. */
  recover(): Promise<void> {
    this.#input((draft) => recovered(draft, this.#log.epoch));
    return this.told();
  }

  /** Resolves when everything that was decided so far is durable and told. */
  told(): Promise<void> {
    return new Promise((resolve, failed) =>
      this.#line.add({ position: this.#line.appended, after: resolve, failed }),
    );
  }

  /**
   * Carries a command out, or repeats what it was answered. Its own words were checked.
   * @returns what it is answered; at once where nothing has to become durable before
   */
  command(command: Command): Told | Promise<Told> {
    const { method, spelt } = command;
    const known = this.#known(command);
    if (known !== undefined) return known;
    const decision = decide(this.state, command, this.#context());
    const { answer } = decision;
    if ("refusal" in answer) return this.#whenDurable(this.#line.appended, () => answer.refusal);
    const durable = keepsRecord(method);
    if (!durable)
      this.#memory.pass(command, answer, this.#line.appended + (decision.records.length > 0 ? 1 : 0));
    return new Promise((resolve, reject) => {
      this.#commit(decision, {
        answer: () => resolve(told(method, spelt, answer)),
        failed: (error) => reject(failureOf(error, this.sessionId)),
      });
      this.#work.admitted();
    });
  }

  /**
   * Carries out a command whose effect is outside the session.
   * @param effect gives the answer, or throws an error of the protocol: then nothing was admitted. Anything else that it
   * throws leaves its outcome unknown; the command is settled as abandoned.
   * @param claimed whether the claim is durable before the effect; otherwise the effect must be one that can be
   * repeated, and claim and answer are recorded together
   */
  outside(
    command: Command,
    effect: () => CommandAnswer | Promise<CommandAnswer>,
    claimed: boolean,
  ): Told | Promise<Told> {
    const { method, spelt } = command;
    const known = this.#known(command);
    if (known !== undefined) return known;
    this.#outside++;
    const answer = this.#carryOut(command, effect, claimed && keepsRecord(method)).finally(() => {
      this.#outside--;
      // A session that is to be given up waits for the answer, which is a record of it.
      this.#wake();
    });
    this.#memory.work(command, answer);
    return answer.then((found) => told(method, spelt, found));
  }

  async #carryOut(
    command: Command,
    effect: () => CommandAnswer | Promise<CommandAnswer>,
    claimed: boolean,
  ): Promise<CommandAnswer> {
    const { method, id, signature, payload } = command;
    const { now } = this.#owner.surroundings;
    const received = () => ({ type: "received", id, method, signature, payload, at: now() }) as const;
    const settled = (answer: CommandAnswer) =>
      ({
        type: "settled",
        id,
        outcome: "ack" in answer ? "accepted" : "rejected",
        answer,
        at: now(),
      }) as const;
    if (claimed) await this.#recorded([received()]);
    let answer: CommandAnswer;
    try {
      answer = await effect();
    } catch (error) {
      if (claimed && isProtocolError(error)) await this.#recorded([{ type: "withdrawn", id, at: now() }]);
      else if (claimed) await this.#recorded([settled(ABANDONED)]);
      throw error;
    }
    if (!keepsRecord(method)) this.#memory.pass(command, answer, this.#line.appended);
    else await this.#recorded(claimed ? [settled(answer)] : [{ ...received(), answer }, settled(answer)]);
    return answer;
  }

  /** What a command is answered that is not new, or that nothing can be done about now. */
  #known(command: Command): Told | Promise<Told> | undefined {
    const { method, spelt } = command;
    const standing = this.#memory.stand(command);
    switch (standing.kind) {
      case "conflict":
        return this.told().then(async () => conflict(method, spelt, await this.#memory.difference(command)));
      case "answered": {
        const { row, answer } = standing;
        if (method === "session/leave" && "ack" in answer) this.#owner.leaving(this, spelt, true);
        // It may have got another one by the time that this one would be told.
        return this.#whenDurable(row.position, () => told(method, spelt, row.answer ?? answer));
      }
      case "working":
        return standing.answer.then((answer) => told(method, spelt, answer));
      case "unknown":
        return protocolError(
          "internal",
          { sessionId: this.sessionId },
          "the outcome of the command is not known",
        );
      case "new":
        return this.#full();
    }
  }

  /** Whether the id of a command stands for something here. */
  knows(command: Command): boolean {
    return this.#memory.stand(command).kind !== "new";
  }

  /** The user is looking at a question: it does not time out any more. */
  engaged(userInputId: string): void {
    this.#work.disarm(userInputId);
  }

  /** Launches nothing more: what waits is left for the next holder. */
  beginLeaving(commandId: string): void {
    this.#leavingFor.add(commandId);
  }

  /** Stops what runs; its turn ends as cancelled. Resolves when nothing runs any more, and that was told. */
  async wind(): Promise<void> {
    this.#winding = true;
    this.#work.stopShells();
    this.#input((draft) => {
      if (draft.state.active !== undefined) stop(draft, draft.state.active, "the host is shutting down");
      return draft.done();
    });
    do await this.told();
    while (this.#work.busy && (await this.#changed()));
  }

  /** Gives the session up in order. Nothing is decided any more. The same promise again. */
  release(reason: "hostShutdown" | "leave" | "idle"): Promise<void> {
    this.#releasing ??= this.#release(reason);
    return this.#releasing;
  }

  async #release(reason: "hostShutdown" | "leave" | "idle"): Promise<void> {
    if (this.#closed) return;
    this.#input((draft) => {
      draft.records.push({ type: "released", reason, at: draft.at });
      return draft.done();
    });
    await this.told().catch(() => undefined);
    this.#end();
    await this.#log.close().catch(() => undefined);
  }

  #end(): void {
    this.#closed = true;
    this.#work.end();
    this.#wake();
  }

  #full(): Told | undefined {
    const { maxWaitingCommands: capacity } = this.#owner.surroundings;
    if (this.released || this.#line.lost)
      return protocolError("sessionNotLoaded", { sessionId: this.sessionId });
    return this.#line.waiting < capacity
      ? undefined
      : protocolError("backpressured", { capacity }, "too many commands wait to become durable");
  }

  #context(): Context {
    const { surroundings, agent } = this.#owner;
    return {
      now: surroundings.now(),
      mintId: surroundings.mintId,
      models: agent.models,
      maxQueuedTurns: surroundings.maxQueuedTurns,
      approvalModes: surroundings.approvalModes,
      canCompact: agent.compact !== undefined,
      leaving: this.#winding || this.#leavingFor.size > 0,
      streaming: this.#work.streaming,
      outputs: this.#work.outputs,
    };
  }

  /** Something happened that no client asked for. */
  #input(decider: (draft: Draft) => Decision): void {
    if (this.#closed || this.#line.lost) return;
    this.#commit(decider(new Draft(this.state, this.#context())), {});
  }

  #recorded(records: readonly SessionRecord[]): Promise<void> {
    if (records.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) =>
      this.#commit({ records, effects: [] }, { answer: resolve, failed: reject }),
    );
  }

  #commit(
    { records, effects }: Pick<Decision, "records" | "effects">,
    how: Pick<Step, "answer" | "failed">,
  ): void {
    let position = this.#line.appended;
    if (records.length > 0) {
      // The text is made first: a decision that cannot be written changes nothing.
      const entry = JSON.stringify(records);
      position = this.#line.append(entry);
      for (const record of records) this.state.apply(record, position);
    }
    this.#line.add({ position, records, effects, ...how });
  }

  #whenDurable(position: number, answer: () => Told): Told | Promise<Told> {
    if (!this.#line.lost && position <= this.#line.durable) return answer();
    return new Promise((resolve, reject) =>
      this.#line.add({
        position,
        answer: () => resolve(answer()),
        failed: (error) => reject(failureOf(error, this.sessionId)),
      }),
    );
  }

  /** Tells what has become durable, and acts on it. */
  #tell(steps: readonly Step[]): void {
    let changed = false;
    for (const { records = [], passing } of steps) {
      for (const record of records) {
        const event = this.view.apply(record);
        changed = true;
        if (event !== undefined) for (const listener of this.listeners) listener.event(event, true);
      }
      if (passing === undefined) continue;
      const event = this.view.passing(passing.method, passing.params);
      for (const listener of this.listeners) listener.event(event, false);
    }
    for (const { effects = [], after } of steps) {
      for (const effect of effects) {
        if (effect.type === "leave") this.#owner.leaving(this, effect.commandId, false);
        else if (!this.#closed) this.#work.act(effect);
      }
      after?.();
    }
    if (changed) this.#wake();
  }

  /** Resolves at the next change; false where there will be none. */
  #changed(): Promise<boolean> {
    if (this.#closed || this.#line.lost) return Promise.resolve(false);
    return new Promise((resolve) => this.#watchers.push(() => resolve(true)));
  }

  #wake(): void {
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const wake of watchers) wake();
    if (!this.#closed) this.#owner.changed(this);
  }

  #lost(error: unknown): void {
    this.#end();
    this.#owner.lost(this, error);
    void this.#log.close().catch(() => undefined);
  }
}
