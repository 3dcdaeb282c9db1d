/** Every mutant of the host is found by its law, in simulation, and ten of them as processes too. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mutants } from "../mutants/catalog.js";
import { ROOT } from "../support/repo.js";

test("no mutant escapes", () => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(ROOT, "scripts/mutants.mjs")], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const last = stdout.trimEnd().split("\n").at(-1);
  expect(last, stdout + stderr).toBe(`${mutants.length} caught, 0 escaped`);
  expect(status).toBe(0);
});
