/**
 * The table: each edit at each place, with a verdict for both pairings, what proves it, and why. It is written down
 * in `golden/`. After a change that is meant, record it with
 * `UPDATE_GOLDEN=1 npx vitest run test/codegen/drift/cases` and read the difference.
 */
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Change, Drift } from "../../../../codegen/drift/change.js";
import { driftOf } from "../../../../codegen/drift/drift.js";
import { isWritten } from "../../../../codegen/drift/written.js";
import { Findings, type Loaded, planSurface } from "../../../../codegen/index.js";
import { isRecording, mistakesIn, record } from "../../../support/golden.js";
import { ROOT } from "../../../support/repo.js";
import { loadGenerated } from "../../../support/samples.js";
import { doubtsOf } from "../witness-check.js";
import { CASES, type Case, nameOf } from "./cases.js";
import { type Line, lineGiven, lineOf, unproven } from "./meaning.js";
import { definitionOf, loadedCases, PLACES, type Place } from "./places.js";
import { filesOf } from "./render.js";

const GOLDEN = join(ROOT, "test/codegen/drift/cases/golden");

let base: Loaded;
let head: Loaded;
let drift: Drift;
let byPart: ReadonlyMap<string, readonly Change[]>;

beforeAll(async () => {
  base = loadedCases(CASES, "before");
  head = loadedCases(CASES, "after");
  drift = await driftOf(base, head, { evidence: { load: loadGenerated } });
  const parts = new Map<string, Change[]>();
  for (const change of drift.changes) {
    const part = change.pointer.split("/")[2] ?? "";
    parts.set(part, [...(parts.get(part) ?? []), change]);
  }
  byPart = parts;
});

function changesAt(one: Case, place: Place): readonly Change[] {
  return byPart.get(definitionOf(CASES, one, place)) ?? [];
}

function sorted(lines: readonly Line[]): readonly string[] {
  return lines.map((line) => JSON.stringify(line)).sort();
}

/** The cells that say something else than the edits mean. */
function mistakesOf(meant: (one: Case, place: Place) => readonly Line[]): readonly string[] {
  return CASES.flatMap((one) =>
    PLACES.flatMap((place) => {
      const given = sorted(changesAt(one, place).map(lineGiven));
      const right = sorted(meant(one, place));
      return given.join() === right.join() ? [] : [`${nameOf(one)}, ${place.name}: ${given.join(" ")}`];
    }),
  );
}

function meaning({ tells }: Case, place: Place): readonly Line[] {
  return tells.map((told) => lineOf(told, place));
}

describe("the table of edits and places", () => {
  test("is as recorded", () => {
    const files = filesOf(CASES, changesAt);
    if (isRecording) record(GOLDEN, files);
    expect(mistakesIn(GOLDEN, files)).toEqual([]);
  });

  test("has each thing added, removed and changed, in open and closed lists and unions", () => {
    const things = ["member", "requiredness", "bound", "type", "nullability", "openness", "stability"];
    const wanted = [
      ...things.flatMap((thing) => ["added", "removed", "changed"].map((what) => `${thing} ${what}`)),
      ...["value", "union arm"].flatMap((thing) =>
        ["added", "removed", "changed"].flatMap((what) => [
          `${thing} ${what} open`,
          `${thing} ${what} closed`,
        ]),
      ),
    ];
    const had = new Set(
      CASES.flatMap(({ thing, what, openness }) => [`${thing} ${what}`, `${thing} ${what} ${openness}`]),
    );
    expect(wanted.filter((cell) => !had.has(cell))).toEqual([]);
    expect(new Set(CASES.map(nameOf)).size).toBe(CASES.length);
  });

  test("tells nothing that no cell is about", () => {
    const parts = new Set(CASES.flatMap((one) => PLACES.map((place) => definitionOf(CASES, one, place))));
    expect([...byPart.keys()].filter((name) => !parts.has(name))).toEqual([]);
  });

  test("means what the edits do to values, by who sends them", () => {
    expect(mistakesOf(meaning)).toEqual([]);
    // Were the senders mistaken, the table would be another one.
    const turned = (one: Case, { sender }: Place): readonly Line[] =>
      one.tells.map((told) => lineOf(told, { sender: sender === "client" ? "host" : "client" }));
    expect(mistakesOf(turned).length).toBeGreaterThan(CASES.length);
  });

  test("shows each verdict: a refused message, or values that were taken", () => {
    const missing = drift.changes.flatMap((change) =>
      unproven(change).map((problem) => `${change.pointer} ${change.rule}: ${problem}`),
    );
    expect(missing).toEqual([]);
    const [one] = drift.changes.filter(({ verdict }) => verdict === "breaking") as [Change];
    const { evidence: _, witness: __, ...bare } = one;
    expect(unproven(bare).length).toBeGreaterThan(0);
  });

  test("has witnesses that ajv, too, finds valid for who sends and refused by who reads", async () => {
    const plan = (loaded: Loaded) => planSurface(loaded, "stable", new Findings())!;
    const witnesses = drift.changes.flatMap(({ evidence }) => Object.values(evidence?.witnesses ?? {}));
    expect(witnesses.length).toBeGreaterThan(CASES.length);
    expect(await doubtsOf(witnesses, plan(base), plan(head))).toEqual([]);
    // The other way round each of them is wrong.
    expect((await doubtsOf(witnesses, plan(head), plan(base))).length).toBeGreaterThanOrEqual(
      witnesses.length,
    );
  });

  test("points to what the bundle of the named side has", () => {
    const source = { base: base.bundle.source, head: head.bundle.source };
    expect(
      drift.changes
        .filter(({ side, pointer }) => !isWritten(source[side], pointer))
        .map(({ rule, side, pointer }) => `${rule}: ${pointer} of ${side}`),
    ).toEqual([]);
    expect(new Set(drift.changes.map(({ id }) => id)).size).toBe(drift.changes.length);
  });

  test("suggests each renaming that its members look like, and no other", () => {
    const renamed = CASES.filter(({ thing, how }) =>
      thing === "member" ? how === "for another one" : how === "from a member, under another name",
    );
    const parts = renamed.flatMap((one) =>
      PLACES.map((place) => `/$defs/${definitionOf(CASES, one, place)}/`),
    );
    expect(parts.length).toBe(2 * PLACES.length);
    expect(drift.hints.length).toBe(parts.length);
    expect(
      drift.hints.every(({ from, to }) => parts.some((at) => from.startsWith(at) && to.startsWith(at))),
    ).toBe(true);
  });
});
