/** What an application gave, as a result that JSON carries and nobody can change. */
import type { CommandResult, JsonValue } from "./app.js";
import { rejected } from "./rejections.js";

/** How deep a result may be. */
const MAX_DEPTH = 500;

/** Why a value is not taken. */
class NotCarried extends Error {}

/**
 * The result that an application gave: a frozen copy. `handler_failed` where it is no result, `result_not_serialisable`
 * where JSON cannot carry it: a function, a bigint, a number that is not finite, a circle, 500 levels.
 */
export function carried(given: unknown): CommandResult {
  try {
    const { status } = given as CommandResult;
    if (status === "accepted") {
      const { result } = given as { readonly result: unknown };
      return Object.freeze({ status, result: copy(result === undefined ? null : result, 0) });
    }
    if (status !== "rejected") return rejected("handler_failed");
    const { rejection } = given as Extract<CommandResult, { readonly status: "rejected" }>;
    const { reason, message, retryable, data } = rejection;
    if (typeof reason !== "string" || typeof message !== "string") return rejected("handler_failed");
    const made = { reason, message, retryable: retryable === true };
    return Object.freeze({
      status,
      rejection: Object.freeze(
        data === undefined
          ? made
          : { ...made, data: copy(data, 0) as { readonly [name: string]: JsonValue } },
      ),
    });
  } catch (error) {
    // A getter that throws, or a toJSON, is the application's fault as well.
    return given === null || typeof given !== "object"
      ? rejected("handler_failed")
      : rejected(
          error instanceof NotCarried || error instanceof RangeError || error instanceof TypeError
            ? "result_not_serialisable"
            : "handler_failed",
        );
  }
}

function copy(value: unknown, depth: number): JsonValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (!Number.isFinite(value)) throw new NotCarried();
      return value === 0 ? 0 : value; // JSON has no -0
    case "object":
      break;
    default:
      throw new NotCarried();
  }
  if (value === null) return null;
  if (depth >= MAX_DEPTH) throw new NotCarried();
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (let i = 0; i < value.length; i++)
      items.push(copy(value[i] === undefined ? null : value[i], depth + 1));
    return Object.freeze(items);
  }
  const members = value as Readonly<Record<string, unknown>>;
  const own = members["toJSON"];
  if (typeof own === "function") return copy((own as (this: unknown) => unknown).call(value), depth + 1);
  const out: Record<string, JsonValue> = {};
  for (const name of Object.keys(members)) {
    const member = members[name];
    if (member === undefined) continue;
    // Most are texts: they are what they are.
    const copied = typeof member === "string" ? member : copy(member, depth + 1);
    if (name !== "__proto__") out[name] = copied;
    else
      Object.defineProperty(out, name, {
        value: copied,
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  return Object.freeze(out);
}
