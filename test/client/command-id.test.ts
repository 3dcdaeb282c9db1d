import { describe, expect, it } from "vitest";
import { commandIdMinter, mintCommandId } from "../../src/client/command-id.js";

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
