/** Builds a difference from what a rule says of it. */
import type { Json } from "../../bundle/json.js";
import { tokens } from "../../bundle/pointer.js";
import type { Difference } from "../change.js";
import type { DriftRuleId } from "../rules.js";

/** What is the same of every difference: what changed, where, and how. */
interface What {
  readonly kind: Difference["kind"];
  readonly pointer: string;
  readonly before?: Json | undefined;
  readonly after?: Json | undefined;
}

/** A difference. What is not given: no effect, and nobody relies on anything. */
export function difference(
  rule: DriftRuleId,
  { kind, pointer, before, after }: What,
  more: Partial<Difference> = {},
): Difference {
  return {
    rule,
    kind,
    pointer,
    side: kind === "removed" ? "base" : "head",
    subject: subjectOf(pointer),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    narrows: "no",
    widens: "no",
    relied: false,
    ...more,
  };
}

/** What a pointer names, for people: `/$defs/X/properties/a/items` is `X.a[]`. */
function subjectOf(pointer: string): string {
  const [section, name = "", ...rest] = tokens(pointer);
  let text = section === "$defs" ? name : [section, name].filter((word) => word !== "").join(" ");
  if (section !== undefined && section !== "$defs" && section !== "errors")
    text = name === "" ? section : name;
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i] as string;
    if (word === "properties" && i + 1 < rest.length) text += `.${rest[++i]}`;
    else if (word === "items") text += "[]";
    else if (word === "additionalProperties") text += "[*]";
    else if ((word === "anyOf" || word === "oneOf") && /^\d+$/.test(rest[i + 1] ?? ""))
      text += `(${rest[++i]})`;
  }
  return text;
}
