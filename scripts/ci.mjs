// Runs what .ci/run promises and prints, last, `N passed, N failed, N skipped`: the tests of every suite, and each of
// the other checks as one.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const total = { passed: 0, failed: 0, skipped: 0 };

function run(title, command, words) {
  console.log(`\n=== ${title}`);
  const { status } = spawnSync(command, words, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    shell: command === "npm",
  });
  return status === 0;
}

/** A suite of tests; a runner that ends without a report has failed once more than it counted. */
function suite(title, script) {
  const report = join(root, ".setup", `${script.replace(":", "-")}.json`);
  rmSync(report, { force: true });
  const fine = run(title, "npm", [
    "run",
    script,
    "--",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ]);
  let failed = 0;
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(
      readFileSync(report, "utf8"),
    );
    total.passed += numPassedTests;
    total.skipped += numPendingTests + numTodoTests;
    failed = numFailedTests;
  } catch {
    failed = 1;
  }
  total.failed += fine ? failed : Math.max(1, failed);
}

function check(title, words) {
  if (run(title, process.execPath, words)) total.passed++;
  else {
    total.failed++;
    console.log(`FAILED: ${title}`);
  }
}

const bin = (name, file) => join(root, "node_modules", name, file);
const entryPoints = [
  "codegen",
  "wire",
  "wire/node",
  "client",
  "client/node",
  "client/sessions",
  "transcripts",
  "ledger",
  "ledger/node",
  "commands",
  "commands/node",
  "host",
  "doors",
  "store-laws",
  "laws",
  "laws/vitest",
  ...["stable", "experimental"].flatMap((s) =>
    ["types", "validators", "tables", "client", "server", "arbitraries"].map((p) => `msp/${s}/${p}`),
  ),
  ...["types", "validators", "tables", "client", "server", "arbitraries"].map((p) => `workspace/stable/${p}`),
];

// Without one, where none could be had either, the tests that need it are reported as skipped.
run("a PostgreSQL for the tests", process.execPath, ["scripts/postgres.mjs"]);
suite("tests", "test");
check("types", [bin("typescript", "bin/tsc"), "--noEmit"]);
check("lint and format", [bin("@biomejs/biome", "bin/biome"), "ci", "--error-on-warnings", "--colors=off"]);
check("build", ["scripts/build.mjs"]);
check("the schema is in canonical form", ["dist/bin/mspkit.cjs", "format", "--check"]);
check("the schema breaks no rule", ["dist/bin/mspkit.cjs", "lint", "--deny-warnings"]);
check("the schema breaks nobody", ["dist/bin/mspkit.cjs", "breaking"]);
check("generated code is current", ["dist/bin/mspkit.cjs", "generate", "--check"]);
for (const [title, ...words] of [
  ["the workspace schema is in canonical form", "format", "--check"],
  ["the workspace schema breaks no rule", "lint", "--deny-warnings"],
  ["the workspace schema breaks nobody", "breaking"],
  ["code generated from the workspace schema is current", "generate", "--check"],
])
  check(title, ["dist/bin/mspkit.cjs", ...words, "--config", "schema/workspace/mspkit.config.json"]);
check("vectors are current", ["scripts/vectors.mjs", "--check"]);
check("golden sessions are current", ["scripts/transcripts.mjs", "--check"]);
check("golden sessions are valid", ["dist/bin/mspkit-conformance.cjs", "validate"]);
check("documents are current", ["scripts/docs.mjs", "--check"]);
check("frames, links and code of the documents hold", ["scripts/docs-check.mjs"]);
check("the package is published right", [bin("publint", "src/cli.js"), "--strict"]);
check("types resolve for whoever installs the package", [
  bin("@arethetypeswrong/cli", "dist/index.js"),
  "--pack",
  ".",
  "--profile",
  "esm-only",
  "--entrypoints",
  ...entryPoints,
]);
suite("campaigns", "test:campaigns");

console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed === 0 ? 0 : 1);
