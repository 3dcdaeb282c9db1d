/** Whether two requests of one method mean the same. */
import { methods } from "../../../generated/msp/experimental/tables.js";
import { type CommandName, payloadOf } from "../../host/payloads.js";
import { canonicalJson } from "../../ledger/canonical.js";
import { validParams } from "../conformance.js";
import type { JsonObject } from "./history.js";

/**
 * What is known of two payloads: the same, another one, or `unsure`, where the protocol's sources leave it to the host
 * or where a host should have refused one of them.
 */
export type Sameness = "same" | "other" | "unsure";

/** Methods that are commands. */
export function isCommand(method: string): method is CommandName {
  const row = Object.hasOwn(methods, method) ? methods[method as CommandName] : undefined;
  return row?.commandId === "required";
}

/** Compares what two requests of one method mean; meanings that are the text of params are read as such. */
export function sameness(method: string, one: string, other: string): Sameness {
  if (one === other) return "same";
  const [first, second] = [normalForm(method, one), normalForm(method, other)];
  return first === undefined || second === undefined || first === second ? "unsure" : "other";
}

/** One text for all params that may be one payload; undefined where that cannot be said. */
function normalForm(method: string, meaning: string): string | undefined {
  if (!isCommand(method)) return undefined;
  let params: unknown;
  try {
    params = JSON.parse(meaning);
  } catch {
    // What is no text of params is a name that a law has given.
    return meaning;
  }
  if (typeof params !== "object" || params === null || Array.isArray(params)) return meaning;
  if (!validParams(method, params as JsonObject)) return undefined;
  const { payload, refusal } = payloadOf(method, params);
  return refusal === undefined ? canonicalJson(payload) : undefined;
}
