/**
 * `baseline.json`: what the baseline beside it is.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DISK } from "../../../codegen/bundle/files.js";
import { isJsonObject, type Json } from "../../../codegen/bundle/json.js";
import { TroubleError } from "../../../codegen/diagnostics/finding.js";
import { isRelease } from "../../../codegen/drift/version.js";
import { BASELINE_FOLDER } from "./beside.js";

/** The name of the file. */
export const NOTE_FILE = "baseline.json";

/** What the file says. */
export interface BaselineNote {
  /** The release that the baseline is of; absent where nobody said. */
  readonly release?: string;
  /** The fingerprint of its stable surface, by which a baseline that was edited by hand is found. */
  readonly fingerprint: string;
}

/**
 * The note beside a bundle, or in the folder of a pair.
 * @returns nothing where there is none
 * @throws {TroubleError} where the one of a baseline says something else
 */
export function readBaselineNote(bundle: string): BaselineNote | undefined {
  const path = join(DISK.isFolder(bundle) ? bundle : dirname(bundle), NOTE_FILE);
  if (!existsSync(path)) return undefined;
  let value: Json = null;
  try {
    value = JSON.parse(readFileSync(path, "utf8")) as Json;
  } catch {
    // told below
  }
  const { release, fingerprint } = isJsonObject(value) ? value : {};
  const released = release === undefined || (typeof release === "string" && isRelease(release));
  const sound = released && typeof fingerprint === "string" && /^sha256:[0-9a-f]{64}$/.test(fingerprint);
  if (sound) return { fingerprint, ...(release === undefined ? {} : { release }) };
  // Elsewhere it is a file of somebody else.
  if (basename(dirname(path)) !== BASELINE_FOLDER) return undefined;
  throw new TroubleError(
    path,
    "has no fingerprint, or a release unlike 1.4.0; mspkit baseline set writes it",
  );
}

/** The text of a note. */
export function baselineNoteText({ release, fingerprint }: BaselineNote): string {
  return `${JSON.stringify({ ...(release === undefined ? {} : { release }), fingerprint }, null, 2)}\n`;
}
