/** Laws of what is forgotten, and of what outlives a process. */
import { simply } from "../places/law.js";
import type { ResultsLaw } from "./law.js";
import { keyOf, outcome } from "./trial.js";

/** Some time, and ids after it. */
const TIME = 1_700_000_000_000;

/** Laws of retention and of death. */
export const retentionLaws: readonly ResultsLaw[] = simply([
  {
    id: "forgotten",
    promise:
      "The oldest settled ones are forgotten, never a pending one; an id that is not newer is then expired where it is not known.",
    least: { claims: 18, forgotten: 3 },
    async run(trial) {
      const keeper = await trial.keeper({ newest: 5 });
      const pending = await keeper.take(keyOf("pending"), { idTime: TIME });
      await keeper.carry(keyOf("textual"), outcome("t"));
      for (let i = 1; i <= 6; i++) await keeper.carry(keyOf(`c${i}`), outcome(i), { idTime: TIME + i });
      await keeper.forget();
      // The pending one counts: with it five are left.
      trial.kind(await keeper.read(keyOf("pending")), "pending", "a pending claim that is the oldest");
      for (let i = 1; i <= 2; i++) {
        trial.kind(await keeper.read(keyOf(`c${i}`)), "absent", `the oldest settled one, c${i}`);
        trial.kind(
          await keeper.claim(keyOf(`c${i}`), { idTime: TIME + i }),
          "expired",
          `the forgotten c${i}`,
        );
        trial.count("forgotten");
      }
      trial.kind(await keeper.read(keyOf("c1")), "absent", "what is expired has left a row");
      for (let i = 3; i <= 6; i++) {
        const standing = await keeper.claim(keyOf(`c${i}`), { idTime: TIME + i });
        trial.kind(standing, "settled", `c${i}, which is one of the newest`);
      }
      trial.kind(
        await keeper.claim(keyOf("unknown"), { idTime: TIME + 2 }),
        "expired",
        "an unknown id of that time",
      );
      trial.kind(
        await keeper.claim(keyOf("elder"), { idTime: TIME - 9 }),
        "expired",
        "an unknown id of an earlier time",
      );
      trial.kind(
        await keeper.claim(keyOf("newer"), { idTime: TIME + 3 }),
        "claimed",
        "an unknown id of a later time",
      );
      trial.kind(
        await keeper.claim(keyOf("elder", "u"), { idTime: TIME - 9 }),
        "claimed",
        "the same of another tenant",
      );
      trial.kind(await keeper.claim(keyOf("textual")), "claimed", "a forgotten id without a time");
      trial.count("forgotten");
      trial.kind(await keeper.settle(pending, outcome("p")), "settled", "the pending claim");
    },
  },
  {
    id: "settled-last",
    promise: "What was settled last is forgotten last, however early it was claimed.",
    least: { claims: 10, forgotten: 5 },
    async run(trial) {
      const keeper = await trial.keeper({ newest: 5 });
      const slow = await keeper.take(keyOf("slow"));
      for (let i = 1; i <= 5; i++) await keeper.carry(keyOf(`before${i}`), outcome(i));
      // A clock may tell no less than milliseconds.
      await new Promise((resolve) => setTimeout(resolve, 5));
      trial.kind(await keeper.settle(slow, outcome("s")), "settled", "the command that took long");
      await new Promise((resolve) => setTimeout(resolve, 5));
      for (let i = 1; i <= 4; i++) await keeper.carry(keyOf(`after${i}`), outcome(i));
      await keeper.forget();
      for (let i = 1; i <= 5; i++) {
        trial.kind(
          await keeper.read(keyOf(`before${i}`)),
          "absent",
          `before${i}, settled before five others`,
        );
        trial.count("forgotten");
      }
      for (const id of ["slow", "after1", "after2", "after3", "after4"])
        trial.kind(await keeper.read(keyOf(id)), "settled", `${id}, one of the five that were settled last`);
    },
  },
  {
    id: "full",
    promise:
      "Where only pending claims are left, a new one is told that it is full, and what is known is still told.",
    least: { claims: 6 },
    async run(trial) {
      const keeper = await trial.keeper({ newest: 3 });
      const claims = [];
      for (const id of ["a", "b", "c"]) claims.push(await keeper.take(keyOf(id)));
      await keeper.forget();
      trial.kind(await keeper.claim(keyOf("d")), "full", "a claim beyond what is remembered");
      trial.kind(await keeper.read(keyOf("d")), "absent", "what was refused has left a row");
      trial.kind(await keeper.claim(keyOf("a")), "pending", "a pending claim, where it is full");
      trial.kind(await keeper.settle(claims[0]!, outcome(1)), "settled", "a pending claim, where it is full");
      trial.kind(await keeper.claim(keyOf("d")), "claimed", "a claim, where one was settled");
    },
  },
  {
    id: "aged",
    promise: "By age: what is older is forgotten and expired, what is pending is not.",
    least: { claims: 3, forgotten: 1 },
    async run(trial) {
      const keeper = await trial.keeper({ ageMs: 1 });
      const pending = await keeper.take(keyOf("pending"), { idTime: TIME });
      await keeper.carry(keyOf("a"), outcome(1), { idTime: TIME + 1 });
      await new Promise((resolve) => setTimeout(resolve, 20));
      await keeper.forget();
      trial.kind(
        await keeper.claim(keyOf("a"), { idTime: TIME + 1 }),
        "expired",
        "what is older than the age",
      );
      trial.count("forgotten");
      trial.kind(await keeper.settle(pending, outcome(2)), "settled", "a pending claim that is older");
    },
  },
  {
    id: "forgotten-while-claimed",
    promise:
      "What is forgotten while it is claimed is told its result or is expired: it is never carried out again.",
    least: { races: 300, claims: 400 },
    async run(trial) {
      const [one, two] = [await trial.keeper({ newest: 5 }), await trial.keeper({ newest: 5 })];
      for (let round = 0; round < 30; round++) {
        const keys = Array.from({ length: 10 }, (_, i) => ({
          key: keyOf(`${round}-${i}`),
          idTime: TIME + round * 10 + i,
        }));
        for (const { key, idTime } of keys) {
          const claimed = await one.claim(key, { idTime });
          if (claimed.kind === "claimed") await one.settle(claimed.claim, outcome(round));
        }
        const claims = keys.map(({ key, idTime }) => two.claim(key, { idTime }));
        const [answers] = await Promise.all([Promise.all(claims), one.forget(), two.forget()]);
        for (const { kind } of answers) {
          trial.count("races");
          trial.hold(
            kind === "settled" || kind === "expired",
            `a retry of what was carried out is told ${kind}`,
          );
        }
      }
    },
  },
  {
    id: "forgotten-without-time",
    promise:
      "What is forgotten while it is claimed, and has no time, is told its result or claimed anew: that claim stands.",
    least: { races: 50, claims: 150 },
    async run(trial) {
      const [one, two] = [await trial.keeper({ newest: 5 }), await trial.keeper({ newest: 5 })];
      for (let round = 0; round < 10; round++) {
        const keys = Array.from({ length: 10 }, (_, i) => keyOf(`${round}-${i}`));
        for (const key of keys) await one.carry(key, outcome("first"));
        // No more than are remembered: nothing is full.
        const claims = keys.slice(0, 5).map(async (key) => {
          const claimed = await two.claim(key);
          if (claimed.kind === "claimed")
            trial.kind(await two.settle(claimed.claim, outcome("again")), "settled", "what was claimed anew");
          else {
            trial.kind(claimed, "settled", "a retry of what was carried out");
            trial.result(
              claimed.kind === "settled" ? claimed.result : undefined,
              outcome("first"),
              "a retry",
            );
          }
          trial.count("races");
        });
        await Promise.all([...claims, one.forget(), two.forget()]);
      }
    },
  },
  {
    id: "killed",
    promise:
      "After the death of a process what was settled is there, and what was pending is abandoned at its deadline.",
    needs: "mortal",
    least: { deaths: 3, settlements: 30 },
    async run(trial) {
      const watcher = await trial.keeper();
      for (let round = 0; round < 3; round++) {
        const mortal = await trial.place.mortal!();
        const keeper = await trial.keeper(mortal.results);
        for (let i = 0; i < 10; i++) await keeper.carry(keyOf(`${round}-${i}`), outcome(i));
        await keeper.take(keyOf(`${round}-late`), { deadlineMs: 300 });
        await keeper.take(keyOf(`${round}-long`));
        await keeper.die(mortal);
        for (let i = 0; i < 10; i++) {
          const standing = await watcher.claim(keyOf(`${round}-${i}`));
          trial.kind(standing, "settled", "what was settled before a death");
          if (standing.kind === "settled") trial.result(standing.result, outcome(i), "after a death");
        }
        trial.kind(
          await watcher.claim(keyOf(`${round}-long`)),
          "pending",
          "before the deadline of a dead owner",
        );
        trial.abandoned(await watcher.wait(keyOf(`${round}-late`), 60_000), "the claim of a dead owner");
      }
    },
  },
]);
