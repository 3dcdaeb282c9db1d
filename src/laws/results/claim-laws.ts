/** Laws of who may carry out: one, until it is settled. */
import { simply } from "../places/law.js";
import type { ResultsLaw } from "./law.js";
import { keyOf, outcome } from "./trial.js";

/** Laws of claims. */
export const claimLaws: readonly ResultsLaw[] = simply([
  {
    id: "one-claim",
    promise:
      "A key that is claimed is claimed: a second claim is told that it is pending, of this process and others.",
    least: { claims: 5, reads: 1 },
    async run(trial) {
      const [first, second] = [await trial.keeper(), await trial.keeper()];
      const key = keyOf("a");
      await first.take(key, { signature: "one" });
      const other = await second.claim(key, { signature: "two" });
      trial.kind(other, "pending", "a second claim");
      trial.hold(
        "signature" in other && other.signature === "one",
        "the second claim is not told the command of the first",
      );
      trial.kind(await first.claim(key), "pending", "a second claim of the same process");
      trial.kind(await second.read(key), "pending", "a reader");
      const together = await Promise.all([first.claim(keyOf("b")), first.claim(keyOf("b"))]);
      const won = together.filter(({ kind }) => kind === "claimed");
      trial.hold(won.length === 1, `${won.length} of two claims in one turn got the key`);
    },
  },
  {
    id: "race",
    promise: "Of several that claim a key at once, one gets it, and the others are told that it is pending.",
    least: { races: 20, claims: 160 },
    async run(trial) {
      const keepers = await Promise.all(Array.from({ length: 4 }, () => trial.keeper()));
      for (let round = 0; round < 20; round++) {
        const key = keyOf(`race-${round}`);
        const answers = await Promise.all([...keepers, ...keepers].map((keeper) => keeper.claim(key)));
        trial.count("races");
        const won = answers.filter(({ kind }) => kind === "claimed");
        trial.hold(won.length === 1, `${won.length} of ${answers.length} got ${key.commandId} at once`);
        trial.hold(
          answers.every(({ kind }) => kind === "claimed" || kind === "pending"),
          `who lost was told ${answers.map(({ kind }) => kind).join(", ")}`,
        );
      }
    },
  },
  {
    id: "epochs",
    promise:
      "An epoch is greater than all before it under its key, over releases, settlements and processes.",
    least: { claims: 9 },
    async run(trial) {
      let last = Number.NEGATIVE_INFINITY;
      const key = keyOf("a");
      for (let round = 0; round < 3; round++) {
        const keeper = await trial.keeper();
        for (let i = 0; i < 3; i++) {
          const claim = await keeper.take(key);
          trial.hold(claim.epoch > last, `epoch ${claim.epoch} after ${last}`);
          last = claim.epoch;
          trial.hold(await keeper.release(claim), "a claim that stands cannot be released");
        }
      }
    },
  },
  {
    id: "released",
    promise: "A released key is as new; a claim that does not stand releases nothing.",
    least: { claims: 4, releases: 4 },
    async run(trial) {
      const [first, second] = [await trial.keeper(), await trial.keeper()];
      const key = keyOf("a");
      const claim = await first.take(key);
      trial.hold(await first.release(claim), "a claim that stands cannot be released");
      trial.kind(await second.read(key), "absent", "a released key");
      const next = await second.take(key);
      trial.hold(!(await first.release(claim)), "a claim releases what another has claimed since");
      trial.kind(await first.claim(key), "pending", "after a stale release");
      trial.kind(await second.settle(next, outcome(1)), "settled", "the claim that stands");
      trial.hold(!(await second.release(next)), "a settled key can be released");
      trial.hold(!(await first.release(claim)), "a settled key can be released by a stale claim");
      const found = await first.claim(key);
      trial.kind(found, "settled", "after a stale release");
    },
  },
  {
    id: "keys",
    promise: "Keys that differ in any part do not meet, whatever is in their parts.",
    least: { claims: 24 },
    async run(trial) {
      const keeper = await trial.keeper();
      const long = "x".repeat(5_000);
      const keys = [
        keyOf("a", "t", "w", "p"),
        keyOf("A", "t", "w", "p"),
        keyOf("a ", "t", "w", "p"),
        keyOf("a", "t/w", "p", ""),
        keyOf("a", "t", "w/p", ""),
        keyOf("a", "", "t", "w"),
        keyOf("wa", "t", "", "p"),
        keyOf("a", "t", "", "pw"),
        keyOf("a", "1:t", "w", "p"),
        keyOf("a", "t1:w", "", "p"),
        keyOf('","', "t", "w", "p"),
        keyOf("é"),
        keyOf("e\u0301"),
        keyOf("a", "t\0"),
        keyOf("a", "t\\u0000"),
        keyOf("a", '"t\\u0000"'),
        keyOf("a", "\ud800"),
        keyOf("a", "\udbff"),
        keyOf("a", "\ufffd"),
        keyOf("a", long),
        keyOf("a", `${long}x`),
        keyOf("a", "t", long),
        keyOf("a", "t", "w", long),
        keyOf(`a${long}`),
      ];
      for (const [i, key] of keys.entries()) await keeper.carry(key, outcome(i));
      for (const [i, key] of keys.entries()) {
        const standing = await keeper.read(key);
        trial.kind(standing, "settled", `key ${i}`);
        if (standing.kind === "settled")
          trial.result(standing.result, outcome(i), `key ${i} has the result of another`);
      }
    },
  },
]);
