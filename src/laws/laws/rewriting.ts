/** Ways to write one value of JSON: what a host must take for the same payload. */
import { methods, payloads } from "../../../generated/msp/experimental/tables.js";
import type { MethodName } from "../../../generated/msp/experimental/types.js";
import type { JsonObject } from "../model/history.js";

/** What is done to a text. */
export interface Rewriting {
  /** Members in the opposite order. */
  readonly order: boolean;
  /** Spaces and tabs wherever they may stand. */
  readonly space: boolean;
  /** ASCII characters of texts and names as \u escapes, the solidus with a backslash. */
  readonly escapes: boolean;
  /** Members that the schema does not have, at every level where it has an object of known members. */
  readonly unknown: boolean;
}

interface Shape {
  readonly ref?: string;
  readonly members?: Readonly<Record<string, Shape>>;
  readonly values?: Shape;
  readonly items?: Shape;
}

const shapes: Readonly<Record<string, Shape | undefined>> = payloads;
const rows: Readonly<Record<string, { readonly params?: string; readonly strict: boolean }>> = methods;

/** The text of the params of a method, written in another way. */
export function rewritten(method: MethodName, params: JsonObject, how: Rewriting): string {
  const row = rows[method];
  return write(params, row?.params === undefined ? undefined : { ref: row.params }, {
    ...how,
    // A strict method refuses what it does not know.
    unknown: how.unknown && row?.strict !== true,
  });
}

function write(value: unknown, at: Shape | undefined, how: Rewriting): string {
  const shape = at?.ref === undefined ? at : shapes[at.ref];
  const gap = how.space ? " \t" : "";
  if (typeof value === "string") return string(value, how);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${gap}${value.map((item) => write(item, shape?.items, how)).join(`${gap},${gap}`)}${gap}]`;
  const members = Object.entries(value as JsonObject).filter(([, member]) => member !== undefined);
  const isKnown = shape?.members !== undefined && shape.values === undefined;
  const texts = members.map(
    ([name, member]) =>
      `${string(name, how)}${gap}:${gap}${write(member, shape?.members?.[name] ?? shape?.values, how)}`,
  );
  if (how.unknown && isKnown) texts.push(`"mspkitUnknown"${gap}:${gap}{"of":["no",{"schema":null}]}`);
  if (how.order) texts.reverse();
  return `{${gap}${texts.join(`${gap},${gap}`)}${gap}}`;
}

function string(value: string, { escapes }: Rewriting): string {
  const text = JSON.stringify(value);
  if (!escapes) return text;
  const inner = text.slice(1, -1).replaceAll(/\\.|[A-Za-z0-9 /-]/g, (char) => {
    if (char.startsWith("\\")) return char;
    return char === "/" ? "\\/" : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return `"${inner}"`;
}
