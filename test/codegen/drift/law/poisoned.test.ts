/** A rule that says what values do not show is found out: the verdict is unknown, and the run says why. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { PAIRINGS } from "../../../../codegen/drift/change.js";
import { casesOf } from "./cases.js";
import { edited } from "./edits/edit.js";
import { MEMBER_EDITS } from "./edits/members.js";
import { VALUE_EDITS } from "./edits/values.js";
import { read } from "./law.js";
import { type Poison, type Poisoned, poisonedChanges } from "./poisoned.js";

const SEED = 11;
const PATIENCE = 400_000;
const RUNS = 15;

/** What a poison did to random edits, where messages carry what was edited. */
async function changesUnder(poison: Poison): Promise<Poisoned[]> {
  const found: Poisoned[] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...MEMBER_EDITS, ...VALUE_EDITS).chain(casesOf),
      async ({ base, sites }) => {
        const [before, after] = [read(base), read(edited(base, sites))];
        const all = await poisonedChanges(before!, after!, poison);
        found.push(...all.filter(({ sound }) => sound.verdict !== "none"));
      },
    ),
    { numRuns: RUNS, seed: SEED, endOnFailure: true },
  );
  return found;
}

it.each([
  { from: "yes", to: "no", because: /says that no value is refused, and one was found/ },
  {
    from: "no",
    to: "yes",
    because: /says that values are refused, and (?:none of \d+ was|no message shows it)/,
  },
] as const)(
  "a rule that says $to instead of $from",
  async ({ because, ...poison }) => {
    const found = await changesUnder(poison);
    expect(found.length).toBeGreaterThan(5);
    for (const { sound, poisoned } of found) {
      expect(sound.evidence?.disagreement).toBeUndefined();
      expect([poisoned.rule, poisoned.verdict]).toEqual([poisoned.rule, "unknown"]);
      expect(poisoned.evidence?.disagreement).toMatch(because);
      for (const pairing of PAIRINGS) expect(poisoned.pairings[pairing].reason).toMatch(because);
    }
  },
  PATIENCE,
);

it(
  "a rule that says maybe instead of no closes the gate, and is not called breaking",
  async () => {
    const found = await changesUnder({ from: "no", to: "maybe" });
    const verdicts = found.map(({ sound, poisoned }) => `${sound.verdict} ${poisoned.verdict}`);
    expect(verdicts).toContain("additive unknown");
    for (const { sound, poisoned } of found) expect(poisoned.breaks).toEqual(sound.breaks);
  },
  PATIENCE,
);

it(
  "a rule that says maybe instead of yes is answered by what values show",
  async () => {
    const found = await changesUnder({ from: "yes", to: "maybe" });
    expect(found.filter(({ sound }) => sound.verdict === "breaking").length).toBeGreaterThan(5);
    for (const { sound, poisoned } of found) expect(poisoned.breaks).toEqual(sound.breaks);
  },
  PATIENCE,
);
