/**
 * Where a bundle has what the pointer of a change names. Errors, rejections and capabilities stand in lists, and changes
 * name them by their own name: a row more would move all others.
 */
import { isJsonObject, type Json, jsonEqual } from "../bundle/json.js";
import { child, tokens } from "../bundle/pointer.js";
import type { Source } from "../bundle/source.js";
import type { Places } from "./report/run.js";

/** Whether a bundle has what a pointer names; with a value, whether the listed words there have it. */
export function isWritten(source: Source, pointer: string, value?: Json): boolean {
  const written = writtenAt(source.value, pointer);
  if (written === undefined) return false;
  // Alternatives are told by their shape, which is not what is written.
  if (value === undefined || !pointer.endsWith("/enum")) return true;
  const list = valueAt(source.value, written);
  return Array.isArray(list) && list.some((one) => jsonEqual(one, value));
}

/** The places of both sides' changes; of what is not written as such, the nearest that contains it. */
export function placesOf(base: Source, head: Source): Places {
  return (pointer, side) => {
    const source = side === "base" ? base : head;
    return { file: source.path, ...source.locate(writtenAt(source.value, pointer) ?? pointer) };
  };
}

/** The pointer under which a bundle has what a pointer names; undefined where it has no such thing. */
function writtenAt(root: Json, pointer: string): string | undefined {
  const [section, name, ...rest] = tokens(pointer);
  if (section !== undefined && name !== undefined && rest.length === 0) {
    const found = namedRow(root, section, name);
    if (found !== undefined) return found;
  }
  return valueAt(root, pointer) === undefined ? undefined : pointer;
}

function namedRow(root: Json, section: string, name: string): string | undefined {
  const lists =
    section === "errors"
      ? [["/errors", "kind"]]
      : section === "rejections"
        ? [["/rejections", "reason"]]
        : section === "capabilities"
          ? [
              ["/capabilities/grantable", "name"],
              ["/capabilities/experimental", "name"],
            ]
          : [];
  for (const [at = "", key = ""] of lists) {
    const list = valueAt(root, at);
    const i = Array.isArray(list)
      ? list.findIndex((row) => row === name || (isJsonObject(row) && row[key] === name))
      : -1;
    if (i !== -1) return child(at, i);
  }
  return undefined;
}

function valueAt(root: Json, pointer: string): Json | undefined {
  let value: Json | undefined = root;
  for (const token of tokens(pointer)) {
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}
