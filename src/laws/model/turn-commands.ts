/** What commands were acked, by their keys: the first ack of each, and what else was said of it. */
import type { History, JsonObject } from "./history.js";
import { isAck, rejectionReason } from "./history.js";

/** A command, as far as the model of turns asks. Ids are in small letters. */
export interface TurnCommand {
  readonly sessionId: string;
  readonly commandId: string;
  /** When it was first sent, with whatever payload. */
  readonly sent: number;
  /** In how many lives of hosts it was sent. */
  readonly lives: Set<number>;
  /** Its first ack; what was asked then, and when it came. */
  ack?: {
    readonly method: string;
    readonly params: JsonObject;
    readonly result: JsonObject;
    readonly answered: number;
  };
  /** Reasons of its rejections, and the method that was rejected first. */
  readonly reasons: Set<string>;
  method: string;
}

/** See the top of the file. */
export function turnCommands({ operations }: History): ReadonlyMap<string, TurnCommand> {
  const commands = new Map<string, TurnCommand>();
  for (const { method, params, sent, life, outcome, answered } of operations) {
    const { sessionId: session, commandId: id } = params;
    if (typeof session !== "string" || typeof id !== "string") continue;
    const [sessionId, commandId] = [session.toLowerCase(), id.toLowerCase()];
    const key = `${sessionId} ${commandId}`;
    let command = commands.get(key);
    if (command === undefined) {
      command = { sessionId, commandId, sent, lives: new Set(), reasons: new Set(), method };
      commands.set(key, command);
    }
    command.lives.add(life);
    const reason = rejectionReason(outcome);
    if (reason !== undefined) command.reasons.add(reason);
    if (!isAck(outcome)) continue;
    const at = answered ?? sent;
    // Of two that were sent at once the second may be answered first.
    if (command.ack !== undefined && command.ack.answered <= at) continue;
    command.ack = { method, params, result: outcome.result, answered: at };
  }
  return commands;
}
