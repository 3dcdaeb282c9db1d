/** A folder as a value, so that a test can say that nothing in it has changed. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

/** The text of every file in a folder, by its path in there; folders end in `/`. */
export function treeOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).map(
    (entry): [string, string] => {
      const path = join(entry.parentPath, entry.name);
      const name = relative(folder, path);
      return entry.isDirectory() ? [`${name}/`, ""] : [name, readFileSync(path, "utf8")];
    },
  );
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** When each file in a folder was last written, in nanoseconds, and which file it is. */
export function timesOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    Object.keys(treeOf(folder)).map((name) => {
      const { mtimeNs, ino } = statSync(join(folder, name), { bigint: true });
      return [name, `${mtimeNs} ${ino}`];
    }),
  );
}
