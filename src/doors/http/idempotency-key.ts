/**
 * The header `Idempotency-Key`: the id as it is, or as a string of RFC 9651 in quotes, in which `\"` and `\\` stand for `"`
 * and `\`. It is ASCII: of other bytes nobody says which characters they are, so that they might be another id at another
 * door.
 */
import type { IncomingMessage } from "node:http";
import type { Rejection } from "../../commands/app.js";
import { readCommandId } from "../../commands/ids.js";
import { refusal } from "../reasons.js";

const HEADER = "idempotency-key";
const ASCII = /^[ -~]*$/;
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;

const UNPRINTABLE = refusal("command_id_malformed", { fault: "unprintable" });

/** The id of the header, undefined where there is none; or why it is none. */
export function headerId(request: IncomingMessage): string | undefined | Rejection {
  if (request.headers[HEADER] === undefined) return undefined;
  // As they were sent: together they would be one text, which may be an id too.
  const given = new Set(request.headersDistinct[HEADER]);
  const [text = "", ...more] = given;
  if (more.length > 0) return refusal("command_id_mismatch");
  if (!text.startsWith('"')) return ASCII.test(text) ? text : UNPRINTABLE;
  return QUOTED.exec(text)?.[1]?.replaceAll(/\\(.)/g, "$1") ?? UNPRINTABLE;
}

/** The one id of a header and a body; or that they are two. */
export function oneId(header: string | undefined, body: unknown): { readonly id: unknown } | Rejection {
  if (header === undefined) return { id: body };
  if (body === undefined) return { id: header };
  return lookedUp(header) === lookedUp(body) ? { id: header } : refusal("command_id_mismatch");
}

function lookedUp(id: unknown): unknown {
  return readCommandId(id, Number.POSITIVE_INFINITY).id ?? id;
}
