import { defineConfig } from "vitest/config";

// The long runs: random bundles, mutants, kills. Two at once: most of them wait for processes, or use one processor.
export default defineConfig({
  test: {
    include: ["test/campaigns/**/*.campaign.ts"],
    testTimeout: 900_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
    setupFiles: ["test/support/seed.ts", "test/support/without-sqlite.ts"],
  },
});
