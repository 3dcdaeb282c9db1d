/** Rules of listed values: which words, and whether others are taken. */
import type { Json } from "../../bundle/json.js";
import { jsonEqual } from "../../bundle/json.js";
import type { Schema } from "../../model/protocol.js";
import type { Pair } from "../change.js";
import { valuesOf } from "./alternatives.js";
import type { Context } from "./context.js";

interface Listed {
  readonly values: readonly Json[];
  readonly open: boolean;
}

/** A node that lists nothing takes every value of its type, as an open list without words does. */
const ANY: Listed = { values: [], open: true };

/** Compares what two nodes of one type list. */
export function compareValues(context: Context, pair: Pair, base: Schema, head: Schema): void {
  const listedBase = valuesOf(base);
  const listedHead = valuesOf(head);
  if (listedBase === undefined && listedHead === undefined) return;
  const b = listedBase ?? ANY;
  const h = listedHead ?? ANY;
  const added = h.values.filter((value) => !has(b.values, value));
  const removed = b.values.filter((value) => !has(h.values, value));
  if (b.open && !h.open)
    context.tell("values-closed", pair, {
      kind: "changed",
      at: head,
      before: told(listedBase),
      after: told(listedHead),
      narrows: "yes",
      made: { node: base, with: listing(base, [...b.values, ...added]) },
      undone: { node: head, with: freed(head) },
    });
  if (!b.open && h.open)
    context.tell("values-opened", pair, {
      kind: "changed",
      at: head,
      before: told(listedBase),
      after: told(listedHead),
      widens: "yes",
      made: { node: base, with: freed(base) },
      undone: { node: head, with: listing(head, [...h.values, ...removed]) },
    });
  // A closed list where there was none names no word as new: it only takes others away.
  const news = listedBase === undefined && !h.open ? [] : added;
  for (const value of news)
    context.tell("value-added", pair, {
      kind: "added",
      at: head,
      below: placeOf(head),
      after: value,
      widens: b.open ? "no" : "yes",
      made: { node: base, with: listing(base, [...b.values, value], b.open) },
      // Beside this word the sender says no others that the earlier list refuses.
      undone: {
        node: b.open ? head : listing(head, h.values),
        with: without(head, h, value, b.open) ?? base,
      },
    });
  // A closed list that is given up names no word as gone: it only lets others in.
  if (listedHead === undefined && !b.open) return;
  for (const value of removed)
    context.tell("value-removed", pair, {
      kind: "removed",
      at: base,
      below: placeOf(base),
      before: value,
      narrows: h.open ? "no" : "yes",
      relied: h.open,
      made: { node: h.open ? base : listing(base, b.values), with: without(base, b, value, h.open) ?? head },
      undone: { node: head, with: listing(head, [...h.values, value], h.open) },
    });
}

/** Where a node lists its values. */
function placeOf(node: Schema): string {
  return node.constant !== undefined ? "/const" : node.enum !== undefined ? "/enum" : "";
}

function told(listed: Listed | undefined): Json {
  return listed === undefined ? "any" : { values: [...listed.values], open: listed.open };
}

function has(values: readonly Json[], value: Json): boolean {
  return values.some((other) => jsonEqual(other, value));
}

/** The same node with other values; without a word none is left, and there is no such node. */
function without(node: Schema, { values }: Listed, value: Json, open: boolean): Schema | undefined {
  const left = values.filter((other) => !jsonEqual(other, value));
  return left.length === 0 && !open ? undefined : listing(node, left, open);
}

function listing(node: Schema, values: readonly Json[], open = false): Schema {
  // An open list of words is a list of texts; of other values it takes all of a type.
  if (open && values.some((value) => typeof value !== "string")) return freed(node);
  const { constant: _, ...rest } = node;
  return { ...rest, enum: { values: values.map((value) => ({ value })), open, stated: true } };
}

function freed(node: Schema): Schema {
  const { constant, enum: listed, ...rest } = node;
  if (rest.types !== undefined) return rest;
  const [first] =
    constant === undefined ? (listed?.values.map(({ value }) => value) ?? []) : [constant.value];
  const type = first === null ? "null" : Array.isArray(first) ? "array" : typeof first;
  return { ...rest, types: [(type === "undefined" ? "string" : type) as "string"] };
}
