import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

const parts = JSON.parse(readFileSync(new URL("parts.json", import.meta.url), "utf8")) as Readonly<
  Record<string, { readonly tests: readonly string[] }>
>;

/** The tests of one part: what is changed in it must make one of them fail. */
export default defineConfig({
  test: {
    root: process.cwd(),
    include: [...(parts[process.env["MSPKIT_PART"] ?? "signature"]?.tests ?? [])],
    testTimeout: 600_000,
    maxWorkers: 1,
  },
});
