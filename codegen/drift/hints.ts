/** What went and what came at the same place: perhaps one thing under another name. */
import { jsonEqual } from "../bundle/json.js";
import { child } from "../bundle/pointer.js";
import { forEachSchema, type Protocol } from "../model/protocol.js";
import type { Difference, Hint } from "./change.js";

/** The renamings that some differences look like; each thing is named once. */
export function hintsOf(differences: readonly Difference[], base: Protocol, head: Protocol): Hint[] {
  const hints = new Map<string, Hint>();
  const taken = new Set<string>();
  const hint = (from: string, to: string): void => {
    // What goes the other way now has its old name.
    if (from === to || hints.has(from) || taken.has(to)) return;
    taken.add(to);
    hints.set(from, { kind: "renamed", from, to });
  };
  for (const [from, to] of renamedDefinitions(base, head)) hint(child("/$defs", from), child("/$defs", to));
  const added = new Map<string, Difference[]>();
  for (const difference of differences) {
    const key = difference.kind === "added" ? keyOf(difference) : undefined;
    if (key !== undefined) added.set(key, [...(added.get(key) ?? []), difference]);
  }
  for (const difference of differences) {
    const key = difference.kind === "removed" ? keyOf(difference) : undefined;
    const others = key === undefined ? [] : (added.get(key) ?? []);
    const other = others.find(({ pointer }) => !taken.has(pointer));
    if (other !== undefined) hint(difference.pointer, other.pointer);
  }
  return [...hints.values()];
}

/** Definitions that are gone where ones that are new stand in their place, in what was itself renamed too. */
function renamedDefinitions(base: Protocol, head: Protocol): [string, string][] {
  const [before, after] = [placesOf(base), placesOf(head)];
  const found: [string, string][] = [];
  const seen = new Set<string>();
  const look = (was: Owner | undefined, now: Owner | undefined): void => {
    for (const [place, to] of now ?? []) {
      const from = was?.get(place);
      if (from === undefined || head.definitions.has(from) || base.definitions.has(to)) continue;
      if (seen.has(from)) continue;
      seen.add(from);
      found.push([from, to]);
    }
  };
  for (const [owner, now] of after) look(before.get(owner), now);
  // What is found grows the list that is walked.
  for (const [from, to] of found) look(before.get(child("/$defs", from)), after.get(child("/$defs", to)));
  return found;
}

/** The definition that each place inside a definition or a message refers to. */
type Owner = ReadonlyMap<string, string>;

function placesOf({ definitions, methods, notifications, requests }: Protocol): ReadonlyMap<string, Owner> {
  const owners = new Map<string, Owner>();
  for (const { schema } of definitions.values()) {
    const places = new Map<string, string>();
    forEachSchema(schema, ({ pointer, ref }) => {
      if (ref !== undefined) places.set(pointer.slice(schema.pointer.length), ref);
    });
    owners.set(schema.pointer, places);
  }
  for (const message of [...methods, ...notifications, ...requests]) {
    const { pointer, params, result } = message as typeof message & { readonly result?: string };
    const places = new Map<string, string>();
    if (params !== undefined) places.set("/params", params);
    if (result !== undefined) places.set("/result", result);
    owners.set(pointer, places);
  }
  return owners;
}

/** What two things must have in common to be called one; undefined for what has no name of its own. */
function keyOf({ rule, pointer, before, after }: Difference): string | undefined {
  const family = rule.replace(/^required-/, "").replace(/-(?:added|removed)$/, "");
  const shape = before ?? after ?? null;
  if (family === "member" && !jsonEqual(shape, {}))
    return JSON.stringify([family, pointer.slice(0, pointer.lastIndexOf("/")), shape]);
  return family === "method" || family === "notification" || family === "request"
    ? JSON.stringify([family, shape])
    : undefined;
}
