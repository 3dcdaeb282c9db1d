/** Which arms of two unions belong together, and which may take one value. */
import { jsonEqual } from "../../bundle/json.js";
import type { Category } from "../../model/dispatch.js";
import type { Schema } from "../../model/protocol.js";
import { categoriesOf } from "./alternatives.js";
import type { Context } from "./context.js";

/** Arms of two sides: those that belong together, those that are gone, and those that are new. */
export interface Matches {
  readonly matched: [Schema, Schema][];
  readonly gone: readonly Schema[];
  readonly fresh: readonly Schema[];
}

/** Which arms belong together: equal ones, those of one tag, those of one definition, the only ones of their type. */
export function matchArms(context: Context, base: readonly Schema[], head: readonly Schema[]): Matches {
  const gone = new Set(base);
  const fresh = new Set(head);
  const matched: [Schema, Schema][] = [];
  /** Matches what has a key in common, by keys: so that many arms take no longer than they have to. */
  const by = (
    keysBefore: (arm: Schema) => readonly string[],
    keysAfter: (arm: Schema) => readonly string[],
    belong: (b: Schema, h: Schema) => boolean = () => true,
  ): void => {
    const index = new Map<string, Schema[]>();
    for (const arm of fresh)
      for (const key of keysAfter(arm)) {
        const list = index.get(key);
        if (list === undefined) index.set(key, [arm]);
        else list.push(arm);
      }
    for (const b of gone)
      for (const key of keysBefore(b)) {
        const h = index.get(key)?.find((arm) => fresh.has(arm) && belong(b, arm));
        if (h === undefined) continue;
        matched.push([b, h]);
        gone.delete(b);
        fresh.delete(h);
        break;
      }
  };
  const digest =
    (side: "base" | "head") =>
    (arm: Schema): readonly string[] => {
      const text = context.digest(side, arm);
      return text === undefined ? [] : [text];
    };
  by(digest("base"), digest("head"));
  const tags =
    (side: "base" | "head") =>
    (arm: Schema): readonly string[] =>
      [...context[side].tags(arm)].flatMap(([name, words]) => [...words].map((word) => `${name} ${word}`));
  by(tags("base"), tags("head"), (b, h) => !haveOtherTags(context, b, h));
  const [kindBefore, kindAfter] = [kinds(context.base), kinds(context.head)];
  const several = (arms: readonly Schema[], kindOf: Kinds): boolean =>
    arms.filter((arm) => kindOf(arm) === "object").length > 1;
  // Among several objects one of another tag is another one, wherever it stands; a single one only changed its tag.
  const tagged = several(base, kindBefore) || several(head, kindAfter);
  const mayBelong = (b: Schema, h: Schema): boolean => !(tagged && haveOtherTags(context, b, h));
  const named = ({ ref, pointer }: Schema): string => (ref === undefined ? pointer : `/$defs/${ref}`);
  by(
    (arm) => [`${kindBefore(arm)} ${named(arm)}`],
    (arm) => [`${kindAfter(arm)} ${named(arm)}`],
    mayBelong,
  );
  const counted = (arms: Iterable<Schema>, kindOf: Kinds): ReadonlyMap<string, number> => {
    const counts = new Map<string, number>();
    for (const arm of arms) counts.set(kindOf(arm), (counts.get(kindOf(arm)) ?? 0) + 1);
    return counts;
  };
  const [countBefore, countAfter] = [counted(gone, kindBefore), counted(fresh, kindAfter)];
  const single = (kind: string): readonly string[] =>
    countBefore.get(kind) === 1 && countAfter.get(kind) === 1 ? [kind] : [];
  by(
    (arm) => single(kindBefore(arm)),
    (arm) => single(kindAfter(arm)),
    mayBelong,
  );
  return { matched, gone: [...gone], fresh: [...fresh] };
}

/** Whether an arm of one side and one of the other may take one value. */
export function mayOverlap(context: Context, base: Schema, head: Schema): boolean {
  return context.base.of(base).some((b) => context.head.of(head).some((h) => overlap(context, b, h)));
}

function overlap(context: Context, base: Schema, head: Schema): boolean {
  const other = context.head.takes(head);
  const common = [...context.base.takes(base)].filter((category) => other.has(category));
  if (common.length === 0) return false;
  if (common.length === 1 && common[0] === "object" && haveOtherTags(context, base, head)) return false;
  const [b, h] = [context.base.listed(base), context.head.listed(head)];
  return b === undefined || h === undefined || b.some((value) => h.some((one) => jsonEqual(value, one)));
}

function haveOtherTags(context: Context, base: Schema, head: Schema): boolean {
  const tags = context.head.tags(head);
  return [...context.base.tags(base)].some(([name, words]) => tags.has(name) && !meet(words, tags.get(name)));
}

function meet(words: ReadonlySet<string>, others: ReadonlySet<string> | undefined): boolean {
  return others !== undefined && [...words].some((word) => others.has(word));
}

type Kinds = (arm: Schema) => string;

/** The kind of an arm, for finding the one that belongs to it: `string`, `null`, `object`, or `any` for all others. */
function kinds(side: Context["base"]): Kinds {
  const known = new Map<Schema, string>();
  return (arm) => {
    let kind = known.get(arm);
    if (kind === undefined) known.set(arm, (kind = kindOf(side, arm)));
    return kind;
  };
}

/** The kind of an arm of one side. */
export function kindOf(side: Context["base"], arm: Schema): string {
  return side.of(arm).map(kindOfNode).join("|");
}

function kindOfNode(arm: Schema): string {
  return categoriesOf(arm)?.join() ?? (arm.members === undefined ? "any" : "object");
}

/** The kinds of values that only objects are. */
export function takesOnlyObjects(takes: ReadonlySet<Category>): boolean {
  return takes.size === 1 && takes.has("object");
}
