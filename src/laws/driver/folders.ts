/** Folders of hosts: the fresh one that stands for `{dir}`, and the store that is copied where a law breaks. */
import { cp, lstat, mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const DIR = "{dir}";

/** Whether words ask for a fresh folder. */
export function wantsFolder(words: readonly string[]): boolean {
  return words.some((word) => word.includes(DIR));
}

/** A word with a folder in the place of `{dir}`. */
export function withFolder(word: string, folder: string): string {
  return word.replaceAll(DIR, folder);
}

/** A fresh empty folder. */
export function freshFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "mspkit-host-"));
}

/** Takes a folder away. Something may still write in it: it is tried again. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** The store that words name, as `file:DIR` or `sqlite:PATH`, also behind an equals sign; undefined for none. */
export function storeInWords(words: readonly string[]): string | undefined {
  for (const word of words) {
    const found = /^(?:[^=]*=)?((?:file|sqlite):.+)$/.exec(word)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The path of a store: that of a `file:` or `sqlite:` URL without what stands behind a question mark, or the text as it
 * is. Undefined for the URL of something else.
 */
export function storePath(store: string, cwd: string): string | undefined {
  if (/^file:\/\//.test(store)) return fileURLToPath(store.split("?", 1)[0] as string);
  const [, scheme, rest = ""] = /^(?:([a-z][a-z0-9+.-]+):)?(.*)$/s.exec(store) ?? [];
  if (scheme === undefined) return resolve(cwd, store);
  return scheme === "file" || scheme === "sqlite" ? resolve(cwd, rest.split("?", 1)[0] as string) : undefined;
}

/** Files that a database may keep beside itself. */
const BESIDE = ["", "-wal", "-shm", "-journal"];

/** Whether something of a folder is copied: a socket says nothing, and cannot be. */
async function isKept(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && (found.isDirectory() || found.isFile() || found.isSymbolicLink());
}

/** Copies what stands at a path into a folder; whether there was anything. */
export async function copyStore(path: string, folder: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return false;
  await mkdir(folder, { recursive: true });
  if (found.isDirectory()) await cp(path, folder, { recursive: true, filter: isKept });
  else
    for (const end of BESIDE) {
      const from = path + end;
      if ((await stat(from).catch(() => undefined)) === undefined) continue;
      await cp(from, join(folder, basename(from)));
    }
  return true;
}
