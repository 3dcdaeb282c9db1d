/** Laws of results: the first one stands, only its claim could make it, and those that wait are told. */
import type { CommandResult, JsonValue } from "../../commands/app.js";
import { ABANDONED } from "../../commands/rejections.js";
import type { Standing } from "../../commands/results.js";
import { simply } from "../places/law.js";
import type { ResultsLaw } from "./law.js";
import { type Keeper, keyOf, outcome, type ResultsTrial } from "./trial.js";

const RESULTS: readonly JsonValue[] = [
  null,
  true,
  -0.5,
  9007199254740991,
  1e308,
  "",
  "é ü 漢字 😀 \u2028 \u2029 \u007f \u0085 \u0000",
  "half \ud800",
  [[], {}, [null]],
  JSON.parse('{"__proto__":{"a":1},"constructor":2,"":3}') as JsonValue,
  "x".repeat(1_000_000),
];

/** Laws of settlements. */
export const settlementLaws: readonly ResultsLaw[] = simply([
  {
    id: "first-result",
    promise:
      "The first settlement of a key stands: every later claim and reader is told it, and the command it was for.",
    least: { settlements: 4, claims: 3 },
    async run(trial) {
      const [first, second] = [await trial.keeper(), await trial.keeper()];
      const key = keyOf("a");
      const claim = await first.carry(key, outcome(1), { signature: "one" });
      for (const keeper of [first, second]) {
        for (const standing of [await keeper.claim(key, { signature: "two" }), await keeper.read(key)]) {
          trial.kind(standing, "settled", "a settled key");
          if (standing.kind !== "settled") return;
          trial.result(standing.result, outcome(1), "a settled key has another result");
          trial.hold(standing.signature === "one", `it is told the command ${standing.signature}`);
        }
      }
      const again = await first.settle(claim, outcome(2));
      trial.kind(again, "settled", "a claim that has settled, again");
      trial.result(again.result, outcome(1), "a second settlement has changed the first");
      trial.kind(
        await second.settle({ ...claim, token: "stranger", epoch: claim.epoch + 1 }, outcome(3)),
        "fenced",
        "a stranger",
      );
      const last = await second.read(key);
      trial.result(last.kind === "settled" ? last.result : undefined, outcome(1), "the result has changed");
      trial.hold(
        (await first.settle(claim, outcome(1))).kind === "settled",
        "the same settlement, sent again",
      );
    },
  },
  {
    id: "fenced",
    promise: "A claim that another has followed settles nothing, and is told so.",
    least: { settlements: 3, claims: 2 },
    async run(trial) {
      const [first, second] = [await trial.keeper(), await trial.keeper()];
      const key = keyOf("a");
      const stale = await first.take(key);
      trial.hold(await first.release(stale), "a claim that stands cannot be released");
      trial.kind(await first.settle(stale, outcome(0)), "fenced", "a released claim");
      trial.kind(await second.read(key), "absent", "after a released claim was settled");
      const claim = await second.take(key);
      trial.kind(await first.settle(stale, outcome(1)), "fenced", "a stale claim");
      trial.kind(await first.read(key), "pending", "after a stale claim was settled");
      trial.kind(await second.settle(claim, outcome(2)), "settled", "the claim that stands");
      const late = await first.settle(stale, outcome(3));
      trial.kind(late, "fenced", "a stale claim, after another has settled");
      trial.result(late.result, outcome(2), "a stale claim is told another result than the one that stands");
    },
  },
  {
    id: "abandoned",
    promise:
      "A claim past its deadline is abandoned for whoever asks, and for good: it can be neither settled nor released.",
    least: { abandoned: 5, waits: 1, settlements: 4 },
    async run(trial) {
      const [owner, other] = [await trial.keeper(), await trial.keeper()];
      const asks: readonly [string, (keeper: Keeper, id: string) => Promise<Standing | undefined>][] = [
        ["wait", (keeper, id) => keeper.wait(keyOf(id), 5_000)],
        ["read", (keeper, id) => late(() => keeper.read(keyOf(id)))],
        [
          "claim",
          (keeper, id) =>
            late(async () => {
              const claimed = await keeper.claim(keyOf(id));
              trial.hold(claimed.kind !== "claimed", "a claim that is late is given to another");
              return claimed as Standing;
            }),
        ],
      ];
      for (const [id, ask] of asks) {
        const claim = await owner.take(keyOf(id), { deadlineMs: 30, signature: "one" });
        const standing = await ask(other, id);
        trial.hold(standing !== undefined, `${id}: a claim is pending long after its deadline`);
        trial.abandoned(standing!, id);
        trial.count("abandoned");
        const settlement = await owner.settle(claim, outcome("late"));
        trial.kind(settlement, "fenced", "the owner, late");
        trial.result(settlement.result, ABANDONED, "the owner is told another result");
        trial.hold(!(await owner.release(claim)), "an abandoned claim can be released");
        trial.abandoned(await owner.read(keyOf(id)), "after the owner was late");
      }
      // Nobody has asked in between: it is late all the same.
      for (const what of ["settle", "release"] as const) {
        const claim = await owner.take(keyOf(what), { deadlineMs: 1 });
        await new Promise((resolve) => setTimeout(resolve, 50));
        if (what === "settle")
          trial.kind(await owner.settle(claim, outcome("late")), "fenced", "the owner, late, unasked");
        else trial.hold(!(await owner.release(claim)), "a claim that is late can be released");
        trial.abandoned(await other.read(keyOf(what)), `after ${what}`);
        trial.count("abandoned");
      }
      const standing = await owner.take(keyOf("long"));
      trial.kind(await other.wait(keyOf("long"), 100), "pending", "a claim before its deadline");
      trial.kind(await owner.settle(standing, outcome(1)), "settled", "a claim before its deadline");
    },
  },
  {
    id: "waited",
    promise:
      "Those that wait are told when a key is settled or released, and after their time that it is pending.",
    least: { waits: 10, settlements: 1, releases: 1 },
    async run(trial) {
      const [owner, other] = [await trial.keeper(), await trial.keeper()];
      trial.kind(await other.wait(keyOf("never"), 10_000), "absent", "a key that nobody claimed");
      const claim = await owner.take(keyOf("a"), { signature: "one" });
      trial.kind(await other.wait(keyOf("a"), 5), "pending", "a key that stays claimed");
      const waiting = Array.from({ length: 6 }, (_, i) =>
        (i % 2 === 0 ? other : owner).wait(keyOf("a"), 60_000),
      );
      await owner.settle(claim, outcome(1));
      for (const standing of await Promise.all(waiting)) {
        trial.kind(standing, "settled", "one who waits");
        if (standing.kind === "settled")
          trial.result(standing.result, outcome(1), "one who waits is told another result");
      }
      trial.kind(await other.wait(keyOf("a"), 60_000), "settled", "a settled key");
      const second = await owner.take(keyOf("b"));
      const released = other.wait(keyOf("b"), 60_000);
      await owner.release(second);
      trial.kind(await released, "absent", "one who waits for a key that is released");
    },
  },
  {
    id: "verbatim",
    promise: "A result comes back as it was: any JSON value, of 1 MB as well, and any rejection.",
    least: { settlements: RESULTS.length + 1 },
    async run(trial) {
      const [owner, other] = [await trial.keeper(), await trial.keeper()];
      const results: CommandResult[] = RESULTS.map((result) => ({ status: "accepted", result }));
      results.push({
        status: "rejected",
        rejection: {
          reason: "no_such_run",
          message: "é\n😀",
          retryable: false,
          data: { run: "r", n: [1, null] },
        },
      });
      for (const [i, result] of results.entries()) {
        const key = keyOf(`v${i}`);
        await owner.carry(key, result);
        await same(trial, owner, i, result);
        await same(trial, other, i, result);
      }
    },
  },
  {
    id: "closed",
    promise:
      "What was closed fails as closed or tells what it knew; what was settled is there for the next, where it is shared.",
    least: { settlements: 1 },
    async run(trial) {
      const first = await trial.keeper();
      await first.carry(keyOf("a"), outcome(1));
      await first.take(keyOf("b"));
      const waiting = first.wait(keyOf("b"), 3_600_000);
      await first.results.close();
      await first.results.close();
      trial.kind(await waiting, "pending", "one who waits when it is closed");
      if (!first.results.shared) return;
      const next = await trial.keeper();
      const standing = await next.claim(keyOf("a"));
      trial.kind(standing, "settled", "another process, afterwards");
      trial.kind(await next.claim(keyOf("b")), "pending", "a claim of a process that was closed");
    },
  },
]);

/** Asks until it is not pending any more; undefined where that does not come. */
async function late(ask: () => Promise<Standing>): Promise<Standing | undefined> {
  for (let i = 0; i < 1_000; i++) {
    const standing = await ask();
    if (standing.kind !== "pending") return standing;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return undefined;
}

async function same(trial: ResultsTrial, keeper: Keeper, i: number, result: CommandResult): Promise<void> {
  const standing = await keeper.read(keyOf(`v${i}`));
  trial.kind(standing, "settled", `result ${i}`);
  if (standing.kind === "settled") trial.result(standing.result, result, `result ${i}`);
}
