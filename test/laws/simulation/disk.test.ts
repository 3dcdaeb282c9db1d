/** The disk that crashes: it keeps what it says that it keeps. */
import { describe, expect, it } from "vitest";
import { crashableDisk, type Moment } from "../../../src/laws/simulation/disk.js";

const any = { expect: "any" } as const;

describe("a disk that crashes", () => {
  it.each<[Moment, (count: number) => boolean]>([
    ["before", (count) => count === 1],
    ["torn", (count) => count >= 1 && count < 4],
    ["after", (count) => count === 4],
  ])("keeps of a write what its crash %s it leaves, and the dead say nothing more", async (moment, fits) => {
    const disk = crashableDisk({ seed: 3 });
    const store = disk.store();
    const log = await store.open("sessions", "a", any);
    await log.write(["1"]);
    disk.crashAt(2, moment);
    let told = 0;
    const tell = (): unknown => told++;
    void Promise.resolve(log.write(["2", "3", "4"])).then(tell, tell);
    void store.read("sessions", "a").then(tell, tell);
    void log.close().then(tell, tell);
    const next = await disk.store().open("sessions", "a", any);
    expect(next.entries).toEqual(["1", "2", "3", "4"].slice(0, next.entries.length));
    expect(fits(next.entries.length)).toBe(true);
    expect(next.torn !== undefined).toBe(moment === "torn");
    expect(next.epoch).toBe(log.epoch + 1);
    await new Promise(setImmediate);
    expect([told, disk.writes, disk.faults]).toEqual([0, 2, 1]);
  });

  it("fails a write, and its host lives on", async () => {
    const disk = crashableDisk();
    disk.failAt(1, "after");
    const store = disk.store();
    const log = await store.open("sessions", "a", any);
    expect(() => log.write(["1"])).toThrow(expect.objectContaining({ kind: "failed" }));
    expect(() => log.write(["2"])).toThrow(expect.objectContaining({ kind: "closed" }));
    expect(await store.read("sessions", "a")).toEqual(["1"]);
  });

  it("has one holder among the living", async () => {
    const disk = crashableDisk();
    const [a, b] = [disk.store(), disk.store()];
    await a.open("sessions", "a", any);
    await expect(b.open("sessions", "a", any)).rejects.toMatchObject({ kind: "inUse" });
    disk.crash();
    expect((await disk.store().open("sessions", "a", any)).epoch).toBe(2);
  });
});
