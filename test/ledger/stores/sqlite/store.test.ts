/** What is special about the SQLite store: its tables, other connections, damage, versions. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { sqliteStore } from "../../../../src/ledger/node.js";
import { scratchFolder } from "../../../support/repo.js";
import { storeChild } from "../../../support/store-child.js";

const any = { expect: "any" } as const;

async function written(): Promise<string> {
  const path = join(scratchFolder(), "db");
  const store = sqliteStore(path);
  const log = await store.open("sessions", "a", any);
  await log.write(["1", "2"]);
  await log.write(["3"]);
  await store.close();
  return path;
}

function change(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}

describe("an SQLite store", () => {
  it("makes nothing when it is only looked into", async () => {
    const folder = scratchFolder();
    const store = sqliteStore(join(folder, "db"));
    expect(await store.list("sessions")).toEqual([]);
    expect(await store.read("sessions", "a")).toBeUndefined();
    expect(await store.state("sessions", "a")).toBe("absent");
    await expect(store.fence("sessions", "a")).rejects.toMatchObject({ kind: "notFound" });
    await store.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("keeps its entries in the order of their log and seq, with WAL and full sync", async () => {
    const path = await written();
    const db = new Database(path);
    expect(db.prepare("select key >> 32 as log, key & 4294967295 as seq, text from entries").all()).toEqual([
      { log: 1, seq: 1, text: "1" },
      { log: 1, seq: 2, text: "2" },
      { log: 1, seq: 3, text: "3" },
    ]);
    expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
    db.close();
  });

  it("waits for another connection that writes, for longer than SQLite does, and tells nobody that it is busy", async () => {
    const path = await written();
    const store = sqliteStore(path);
    const log = await store.open("sessions", "a", any);
    const other = new Database(path);
    let done = 0;
    for (const group of [["4"], ["5", "6"]]) {
      other.exec("begin immediate");
      const writing = log.write(group);
      expect(writing).toBeInstanceOf(Promise);
      const opening = store.open("sessions", `b${done}`, any);
      await new Promise((resolve) => setTimeout(resolve, 120));
      other.exec("rollback");
      await writing;
      await opening;
      done++;
    }
    expect(done).toBe(2);
    other.close();
    expect(await store.read("sessions", "a")).toEqual(["1", "2", "3", "4", "5", "6"]);
    await store.close();
  });

  it.each([
    ["another text", "update entries set text = '9' where key & 4294967295 = 2", "seq 2"],
    ["a row that is gone", "delete from entries where key & 4294967295 = 2", "seq 2"],
  ])("is damaged with its place by %s", async (_what, sql, place) => {
    const path = await written();
    change(path, sql);
    const store = sqliteStore(path);
    for (const refused of [store.read("sessions", "a"), store.open("sessions", "a", any)])
      await expect(refused).rejects.toMatchObject({ kind: "damaged", place: expect.stringContaining(place) });
    await store.close();
  });

  it("is damaged where the file is no database", async () => {
    const path = join(scratchFolder(), "db");
    writeFileSync(path, "no database, but as long as the head of one would be ".repeat(40));
    const store = sqliteStore(path);
    await expect(store.list("sessions")).rejects.toMatchObject({ kind: "damaged" });
    await store.close();
  });

  it("refuses a later version, and changes nothing", async () => {
    const path = await written();
    change(path, "update form set version = 2");
    const before = readFileSync(path);
    const store = sqliteStore(path);
    await expect(store.open("sessions", "a", any)).rejects.toMatchObject({ kind: "newerVersion" });
    await expect(store.list("sessions")).rejects.toMatchObject({ kind: "newerVersion" });
    await store.close();
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it.skipIf(process.platform === "win32")(
    "fails where the disk has no room, and keeps what it had told",
    async () => {
      const path = join(scratchFolder(), "db");
      const child = await storeChild(`sqlite:${path}`, {}, "trap '' XFSZ; ulimit -f 512");
      const log = await child.store.open("sessions", "a", any);
      const entry = JSON.stringify("x".repeat(50_000));
      let told = 0;
      let error: unknown;
      for (; told < 40 && error === undefined; told += error === undefined ? 1 : 0)
        error = await Promise.resolve(log.write([entry])).then(
          () => undefined,
          (reason) => reason,
        );
      expect(error).toMatchObject({ kind: "failed" });
      await expect(log.write(["1"])).rejects.toMatchObject({ kind: "closed" });
      await child.kill();
      const store = sqliteStore(path);
      const found = (await store.open("sessions", "a", any)).entries.length;
      expect(found).toBeGreaterThanOrEqual(told);
      expect(told).toBeGreaterThan(0);
      await store.close();
      expect(existsSync(`${path}-wal`)).toBe(false);
    },
  );
});
