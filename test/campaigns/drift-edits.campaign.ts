/** What the drift gate says of random edits is what values show, as ajv judges them, and what is known of the edits. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Difference } from "../../codegen/drift/change.js";
import { driftOf } from "../../codegen/drift/drift.js";
import { bundles } from "../codegen/drift/law/bundle.js";
import { casesOf, casesOfMany } from "../codegen/drift/law/cases.js";
import { EDITS } from "../codegen/drift/law/edits/all.js";
import { edited } from "../codegen/drift/law/edits/edit.js";
import { FORM_EDITS } from "../codegen/drift/law/edits/forms.js";
import { MEMBER_EDITS } from "../codegen/drift/law/edits/members.js";
import { MESSAGE_EDITS } from "../codegen/drift/law/edits/messages.js";
import { VALUE_EDITS } from "../codegen/drift/law/edits/values.js";
import { type Case, noCounts, read } from "../codegen/drift/law/law.js";
import { runCases, runEdits } from "../codegen/drift/law/run.js";

const SEED = 20261130;
const RUNS = 2;
const PATIENCE = 400_000;

describe("one edit is told as it is known, and as values show", () => {
  it.each([
    { of: "members", edits: MEMBER_EDITS, least: { breaking: 12, unknown: 5, additive: 8, none: 0 } },
    { of: "values", edits: VALUE_EDITS, least: { breaking: 30, unknown: 0, additive: 8, none: 0 } },
    { of: "forms", edits: FORM_EDITS, least: { breaking: 0, unknown: 0, additive: 2, none: 4 } },
    { of: "messages", edits: MESSAGE_EDITS, least: { breaking: 9, unknown: 4, additive: 8, none: 0 } },
  ])(
    "$of",
    async ({ edits, least }) => {
      const counts = noCounts();
      const { broken, looked } = await runEdits(edits, driftOf, counts, { runs: RUNS, seed: SEED });
      expect(broken).toEqual([]);
      expect(looked).toEqual(Object.fromEntries(edits.map(({ name }) => [name, RUNS])));
      for (const [verdict, count] of Object.entries(least))
        expect([verdict, counts.verdicts[verdict as keyof typeof least] >= count, counts.verdicts]).toEqual([
          verdict,
          true,
          counts.verdicts,
        ]);
      expect(counts.witnesses).toBeGreaterThanOrEqual(least.breaking);
      if (edits === MEMBER_EDITS || edits === VALUE_EDITS) {
        expect(counts.shown.narrows).toBeGreaterThan(100);
        expect(counts.shown.widens).toBeGreaterThan(100);
      }
    },
    PATIENCE,
  );
});

it(
  "several edits at once are told as values show, drawn ones too",
  async () => {
    const counts = noCounts();
    const draws = { runs: 40, seed: SEED };
    expect(await runCases(casesOfMany(4), driftOf, counts, { runs: 10, seed: SEED, draws })).toBeUndefined();
    expect(counts.cases).toBeGreaterThanOrEqual(8);
    expect(counts.values).toBeGreaterThan(3_000);
  },
  PATIENCE,
);

/** The changes of a case, by what an acknowledgment names. */
async function idsOf({ base, sites }: Omit<Case, "edits">): Promise<string[] | undefined> {
  const [before, after] = [read(base), read(edited(base, sites))];
  if (before === undefined || after === undefined) return undefined;
  return (await driftOf(before, after)).changes.map(({ id, rule }) => `${id} ${rule}`).sort();
}

it(
  "an edit adds its own changes, and moves the identity of none",
  async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(casesOfMany(4), async ({ base, sites }) => {
        const together = await idsOf({ base, sites });
        if (together === undefined) return;
        const alone = await Promise.all(sites.map((site) => idsOf({ base, sites: [site] })));
        expect(together).toEqual([...new Set(alone.flatMap((ids) => ids ?? []))].sort());
        compared++;
      }),
      { numRuns: 60, seed: SEED, endOnFailure: true },
    );
    expect(compared).toBeGreaterThan(50);
  },
  PATIENCE,
);

it(
  "what is written in another way moves the identity of no change",
  async () => {
    const forms = FORM_EDITS.filter(
      ({ name }) => name === "reorder keys" || name === "reorder lists" || name === "describe everything",
    );
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...MEMBER_EDITS, ...VALUE_EDITS).chain(casesOf),
        async ({ base, sites }) => {
          const ids = await idsOf({ base, sites });
          for (const form of forms)
            expect(await idsOf({ base, sites: [...sites, ...form.sites(base)] })).toEqual(ids);
          compared++;
        },
      ),
      { numRuns: 40, seed: SEED, endOnFailure: true },
    );
    expect([compared, forms.length]).toEqual([40, 3]);
  },
  PATIENCE,
);

it(
  "a bundle has no changes against itself",
  async () => {
    await fc.assert(
      fc.asyncProperty(bundles, async (bundle) => {
        const loaded = read(bundle);
        const { changes, hints, fingerprints } = await driftOf(loaded!, read(bundle)!);
        expect([changes, hints]).toEqual([[], []]);
        expect(fingerprints.base).toBe(fingerprints.head);
      }),
      { numRuns: 60, seed: SEED, endOnFailure: true },
    );
  },
  PATIENCE,
);

it(
  "what is added one way is removed the other way",
  async () => {
    const other: Record<Difference["kind"], Difference["kind"]> = {
      added: "removed",
      removed: "added",
      changed: "changed",
    };
    // A mark that goes is no news.
    const edits = EDITS.filter(({ name }) => name !== "deprecate");
    const kinds = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(casesOfMany(4, edits), async ({ base, sites }) => {
        const [before, after] = [read(base), read(edited(base, sites))];
        if (before === undefined || after === undefined) return;
        const [there, back] = [await driftOf(before, after), await driftOf(after, before)];
        const told = there.changes.map(({ kind, pointer }) => `${kind} ${kind === "changed" ? "" : pointer}`);
        const turned = back.changes.map(
          ({ kind, pointer }) => `${other[kind]} ${kind === "changed" ? "" : pointer}`,
        );
        expect(turned.sort()).toEqual(told.sort());
        for (const { kind } of there.changes) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      }),
      { numRuns: 60, seed: SEED, endOnFailure: true },
    );
    for (const kind of ["added", "removed", "changed"])
      expect([kind, (kinds.get(kind) ?? 0) > 20]).toEqual([kind, true]);
  },
  PATIENCE,
);
