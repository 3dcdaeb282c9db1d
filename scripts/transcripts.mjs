// Writes schema/msp/transcripts/: the project's own golden sessions, from scripts/transcripts/. With --check it writes
// nothing and exits 1 where a file is not current, missing, or nobody's.
//   node scripts/transcripts.mjs [--check]
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { transcriptFiles } from "./transcripts/all.mjs";

const folder = fileURLToPath(new URL("../schema/msp/transcripts", import.meta.url));
const words = process.argv.slice(2);
const check = words[0] === "--check";
if (words.length > (check ? 1 : 0)) {
  console.error("usage: node scripts/transcripts.mjs [--check]");
  process.exit(2);
}

const files = transcriptFiles();
mkdirSync(folder, { recursive: true });
const found = new Map(
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [
      path
        .slice(folder.length + 1)
        .split(sep)
        .join("/"),
      readFileSync(path, "utf8"),
    ]),
);

let stale = 0;
for (const name of new Set([...files.keys(), ...found.keys()])) {
  const text = files.get(name);
  if (text === found.get(name)) continue;
  stale++;
  const path = join(folder, name);
  if (check) {
    const why =
      text === undefined ? "no scenario writes it" : "not current; node scripts/transcripts.mjs writes it";
    console.error(`schema/msp/transcripts/${name}: ${why}`);
  } else if (text === undefined) rmSync(path);
  else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
if (check) process.exitCode = stale > 0 ? 1 : 0;
else console.log(`${files.size / 2} scenarios, ${stale} files changed`);
