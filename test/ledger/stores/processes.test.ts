/** Stores in processes of their own: killed while they write, stopped, woken, and racing each other. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Random } from "../../../src/laws/random.js";
import { openStore } from "../../../src/ledger/node.js";
import { isStoreError, type Store } from "../../../src/ledger/store.js";
import { scratchFolder } from "../../support/repo.js";
import { storeChild } from "../../support/store-child.js";

const any = { expect: "any" } as const;

const place = (scheme: string): string => `${scheme}:${join(scratchFolder(), "store")}`;

describe.skipIf(process.platform === "win32").each(["file", "sqlite"])(
  "processes with a %s store",
  { timeout: 120_000 },
  (scheme) => {
    it("lose nothing that was told written when they are killed while they write, a dozen times", async () => {
      const url = place(scheme);
      const random = new Random(5);
      let told: string[] = [];
      let writes = 0;
      let inTheMiddle = 0;
      for (let life = 0; life < 12; life++) {
        const child = await storeChild(url);
        const log = await child.store.open("sessions", "a", any);
        // What the dead wrote and was not told may be there as well, behind the rest.
        expect(log.entries.slice(0, told.length)).toEqual(told);
        told = [...log.entries];
        let over = false;
        let pending = false;
        let toldInLife = 0;
        const atLeast = random.int(1, 4);
        const writing = (async () => {
          for (let i = 0; !over; i++) {
            const group = Array.from({ length: random.int(1, 20) }, (_, k) =>
              JSON.stringify(`${life} ${i} ${k} ${"x".repeat(random.int(0, 4000))}`),
            );
            pending = true;
            await log.write(group);
            pending = false;
            told.push(...group);
            writes++;
            toldInLife++;
          }
        })();
        // However slow the machine is, it has something to lose.
        do await new Promise((resolve) => setTimeout(resolve, random.int(1, 6)));
        while (toldInLife < atLeast);
        over = true;
        await child.kill();
        if (pending) inTheMiddle++;
        // A write that was cut short never ends; one that was told has been counted by now.
        await Promise.race([writing, new Promise(setImmediate)]);
      }
      const store = openStore(url);
      expect((await store.read("sessions", "a"))?.slice(0, told.length)).toEqual(told);
      await store.close();
      expect(writes).toBeGreaterThanOrEqual(12);
      expect(inTheMiddle).toBeGreaterThan(2);
    });

    it("hold a log while they are stopped; once it was taken from them, they write where nobody reads", async () => {
      const url = place(scheme);
      const store = openStore(url);
      const child = await storeChild(url);
      const log = await child.store.open("sessions", "a", any);
      await log.write(["1"]);
      child.process.kill("SIGSTOP");
      expect(await store.state("sessions", "a")).toBe("held");
      await expect(store.open("sessions", "a", any)).rejects.toMatchObject({ kind: "inUse" });
      // Sent to it while it is stopped: the first thing that it does when it wakes.
      const late = Promise.resolve(log.write(["late"])).then(
        () => "written",
        (error) => (isStoreError(error) ? error.kind : String(error)),
      );
      await store.fence("sessions", "a");
      const next = await store.open("sessions", "a", any);
      await next.write(["2"]);
      child.process.kill("SIGCONT");
      expect(await late).toBe("fenced");
      await next.write(["3"]);
      expect(await store.read("sessions", "a")).toEqual(["1", "2", "3"]);
      await next.close();
      expect((await store.open("sessions", "a", any)).entries).toEqual(["1", "2", "3"]);
      await child.kill();
      await store.close();
    });

    it("that open a log at once: one has it, the others are told; and when it dies another has it at once", async () => {
      const url = place(scheme);
      const children = await Promise.all(Array.from({ length: 4 }, () => storeChild(url)));
      const won = async (id: string): Promise<readonly [number, readonly string[]]> => {
        const answers = await Promise.all(
          children.map(({ store }) =>
            store.open("sessions", id, any).then(
              () => "ok",
              (error) => error.kind as string,
            ),
          ),
        );
        return [answers.indexOf("ok"), answers.sort()];
      };
      for (let i = 0; i < 20; i++)
        expect((await won(`log-${i}`))[1]).toEqual(["inUse", "inUse", "inUse", "ok"]);
      const [winner] = await won("last");
      await children[winner]!.kill();
      const others = children.filter((_, i) => i !== winner);
      expect((await others[0]!.store.open("sessions", "last", any)).epoch).toBe(2);
      for (const { kill } of others) await kill();
    });

    it("claim a thousand ids each from both at the same moment: one gets each, and nobody is told that it is busy", async () => {
      const url = place(scheme);
      const [one, two] = await Promise.all([storeChild(url), storeChild(url)]);
      const claim = async (store: Store, id: string): Promise<string> => {
        try {
          const log = await store.open("commands", id, { expect: "new" });
          await log.write([`"${id}"`]);
          return "ok";
        } catch (error) {
          return isStoreError(error) ? error.kind : String(error);
        }
      };
      let claims = 0;
      for (let from = 0; from < 1000; from += 50) {
        const ids = Array.from({ length: 50 }, (_, i) => `c${from + i}`);
        const answers = await Promise.all(
          ids.map(async (id) => (await Promise.all([claim(one.store, id), claim(two.store, id)])).sort()),
        );
        expect(new Set(answers.map((pair) => pair.join(" ")))).toEqual(new Set(["exists ok"]));
        claims += answers.length;
      }
      const store = openStore(url);
      expect([claims, (await store.list("commands")).length]).toEqual([1000, 1000]);
      for (const id of ["c0", "c500", "c999"]) expect(await store.read("commands", id)).toEqual([`"${id}"`]);
      await one.kill();
      await two.kill();
      await store.close();
    });
  },
);
