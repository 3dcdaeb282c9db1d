/**
 * Where bundle files are read from: the disk, unless somebody has them elsewhere, such as in a version control system.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { TroubleError } from "../diagnostics/finding.js";

/** A place that has files by path. Each function throws `TroubleError` where a path cannot be read. */
export interface Files {
  isFolder(path: string): boolean;
  /** The names in a folder. */
  list(folder: string): readonly string[];
  /** Bytes of a file. */
  size(path: string): number;
  read(path: string): Buffer;
}

/** The files of this machine. */
export const DISK: Files = {
  isFolder: (path) => orTrouble(path, () => statSync(path).isDirectory()),
  list: (folder) => orTrouble(folder, () => readdirSync(folder)),
  size: (path) => orTrouble(path, () => statSync(path).size),
  read: (path) => orTrouble(path, () => readFileSync(path)),
};

function orTrouble<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new TroubleError(path, reason(error));
  }
}

function reason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return "does not exist";
  if (code === "EACCES" || code === "EPERM") return "may not be read";
  return (error as Error).message;
}
