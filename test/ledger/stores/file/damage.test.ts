/** A log on the disk that is not as it was written: a torn tail is cut off and told, damage refuses, with its place. */
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileStore } from "../../../../src/ledger/node.js";
import type { StoreError } from "../../../../src/ledger/store.js";
import { scratchFolder } from "../../../support/repo.js";
import { treeOf } from "../../../support/tree.js";

const ENTRIES = ['{"n":1}', '{"n":2,"text":"é😀"}', '{"n":3}', '{"n":4}', '{"n":5}'];
const existing = { expect: "existing" } as const;

interface Logs {
  readonly dir: string;
  readonly path: string;
  readonly bytes: Buffer;
  /** Where the lines begin: two of the segment, then the entries, then the end. */
  readonly starts: readonly number[];
}

/** A log of five writes whose holder is gone without a word, or with one. */
async function log(
  end: "died" | "closed",
  groups: readonly string[][] = ENTRIES.map((e) => [e]),
): Promise<Logs> {
  const from = join(scratchFolder(), "from");
  const store = fileStore(from);
  const held = await store.open("sessions", "a", { expect: "new" });
  for (const group of groups) await held.write(group);
  if (end === "closed") await held.close();
  const dir = join(scratchFolder(), "store");
  mkdirSync(dir);
  cpSync(join(from, "sessions"), join(dir, "sessions"), { recursive: true });
  copyFileSync(join(from, "format.json"), join(dir, "format.json"));
  await store.close();
  const path = join(dir, "sessions/a/00000001.ndjson");
  const bytes = readFileSync(path);
  const starts = [0];
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) starts.push(at + 1);
  return { dir, path, bytes, starts };
}

/** How reading and opening fail, which must be the same, and leave everything as it is. */
async function refusal(dir: string): Promise<{ kind: string; place: string | undefined }> {
  const before = treeOf(join(dir, "sessions"));
  const store = fileStore(dir);
  const read: StoreError = await store.read("sessions", "a").then(
    (entries) => expect.fail(`read ${JSON.stringify(entries)}`),
    (error) => error,
  );
  const opened: StoreError = await store.open("sessions", "a", existing).then(
    () => expect.fail("opened"),
    (error) => error,
  );
  await store.close();
  expect(treeOf(join(dir, "sessions"))).toEqual(before);
  expect([opened.kind, opened.place]).toEqual([read.kind, read.place]);
  return { kind: read.kind, place: read.place };
}

describe("a torn tail", () => {
  it("is cut off at every byte of the last line, and told, and the log goes on", async () => {
    const { dir, path, bytes, starts } = await log("died");
    const last = starts.at(-2)!;
    let cuts = 0;
    for (let size = last; size < bytes.length; size++, cuts++) {
      rmSync(join(dir, "sessions/a"), { recursive: true });
      mkdirSync(join(dir, "sessions/a"));
      writeFileSync(path, bytes.subarray(0, size));
      const store = fileStore(dir);
      expect(await store.read("sessions", "a")).toEqual(ENTRIES.slice(0, 4));
      const held = await store.open("sessions", "a", existing);
      expect(held.entries).toEqual(ENTRIES.slice(0, 4));
      expect(held.torn).toEqual(size === last ? undefined : { place: `${path}:${last}`, bytes: size - last });
      await held.write(['"more"']);
      await held.close();
      const again = await store.open("sessions", "a", existing);
      expect([again.entries, again.torn]).toEqual([[...ENTRIES.slice(0, 4), '"more"'], undefined]);
      await store.close();
    }
    expect(cuts).toBe(bytes.length - last);
    expect(cuts).toBeGreaterThan(40);
  });

  it("begins with the first entry of a write that is not there, though later ones of that write are", async () => {
    const { dir, path, bytes, starts } = await log("died", [ENTRIES.slice(0, 2), ENTRIES.slice(2)]);
    const third = starts[4]!;
    bytes.fill(0, third, third + 20);
    writeFileSync(path, bytes);
    const store = fileStore(dir);
    const held = await store.open("sessions", "a", existing);
    expect([held.entries, held.torn]).toEqual([
      ENTRIES.slice(0, 2),
      { place: `${path}:${third}`, bytes: bytes.length - third },
    ]);
    await store.close();
  });

  it("is damage where a later write is there: then it had been synced", async () => {
    const { dir, path, bytes, starts } = await log("died", [ENTRIES.slice(0, 3), ENTRIES.slice(3)]);
    bytes.fill(0, starts[4]!, starts[4]! + 20);
    writeFileSync(path, bytes);
    expect(await refusal(dir)).toEqual({ kind: "damaged", place: `${path}:${starts[4]}` });
  });

  it("is damage where the log was given up in order", async () => {
    const { dir, path, bytes, starts } = await log("closed");
    const last = starts.at(-3)!;
    bytes[last + 30]! ^= 1;
    writeFileSync(path, bytes);
    expect(await refusal(dir)).toEqual({ kind: "damaged", place: `${path}:${last}` });
  });

  it("is an epoch that is used up where nothing but a piece of the first lines is there", async () => {
    const { dir, path, bytes, starts } = await log("died");
    for (let size = 0; size < starts[2]!; size++) {
      rmSync(join(dir, "sessions/a"), { recursive: true });
      mkdirSync(join(dir, "sessions/a"));
      writeFileSync(path, bytes.subarray(0, size));
      const store = fileStore(dir);
      expect(await store.read("sessions", "a")).toEqual([]);
      const held = await store.open("sessions", "a", existing);
      expect([held.epoch, held.entries]).toEqual([2, []]);
      await store.close();
    }
  });
});

describe("damage", () => {
  it("refuses with its place, whichever byte of a line in the middle is another", async () => {
    const { dir, path, bytes, starts } = await log("died");
    let flips = 0;
    // The two lines of the segment, and the third entry with its newline.
    for (const line of [0, 1, 4]) {
      for (let at = starts[line]!; at < starts[line + 1]!; at++) {
        const broken = Buffer.from(bytes);
        broken[at]! ^= flips++ % 2 === 0 ? 1 : 0x20;
        writeFileSync(path, broken);
        expect(await refusal(dir)).toEqual({ kind: "damaged", place: `${path}:${starts[line]}` });
      }
    }
    expect(flips).toBeGreaterThan(150);
    writeFileSync(path, bytes);
    const store = fileStore(dir);
    expect(await store.read("sessions", "a")).toEqual(ENTRIES);
    await store.close();
  });

  it.each<[string, (lines: string[]) => string[], number]>([
    ["a line is gone", (lines) => lines.toSpliced(4, 1), 4],
    ["a line is there twice", (lines) => lines.toSpliced(4, 0, lines[4]!), 5],
    ["lines have changed places", (lines) => lines.toSpliced(4, 2, lines[5]!, lines[4]!), 4],
  ])("refuses where %s, though each line is sound", async (_why, change, line) => {
    const { dir, path, bytes } = await log("died");
    const lines = change(bytes.toString().split("\n"));
    writeFileSync(path, lines.join("\n"));
    const place = Buffer.byteLength(
      lines
        .slice(0, line)
        .map((text) => `${text}\n`)
        .join(""),
    );
    expect(await refusal(dir)).toEqual({ kind: "damaged", place: `${path}:${place}` });
  });

  it("refuses where an earlier segment is shorter than what counts of it, or gone", async () => {
    const { dir, path, bytes } = await log("died");
    const store = fileStore(dir);
    const held = await store.open("sessions", "a", existing);
    await held.write(['"more"']);
    await store.close();
    truncateSync(path, bytes.length - 1);
    expect(await refusal(dir)).toEqual({ kind: "damaged", place: `${path}:${bytes.length - 1}` });
    rmSync(path);
    expect(await refusal(dir)).toEqual({ kind: "damaged", place: `${path}:0` });
  });

  it("is not what stands behind the part of an earlier segment that counts", async () => {
    const { dir, path, bytes } = await log("died");
    const store = fileStore(dir);
    await (await store.open("sessions", "a", existing)).close();
    const last = bytes.subarray(bytes.lastIndexOf(10, -2) + 1);
    writeFileSync(path, Buffer.concat([bytes, last, Buffer.from("late\n")]));
    expect(await store.read("sessions", "a")).toEqual(ENTRIES);
    await store.close();
  });
});

describe("a later version", () => {
  it.each([
    ["of the place", "format.json", '{"format":"mspkit file store","version":2}\n'],
    ["of a segment", "sessions/a/00000002.ndjson", ""],
  ])("%s is refused, and nothing is changed", async (_what, name, text) => {
    const { dir, path } = await log("closed");
    const store = fileStore(dir);
    await (await store.open("sessions", "a", existing)).close();
    await store.close();
    const later = text === "" ? await laterSegment(path) : text;
    writeFileSync(join(dir, name), later);
    expect(await refusal(dir)).toEqual({ kind: "newerVersion", place: join(dir, name) });
    const other = fileStore(dir);
    await expect(other.fence("sessions", "a")).rejects.toMatchObject({ kind: "newerVersion" });
    await other.close();
  });

  it("is not taken from a file that says none", async () => {
    const { dir } = await log("closed");
    writeFileSync(join(dir, "format.json"), "{");
    expect(await refusal(dir)).toEqual({ kind: "damaged", place: `${join(dir, "format.json")}:0` });
  });
});

/** The second segment, as a later version would begin it. */
async function laterSegment(first: string): Promise<string> {
  const { claimLine } = await import("../../../../src/ledger/stores/file/lines.js");
  const text = readFileSync(first.replace("00000001", "00000002"), "utf8");
  const lines = text.split("\n");
  return [claimLine({ version: 2, epoch: 2, owner: "0123456789abcdef" }).trimEnd(), ...lines.slice(1)].join(
    "\n",
  );
}
