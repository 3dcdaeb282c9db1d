/**
 * How what is kept of a command is told: an ack as the result, a rejection as the protocol's error.
 */
import {
  isProtocolError,
  type ProtocolError,
  protocolError,
} from "../../generated/msp/experimental/server.js";
import type { CommandAnswer, Rejection } from "./session/records.js";

/** What a handler gives the server. */
export type Told = object | ProtocolError;

/**
 * What a client is told of an answer. The id is echoed as this client spelt it.
 * @param spelt the command id, as the client wrote it this time
 */
export function told(method: string, spelt: string, answer: CommandAnswer): Told {
  if ("rejection" in answer) return rejected(method, spelt, answer.rejection);
  const { ack } = answer;
  return ack["commandId"] === undefined || ack["commandId"] === spelt ? ack : { ...ack, commandId: spelt };
}

/** The error of a command that was rejected for good. */
export function rejected(
  method: string,
  spelt: string,
  { reason, message, retryable, data }: Rejection,
): ProtocolError {
  return protocolError(
    "commandRejected",
    { ...data, commandId: spelt, reason, retryable },
    message ?? `${method} command ${spelt} rejected: ${reason}`,
  );
}

/** The error of an id that stands for another payload. It names the place, and no value. */
export function conflict(method: string, spelt: string, pointer: string): ProtocolError {
  return rejected(method, spelt, {
    reason: "command_id_conflict",
    retryable: false,
    data: { details: { pointer } },
  });
}

/** The rejection that an error is, where it is one that must be kept. */
export function rejectionOf(error: unknown): Rejection | undefined {
  if (!isProtocolError(error) || error.kind !== "commandRejected") return undefined;
  const { kind: _, commandId: _id, reason, retryable, ...data } = error.data;
  return {
    reason: String(reason),
    message: error.message,
    ...(retryable === undefined ? {} : { retryable }),
    data,
  };
}
