/** Laws of what outlives a failure: of a write, a process, a machine. */
import { simply } from "../places/law.js";
import type { StoreLaw } from "./law.js";

/** Laws of what outlives a failure. */
export const crashLaws: readonly StoreLaw[] = simply([
  {
    id: "failed",
    promise:
      "A log whose write failed takes nothing more; what was written before is there; the log can be opened anew.",
    needs: "failing",
    least: { writes: 5 },
    async run(trial) {
      const { store, failNext } = await trial.place.failing!();
      const host = await trial.host(store);
      const log = await host.take("a", "new");
      await log.append("1");
      failNext();
      trial.told(await log.write("2", "3"), "failed", "the disk fails");
      trial.told(await log.write("4"), "closed", "a log that failed is written to");
      await log.close();
      const found = (await host.read("a")) ?? [];
      trial.same(found, ["1", "2", "3"].slice(0, Math.max(1, found.length)), "the log has other entries");
      const next = await host.take("a", "existing");
      trial.same(next.log.entries, found, "opened anew it has other entries than were read");
      await next.append("5");
      await next.append("6");
      trial.same(await host.read("a"), [...found, "5", "6"], "the log has other entries");
    },
  },
  {
    id: "killed",
    promise:
      "After the death of its holder's process a log is free at once, and has every entry that was told written.",
    needs: "mortal",
    least: { deaths: 5, writes: 50 },
    async run(trial) {
      const watcher = await trial.host();
      let epoch = 0;
      const wanted: string[] = [];
      for (let round = 0; round < 5; round++) {
        const mortal = await trial.place.mortal!();
        const host = await trial.host(mortal.store);
        const log = await host.take("a");
        trial.hold(log.log.epoch > epoch, `epoch ${log.log.epoch} after ${epoch}`);
        epoch = log.log.epoch;
        trial.same(log.log.entries, wanted, "the next holder has other entries");
        for (let i = 0; i < 10; i++) {
          await log.append(`${wanted.length}`);
          wanted.push(`${wanted.length}`);
        }
        trial.hold((await watcher.state("a")) === "held", "a log whose holder lives is not held");
        await host.die(mortal);
        trial.hold((await watcher.state("a")) === "free", "the log of a dead holder is not free");
        trial.same(await watcher.read("a"), wanted, "after a death the log has other entries");
      }
    },
  },
  {
    id: "killed-writing",
    promise:
      "A write that death cut short has left some of its first entries, whole, and after all that was told.",
    needs: "mortal",
    least: { deaths: 3, writes: 3 },
    async run(trial) {
      const watcher = await trial.host();
      for (let round = 0; round < 3; round++) {
        const id = `log-${round}`;
        const mortal = await trial.place.mortal!();
        const host = await trial.host(mortal.store);
        const log = await host.take(id);
        await log.append("0");
        const group = Array.from({ length: 200 }, (_, i) => JSON.stringify({ n: i, text: "x".repeat(5000) }));
        void log.write(...group);
        await new Promise((resolve) => setTimeout(resolve, round));
        await host.die(mortal);
        const found = (await watcher.take(id, "existing")).log.entries;
        trial.same(found, ["0", ...group].slice(0, Math.max(1, found.length)), "the log has other entries");
      }
    },
  },
  {
    id: "unplugged",
    promise: "What was told written is there after the machine has lost its power.",
    needs: "unplugged",
    least: { deaths: 3, writes: 30 },
    async run(trial) {
      const wanted: string[] = [];
      for (let round = 0; round < 3; round++) {
        const mortal = await trial.place.unplugged!();
        const host = await trial.host(mortal.store);
        const log = await host.take("a");
        trial.same(log.log.entries, wanted, "after a power cut the log has other entries");
        for (let i = 0; i < 5; i++) {
          const next = [`${wanted.length}`, `${wanted.length + 1}`];
          await log.append(...next);
          wanted.push(...next);
        }
        for (let i = 0; i < 5; i++) await (await host.take(`${round}-${i}`)).append("1");
        await host.die(mortal);
      }
      const last = await trial.place.unplugged!();
      const host = await trial.host(last.store);
      trial.same((await host.take("a")).log.entries, wanted, "after a power cut the log has other entries");
      trial.same(await host.read("2-4"), ["1"], "after a power cut a new log has other entries");
    },
  },
]);
