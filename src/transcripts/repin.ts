/**
 * Gives a transcript the fingerprint of today: one value in its manifest, no other byte, and never the transcript.
 */
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { membersOf } from "../wire/members.js";
import { TranscriptError } from "./error.js";
import { MANIFEST_FILE, readText } from "./transcript.js";

/**
 * Writes another fingerprint into a manifest.
 * @throws {TranscriptError} when the manifest cannot be read or written
 */
export function repin(folder: string, fingerprint: string): void {
  const file = join(folder, MANIFEST_FILE);
  const text = readText(file);
  const member = [...membersOf(text)].findLast(({ name }) => name === "fingerprint");
  if (member?.valueEnd === undefined) throw new TranscriptError("badManifest", file, "has no fingerprint");
  const value = JSON.stringify(fingerprint);
  replaceFile(file, text.slice(0, member.valueStart) + value + text.slice(member.valueEnd));
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
