/**
 * The list of the files that mspkit wrote into a folder. What is not on it is somebody else's.
 */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "../bundle/json.js";
import { compareNames } from "../bundle/pointer.js";
import { OUTPUT_FORMAT } from "../emit/header.js";

/** Name of the manifest in the folder of a surface. */
export const MANIFEST = "mspkit.manifest.json";

/** One owned file. */
export interface ManifestEntry {
  readonly product: string;
  /** Fingerprint of the surface that the file was made from. */
  readonly schema: string;
  /** SHA-256 of its bytes, hexadecimal. */
  readonly sha256: string;
}

/** The owned files of one folder, by name. */
export type Manifest = ReadonlyMap<string, ManifestEntry>;

/** The manifest of a folder; empty where there is none, or one that cannot be read. */
export function readManifest(folder: string): Manifest {
  const entries = new Map<string, ManifestEntry>();
  try {
    const value = JSON.parse(readFileSync(join(folder, MANIFEST), "utf8")) as unknown;
    const files = isJsonObject(value) ? value["files"] : undefined;
    if (!isJsonObject(files)) return entries;
    for (const [name, entry] of Object.entries(files)) {
      // A name that leads out of the folder was not written by us.
      if (
        name.includes("\\") ||
        name.startsWith("/") ||
        name.split("/").includes("..") ||
        !isJsonObject(entry)
      )
        continue;
      entries.set(name, {
        product: String(entry["product"]),
        schema: String(entry["schema"]),
        sha256: String(entry["sha256"]),
      });
    }
  } catch {
    // none yet
  }
  return entries;
}

/** The text of a manifest. */
export function writeManifest(manifest: Manifest): string {
  const files = Object.fromEntries([...manifest].sort(([a], [b]) => compareNames(a, b)));
  return `${JSON.stringify({ $comment: "The files here that mspkit generates.", format: OUTPUT_FORMAT, files }, null, 2)}\n`;
}

/** The entry of a file. */
export function entryOf(product: string, schema: string, text: string): ManifestEntry {
  return { product, schema, sha256: hash("sha256", text) };
}
