import { describe, expect, it } from "vitest";
import { commandIdMinter, mintCommandId } from "../../src/client/command-id.js";
import { digest } from "../../src/client/digest.js";

const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("minted command ids", () => {
  it("are UUIDs of version 7, new and in order, whatever the clock does", () => {
    const times = [1_000, 1_000, 999, 5_000, 4_000, 4_000, 5_001];
    let at = 0;
    const mint = commandIdMinter({ now: () => times[at++ % times.length] as number });
    const ids = Array.from({ length: 20_000 }, mint);
    expect(ids.filter((id) => !V7.test(id))).toEqual([]);
    expect([...new Set(ids)].sort()).toEqual(ids);
  });

  it("carry the time, and count within a millisecond into the next one", () => {
    const mint = commandIdMinter({ now: () => 0x0190_1234_5678, fill: (bytes) => bytes.fill(0xff) });
    const ids = Array.from({ length: 4_097 }, mint);
    expect(ids[0]).toBe("01901234-5678-7000-bfff-ffffffffffff");
    expect(ids[4_095]).toBe("01901234-5678-7fff-bfff-ffffffffffff");
    expect(ids[4_096]).toBe("01901234-5679-7000-bfff-ffffffffffff");
  });

  it("come from the platform where nothing else is given", () => {
    const id = mintCommandId();
    expect(id).toMatch(V7);
    expect(Math.abs(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) - Date.now())).toBeLessThan(60_000);
  });
});

describe("a digest", () => {
  // Computed by another implementation of MurmurHash3, seed 0, over the bytes of the text in little-endian UTF-16.
  it.each([
    ["", "00000000000000000000000000000000"],
    ["a", "033bb196ccef4fe1ccef4fe1ccef4fe1"],
    ["abcdefgh", "6c3576558df898a1a76d230d42147114"],
    ["the quick brown fox jumps over the lazy dog", "4ece63f6428e28ffb0bf61c02056223d"],
    ["é😀", "518841bf824a919ef12d4bfff12d4bff"],
  ])("is that of MurmurHash3 over the text in UTF-16: %j", (text, expected) => {
    expect(digest(text)).toBe(expected);
  });

  it("differs for texts that differ in one place, in length, or in what stands at the end", () => {
    const texts = [
      "",
      "a",
      "b",
      "aa",
      "\0",
      "\0\0",
      "a\0",
      "x".repeat(8),
      "x".repeat(9),
      "é",
      "e\u0301",
      "\ud800",
      "\ud801",
    ];
    for (let i = 0; i < 20_000; i++) texts.push(`{"n":${i}}`, `${"y".repeat(i % 40)}${i}`);
    expect(new Set(texts.map(digest)).size).toBe(new Set(texts).size);
    for (const text of texts.slice(0, 20)) expect(digest(text)).toMatch(/^[0-9a-f]{32}$/);
  });
});
