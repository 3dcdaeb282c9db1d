/** `mspkit store`: the log of a session, the health of a store, and a session that is taken away. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileStore, sqliteStore } from "../../src/ledger/node.js";
import type { Store } from "../../src/ledger/store.js";
import { mspkit } from "../support/cli.js";
import { scratchFolder } from "../support/repo.js";

const at = Date.UTC(2026, 10, 30, 12);
const ENTRIES = [
  [{ type: "session", session: { sessionId: "s-1" }, at }],
  [
    { type: "received", id: "c-1", method: "goal/set", at: at + 1 },
    { type: "settled", id: "c-1", outcome: "accepted", at: at + 1 },
  ],
  [
    {
      type: "received",
      id: "c-2",
      method: "turn/start",
      payload: { text: "x".repeat(500), esc: "\u001b\u009b" },
      at,
    },
  ],
  [{ type: "received", id: "c-3", method: "turn/start", at }],
  [{ type: "withdrawn", id: "c-3", at }],
].map((records) => JSON.stringify(records));

async function filled(store: Store): Promise<Store> {
  const log = await store.open("sessions", "s-1", { expect: "new" });
  for (const entry of ENTRIES) await log.write([entry]);
  await log.close();
  await (await store.open("commands", "c-9", { expect: "new" })).close();
  return store;
}

describe.each<[string, (folder: string) => Store]>([
  ["file", (folder) => fileStore(join(folder, "store"))],
  ["sqlite", (folder) => sqliteStore(join(folder, "store.db"))],
])("of %s", (_scheme, make) => {
  it("store log prints a line a record, and what became of the commands", async () => {
    const store = await filled(make(scratchFolder()));
    const { code, stdout, stderr } = await mspkit(["store", "log", "s-1", "--store", store.url]);
    await store.close();
    expect([code, stderr]).toEqual([0, ""]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.slice(0, 6).map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual([
      "1 2026-11-30T12:00:00.000Z session",
      "2 2026-11-30T12:00:00.001Z received",
      "2 2026-11-30T12:00:00.001Z settled",
      "3 2026-11-30T12:00:00.000Z received",
      "4 2026-11-30T12:00:00.000Z received",
      "5 2026-11-30T12:00:00.000Z withdrawn",
    ]);
    expect(lines.every((line) => line.length < 200)).toBe(true);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not reach a terminal
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(lines.slice(-2)).toEqual([
      "5 entries, 6 records; 3 commands: 1 settled, 1 withdrawn, 1 pending",
      "pending: c-2 turn/start",
    ]);
  });

  it("store log --json prints the records as they are", async () => {
    const store = await filled(make(scratchFolder()));
    const { code, stdout } = await mspkit(["store", "log", "s-1", "--json", "--store", store.url]);
    await store.close();
    const found = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const wanted = ENTRIES.flatMap((entry, i) =>
      (JSON.parse(entry) as unknown[]).map((record) => ({ seq: i + 1, record })),
    );
    expect([code, found]).toEqual([0, wanted]);
  });

  it("store check tells of every log, also while one is held; store fence frees it", async () => {
    const store = await filled(make(scratchFolder()));
    const log = await store.open("sessions", "s-1", { expect: "existing" });
    const check = await mspkit(["store", "check", "--json", "--store", store.url]);
    expect([check.code, JSON.parse(check.stdout)]).toEqual([
      0,
      {
        store: store.url,
        holds: true,
        logs: [
          { space: "sessions", id: "s-1", state: "held", entries: 5, updatedAtMs: expect.any(Number) },
          { space: "commands", id: "c-9", state: "free", entries: 0, updatedAtMs: expect.any(Number) },
        ],
      },
    ]);
    const fenced = await mspkit(["store", "fence", "s-1", "--store", store.url]);
    expect([fenced.code, fenced.stdout]).toEqual([0, ""]);
    await expect(async () => log.write(["1"])).rejects.toMatchObject({ kind: "fenced" });
    expect(await store.state("sessions", "s-1")).toBe("free");
    await store.close();
  });

  it("a log that is not there is a finding", async () => {
    const { url } = make(scratchFolder());
    const codes: (number | null)[] = [];
    for (const words of [["log", "s-9"], ["fence", "s-9"], ["check"]])
      codes.push((await mspkit(["store", ...words, "--store", url])).code);
    expect(codes).toEqual([1, 1, 0]);
  });
});

describe("a store of files", () => {
  it("with a torn tail is told and fine; with damage it is a finding with its place", async () => {
    const folder = scratchFolder();
    const store = await filled(fileStore(join(folder, "store")));
    await store.close();
    const path = join(folder, "store/sessions/s-1/00000001.ndjson");
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.concat([bytes, Buffer.from('{"crc":"')]));
    const torn = await mspkit(["store", "check", "--json", "--store", store.url]);
    expect(torn.code).toBe(0);
    expect(JSON.parse(torn.stdout).logs[0]).toMatchObject({
      torn: { place: `${path}:${bytes.length}`, bytes: 8 },
    });
    const broken = Buffer.from(bytes);
    broken[bytes.indexOf("goal/set")]! ^= 1;
    writeFileSync(path, broken);
    const line = bytes.lastIndexOf(10, bytes.indexOf("goal/set")) + 1;
    const damaged = await mspkit(["store", "check", "--json", "--store", store.url]);
    expect(damaged.code).toBe(1);
    expect(JSON.parse(damaged.stdout).logs[0].damaged.place).toBe(`${path}:${line}`);
    const log = await mspkit(["store", "log", "s-1", "--store", store.url]);
    expect([log.code, log.stdout]).toEqual([1, ""]);
    expect(log.stderr).toContain(`${path}:${line}`);
  });

  it("of a later version is trouble", async () => {
    const folder = scratchFolder();
    const store = await filled(fileStore(join(folder, "store")));
    await store.close();
    copyFileSync(join(folder, "store/format.json"), join(folder, "old.json"));
    writeFileSync(join(folder, "store/format.json"), '{"format":"mspkit file store","version":99}');
    for (const words of [["log", "s-1"], ["fence", "s-1"], ["check"]])
      expect((await mspkit(["store", ...words, "--store", store.url])).code).toBe(3);
  });

  it("is below the state folder of the user where none is given", async () => {
    const folder = scratchFolder();
    const store = await filled(fileStore(join(folder, "mspkit")));
    await store.close();
    const { code, stderr } = await mspkit(["store", "check"], { env: { XDG_STATE_HOME: folder } });
    expect([code, stderr]).toEqual([0, `${store.url}: 2 logs, 0 held, 0 torn, 0 damaged\n`]);
  });
});

describe("wrong words exit 2", () => {
  it.each([
    [["store", "log"]],
    [["store", "log", "../a"]],
    [["store", "fence"]],
    [["store", "check", "--store", "postgres://a"]],
    [["store", "check", "--store", "memory"]],
    [["store", "log", "a", "--space", "rooms"]],
    [["store", "chekc"]],
  ])("%j", async (words) => {
    const { code, stdout } = await mspkit(words, { env: { XDG_STATE_HOME: scratchFolder() } });
    expect([code, stdout]).toEqual([2, ""]);
  });
});
