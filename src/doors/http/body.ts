/** Bodies, and params in the address. */
import { isUtf8 } from "node:buffer";
import type { Rejection } from "../../commands/app.js";
import { parseFrame } from "../../wire/parse.js";
import { refusal } from "../reasons.js";
import type { Scalar } from "../schema.js";

/** The value of a body, by the same rules as a frame of any other door; or why it has none. */
export function bodyValue(bytes: Buffer): { readonly value: unknown } | Rejection {
  if (!isUtf8(bytes)) return refusal("malformed_json");
  const parsed = parseFrame(bytes.toString("utf8"));
  return "fault" in parsed ? refusal("malformed_json") : parsed;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * Params that stand in the address: a text is what the type of its member says, as JSON writes it; what it cannot be stays a
 * text, which the check of the params refuses. A member that the method does not have is ignored. A member that stands twice
 * is a list, which is refused too.
 */
export function queryParams(query: unknown, flat: ReadonlyMap<string, Scalar>): Record<string, unknown> {
  const given = query as Readonly<Record<string, string | readonly string[]>>;
  const params: Record<string, unknown> = {};
  for (const [name, scalar] of flat) {
    if (!Object.hasOwn(given, name)) continue;
    const value = given[name] as string | readonly string[];
    params[name] = typeof value === "string" ? scalarValue(value, scalar) : value;
  }
  return params;
}

function scalarValue(text: string, scalar: Scalar): unknown {
  if (scalar === "boolean") return text === "true" || (text === "false" ? false : text);
  if (scalar === "string" || !NUMBER.test(text)) return text;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}
