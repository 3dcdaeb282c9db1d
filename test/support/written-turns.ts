/** Writes histories of turns by hand, for tests of the model. */
import { History, type JsonObject, type Outcome } from "../../src/laws/model/history.js";
import { checkTurns } from "../../src/laws/model/turns.js";

const SESSION = "019b76da-a800-7000-8000-000000000001";
/** The id of a command, or of a turn, by its number. */
export const turnIdOf = (n: number) => `019b76da-a801-7000-8000-${n.toString(16).padStart(12, "0")}`;
/** A rejection. */
export const rejected = (reason: string): Outcome => ({
  error: { code: -32030, message: "no", data: { kind: "commandRejected", reason } },
});

/** Writes what passed over one connection, which has begun the session. Commands and turns go by numbers. */
export class WrittenTurns {
  readonly history = new History();
  #cursor = 0;
  #life = 0;
  readonly #paged: JsonObject[] = [];

  constructor() {
    this.history.sessions.add(SESSION);
    this.ask(
      "session/start",
      { commandId: turnIdOf(0xffff) },
      { result: { session: { sessionId: SESSION } } },
    );
  }

  ask(method: string, params: JsonObject, outcome?: Outcome): this {
    const { history } = this;
    const sent = history.next();
    const of = { sessionId: SESSION, ...params };
    history.operations.push({
      index: history.operations.length,
      connection: 0,
      life: this.#life,
      method,
      params: method === "session/start" ? params : of,
      meaning: JSON.stringify(params),
      sent,
      ...(outcome === undefined ? {} : { answered: history.next(), outcome }),
    });
    return this;
  }

  turn(n: number, disposition = "started", more: JsonObject = {}, ack: JsonObject = {}): this {
    const result = { turnId: turnIdOf(n), startedNewTurn: disposition === "started", disposition, ...ack };
    return this.ask("turn/start", { commandId: turnIdOf(n), ...more }, { result });
  }

  steer(n: number, turn: number, outcome: Outcome = { result: { turnId: turnIdOf(turn) } }): this {
    return this.ask("turn/steer", { commandId: turnIdOf(n), expectedTurnId: turnIdOf(turn) }, outcome);
  }

  stop(n: number, turn: number, ack = turn): this {
    return this.ask(
      "turn/interrupt",
      { commandId: turnIdOf(n), turnId: turnIdOf(turn) },
      { result: { turnId: turnIdOf(ack) } },
    );
  }

  unqueue(n: number, turn: number): this {
    return this.ask(
      "turn/unqueue",
      { commandId: turnIdOf(n), turnId: turnIdOf(turn) },
      { result: { turnId: turnIdOf(turn) } },
    );
  }

  told(method: string, params: JsonObject): this {
    const { history } = this;
    const of = { sessionId: SESSION, viewCursor: `c${++this.#cursor}`, ...params };
    const kind = "notification";
    history.told.push({ moment: history.next(), connection: 0, life: this.#life, kind, method, params: of });
    this.#paged.push({ method, params: of });
    return this;
  }

  start(n: number, commandId = n): this {
    return this.told("turn/started", { turnId: turnIdOf(n), commandId: turnIdOf(commandId) });
  }

  end(n: number, more: JsonObject = { terminal: "completed" }): this {
    return this.told("turn/completed", { turnId: turnIdOf(n), ...more });
  }

  unqueued(n: number): this {
    return this.told("turn/unqueued", { turnId: turnIdOf(n), commandId: turnIdOf(n) });
  }

  message(n: number, turn: number, more: JsonObject = {}): this {
    const itemId = `item ${this.#cursor}`;
    const item = { itemId, kind: "userMessage", turnId: turnIdOf(turn), commandId: turnIdOf(n), ...more };
    return this.told("item/completed", { item });
  }

  /** The host dies, and the session is loaded again. */
  crash(): this {
    const { history } = this;
    history.happenings.push({ moment: history.next(), life: this.#life, what: "crashed" });
    this.#life++;
    return this.ask("session/resume", { commandId: turnIdOf(0xfff0 + this.#life) }, { result: {} });
  }

  /** All is over, and the view was read to its end; what was not told is `missed`. */
  settled(): this {
    this.ask("view/page", { limit: 200 }, { result: { events: [...this.#paged], nextCursor: null } });
    this.history.settled = true;
    return this;
  }

  /** The laws that it breaks, each once. */
  get laws(): readonly string[] {
    return [...new Set(checkTurns(this.history).map(({ law }) => law))];
  }
}
