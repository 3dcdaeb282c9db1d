// One part of what is pure, with the tests that it has: `npm run mutants -- stryker [PART]`.
import { readFileSync } from "node:fs";

const parts = JSON.parse(readFileSync(new URL("parts.json", import.meta.url), "utf8"));
const part = process.env.MSPKIT_PART ?? "signature";

export default {
  plugins: ["@stryker-mutator/vitest-runner"],
  testRunner: "vitest",
  vitest: { configFile: "test/mutants/stryker/vitest.config.ts", related: false },
  mutate: parts[part].mutate,
  // Where what was worked out once is kept, only the first test is seen to use what works it out: then all are tried.
  coverageAnalysis: parts[part].coverage ?? "perTest",
  dryRunTimeoutMinutes: 30,
  concurrency: 2,
  timeoutMS: 20_000,
  reporters: ["clear-text", "progress-append-only", "json"],
  jsonReporter: { fileName: `.setup/stryker/${part}.json` },
  clearTextReporter: { logTests: false, allowColor: false },
  allowConsoleColors: false,
  tempDirName: `.setup/stryker/sandbox-${part}`,
  ignorePatterns: ["dist", "docs", "bench", ".setup", "examples", "*.tgz"],
  // Each survivor is listed in survivors.json with the reason for which it is none.
  thresholds: { high: 95, low: 85, break: 85 },
};
