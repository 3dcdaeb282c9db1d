/** A process that has nothing left but to wait for a command: it lives until it knows the result. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { bundled } from "../support/child-program.js";

const run = promisify(execFile);

it.each([
  ["settles late", { status: "accepted", result: 1 }, 3],
  ["meets no database", { status: "rejected", rejection: { reason: "results_unavailable" } }, 0],
])("one that %s", async (what, result, failures) => {
  const { stdout } = await run(process.execPath, [await bundled("test/support/lonely-main.ts"), what]);
  expect(JSON.parse(stdout)).toMatchObject([result, failures]);
});
