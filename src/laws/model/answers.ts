/** What counts of an answer when it is compared with another one to the same command. */
import type { MethodName } from "../../../generated/msp/experimental/types.js";
import { canonicalJson } from "../../ledger/canonical.js";
import type { JsonObject, Outcome } from "./history.js";

/** How far two answers are apart. */
export interface Apart {
  /** Whether a crash or an orderly end of the host lies between them. Default: false. */
  readonly lives?: boolean;
  /** Whether the id was spelt in another letter case. Default: false. */
  readonly spelling?: boolean;
}

/** The name of a session may be left out of an answer that the next host finds in its records. */
const RENAMES: MethodName = "session/rename";

/**
 * One text for all answers that say the same. Of a result that shows a session as it is now only the id of the session
 * counts, and of one that neither shows a session nor echoes the command, that it is a result. Of an error the code and
 * the data count; the message is for people.
 */
export function answerText(method: string, outcome: Outcome, { lives, spelling }: Apart = {}): string {
  if ("error" in outcome) {
    const { code, data } = outcome.error;
    return `error ${code} ${canonicalJson(spelling === true ? inOneSpelling(data) : data)}`;
  }
  const { session } = outcome.result;
  if (typeof session === "object" && session !== null)
    return `session ${String((session as JsonObject)["sessionId"])}`;
  let result = outcome.result;
  if (Object.keys(result).length > 1 && result["commandId"] === undefined) return "a result";
  if (spelling === true) result = inOneSpelling(result);
  if (lives === true && method === RENAMES) {
    const { name: _, ...rest } = result;
    result = rest;
  }
  return `result ${canonicalJson(result)}`;
}

/** With the echo of the command id, and the id of the turn that may be the same, in small letters. */
function inOneSpelling(value: JsonObject): JsonObject {
  const spelt: Record<string, unknown> = { ...value };
  for (const name of ["commandId", "turnId"])
    if (typeof spelt[name] === "string") spelt[name] = spelt[name].toLowerCase();
  return spelt;
}
