/** Laws of who may write: one at a time, and never again once another could. */
import { simply } from "../places/law.js";
import type { StoreLaw } from "./law.js";
import type { Answer, Held } from "./trial.js";

/** Laws of who may write. */
export const holderLaws: readonly StoreLaw[] = simply([
  {
    id: "one-holder",
    promise: "A log that is held is held: a second open fails with inUse, until the first has closed.",
    least: { opens: 6 },
    async run(trial) {
      const [first, second] = [await trial.host(), await trial.host()];
      const log = await first.take("a", "new");
      trial.told(await second.open("a"), "inUse", "a second host opens what the first holds");
      trial.told(await first.open("a"), "inUse", "the holder opens it twice");
      trial.hold((await first.state("a")) === "held", "its holder is not told that it is held");
      trial.hold((await second.state("a")) === "held", "another is not told that it is held");
      await log.append("1");
      await log.close();
      trial.hold((await second.state("a")) === "free", "it is not free after its holder has closed it");
      const next = await second.take("a", "existing");
      trial.same(next.log.entries, ["1"], "the next holder has other entries");
      trial.told(await first.open("a"), "inUse", "the first opens what the second holds");
      await second.close();
      await first.take("a", "existing");
    },
  },
  {
    id: "race",
    promise: "Of several that open a log at once, one gets it and the others are told, whatever they expect.",
    least: { races: 12, opens: 48 },
    async run(trial) {
      const hosts = await Promise.all(Array.from({ length: 4 }, () => trial.host()));
      for (let round = 0; round < 12; round++) {
        const id = `log-${round}`;
        const expect = round % 2 === 0 ? "new" : "any";
        if (round % 4 === 1) await (await hosts[0]!.take(id, "new")).close();
        const answers: Answer<Held>[] = await Promise.all(hosts.map((host) => host.open(id, expect)));
        trial.count("races");
        const won = answers.filter(({ told }) => told === "ok");
        trial.hold(won.length === 1, `${won.length} of ${hosts.length} got ${id} at once`);
        const lost = answers.filter(({ told }) => told !== "ok");
        const right = expect === "new" ? ["exists"] : ["inUse"];
        trial.hold(
          lost.every(({ told }) => right.includes(told)),
          `who lost was told ${lost.map(({ told }) => told).join(", ")}`,
        );
        await won[0]!.value!.append(`${round}`);
        trial.same(await hosts[3]!.read(id), [`${round}`], "the winner's entry is not there");
      }
    },
  },
  {
    id: "epochs",
    promise:
      "Each holder of a log has a greater epoch than all before it, over closing, fencing and opening again.",
    least: { opens: 8, fences: 3 },
    async run(trial) {
      let last = 0;
      for (let round = 0; round < 4; round++) {
        const host = await trial.host();
        for (let i = 0; i < 2; i++) {
          const log = await host.take("a");
          trial.hold(log.log.epoch > last, `epoch ${log.log.epoch} after ${last}`);
          last = log.log.epoch;
          if (round % 2 === 0) await log.close();
          else trial.told(await host.fence("a"), "ok", "it cannot be fenced");
        }
        if (round === 2) trial.told(await host.fence("a"), "ok", "a free log cannot be fenced");
        await host.close();
      }
    },
  },
  {
    id: "fenced",
    promise:
      "What a holder writes after the log was taken from it fails with fenced, and nobody reads it, ever.",
    least: { writes: 5, fences: 2, reads: 3 },
    async run(trial) {
      const [first, second, third] = [await trial.host(), await trial.host(), await trial.host()];
      const log = await first.take("a", "new");
      await log.append("1");
      trial.told(await second.fence("a"), "ok", "a held log cannot be fenced");
      trial.hold((await second.state("a")) === "free", "a fenced log is not free");
      trial.told(await log.write("2"), "fenced", "the fenced holder writes");
      trial.same(await third.read("a"), ["1"], "what a fenced holder wrote is read");
      const next = await second.take("a", "existing");
      trial.same(next.log.entries, ["1"], "the next holder opens with what a fenced one wrote");
      trial.told(await log.write("3"), "closed", "the fenced holder tries again");
      await next.append("4");
      trial.same(await third.read("a"), ["1", "4"], "the log has other entries");
      await log.close();
      trial.told(
        await third.open("a"),
        "inUse",
        "the log of the new holder, after the fenced one has closed",
      );
      // One that was taken over twice, and never wrote in between.
      const stale = await first.take("b", "new");
      trial.told(await second.fence("b"), "ok", "a held log cannot be fenced");
      await (await second.take("b")).close();
      const last = await third.take("b");
      await last.append("5");
      trial.told(await stale.write("6"), "fenced", "one who was taken over twice writes");
      await last.append("7");
      trial.same(await second.read("b"), ["5", "7"], "the log has other entries");
      await last.close();
      trial.same((await second.take("b")).log.entries, ["5", "7"], "opened again it has other entries");
      // Fenced by its own store, and opened there again.
      const own = await first.take("c", "new");
      trial.told(await first.fence("c"), "ok", "its own store cannot fence it");
      const after = await first.take("c", "existing");
      trial.told(await own.write("8"), "fenced", "the log that its own store fenced is written to");
      await own.close();
      await after.append("9");
      trial.told(await second.open("c"), "inUse", "a log that is held, after a stale one was closed");
    },
  },
  {
    id: "closed",
    promise: "What was closed takes nothing more, and says so; closing twice is closing once.",
    least: { writes: 2 },
    async run(trial) {
      const host = await trial.host();
      const log = await host.take("a", "new");
      const other = await host.take("b", "new");
      await log.append("1");
      trial.told(await log.close(), "ok", "it cannot be closed");
      trial.told(await log.close(), "ok", "it cannot be closed twice");
      trial.told(await log.write("2"), "closed", "a closed log is written to");
      trial.told(await host.close(), "ok", "the store cannot be closed");
      trial.told(await host.close(), "ok", "the store cannot be closed twice");
      trial.told(await other.write("3"), "closed", "a log of a closed store is written to");
      trial.told(await host.open("c"), "closed", "a closed store opens a log");
      const list = await trial.act("it lists", () => host.store.list("sessions"));
      trial.told(list, "closed", "a closed store lists");
      const next = await trial.host();
      trial.same((await next.take("a", "existing")).log.entries, ["1"], "the log has other entries");
      trial.same((await next.take("b", "existing")).log.entries, [], "the log has other entries");
    },
  },
]);
