/** A marked bundle as its owners would publish it: two complete files, of which the larger says less than our marks. */
import { isDeepStrictEqual } from "node:util";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Node = { [name: string]: Json };

const isNode = (value: Json | undefined): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isMarked = (value: Json): boolean => isNode(value) && value["x-msp-stability"] === "experimental";

/** A copy in which `change` has replaced each object; inner ones first. */
function rewrite(value: Json, change: (node: Node) => Node): Json {
  if (Array.isArray(value)) return value.map((item) => rewrite(item, change));
  if (!isNode(value)) return value;
  return change(
    Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rewrite(inner, change)])),
  );
}

/** The experimental file: all capabilities are grantable, and enum values and errors carry no mark. */
export function ownersExperimental(surface: Node): Node {
  const { capabilities, errors, ...rest } = rewrite(
    surface,
    ({ "x-msp-value-stability": _, ...node }) => node,
  ) as Node;
  const { experimental = [], grantable = [], ...other } = (capabilities ?? {}) as Record<string, Json[]>;
  return {
    ...rest,
    capabilities: { ...other, grantable: [...grantable, ...experimental] },
    errors: ((errors ?? []) as Node[]).map(
      ({ "x-msp-stability": _s, "x-msp-descriptor": _d, ...row }) => row,
    ),
  };
}

/** The stable file: everything that is marked is gone. */
export function ownersStable(surface: Node): Node {
  const { capabilities, ...rest } = rewrite(surface, (node) => {
    const values = node["x-msp-value-stability"];
    const gone = new Set(Object.keys(node).filter((key) => isMarked(node[key]!)));
    const kept = Object.entries(node).filter(([key]) => !gone.has(key) && key !== "x-msp-value-stability");
    const out: Node = Object.fromEntries(
      kept.map(([key, value]) => [
        key,
        Array.isArray(value) ? value.filter((item) => !isMarked(item)) : value,
      ]),
    );
    if (isNode(values) && Array.isArray(out["enum"]))
      out["enum"] = out["enum"].filter((word) => !Object.hasOwn(values, String(word)));
    const properties = node["properties"];
    const before = isNode(properties) ? properties : {};
    if (Array.isArray(out["required"]))
      out["required"] = out["required"].filter(
        (name) => !isDeepStrictEqual(before[String(name)], undefined) || !isNode(properties),
      );
    return out;
  }) as Node;
  const { experimental: _, ...stable } = (capabilities ?? {}) as Node;
  return { ...rest, capabilities: stable };
}
