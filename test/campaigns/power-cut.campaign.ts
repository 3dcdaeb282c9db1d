/** The power fails, or the process dies, at every step of a history of logs: what was told is there all the same. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Random } from "../../src/laws/random.js";
import { fileStore } from "../../src/ledger/node.js";
import { type Store, StoreError } from "../../src/ledger/store.js";
import type { Files } from "../../src/ledger/stores/file/files.js";
import { unpluggableFiles } from "../support/faulty-files.js";
import { scratchFolder } from "../support/repo.js";

/** What a store told of its logs, in a history of opening, writing, closing and fencing. */
async function history(store: Store, told: Map<string, string[]>, random: Random): Promise<void> {
  for (let i = 0; i < 6; i++) {
    const id = random.pick(["a", "b", "c"]);
    const log = await store.open("sessions", id, { expect: "any" });
    const known = told.get(id) ?? [];
    told.set(id, known);
    for (let k = random.int(0, 3); k > 0; k--) {
      const group = Array.from({ length: random.int(1, 3) }, (_, n) => `"${i} ${k} ${n} ${"x".repeat(99)}"`);
      await log.write(group);
      known.push(...group);
    }
    if (random.chance(0.3)) await store.fence("sessions", id);
    await log.close();
  }
}

/** How a life ends. */
interface End {
  /** After so many changes and syncs. */
  readonly after: number;
  readonly by: "power cut" | "death";
  readonly sync: "data" | "none";
  readonly seed: number;
  /** What the files do otherwise. */
  readonly changes?: (files: Files) => Partial<Files>;
}

const STEPS = [
  "makeFolder",
  "create",
  "link",
  "unlink",
  "rename",
  "append",
  "syncData",
  "syncFile",
  "syncFolder",
] as const;

/** Ends a life; what was told and is not there; undefined where the history was over by then. */
async function missingAfter({ after, by, sync, seed, changes }: End): Promise<string[] | undefined> {
  const dir = join(scratchFolder(), "store");
  const random = new Random(seed);
  // Of what was not synced, some is there all the same: what the disk had begun with.
  const machine = unpluggableFiles((bytes) => random.int(0, bytes));
  const told = new Map<string, string[]>();
  let steps = 0;
  const files = { ...machine.files, ...changes?.(machine.files) };
  for (const name of STEPS) {
    const real = files[name] as (...args: unknown[]) => unknown;
    const counted = (...args: unknown[]): unknown => {
      if (steps++ === after) by === "death" ? machine.die() : machine.cut();
      return real(...args);
    };
    Object.assign(files, { [name]: counted });
  }
  const store = fileStore(dir, { sync, files });
  await history(store, told, new Random(seed)).catch((error) => expect(error).toBeInstanceOf(StoreError));
  await store.close();
  if (steps <= after) return undefined;
  const next = fileStore(dir);
  const missing: string[] = [];
  for (const [id, entries] of told) {
    const log = await next.open("sessions", id, { expect: "any" }).catch((error: StoreError) => {
      missing.push(`${id} ${error.kind}`);
      return undefined;
    });
    const found = log?.entries ?? entries;
    missing.push(...entries.filter((entry, i) => found[i] !== entry));
  }
  await next.close();
  return missing;
}

/** Ends lives at every step of a history; how many, and what was missing in all of them. */
async function everywhere(end: Omit<End, "after">): Promise<{ ends: number; missing: string[] }> {
  const missing: string[] = [];
  for (let after = 0; ; after++) {
    const found = await missingAfter({ ...end, after });
    if (found === undefined) return { ends: after, missing };
    missing.push(...found.map((what) => `${end.by} after ${after}: ${what}`));
  }
}

describe("at every step of a history of logs", { timeout: 120_000 }, () => {
  it.each([1, 2])("a power cut loses nothing that was told, with the default (seed %i)", async (seed) => {
    const { ends, missing } = await everywhere({ by: "power cut", sync: "data", seed });
    expect(missing).toEqual([]);
    expect(ends).toBeGreaterThan(60);
  });

  it.each(["data", "none"] as const)(
    "the death of the process loses nothing that was told, with sync %s",
    async (sync) => {
      const { ends, missing } = await everywhere({ by: "death", sync, seed: 4 });
      expect(missing).toEqual([]);
      expect(ends).toBeGreaterThan(50);
    },
  );

  it.each<[string, "data" | "none", (files: Files) => Partial<Files>]>([
    ["nothing is synced", "none", () => ({})],
    [
      "the data is not synced",
      "data",
      () => ({ syncData: () => undefined, syncDataLater: async () => undefined }),
    ],
    ["the names are not", "data", () => ({ syncFolder: () => undefined })],
    ["what counts of the segment before is not", "data", () => ({ syncFile: () => undefined })],
  ])("a power cut is seen to lose something where %s", async (_what, sync, changes) => {
    const { missing } = await everywhere({ by: "power cut", sync, seed: 1, changes });
    expect(missing.length).toBeGreaterThan(0);
  });
});
