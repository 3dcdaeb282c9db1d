import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mistakesIn, record } from "./golden.js";
import { scratchFolder } from "./repo.js";

test("a stale, a missing and an extra file are each reported", () => {
  const files = new Map([
    ["a.txt", "one\n"],
    ["b.txt", "two\n"],
  ]);
  const folder = join(scratchFolder(), "golden");
  record(folder, files);
  expect(mistakesIn(folder, files)).toEqual([]);
  writeFileSync(join(folder, "a.txt"), "one \n");
  rmSync(join(folder, "b.txt"));
  writeFileSync(join(folder, "other.txt"), "");
  expect(mistakesIn(folder, files)).toEqual(["other.txt: extra", "b.txt: missing", "a.txt: stale"]);
});
