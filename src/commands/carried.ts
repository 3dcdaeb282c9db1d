/** What an application gave, as a result that JSON carries and nobody can change. */
import type { CommandResult, JsonValue } from "./app.js";
import { rejected } from "./rejections.js";

/** How deep a result may be. */
const MAX_DEPTH = 500;

/** Half of a surrogate pair. */
const HALF = /\p{Surrogate}/u;

/** Why a value is not taken. */
class NotCarried extends Error {}

/** Why what an application gave is no result, or none that JSON carries. */
export type NotTaken = "handler_failed" | "result_not_serialisable";

/**
 * The result that an application gave: a frozen copy. `handler_failed` where it is no result, `result_not_serialisable`
 * where JSON cannot carry it: a function, a bigint, a number that is not finite, a circle, 500 levels.
 */
export function carried(given: unknown): CommandResult {
  const taken = takenFrom(given);
  return typeof taken === "string" ? rejected(taken) : taken;
}

/** The same; where it is none, the word alone. */
export function takenFrom(given: unknown): CommandResult | NotTaken {
  try {
    const { status } = given as CommandResult;
    if (status === "accepted") {
      const { result } = given as { readonly result: unknown };
      return Object.freeze({ status, result: copy(result === undefined ? null : result, 0) });
    }
    if (status !== "rejected") return "handler_failed";
    const { rejection } = given as Extract<CommandResult, { readonly status: "rejected" }>;
    const { reason, message, retryable } = rejection;
    const data: unknown = rejection.data;
    // A reason is a word: half of a surrogate pair can be told in no address and no header.
    if (typeof reason !== "string" || typeof message !== "string" || HALF.test(reason))
      return "handler_failed";
    const made = { reason, message, retryable: retryable === true };
    if (data === undefined || data === null) return Object.freeze({ status, rejection: Object.freeze(made) });
    const copied = copy(data, 0);
    if (typeof copied !== "object" || copied === null || Array.isArray(copied)) return "handler_failed";
    return Object.freeze({
      status,
      rejection: Object.freeze({ ...made, data: copied as { readonly [name: string]: JsonValue } }),
    });
  } catch (error) {
    // A getter that throws, or a toJSON, is the application's fault as well.
    if (given === null || typeof given !== "object") return "handler_failed";
    return error instanceof NotCarried || error instanceof RangeError || error instanceof TypeError
      ? "result_not_serialisable"
      : "handler_failed";
  }
}

/**
 * Whether JSON carries a value as it is, so that no copy has to be made of it. False also where a copy could be carried:
 * of what has a `toJSON`, or a member that is undefined.
 */
export function isPlain(value: unknown, depth = 0): value is JsonValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      break;
    default:
      return false;
  }
  if (value === null) return true;
  const members = value as Readonly<Record<string, unknown>>;
  if (depth >= MAX_DEPTH || members["toJSON"] !== undefined) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isPlain(value[i], depth + 1)) return false;
    return true;
  }
  // Members that are inherited are looked at too, which errs on the safe side and takes half the time.
  for (const name in members) {
    const member = members[name];
    if (typeof member !== "string" && !isPlain(member, depth + 1)) return false;
  }
  return true;
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
