/** `event/publish`. */
import type { JsonObject } from "../../../src/commands/app.js";
import { publish } from "../firing.js";
import { checkSize } from "../rules/definition.js";
import { type CommandHandler, statusOf } from "./command.js";

/** Appends an event once, and fires the rules that apply to it. */
export const publishEvent: CommandHandler<"event/publish"> = async (call) => {
  const { transaction, params, participant, newId } = call;
  const data = (params.data ?? {}) as JsonObject;
  checkSize(data, "the data");
  const { event, runIds, duplicate } = await publish(transaction, {
    eventId: params.eventId ?? `event-${newId()}`,
    type: params.type,
    data,
    publishedBy: participant,
    depth: 0,
  });
  return {
    status: statusOf(duplicate),
    eventId: event.eventId,
    position: event.position,
    runIds: [...runIds],
  };
};
