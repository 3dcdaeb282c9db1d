/** Histories of commands that are written by hand: what was asked, what was answered, when hosts died. */
import { checkCommands } from "../../src/laws/model/commands.js";
import { History, type JsonObject, type Operation, type Outcome } from "../../src/laws/model/history.js";

export const SESSION = "019b76da-a800-7000-8000-000000000001";
export const OTHER_SESSION = "019b76da-a800-7000-8000-000000000002";
export const id = (n: number) => `019b76da-a801-7000-8000-${n.toString(16).padStart(12, "0")}`;

export const ack = (commandId: string, turnId: string = commandId): Outcome => ({
  result: { commandId, status: "accepted", turnId, startedNewTurn: true, disposition: "started" },
});
export const rejected = (commandId: string, reason: string): Outcome => ({
  error: { code: -32030, message: "no", data: { kind: "commandRejected", commandId, reason } },
});
export const conflict = (commandId: string) => rejected(commandId, "command_id_conflict");
export const failed = (kind: string): Outcome => ({ error: { code: -1, message: "no", data: { kind } } });

export interface Asked {
  readonly method?: string;
  readonly params?: JsonObject;
  readonly text?: string;
  readonly meaning?: string;
  readonly life?: number;
  readonly connection?: number;
  readonly sent?: number;
  readonly answered?: number;
}

/** Writes a history, one request after the other where nothing else is said. */
export class Written {
  readonly history = new History();

  ask(n: number, outcome: Outcome | undefined, asked: Asked = {}): this {
    const { method = "turn/start", text = "hello", life = 0, connection = 0 } = asked;
    const params = asked.params ?? {
      sessionId: SESSION,
      commandId: id(n),
      input: [{ type: "text", text }],
    };
    const { history } = this;
    const operation: Operation = {
      index: history.operations.length,
      connection,
      life,
      method,
      params,
      meaning: asked.meaning ?? JSON.stringify(params),
      sent: asked.sent ?? history.next(),
    };
    if (outcome !== undefined) {
      operation.outcome = outcome;
      operation.answered = asked.answered ?? history.next();
    }
    history.operations.push(operation);
    return this;
  }

  crash(life = 0): this {
    this.history.happenings.push({ moment: this.history.next(), life, what: "crashed" });
    return this;
  }

  ephemeral(): this {
    this.history.durable = false;
    return this;
  }

  laws(): readonly string[] {
    return checkCommands(this.history).map(({ law }) => law);
  }
}

export const goal = (n: number, more: JsonObject = {}): Asked => ({
  method: "goal/pause",
  params: { sessionId: SESSION, commandId: id(n), ...more },
});
export const paused = (n: number): Outcome => ({ result: { commandId: id(n), status: "accepted" } });
export const stop = (n: number, more: JsonObject = {}): Asked => ({
  method: "turn/interrupt",
  params: { sessionId: SESSION, commandId: id(n), ...more },
});

export function inCapitals(n: number): Asked {
  const input = [{ type: "text", text: "hello" }];
  return { params: { sessionId: SESSION, commandId: id(n).toUpperCase(), input } };
}
export function start(n: number): Asked {
  return { method: "session/start", params: { commandId: id(n) } };
}
export function rename(n: number): Asked {
  return { method: "session/rename", params: { sessionId: SESSION, commandId: id(n), name: "one" } };
}

export function cancel(n: number): Asked {
  return { method: "userInput/cancel", params: { sessionId: SESSION, commandId: id(n), userInputId: "u" } };
}
