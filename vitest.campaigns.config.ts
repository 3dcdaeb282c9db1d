import { defineConfig } from "vitest/config";

// The long runs: random bundles, mutants, kills. One after the other, since each uses what the machine has.
export default defineConfig({
  test: {
    include: ["test/campaigns/**/*.campaign.ts"],
    testTimeout: 900_000,
    hookTimeout: 300_000,
    maxWorkers: 1,
    setupFiles: ["test/support/without-sqlite.ts"],
  },
});
