/** Group commit: what arrives while a write runs is written together, and told in its order. */
import { describe, expect, it } from "vitest";
import { Random } from "../../src/laws/random.js";
import { LogWriter, memoryStore } from "../../src/ledger/index.js";
import { fileStore } from "../../src/ledger/node.js";
import { type Log, StoreError } from "../../src/ledger/store.js";
import { scratchFolder } from "../support/repo.js";

/** A log that keeps the groups it was given; each is done when it is said so, or at once. */
function handLog(now: boolean): { log: Log; groups: string[][]; finish(error?: Error): void } {
  const groups: string[][] = [];
  const waiting: ((error?: Error) => void)[] = [];
  const log: Log = {
    id: "a",
    epoch: 1,
    location: "",
    entries: [],
    torn: undefined,
    write(entries) {
      groups.push([...entries]);
      if (now) return;
      expect(waiting).toEqual([]);
      return new Promise((resolve, reject) => {
        waiting.push((error) => (error === undefined ? resolve() : reject(error)));
      });
    },
    close: async () => undefined,
  };
  return { log, groups, finish: (error) => waiting.shift()!(error) };
}

const unexpected = (error: unknown): void => expect.fail(String(error));

const turn = (): Promise<void> => new Promise(setImmediate);

describe("a writer of a log", () => {
  it("writes what one turn appends as one group, and what arrives meanwhile as the next", async () => {
    const { log, groups, finish } = handLog(false);
    const durable: number[] = [];
    const writer = new LogWriter(log, (position) => durable.push(position), unexpected);
    expect([writer.append("1"), writer.append("2"), writer.append("3")]).toEqual([1, 2, 3]);
    expect(groups).toEqual([]);
    await turn();
    writer.append("4");
    writer.append("5");
    await turn();
    expect([groups, durable, writer.waiting]).toEqual([[["1", "2", "3"]], [], 5]);
    let settled = false;
    const rest = writer.settled().then(() => (settled = true));
    finish();
    await turn();
    expect([groups, durable, settled]).toEqual([
      [
        ["1", "2", "3"],
        ["4", "5"],
      ],
      [3],
      false,
    ]);
    finish();
    await rest;
    expect([durable, writer.appended, writer.durable, writer.waiting]).toEqual([[3, 5], 5, 5, 0]);
    await writer.settled();
  });

  it("does as much with a log that writes in place", async () => {
    const { log, groups } = handLog(true);
    const durable: number[] = [];
    const writer = new LogWriter(
      log,
      (position) => {
        durable.push(position);
        // What the news of one group brings forth is the next group, in the same turn.
        if (position < 5) writer.append("more");
      },
      unexpected,
    );
    writer.append("1");
    writer.append("2");
    await writer.settled();
    expect([groups, durable]).toEqual([
      [["1", "2"], ["more"], ["more"], ["more"]],
      [2, 3, 4, 5],
    ]);
  });

  it.each([true, false])("tells a failure once, and takes nothing more (in place: %s)", async (now) => {
    const { log, groups, finish } = handLog(false);
    const failing: Log = now
      ? {
          ...log,
          write(entries) {
            groups.push([...entries]);
            throw new StoreError("failed", "no room");
          },
        }
      : log;
    const durable: number[] = [];
    const failures: unknown[] = [];
    const writer = new LogWriter(
      failing,
      (position) => durable.push(position),
      (error) => failures.push(error),
    );
    writer.append("1");
    await turn();
    writer.append("2");
    const settled = writer.settled();
    if (!now) finish(new StoreError("failed", "no room"));
    await settled;
    expect(writer.append("3")).toBe(3);
    await turn();
    await writer.settled();
    expect([groups, durable, failures.length, writer.failed, writer.durable]).toEqual([
      [["1"]],
      [],
      1,
      true,
      0,
    ]);
  });

  it.each([
    ["memory", () => memoryStore()],
    ["files", () => fileStore(scratchFolder())],
  ])("keeps the order of what arrives at any time, in %s", async (_name, make) => {
    const store = make();
    const log = await store.open("sessions", "a", { expect: "new" });
    const random = new Random(11);
    const wanted: string[] = [];
    const told: number[] = [];
    const writer = new LogWriter(log, (position) => told.push(position), unexpected);
    for (let i = 0; i < 300; i++) {
      for (let k = random.int(0, 5); k > 0; k--) {
        wanted.push(`"${i} ${k}"`);
        writer.append(wanted.at(-1)!);
      }
      if (random.chance(0.5)) await turn();
    }
    await writer.settled();
    expect(await store.read("sessions", "a")).toEqual(wanted);
    expect(told.at(-1)).toBe(wanted.length);
    expect(told.length).toBeGreaterThan(1);
    expect(told.length).toBeLessThan(wanted.length);
    expect(told).toEqual([...new Set(told)].sort((a, b) => a - b));
    await store.close();
  });
});
