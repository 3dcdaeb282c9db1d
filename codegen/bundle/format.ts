/**
 * The canonical form of a bundle file: two spaces, members in code-point order at every level, `required` sorted,
 * other arrays as they are, characters outside ASCII as themselves, one line feed at the end.
 */
import { isJsonObject, type Json } from "./json.js";
import { compareNames } from "./pointer.js";

/** Keywords whose values are data of the protocol's users; arrays in them are never sorted. */
const DATA = new Set(["const", "enum", "default", "examples"]);

/** The canonical text of a bundle. */
export function formatBundle(root: Json): string {
  return `${JSON.stringify(canonical(root, false, false), null, 2)}\n`;
}

/**
 * @param named whether the members of `value` are names that the protocol chose, not keywords
 * @param data whether `value` is data
 */
function canonical(value: Json, named: boolean, data: boolean): Json {
  if (Array.isArray(value)) return value.map((item) => canonical(item, false, data));
  if (!isJsonObject(value)) return value;
  const out: Json = {};
  for (const key of Object.keys(value).sort(compareNames)) {
    const inner = value[key] as Json;
    const keyword = !named && !data;
    const sorted =
      keyword && key === "required" && Array.isArray(inner) && inner.every((name) => typeof name === "string")
        ? [...(inner as string[])].sort(compareNames)
        : canonical(inner, keyword && NAMED.has(key), data || (keyword && isData(key)));
    Object.defineProperty(out, key, { value: sorted, enumerable: true, configurable: true, writable: true });
  }
  return out;
}

/** Annotations of other tools mean what those say. */
function isData(key: string): boolean {
  return DATA.has(key) || (key.startsWith("x-") && !key.startsWith("x-msp-"));
}

/** Members of these are named by the protocol. */
const NAMED = new Set([
  "$defs",
  "properties",
  "methods",
  "notifications",
  "requests",
  "dependentRequired",
  "descriptions",
]);
