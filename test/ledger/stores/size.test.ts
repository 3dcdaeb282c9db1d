/** Many logs, many entries, many epochs: nothing is read more often than it must be. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileStore, sqliteStore } from "../../../src/ledger/node.js";
import { type Files, nodeFiles } from "../../../src/ledger/stores/file/files.js";
import { beforeLine, claimLine } from "../../../src/ledger/stores/file/lines.js";
import { filesWith } from "../../support/faulty-files.js";
import { scratchFolder } from "../../support/repo.js";

/** Many files on a machine that has much else to do. */
const PATIENCE_MS = 120_000;

/** Files that count the bytes that are read. */
function counting(): { files: Files; bytes(): number } {
  let bytes = 0;
  const files = filesWith({
    read(path, offset, limit) {
      const found = nodeFiles.read(path, offset, limit);
      bytes += found?.length ?? 0;
      return found;
    },
  });
  return { files, bytes: () => bytes };
}

describe("a file store", { timeout: PATIENCE_MS }, () => {
  it("lists ten thousand logs without reading one", async () => {
    const dir = scratchFolder();
    const text =
      claimLine({ version: 1, epoch: 1, owner: null }) + beforeLine({ epoch: 0, bytes: 0, seq: 0 });
    for (let i = 0; i < 10_000; i++) {
      mkdirSync(join(dir, `sessions/s-${i}`), { recursive: true });
      writeFileSync(join(dir, `sessions/s-${i}/00000001.ndjson`), text);
    }
    // Neither a log nor a file of ours.
    mkdirSync(join(dir, "sessions/empty"));
    writeFileSync(join(dir, "sessions/notes.txt"), "");
    const { files, bytes } = counting();
    const store = fileStore(dir, { files });
    const rows = await store.list("sessions");
    expect(new Set(rows.map(({ id }) => id)).size).toBe(10_000);
    expect(bytes()).toBe(0);
    expect(await store.read("sessions", "s-9999")).toEqual([]);
    await store.close();
  });

  it("loads a hundred thousand entries, reading the file once", async () => {
    const dir = scratchFolder();
    const entries = Array.from({ length: 100_000 }, (_, n) =>
      JSON.stringify({ type: "item", n, text: "words ".repeat(40) }),
    );
    const first = fileStore(dir);
    const log = await first.open("sessions", "a", { expect: "new" });
    for (let at = 0; at < entries.length; at += 1000) await log.write(entries.slice(at, at + 1000));
    await first.close();
    const { files, bytes } = counting();
    const store = fileStore(dir, { files });
    const again = await store.open("sessions", "a", { expect: "existing" });
    expect(again.entries.length).toBe(entries.length);
    expect([again.entries[0], again.entries[77_777], again.entries.at(-1)]).toEqual([
      entries[0],
      entries[77_777],
      entries.at(-1),
    ]);
    const size = nodeFiles.stat(join(log.location, "00000001.ndjson"))!.bytes;
    expect(bytes()).toBeGreaterThan(size);
    expect(bytes()).toBeLessThan(size + 10_000);
    await store.close();
  });

  it("reads a log of many epochs in one pass", async () => {
    const dir = scratchFolder();
    const first = fileStore(dir);
    let written = 0;
    for (let i = 0; i < 200; i++) {
      const log = await first.open("sessions", "a", { expect: "any" });
      if (i % 3 === 0) await log.write([JSON.stringify(`entry ${written++} ${"x".repeat(500)}`)]);
      await log.close();
    }
    await first.close();
    const { files, bytes } = counting();
    const store = fileStore(dir, { files });
    expect(await store.read("sessions", "a")).toHaveLength(written);
    // Two reads of a head at most, and one of the whole, for each of 200 segments.
    expect(bytes()).toBeLessThan(200 * 3 * 1024);
    await store.close();
  });
});

it("an SQLite store lists ten thousand logs with the time of their last entry", {
  timeout: PATIENCE_MS,
}, async () => {
  const store = sqliteStore(join(scratchFolder(), "db"), { synchronous: "off" });
  for (let i = 0; i < 10_000; i++) {
    const log = await store.open("commands", `c-${i}`, { expect: "new" });
    await log.write(["1"]);
    await log.close();
  }
  const rows = await store.list("commands");
  expect(new Set(rows.map(({ id }) => id)).size).toBe(10_000);
  expect(rows.every(({ updatedAtMs }) => updatedAtMs > 1.6e12)).toBe(true);
  await store.close();
});
