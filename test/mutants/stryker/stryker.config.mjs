// One part of what is pure, with the tests that it has: `npm run mutants -- stryker [PART]`.
import { readFileSync } from "node:fs";

const parts = JSON.parse(readFileSync(new URL("parts.json", import.meta.url), "utf8"));
const part = process.env.MSPKIT_PART ?? "signature";

export default {
  plugins: ["@stryker-mutator/vitest-runner"],
  testRunner: "vitest",
  vitest: { configFile: "test/mutants/stryker/vitest.config.ts", related: false },
  mutate: parts[part].mutate,
  // Only the tests that came by a place try its changes, so that no test may live on what another one worked out.
  coverageAnalysis: "perTest",
  dryRunTimeoutMinutes: 30,
  concurrency: 2,
  timeoutMS: 20_000,
  reporters: ["clear-text", "progress-append-only", "json"],
  jsonReporter: { fileName: `.setup/stryker/${part}.json` },
  clearTextReporter: { logTests: false, allowColor: false },
  allowConsoleColors: false,
  tempDirName: `.setup/stryker/sandbox-${part}`,
  ignorePatterns: ["dist", "docs", "bench", ".setup", "examples", "*.tgz"],
  // Each survivor is listed in survivors.md with the reason for which it is no gap.
  thresholds: { high: 95, low: 85, break: 85 },
};
