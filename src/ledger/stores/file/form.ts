/** The form of a file store: `format.json`, which says its version, and the folders. */
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { StoreError } from "../../store.js";
import type { Files } from "./files.js";
import { FORM_VERSION } from "./lines.js";
import { newerVersion } from "./segments.js";

const TEXT = `${JSON.stringify({ format: "mspkit file store", version: FORM_VERSION })}\n`;

/** Fails with `newerVersion` where a later version of this store made the place; nothing is changed. */
export function checkForm(files: Files, dir: string): void {
  const path = join(dir, "format.json");
  const bytes = files.read(path);
  if (bytes === undefined) return;
  let version: unknown;
  try {
    version = (JSON.parse(bytes.toString("utf8")) as { version?: unknown } | null)?.version;
  } catch {
    // Told below, as what is not a version.
  }
  if (typeof version !== "number")
    throw new StoreError("damaged", `${path} does not say its version`, { place: `${path}:0` });
  if (version > FORM_VERSION) throw newerVersion(path, version);
}

/** Makes what is missing of a place, and puts it on the disk. */
export function makePlace(files: Files, dir: string, folders: readonly string[]): void {
  makeFolders(files, dir);
  const made = folders.map((name) => files.makeFolder(join(dir, name)));
  const path = join(dir, "format.json");
  if (!files.exists(path)) {
    // Two may do so at once: what they write is the same.
    const draft = join(dir, `format.${randomUUID()}`);
    const fd = files.create(draft);
    try {
      files.append(fd, Buffer.from(TEXT));
      files.syncData(fd);
    } finally {
      files.close(fd);
    }
    files.rename(draft, path);
  } else if (!made.includes(true)) return;
  files.syncFolder(dir);
}

function makeFolders(files: Files, path: string): void {
  if (files.exists(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolders(files, above);
  if (files.makeFolder(path)) files.syncFolder(above);
}
