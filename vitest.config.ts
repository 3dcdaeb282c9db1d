import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Two cores, and some tests start processes: patience instead of flakes. Nothing here asserts on time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    setupFiles: ["test/support/seed.ts", "test/support/without-sqlite.ts"],
  },
});
