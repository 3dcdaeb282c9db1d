/**
 * From values to the text of frames. What JSON would change without a word (NaN, a function in an array) is refused.
 */
import type { ErrorObject, RequestId, Trace } from "./envelope.js";
import { WireError } from "./errors.js";
import { memberPointer } from "./pointer.js";

/** A frame with its line end. */
export function requestFrame(
  id: RequestId,
  method: string,
  params: unknown,
  trace: Trace | undefined,
): string {
  const rest = trace === undefined ? "" : `,"trace":${encoded(trace, method)}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)}${paramsMember(params, method)}${rest}}\n`;
}

/** A frame with its line end. */
export function notificationFrame(method: string, params: unknown, emittedAtMs: number | undefined): string {
  const rest = emittedAtMs === undefined ? "" : `,"emittedAtMs":${encoded(emittedAtMs, method)}`;
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)}${paramsMember(params, method)}${rest}}\n`;
}

/** A frame with its line end. */
export function resultFrame(id: RequestId, result: unknown, method: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${encoded(result, method)}}\n`;
}

/** A frame with its line end. */
export function errorFrame(id: RequestId | null, error: ErrorObject, method?: string): string {
  const { code, message, data } = error;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${encoded({ code, message, data }, method)}}\n`;
}

/** Throws `unencodable` for a frame that the other side would not read. */
export function checkSize(frame: string, limitBytes: number, method: string): void {
  // No UTF-16 unit takes more than three bytes.
  if (frame.length * 3 <= limitBytes) return;
  if (new TextEncoder().encode(frame).length - 1 > limitBytes)
    throw new WireError("unencodable", `${method}: the frame is over ${limitBytes} bytes`, method);
}

function paramsMember(params: unknown, method: string): string {
  return params === undefined ? "" : `,"params":${encoded(params, method)}`;
}

function encoded(value: unknown, method: string | undefined): string {
  let text: string | undefined;
  let reason = "is not JSON";
  try {
    text = JSON.stringify(value);
    // What JSON has no word for becomes null; where there is no null there was nothing of the kind.
    if (text?.includes("null") === true) {
      const place = lossyPlace(value, "");
      if (place !== undefined) {
        text = undefined;
        reason = `has a value that JSON has not, at ${place === "" ? "its root" : place}`;
      }
    }
  } catch (error) {
    text = undefined; // a cycle, a bigint, or what a toJSON threw
    reason = error instanceof Error ? error.message : String(error);
  }
  if (text === undefined) throw new WireError("unencodable", `${method ?? "the answer"}: ${reason}`, method);
  return text;
}

/** Where JSON.stringify would write null for something else; a JSON Pointer. The value has no cycle. */
function lossyPlace(value: unknown, at: string): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : at;
  if (typeof value !== "object" || value === null) return undefined;
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return undefined;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const place = ["undefined", "function", "symbol"].includes(typeof item)
        ? `${at}/${index}`
        : lossyPlace(item, `${at}/${index}`);
      if (place !== undefined) return place;
    }
    return undefined;
  }
  for (const [name, member] of Object.entries(value)) {
    const place = lossyPlace(member, memberPointer(at, name));
    if (place !== undefined) return place;
  }
  return undefined;
}
