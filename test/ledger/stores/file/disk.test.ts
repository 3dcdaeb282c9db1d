/** A disk that is full, read-only, slow, or fails to sync; and how a write is synced. */
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileStore } from "../../../../src/ledger/node.js";
import { type Files, nodeFiles } from "../../../../src/ledger/stores/file/files.js";
import { SyncPace } from "../../../../src/ledger/stores/file/sync-pace.js";
import { filesWith, systemError } from "../../../support/faulty-files.js";
import { scratchFolder } from "../../../support/repo.js";
import { storeChild } from "../../../support/store-child.js";
import { treeOf } from "../../../support/tree.js";

const any = { expect: "any" } as const;

/** Each way in which the system can refuse what a write asks for. */
const REFUSALS: readonly (readonly [string, string, Partial<Files>])[] = [
  ["a full disk", "ENOSPC", { append: () => fail("ENOSPC") }],
  ["a quota", "EDQUOT", { append: () => fail("EDQUOT") }],
  ["a sync that fails", "EIO", { syncData: () => fail("EIO"), syncDataLater: async () => fail("EIO") }],
  ["a sync that fails late", "EIO", { syncData: () => fail("EIO"), syncDataLater: async () => fail("EIO") }],
];

function fail(code: string): never {
  throw systemError(code);
}

/** A store in which, once told so, some things are refused. */
function refusing(
  dir: string,
  refusal: Partial<Files>,
  slow = false,
): { store: ReturnType<typeof fileStore>; refuse(): void } {
  const files = filesWith({});
  if (slow) {
    // Slow enough that the next sync runs in a thread.
    files.syncData = (fd) => {
      nodeFiles.syncData(fd);
      const until = performance.now() + 20;
      while (performance.now() < until);
    };
  }
  return { store: fileStore(dir, { files }), refuse: () => void Object.assign(files, refusal) };
}

describe("a disk that refuses", () => {
  it.each(REFUSALS)(
    "%s fails the write once, and the log takes nothing more",
    async (_what, code, refusal) => {
      const dir = scratchFolder();
      const { store, refuse } = refusing(dir, refusal);
      const log = await store.open("sessions", "a", any);
      await log.write(["1"]);
      refuse();
      const error = await Promise.resolve()
        .then(() => log.write(["2"]))
        .catch((reason) => reason);
      expect(error).toMatchObject({ kind: "failed", cause: { code } });
      expect(() => log.write(["3"])).toThrow(expect.objectContaining({ kind: "closed" }));
      await store.close();
      const after = fileStore(dir);
      const found = (await after.open("sessions", "a", any)).entries;
      expect(found).toEqual(["1", "2"].slice(0, found.length));
      expect(found.length).toBeGreaterThan(0);
      await after.close();
    },
  );

  it("a sync that failed is never asked again, on that log", async () => {
    let syncs = 0;
    const dir = scratchFolder();
    const sync = (): never => {
      syncs++;
      return fail("EIO");
    };
    const { store, refuse } = refusing(dir, { syncData: sync, syncDataLater: async () => sync() });
    const log = await store.open("sessions", "a", any);
    refuse();
    await expect(async () => log.write(["1"])).rejects.toMatchObject({ kind: "failed" });
    for (let i = 0; i < 3; i++)
      await expect(async () => log.write(["1"])).rejects.toMatchObject({ kind: "closed" });
    await log.close();
    expect(syncs).toBe(1);
    await store.close();
  });

  it("one that is read-only fails to open, and is read all the same", async () => {
    const dir = scratchFolder();
    const first = fileStore(dir);
    await (await first.open("sessions", "a", any)).write(["1"]);
    await first.close();
    const readOnly = Object.fromEntries(
      (["makeFolder", "create", "link", "unlink", "rename", "append"] as const).map((name) => [
        name,
        () => fail("EROFS"),
      ]),
    );
    const before = treeOf(join(dir, "sessions"));
    const store = fileStore(dir, { files: filesWith(readOnly) });
    await expect(store.open("sessions", "a", any)).rejects.toMatchObject({ kind: "failed" });
    expect(await store.read("sessions", "a")).toEqual(["1"]);
    expect(await store.state("sessions", "a")).toBe("free");
    expect((await store.list("sessions")).map(({ id }) => id)).toEqual(["a"]);
    await store.close();
    expect(treeOf(join(dir, "sessions"))).toEqual(before);
  });

  it.skipIf(process.getuid?.() === 0)("a folder that may not be written fails to open", async () => {
    const dir = scratchFolder();
    chmodSync(dir, 0o500);
    const store = fileStore(join(dir, "store"));
    await expect(store.open("sessions", "a", any)).rejects.toMatchObject({ kind: "failed" });
    await store.close();
    chmodSync(dir, 0o700);
  });

  it.skipIf(process.platform === "win32")(
    "a limit of the system on the size of a file fails the write",
    async () => {
      const dir = scratchFolder();
      // What is written before it fits, of what fails a part: a torn tail.
      const child = await storeChild(`file:${dir}`, {}, "trap '' XFSZ; ulimit -f 256");
      const log = await child.store.open("sessions", "a", any);
      const entry = JSON.stringify("x".repeat(50_000));
      let written = 0;
      let error: unknown;
      for (; written < 10 && error === undefined; written++)
        error = await Promise.resolve(log.write([entry])).then(
          () => undefined,
          (reason) => reason,
        );
      expect(error).toMatchObject({ kind: "failed" });
      expect(written).toBeGreaterThan(1);
      await expect(log.write(["1"])).rejects.toMatchObject({ kind: "closed" });
      await child.kill();
      const store = fileStore(dir);
      const after = await store.open("sessions", "a", any);
      expect(after.entries).toHaveLength(written - 1);
      expect(after.torn).toMatchObject({ bytes: expect.any(Number) });
      await store.close();
    },
  );
});

describe("a write", () => {
  it("is a line an entry, after a sync of its own where a file is new, and one a write from then on", async () => {
    const dir = scratchFolder();
    let syncs = 0;
    const files = filesWith({
      syncData(fd) {
        syncs++;
        nodeFiles.syncData(fd);
      },
      syncDataLater(fd) {
        syncs++;
        return nodeFiles.syncDataLater(fd);
      },
    });
    const store = fileStore(dir, { files });
    const log = await store.open("sessions", "a", any);
    const atOpen = syncs;
    await log.write(["1", "2"]);
    await log.write(["3"]);
    expect(syncs - atOpen).toBe(2);
    const lines = readFileSync(join(log.location, "00000001.ndjson"), "utf8").trimEnd().split("\n");
    const shapes = lines.map((line) => {
      const { crc, ...rest } = JSON.parse(line);
      expect(crc).toMatch(/^[0-9a-f]{8}$/);
      return rest;
    });
    expect(shapes).toEqual([
      { segment: { version: 1, epoch: 1, owner: expect.stringMatching(/^[0-9a-f]{16}$/) } },
      { before: { epoch: 0, bytes: 0, seq: 0 } },
      { seq: 1, group: 1, records: 1 },
      { seq: 2, group: 1, records: 2 },
      { seq: 3, group: 3, records: 3 },
    ]);
    await store.close();
  });

  it.each(["1\n2", "", "\0", '"\ud800"'])(
    "of %j, which could not be read back, is a TypeError and changes nothing",
    async (text) => {
      const store = fileStore(scratchFolder());
      const log = await store.open("sessions", "a", any);
      expect(() => log.write(["1", text])).toThrow(TypeError);
      await log.write(["2"]);
      expect(await store.read("sessions", "a")).toEqual(["2"]);
      await store.close();
    },
  );
});

describe("the pace of syncing", () => {
  /** A clock that a sync moves on. */
  function paced(): { pace: SyncPace; sync(ms: number): void; wait(ms: number): void } {
    let now = 1000;
    const pace = new SyncPace(() => now);
    return { pace, sync: (ms) => pace.measure(() => void (now += ms)), wait: (ms) => void (now += ms) };
  }

  it("is in place while the disk is fast, and one slow sync among many changes nothing", () => {
    const { pace, sync } = paced();
    for (let i = 0; i < 50; i++) {
      expect(pace.inPlace(300)).toBe(true);
      sync(i === 25 ? 5 : 0.1);
    }
    expect(pace.inPlace(1_000_000)).toBe(false);
  });

  it("is in a thread while the disk is slow, but for a try now and then that finds it fast again", () => {
    const { pace, sync, wait } = paced();
    sync(20);
    expect(pace.inPlace(300)).toBe(false);
    wait(900);
    expect(pace.inPlace(300)).toBe(false);
    wait(200);
    expect(pace.inPlace(300)).toBe(true);
    sync(20);
    expect(pace.inPlace(300)).toBe(false);
    wait(1100);
    sync(0.1);
    for (let i = 0; i < 9; i++) {
      expect(pace.inPlace(300)).toBe(true);
      sync(0.1);
    }
  });
});
