/** Golden files: what output looked like when somebody last read it. Every file of the folder is one. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Whether this run is to record what it makes, instead of holding it against what was recorded. */
export const isRecording = process.env["UPDATE_GOLDEN"] === "1";

/** What a folder of golden files has wrong: `NAME: extra`, then `NAME: missing`, then `NAME: stale`. */
export function mistakesIn(folder: string, files: ReadonlyMap<string, string>): readonly string[] {
  const found = readdirSync(folder);
  return [
    ...found.filter((name) => !files.has(name)).map((name) => `${name}: extra`),
    ...[...files.keys()].filter((name) => !found.includes(name)).map((name) => `${name}: missing`),
    ...[...files]
      .filter(([name]) => found.includes(name))
      .filter(([name, text]) => !readFileSync(join(folder, name)).equals(Buffer.from(text)))
      .map(([name]) => `${name}: stale`),
  ];
}

/** Makes a folder have these files and no others. */
export function record(folder: string, files: ReadonlyMap<string, string>): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
}
