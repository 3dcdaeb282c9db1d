/** Places in a JSON value, as the names and indices that lead there. Values are never changed, only made anew. */
import type { Json } from "../../bundle/json.js";
import { isJsonObject } from "../../bundle/json.js";
import { escapeToken } from "../../bundle/pointer.js";

/** The steps from a value to a part of it. */
export type Path = readonly (string | number)[];

/** The part at a place; undefined where there is none. */
export function partAt(value: Json, path: Path): Json | undefined {
  let part: Json | undefined = value;
  for (const token of path) {
    if (Array.isArray(part)) part = typeof token === "number" ? part[token] : undefined;
    else if (isJsonObject(part) && Object.hasOwn(part, token)) part = part[token];
    else return undefined;
  }
  return part;
}

/** The value with another part at a place; undefined takes the part away. The place's holder is there. */
export function withPart(value: Json, path: Path, part: Json | undefined): Json {
  // From the place outwards: a loop, since a value may nest deep.
  const holders: Json[] = [];
  let holder: Json | undefined = value;
  for (const token of path) {
    holders.push(holder as Json);
    holder = partAt(holder as Json, [token]) ?? null;
  }
  let made = part;
  for (let i = path.length - 1; i >= 0; i--) made = replaced(holders[i] as Json, path[i] as string, made);
  return made as Json;
}

function replaced(holder: Json, token: string | number, part: Json | undefined): Json {
  if (Array.isArray(holder)) {
    const at = token as number;
    return [...holder.slice(0, at), ...(part === undefined ? [] : [part]), ...holder.slice(at + 1)];
  }
  const entries = Object.entries(holder as object) as [string, Json][];
  const at = entries.findIndex(([name]) => name === token);
  if (part === undefined) entries.splice(at, at === -1 ? 0 : 1);
  else if (at === -1) entries.push([token as string, part]);
  else entries[at] = [token as string, part];
  // As a plain member, "__proto__" would set the prototype.
  return Object.fromEntries(entries);
}

/** A path as a JSON Pointer. */
export function pointerTo(path: Path): string {
  return path.map((token) => `/${escapeToken(String(token))}`).join("");
}
