/**
 * The few things that the file store asks of a file system, so that tests can stand in for the disk: one that is full,
 * or one that forgets at a power cut what was not synced.
 */
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";

/** Files and folders. What fails throws an error with the `code` of the system. Paths are absolute. */
export interface Files {
  /** Makes a folder, for its owner alone. False where there is one. The folder above it must be there. */
  makeFolder(path: string): boolean;
  /** Makes a file to append to, for its owner alone; its descriptor. Fails with EEXIST where there is one. */
  create(path: string): number;
  /** A second name for a file, at once or not at all. Fails with EEXIST where the name is taken. */
  link(path: string, name: string): void;
  /** Takes a name away. Nothing where there is none. */
  unlink(path: string): void;
  /** Gives a file another name, in place of what has it. */
  rename(path: string, name: string): void;
  /** Appends all of the bytes. */
  append(fd: number, bytes: Uint8Array): void;
  /** Returns when what was appended is on the disk, and blocks until then. */
  syncData(fd: number): void;
  /** The same, without blocking. */
  syncDataLater(fd: number): Promise<void>;
  /** Puts what is in a file on the disk, whoever wrote it. */
  syncFile(path: string): void;
  /** Puts the names in a folder on the disk. */
  syncFolder(path: string): void;
  close(fd: number): void;
  /** Fails where it cannot be told. */
  exists(path: string): boolean;
  /** The bytes of a file from an offset on, at most `limit` of them; undefined where there is no file. */
  read(path: string, offset?: number, limit?: number): Buffer | undefined;
  /** What is in a folder; nothing where there is none. */
  names(path: string): string[];
  /** Bytes, and the time of the last write in Unix milliseconds; undefined where there is no file. */
  stat(path: string): { readonly bytes: number; readonly updatedAtMs: number } | undefined;
}

/** The file system of Node. On macOS its sync flushes the drive's own cache as well. */
export const nodeFiles: Files = {
  makeFolder(path) {
    const made = unless("EEXIST", () => {
      mkdirSync(path, { mode: 0o700 });
      return true;
    });
    return made ?? false;
  },
  create: (path) => openSync(path, "ax", 0o600),
  link: linkSync,
  unlink(path) {
    unless("ENOENT", () => unlinkSync(path));
  },
  rename: renameSync,
  append(fd, bytes) {
    let done = 0;
    while (done < bytes.length) done += writeSync(fd, bytes, done, bytes.length - done);
  },
  syncData: fdatasyncSync,
  syncDataLater: (fd) =>
    new Promise((resolve, reject) => fdatasync(fd, (error) => (error === null ? resolve() : reject(error)))),
  syncFile(path) {
    // Windows syncs only what may be written.
    const fd = openSync(path, "r+");
    try {
      fdatasyncSync(fd);
    } finally {
      closeSync(fd);
    }
  },
  syncFolder(path) {
    // Windows has no such thing: a folder cannot be opened there.
    if (process.platform === "win32") return;
    const fd = openSync(path, "r");
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  },
  close: closeSync,
  exists: (path) => statSync(path, { throwIfNoEntry: false }) !== undefined,
  read(path, offset = 0, limit = Number.POSITIVE_INFINITY) {
    const fd = unless("ENOENT", () => openSync(path, "r"));
    if (fd === undefined) return undefined;
    try {
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(limit, fstatSync(fd).size - offset)));
      let done = 0;
      while (done < bytes.length) {
        const count = readSync(fd, bytes, done, Math.min(bytes.length - done, 1 << 30), offset + done);
        if (count === 0) break;
        done += count;
      }
      return bytes.subarray(0, done);
    } finally {
      closeSync(fd);
    }
  },
  names: (path) => unless("ENOENT", () => readdirSync(path)) ?? [],
  stat(path) {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? undefined : { bytes: stat.size, updatedAtMs: Math.floor(stat.mtimeMs) };
  },
};

/** The `code` of an error of the system. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

function unless<T>(code: string, action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (systemCode(error) === code) return undefined;
    throw error;
  }
}
