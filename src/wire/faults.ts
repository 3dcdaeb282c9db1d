/**
 * What the other side may send against the protocol. It is told to whoever wants to know; the connection goes on.
 */
import type { RequestId } from "./envelope.js";
import { membersOf } from "./members.js";

/** Something that the other side sent against the protocol. */
export interface ProtocolFault {
  readonly kind:
    | "notUtf8"
    | "notJson"
    | "tooDeep"
    | "tooLong"
    | "truncated"
    | "malformedRequest"
    | "malformedAnswer"
    | "unknownId";
  /** What is wrong with it, for people, where the kind does not say all. */
  readonly why?: string;
  /** The beginning of the frame, at most 200 characters, for people. */
  readonly evidence: string;
}

const MOST_EVIDENCE = 200;

/** A fault with the evidence cut. */
export function faultOf(kind: ProtocolFault["kind"], frame: string, why?: string): ProtocolFault {
  // Cut between code points, so that the evidence is text itself.
  const evidence =
    frame.length <= MOST_EVIDENCE ? frame : [...frame.slice(0, MOST_EVIDENCE + 1)].slice(0, -1).join("");
  return why === undefined ? { kind, evidence } : { kind, why, evidence };
}

/** The id that stands in the beginning of a frame, where one does, and whether the frame is an answer. */
export function idInPrefix(prefix: string): {
  readonly id: RequestId | undefined;
  readonly isAnswer: boolean;
} {
  let id: RequestId | undefined;
  const names = new Set<string>();
  for (const { name, valueStart, valueEnd } of membersOf(prefix)) {
    names.add(name);
    if (name === "id" && valueEnd !== undefined) id = idOf(prefix.slice(valueStart, valueEnd));
  }
  return { id, isAnswer: !names.has("method") && (names.has("result") || names.has("error")) };
}

function idOf(text: string): RequestId | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" || Number.isInteger(value) ? (value as RequestId) : undefined;
  } catch {
    return undefined; // a word that is no JSON
  }
}
