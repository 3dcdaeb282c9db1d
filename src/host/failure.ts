/**
 * What clients and agents are told of things that went wrong.
 */
import {
  isProtocolError,
  type ProtocolError,
  protocolError,
} from "../../generated/msp/experimental/server.js";
import type { TurnError } from "../../generated/msp/experimental/types.js";
import { isStoreError } from "../ledger/store.js";
import { isTurnFailure } from "./agents/agent.js";

/** The error of a session that another host holds. */
export function inUse(sessionId: string): ProtocolError {
  return protocolError("sessionInUse", { sessionId }, "another host has the session");
}

/** What a command is answered whose session was lost while it waited. Whether it was taken in is not known. */
export function failureOf(error: unknown, sessionId: string): ProtocolError {
  if (isProtocolError(error)) return error;
  if (isStoreError(error) && (error.kind === "fenced" || error.kind === "inUse")) return inUse(sessionId);
  return protocolError("internal", { sessionId }, "the session's log failed");
}

/** The error of a store, when a session is to be opened. */
export function openFailure(error: unknown, sessionId: string): ProtocolError {
  if (!isStoreError(error)) throw error;
  if (error.kind === "notFound") return protocolError("sessionNotFound", { sessionId });
  if (error.kind === "inUse" || error.kind === "fenced") return inUse(sessionId);
  const { place, kind } = error;
  const details = { store: kind, ...(place === undefined ? {} : { place }) };
  return protocolError("internal", { sessionId, details }, error.message);
}

/** How a turn failed, by what its agent threw. */
export function turnErrorOf(error: unknown): TurnError {
  if (isTurnFailure(error)) return error.info;
  return { kind: "modelError", message: messageOf(error), retryable: false };
}

/** Why a turn could not be launched, by what its agent threw. */
export function launchErrorOf(error: unknown): TurnError {
  if (isTurnFailure(error)) return error.info;
  return { kind: "launchError", message: messageOf(error), retryable: true };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
