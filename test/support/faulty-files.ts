/** File systems for the file store that fail, on the real one. */
import { fstatSync, rmSync, statSync, truncateSync } from "node:fs";
import { dirname } from "node:path";
import { type Files, nodeFiles } from "../../src/ledger/stores/file/files.js";

/** An error as the system makes it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: as planned`), { code });
}

/** A file system with some things done otherwise. */
export function filesWith(changes: Partial<Files>): Files {
  return { ...nodeFiles, ...changes };
}

/** See {@link unpluggableFiles}. */
export interface UnpluggableFiles {
  readonly files: Files;
  /** How often something was synced: data and folders. */
  readonly syncs: number;
  /** The machine loses its power: what was not synced is lost, and nothing works any more but closing. */
  cut(): void;
  /** The process dies: nothing works any more but closing. What it had handed to the system is there. */
  die(): void;
}

/**
 * A file system of a machine that can lose its power. Then a file has the bytes that were synced, and a folder the names
 * that were; of the bytes after them, `keep` says how many are there all the same.
 */
export function unpluggableFiles(keep: (bytes: number) => number = () => 0): UnpluggableFiles {
  const names = new Set<string>();
  const synced = new Map<number, { path: string; bytes: number }>();
  let dead = false;
  let syncs = 0;
  const alive = (): void => {
    if (dead) throw systemError("EIO");
  };
  const note = (fd: number): void => {
    syncs++;
    const { ino, size } = fstatSync(fd);
    synced.get(ino)!.bytes = size;
  };
  const files = { ...nodeFiles };
  for (const name of Object.keys(nodeFiles) as (keyof Files)[]) {
    const real = nodeFiles[name] as (...args: unknown[]) => unknown;
    const changed = (...args: unknown[]): unknown => {
      alive();
      return real(...args);
    };
    if (name !== "close") Object.assign(files, { [name]: changed });
  }
  Object.assign(files, {
    makeFolder(path) {
      alive();
      const made = nodeFiles.makeFolder(path);
      if (made) names.add(path);
      return made;
    },
    create(path) {
      alive();
      const fd = nodeFiles.create(path);
      names.add(path);
      synced.set(fstatSync(fd).ino, { path, bytes: 0 });
      return fd;
    },
    link(path, name) {
      alive();
      nodeFiles.link(path, name);
      names.add(name);
      synced.get(statSync(name).ino)!.path = name;
    },
    rename(path, name) {
      alive();
      nodeFiles.rename(path, name);
      names.delete(path);
      names.add(name);
      synced.get(statSync(name).ino)!.path = name;
    },
    syncData(fd) {
      alive();
      nodeFiles.syncData(fd);
      note(fd);
    },
    async syncDataLater(fd) {
      alive();
      await nodeFiles.syncDataLater(fd);
      alive();
      note(fd);
    },
    syncFile(path) {
      alive();
      nodeFiles.syncFile(path);
      syncs++;
      const { ino, size } = statSync(path);
      synced.set(ino, { path, bytes: size });
    },
    syncFolder(path) {
      alive();
      nodeFiles.syncFolder(path);
      syncs++;
      for (const name of names) if (dirname(name) === path) names.delete(name);
    },
  } satisfies Partial<Files>);
  return {
    files,
    get syncs() {
      return syncs;
    },
    die() {
      dead = true;
    },
    cut() {
      if (dead) return;
      dead = true;
      for (const { path, bytes } of synced.values()) {
        const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
        if (size > bytes) truncateSync(path, bytes + keep(size - bytes));
      }
      for (const name of names) rmSync(name, { recursive: true, force: true });
    },
  };
}
