/** Whether what a host says is valid by the schema: the whole surface, since what is experimental may be asked for. */
import { errors as rows } from "../../generated/msp/experimental/tables.js";
import * as validators from "../../generated/msp/experimental/validators.js";
import type { JsonObject } from "./model/history.js";

interface Violation {
  readonly instanceLocation: string;
  readonly message: string;
}
type Check = (value: unknown) => readonly Violation[] | null;

const methods = validators.methods as unknown as Readonly<
  Record<string, { readonly result?: Check; readonly params?: Check } | undefined>
>;
const notifications = validators.notifications as unknown as Readonly<Record<string, Check | undefined>>;
const requests = validators.requests as unknown as Readonly<
  Record<string, { readonly params?: Check } | undefined>
>;
const errors = validators.errors as unknown as Readonly<Record<string, Check | undefined>>;

/** Where a value is not valid, in words; undefined where it is, and where nothing checks it. */
function fault(check: Check | undefined, value: unknown): string | undefined {
  const [first] = check?.(value) ?? [];
  if (first === undefined) return undefined;
  return `${first.instanceLocation || "it"} is not valid: ${first.message}`;
}

/** A member that an object has of its own. */
function own<T>(table: Readonly<Record<string, T | undefined>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** What is wrong with an answer, in words; undefined for nothing. */
export function wrongInAnswer(method: string, frame: JsonObject): string | undefined {
  const has = (name: string) => Object.hasOwn(frame, name);
  if (has("result") === has("error")) return "it has not one of result and error";
  if (has("error")) return wrongInError(frame["error"]);
  const { result } = frame;
  if (typeof result !== "object" || result === null || Array.isArray(result))
    return "its result is no object";
  return fault(own(methods, method)?.result, result);
}

function wrongInError(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return "its error is no object";
  const { code, message, data } = error as JsonObject;
  if (!Number.isSafeInteger(code)) return "the code of its error is no integer";
  if (typeof message !== "string") return "the message of its error is no text";
  if (data === undefined) return undefined;
  const { kind } = (typeof data === "object" && data !== null ? data : {}) as JsonObject;
  if (typeof kind !== "string") return "the data of its error has no kind";
  return fault(own(errors, kind), data);
}

/** What is wrong with what a host tells or asks, in words; undefined for nothing. Unknown methods may be newer ones. */
export function wrongInTold(
  kind: "notification" | "request",
  method: string,
  params: JsonObject,
): string | undefined {
  return fault(kind === "notification" ? own(notifications, method) : own(requests, method)?.params, params);
}

/** Whether params are valid for a method by the whole schema. */
export function validParams(method: string, params: JsonObject): boolean {
  return fault(own(methods, method)?.params, params) === undefined;
}

/** The code of an error by its kind, where the schema has it. */
export function codeOf(kind: string): number | undefined {
  const table: Readonly<Record<string, { readonly code: number } | undefined>> = rows as never;
  return own(table, kind)?.code;
}
