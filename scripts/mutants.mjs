// Tries every mutant of the embedded host with the law that must find it: `npm run mutants [-- ID...]`. The kit is
// bundled as it is, each host with the fault of its mutant. `npm run mutants -- stryker [PART...]` changes the pure
// parts instead, which the tests that they have must notice.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const words = process.argv.slice(2);

if (words[0] === "stryker") {
  const stryker = join(root, "node_modules/@stryker-mutator/core/bin/stryker.js");
  const config = join(root, "test/mutants/stryker/stryker.config.mjs");
  const parts = Object.keys(
    JSON.parse(readFileSync(join(root, "test/mutants/stryker/parts.json"), "utf8")),
  ).filter((part) => words.length === 1 || words.slice(1).includes(part));
  let failed = parts.length === 0;
  for (const part of parts) {
    console.log(`\n=== ${part}`);
    const { status } = spawnSync(process.execPath, [stryker, "run", config], {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, MSPKIT_PART: part },
    });
    failed ||= status !== 0;
  }
  process.exit(failed ? 1 : 0);
}

const folder = join(root, ".setup", "mutants");
mkdirSync(folder, { recursive: true });
const kit = join(folder, `kit-${process.pid}.mjs`);
await build({
  absWorkingDir: root,
  stdin: {
    contents: `
      import { child, main } from "./test/mutants/main.ts";
      const asked = process.env.MSPKIT_MUTANT;
      if (asked !== undefined) await child(asked);
      export { main };`,
    resolveDir: root,
    loader: "ts",
  },
  outfile: kit,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  packages: "external",
  logLevel: "warning",
});
const { main } = await import(pathToFileURL(kit).href);
try {
  process.exitCode = await main(root, kit, words);
} finally {
  rmSync(kit, { force: true });
}
