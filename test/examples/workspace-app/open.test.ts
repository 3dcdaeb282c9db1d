/** Stores by their URL, and what is said where one cannot be opened. */
import { describe, expect, it } from "vitest";
import { openStorage } from "../../../examples/workspace-app/index.js";
import { loaded } from "../../../examples/workspace-app/storage/load.js";

describe("a store", () => {
  it("is opened by its URL, and another URL is refused", async () => {
    const storage = await openStorage("memory");
    expect(await storage.revision({ tenant: "t", workspace: "w" })).toBe(0);
    for (const url of ["", "memory:", "mysql://x", "postgres"])
      await expect(openStorage(url), url).rejects.toThrow(TypeError);
  });

  it("whose package is not installed says which one", async () => {
    const missing = loaded("no-such-package", () => import("no-such-package" as string));
    await expect(missing).rejects.toMatchObject({ kind: "packageMissing", package: "no-such-package" });
    const broken = new RangeError("broken");
    await expect(loaded("pg", () => Promise.reject(broken))).rejects.toBe(broken);
  });
});
