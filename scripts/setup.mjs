// All set-up that a fresh clone needs, and nothing when it is done: dependencies, then dist/.
// Runs before `npm start` and `npm test`; uses only Node and npm.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`mspkit needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(3);
}

const stamps = join(root, ".setup");
mkdirSync(stamps, { recursive: true });

/** Runs a step unless its inputs are as they were when it last succeeded. */
function once(name, inputs, output, run) {
  const hash = createHash("sha256").update(process.version);
  for (const path of inputs) hash.update(path).update(readFileSync(join(root, path)));
  const digest = hash.digest("hex");
  const stamp = join(stamps, name);
  if (existsSync(join(root, output)) && existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return;
  console.error(`mspkit: ${name} ...`);
  run();
  writeFileSync(stamp, digest);
}

function files(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort();
}

/** Runs npm; throws where it fails. */
function npm(...words) {
  const options = {
    cwd: root,
    stdio: ["ignore", 2, "inherit"],
    env: { ...process.env, npm_config_jobs: "max" },
  };
  const quiet = [...words, "--no-audit", "--no-fund", "--loglevel=error"];
  const path = process.env.npm_execpath;
  if (path === undefined) execFileSync("npm", quiet, { ...options, shell: true });
  else execFileSync(process.execPath, [path, ...quiet], options);
}

// npm installs nothing that lock and machine agree on already; `npm ci` wants a clean slate, which a clone is. No
// package has to run anything to be installed, but the one that is compiled.
once("dependencies", ["package.json", "package-lock.json"], "node_modules/typescript/package.json", () =>
  npm("ci", "--ignore-scripts"),
);
once("SQLite", ["package.json", "package-lock.json"], "node_modules/better-sqlite3/package.json", () => {
  try {
    npm("rebuild", "better-sqlite3");
  } catch {
    console.error(
      "mspkit: better-sqlite3 could neither be had nor be built here; tests of its store are skipped.",
    );
  }
});

const sources = ["codegen", "src", "generated", "schema"].flatMap(files);
const build = [
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "scripts/build.mjs",
  "scripts/launcher.cjs",
  "scripts/conformance.cjs",
];
once("build", [...build, ...sources], "dist/bin/mspkit.cjs", () => {
  execFileSync(process.execPath, [join(root, "scripts/build.mjs")], {
    cwd: root,
    stdio: ["ignore", 2, "inherit"],
  });
});
