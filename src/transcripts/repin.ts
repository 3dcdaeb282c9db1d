/**
 * Changes one value of a manifest and no other byte: the fingerprint of today, say. Never the transcript.
 */
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { membersOf } from "../wire/members.js";
import { TranscriptError } from "./error.js";
import type { Manifest } from "./manifest.js";
import { MANIFEST_FILE, readText } from "./transcript.js";

/**
 * Writes another fingerprint into a manifest.
 * @throws {TranscriptError} when the manifest cannot be read or written
 */
export function repin(folder: string, fingerprint: string): void {
  setInManifest(folder, "fingerprint", fingerprint);
}

/**
 * Writes another value of a member that a manifest has, and changes no other byte.
 * @throws {TranscriptError} when the manifest cannot be read or written
 */
export function setInManifest(folder: string, name: keyof Manifest, value: string): void {
  const file = join(folder, MANIFEST_FILE);
  const text = readText(file);
  const member = [...membersOf(text)].findLast((one) => one.name === name);
  if (member?.valueEnd === undefined) throw new TranscriptError("badManifest", file, `has no ${name}`);
  replaceFile(file, text.slice(0, member.valueStart) + JSON.stringify(value) + text.slice(member.valueEnd));
}

/**
 * Writes a file beside its place and moves it there, so that nobody sees half of it.
 * @throws {TranscriptError} when it cannot be written
 */
export function replaceFile(file: string, text: string): void {
  const beside = `${file}.${process.pid}.new`;
  try {
    writeFileSync(beside, text);
    renameSync(beside, file);
  } catch (error) {
    rmSync(beside, { force: true });
    throw new TranscriptError("unwritable", file, (error as Error).message);
  }
}
