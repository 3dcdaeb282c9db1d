/**
 * One word or one arm more or less: whom that breaks depends on who sends it and on whether others are taken. All of it
 * is spelled out here.
 */
import { describe, expect, test } from "vitest";
import { type Change, PAIRINGS } from "../../../../codegen/drift/change.js";
import { driftOf } from "../../../../codegen/drift/drift.js";
import { bundleOf, load } from "../../../support/compile.js";
import { loadGenerated } from "../../../support/samples.js";
import type { Node } from "./cases.js";

const PLACES = ["params", "result", "both", "server request"] as const;
type Place = (typeof PLACES)[number];

const arm = (kind: string): Node => ({
  type: "object",
  properties: { kind: { const: kind } },
  required: ["kind"],
});
const others: Node = { type: "object", properties: { kind: { type: "string" } }, required: ["kind"] };

/** A list or a union of these words. */
const THINGS = {
  value: {
    open: (words: readonly string[]): Node => ({ type: "string", enum: words, "x-msp-openness": "open" }),
    closed: (words: readonly string[]): Node => ({ type: "string", enum: words, "x-msp-openness": "closed" }),
    wordOf: (it: unknown): unknown => it,
  },
  arm: {
    open: (words: readonly string[]): Node => ({
      anyOf: [...words.map(arm), others],
      "x-msp-openness": "open",
    }),
    closed: (words: readonly string[]): Node => ({ oneOf: words.map(arm) }),
    wordOf: (it: unknown): unknown => (it as { readonly kind: unknown }).kind,
  },
} as const;

function bundle(node: Node, place: Place): string {
  const ref = (name: string): Node => ({ $ref: `#/$defs/${name}` });
  const carrier: Node = { type: "object", properties: { it: ref("It") }, required: ["it"] };
  const asks = place === "params" || place === "both";
  const tells = place === "result" || place === "both";
  return bundleOf(
    { It: node, Carrier: carrier, Nothing: { type: "object" } },
    {
      methods: {
        ask: { ...(asks ? { params: ref("Carrier") } : {}), result: ref(tells ? "Carrier" : "Nothing") },
      },
      ...(place === "server request"
        ? { requests: { allow: { params: ref("Carrier"), result: ref("Nothing") } } }
        : {}),
    },
  );
}

async function changes(before: Node, after: Node, place: Place): Promise<readonly Change[]> {
  const drift = await driftOf(load(bundle(before, place)), load(bundle(after, place)), {
    evidence: { load: loadGenerated },
  });
  return drift.changes;
}

/** `OLD CLIENT | NEW CLIENT`: what the change is for each of them, and the word that shows it. */
function told(change: Change, wordOf: (it: unknown) => unknown): string {
  return PAIRINGS.map((pairing) => {
    const { verdict, refusedBy } = change.pairings[pairing];
    const witness = change.evidence?.witnesses[pairing];
    const word = witness === undefined ? "" : ` "${wordOf((witness.value as { readonly it: unknown }).it)}"`;
    const reader = witness?.sender === "client" ? "host" : "client";
    const refused = refusedBy === undefined ? (word === "" ? "" : ` for the ${reader}`) : ` but ${refusedBy}`;
    return `${verdict}${refused}${word}`;
  }).join(" | ");
}

const TAKEN = "additive | additive";
const RELIED = "unknown | additive";

/** The same for words of a list and for arms of a union. */
const VERDICTS: Readonly<
  Record<"added" | "removed", Readonly<Record<"open" | "closed", Readonly<Record<Place, string>>>>>
> = {
  added: {
    closed: {
      params: 'additive | additive but old-host "c"',
      result: 'breaking for the client "c" | additive',
      both: 'breaking for the client "c" | additive but old-host "c"',
      "server request": 'breaking for the client "c" | additive',
    },
    open: { params: TAKEN, result: TAKEN, both: TAKEN, "server request": TAKEN },
  },
  removed: {
    closed: {
      params: 'breaking for the host "c" | additive',
      result: 'additive | breaking for the client "c"',
      both: 'breaking for the host "c" | breaking for the client "c"',
      "server request": 'additive | breaking for the client "c"',
    },
    open: { params: RELIED, result: RELIED, both: RELIED, "server request": RELIED },
  },
};

describe.each(["value", "arm"] as const)("one %s", (thing) => {
  describe.each(["added", "removed"] as const)("%s", (what) => {
    describe.each(["open", "closed"] as const)("where it is %s", (openness) => {
      test.each(PLACES)("in %s", async (place) => {
        const node = THINGS[thing][openness];
        const [few, many] = [node(["a", "b"]), node(["a", "c", "b"])];
        const [before, after] = what === "added" ? [few, many] : [many, few];
        const [change, ...more] = await changes(before, after, place);
        expect(more).toEqual([]);
        expect(change?.rule).toBe(`${thing}-${what}`);
        expect(told(change as Change, THINGS[thing].wordOf)).toBe(VERDICTS[what][openness][place]);
      });
    });
  });

  test.each(["open", "closed"] as const)(
    "that only stands elsewhere in an %s one is no change",
    async (openness) => {
      const node = THINGS[thing][openness];
      for (const place of PLACES) {
        expect(await changes(node(["a", "b", "c"]), node(["c", "a", "b"]), place)).toEqual([]);
        expect(await changes(node(["a", "b"]), node(["a"]), place)).not.toEqual([]);
      }
    },
  );
});
