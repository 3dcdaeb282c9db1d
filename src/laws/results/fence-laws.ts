/** Laws of effects that are kept in the same store as the results: they stand or fall with their claim. */
import { simply } from "../places/law.js";
import type { ResultsLaw } from "./law.js";
import { type Keeper, keyOf, outcome, type ResultsTrial } from "./trial.js";

/** How long a claim stands that is to be over soon, and how long is waited for that, in milliseconds. */
const SHORT_MS = 30;
const PASSED_MS = 100;

/** Laws of fences. */
export const fenceLaws: readonly ResultsLaw[] = simply(
  [
    {
      id: "effect-kept",
      promise:
        "An effect under a claim that stands is kept, once, and its command can be settled but not given back.",
      least: { effects: 2, settlements: 1, releases: 1 },
      async run(trial: ResultsTrial) {
        const [owner, other] = [await trial.keeper(), await trial.keeper()];
        const claim = await owner.take(keyOf("a"));
        trial.kind(await owner.effect(claim), "kept", "an effect under a claim that stands");
        await trial.kept("a", 1, "after an effect");
        trial.kind(await other.read(keyOf("a")), "pending", "an effect that is told nothing of a result");
        trial.hold(!(await owner.release(claim)), "a command with an effect can be carried out again");
        trial.kind(await owner.effect(claim), "kept", "a second effect under the claim");
        await trial.kept("a", 2, "after a second effect");
        trial.kind(
          await owner.settle(claim, outcome(1)),
          "settled",
          "a claim under which there was an effect",
        );
      },
    },
    {
      id: "effect-settles",
      promise:
        "An effect that is told what comes of its command settles it in one step: both are seen, or neither.",
      least: { effects: 2, settlements: 1 },
      async run(trial: ResultsTrial) {
        const [owner, other] = [await trial.keeper(), await trial.keeper()];
        const claim = await owner.take(keyOf("a"), { signature: "one" });
        const looked: string[] = [];
        const look = async (): Promise<void> => {
          await trial.kept("a", 0, "before the effect has ended");
          looked.push((await other.read(keyOf("a"))).kind);
        };
        trial.kind(
          await owner.effect(claim, { settles: outcome(1), meanwhile: look }),
          "kept",
          "an effect under a claim that stands",
        );
        trial.hold(looked.join() === "pending", `while the effect is made, its command is ${looked.join()}`);
        await trial.kept("a", 1, "after an effect that settles");
        for (const standing of [await other.read(keyOf("a")), await other.claim(keyOf("a"))]) {
          trial.kind(standing, "settled", "a command whose effect has settled it");
          if (standing.kind === "settled")
            trial.result(standing.result, outcome(1), "it has another result than its effect told");
        }
        const again = await owner.settle(claim, outcome(2));
        trial.kind(again, "settled", "the owner, after its effect has settled");
        trial.result(again.result, outcome(1), "the owner has changed what its effect has settled");
        trial.kind(await owner.effect(claim), "fenced", "an effect after the command was settled");
        await trial.kept("a", 1, "after a late effect");
      },
    },
    {
      id: "effect-fenced",
      promise:
        "An effect under a claim that is over, or another's, is refused as fenced, and nothing is kept.",
      least: { effects: 8, claims: 4 },
      async run(trial: ResultsTrial) {
        const [owner, other] = [await trial.keeper(), await trial.keeper()];
        const refused = async (id: string, claim: Parameters<Keeper["effect"]>[0]): Promise<void> => {
          for (const options of [{}, { settles: outcome("late") }]) {
            let began = false;
            const meanwhile = async (): Promise<void> => {
              began = true;
            };
            const { kind } = await owner.effect(claim, { ...options, meanwhile });
            trial.hold(kind === "fenced", `an effect after it was ${id}: told ${kind}, not fenced`);
            trial.hold(!began, `an effect after it was ${id} was begun`);
            await trial.kept(id, 0, `after it was ${id}`);
          }
        };
        const late = await owner.take(keyOf("late"), { deadlineMs: SHORT_MS });
        await new Promise((resolve) => setTimeout(resolve, PASSED_MS));
        await refused("late", late);
        trial.abandoned(await other.read(keyOf("late")), "a claim whose late effect was refused");
        const abandoned = await owner.take(keyOf("abandoned"), { deadlineMs: SHORT_MS });
        trial.abandoned(await other.wait(keyOf("abandoned"), 60_000), "a claim past its deadline");
        await refused("abandoned", abandoned);
        const settled = await owner.carry(keyOf("settled"), outcome(1));
        await refused("settled", settled);
        const stale = await owner.take(keyOf("followed"));
        trial.hold(await owner.release(stale), "a claim that stands cannot be released");
        await refused("followed", stale);
        const next = await other.take(keyOf("followed"));
        await refused("followed", stale);
        trial.kind(await other.effect(next), "kept", "an effect of the claim that stands");
      },
    },
    {
      id: "effect-thrown",
      promise: "Of an effect that fails nothing is kept; its error is told as it is, and the claim stands.",
      least: { effects: 3, releases: 1 },
      async run(trial: ResultsTrial) {
        const owner = await trial.keeper();
        const thrown = new RangeError("no such run");
        const fails = async (): Promise<never> => {
          throw thrown;
        };
        for (const [i, settles] of [undefined, outcome(1)].entries()) {
          const claim = await owner.take(keyOf(`a${i}`));
          const options = settles === undefined ? {} : { settles };
          const failed = await owner.effect(claim, { ...options, meanwhile: fails });
          trial.hold(failed.error === thrown, `an effect that fails is told ${String(failed.error)}`);
          await trial.kept(`a${i}`, 0, "after an effect that failed");
          trial.kind(await owner.read(keyOf(`a${i}`)), "pending", "a command whose effect failed");
          if (i === 0)
            trial.hold(await owner.release(claim), "a command without an effect cannot be released");
          else trial.kind(await owner.effect(claim, options), "kept", "an effect after one that failed");
        }
        await trial.kept("a1", 1, "after an effect that was tried again");
      },
    },
    {
      id: "effect-over-deadline",
      promise:
        "What an effect under way at its deadline comes to is one of two: kept and settled, or abandoned.",
      least: { effects: 2, over: 1 },
      async run(trial: ResultsTrial) {
        const [owner, other] = [await trial.keeper(), await trial.keeper()];
        for (let i = 0; i < 2; i++) {
          const key = keyOf(`a${i}`);
          // Long enough for the effect to begin in time, also where the machine is slow.
          const claim = await owner.take(key, { deadlineMs: 300 });
          let began = false;
          const { kind } = await owner.effect(claim, {
            settles: outcome(i),
            async meanwhile() {
              began = true;
              await new Promise((resolve) => setTimeout(resolve, 400));
            },
          });
          trial.hold(kind !== "failed", "an effect over its deadline fails otherwise than as fenced");
          if (began) trial.count("over");
          // Its owner may be told before the store has let go of what the effect held.
          const standing = await other.wait(key, 10_000);
          if (kind === "fenced") trial.abandoned(standing, "a command whose effect was refused");
          else if (standing.kind === "settled")
            trial.result(standing.result, outcome(i), "a command whose effect was kept");
          else trial.kind(standing, "settled", "a command whose effect was kept");
          await trial.kept(key.commandId, kind === "kept" ? 1 : 0, `told ${kind}`);
        }
      },
    },
    {
      id: "effects-at-once",
      promise: "Effects and commands of several processes at once all come through, each once.",
      least: { effects: 40, settlements: 40 },
      async run(trial: ResultsTrial) {
        const keepers = [await trial.keeper(), await trial.keeper(), await trial.keeper()];
        const pause = () => new Promise((resolve) => setTimeout(resolve, 1));
        await Promise.all(
          Array.from({ length: 40 }, async (_, i) => {
            const keeper = keepers[i % keepers.length]!;
            const claim = await keeper.take(keyOf(`e${i}`));
            const [made] = await Promise.all([
              keeper.effect(claim, { settles: outcome(i), meanwhile: pause }),
              keeper.carry(keyOf(`c${i}`), outcome(i)),
            ]);
            trial.kind(made, "kept", "an effect among others");
          }),
        );
        const kept = [...(await trial.place.effects!.kept())].sort();
        const wanted = Array.from({ length: 40 }, (_, i) => `e${i}`).sort();
        trial.hold(kept.join() === wanted.join(), `what is kept is ${kept.join()}`);
        for (const name of ["e", "c"])
          for (let i = 0; i < 40; i++) {
            const standing = await keepers[0]!.read(keyOf(`${name}${i}`));
            trial.kind(standing, "settled", "what came through");
            if (standing.kind === "settled")
              trial.result(standing.result, outcome(i), "what came through has another result");
          }
      },
    },
  ].map((law) => ({ ...law, needs: "effects" as const })),
);
