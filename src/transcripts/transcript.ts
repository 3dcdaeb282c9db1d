/**
 * Reads recorded sessions: a folder with `transcript.ndjson`, one frame a line, and `manifest.json`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { TranscriptError } from "./error.js";
import { type Manifest, readManifest } from "./manifest.js";

/** The file of the frames. */
export const TRANSCRIPT_FILE = "transcript.ndjson";
/** The file of the conditions. */
export const MANIFEST_FILE = "manifest.json";

/** Who sent a frame. */
export type Side = "client" | "server";

/** One recorded frame. */
export interface TranscriptLine {
  /** 1-based number of the line in the file. */
  readonly line: number;
  readonly dir: Side;
  /** The frame without its LF. A client's may end in CR. Where the bytes were not UTF-8, U+FFFD stands for them. */
  readonly raw: string;
  /** The bytes, where they were not UTF-8. */
  readonly base64?: string;
}

/** A recorded session. */
export interface Transcript {
  /** The folder, as it was given. */
  readonly folder: string;
  readonly scenario: string;
  readonly manifest: Manifest;
  readonly lines: readonly TranscriptLine[];
}

/**
 * The transcript of a folder. What the frames say is not looked at.
 * @throws {TranscriptError} when a file is missing or wrong
 */
export function loadTranscript(folder: string): Transcript {
  const scenario = basename(resolve(folder));
  const manifest = loadManifest(folder);
  const file = join(folder, TRANSCRIPT_FILE);
  const lines = readText(file)
    .split("\n")
    .flatMap((text, i) => (/^\s*$/.test(text) ? [] : [readLine(text, file, i + 1)]));
  return { folder, scenario, manifest, lines };
}

/**
 * The manifest of a folder.
 * @throws {TranscriptError} when it is missing or wrong
 */
export function loadManifest(folder: string): Manifest {
  const file = join(folder, MANIFEST_FILE);
  const read = readManifest(parseJson(readText(file), file), basename(resolve(folder)));
  if ("manifest" in read) return read.manifest;
  const { path, why } = read.problem;
  throw new TranscriptError("badManifest", file, path === "" ? why : `${path} ${why}`);
}

/**
 * The folders of the transcripts directly below a root, by name.
 * @throws {TranscriptError} when the root cannot be read or has none
 */
export function transcriptFolders(root: string): string[] {
  let names: string[];
  try {
    names = readdirSync(root, { withFileTypes: true }).flatMap((entry) =>
      !entry.name.startsWith(".") && (entry.isDirectory() || entry.isSymbolicLink()) ? [entry.name] : [],
    );
  } catch (error) {
    throw new TranscriptError("unreadable", root, reason(error));
  }
  const folders = names.sort().map((name) => join(root, name));
  // A check of nothing must not look like a check that found nothing.
  if (folders.length === 0) throw new TranscriptError("empty", root, "has no transcript below it");
  return folders;
}

/**
 * All transcripts directly below a root, by name.
 * @throws {TranscriptError} at the first that cannot be read
 */
export function loadTranscripts(root: string): Transcript[] {
  return transcriptFolders(root).map(loadTranscript);
}

/** Whether a folder has a transcript, good or bad. */
export function hasTranscript(folder: string): boolean {
  return existsSync(join(folder, TRANSCRIPT_FILE)) || existsSync(join(folder, MANIFEST_FILE));
}

/**
 * The text of a file.
 * @throws {TranscriptError} when it cannot be read or is not UTF-8
 */
export function readText(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new TranscriptError("unreadable", file, reason(error));
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new TranscriptError("notUtf8", file, "is not UTF-8");
  }
}

function readLine(text: string, file: string, line: number): TranscriptLine {
  const value = parseJson(text, file, line);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new TranscriptError("badLine", file, "is not an object", line);
  const { dir, raw, base64 } = value as Readonly<Record<string, unknown>>;
  if (dir !== "client" && dir !== "server")
    throw new TranscriptError("badLine", file, "dir is neither client nor server", line);
  if (typeof raw !== "string") throw new TranscriptError("badLine", file, "raw is not a text", line);
  if (raw.includes("\n")) throw new TranscriptError("badLine", file, "raw holds a line feed", line);
  if (base64 !== undefined && typeof base64 !== "string")
    throw new TranscriptError("badLine", file, "base64 is not a text", line);
  return base64 === undefined ? { line, dir, raw } : { line, dir, raw, base64 };
}

function parseJson(text: string, file: string, line?: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new TranscriptError("notJson", file, `is not JSON: ${(error as Error).message}`, line);
  }
}

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "does not exist";
  if (code === "ENOTDIR") return "is not below a folder";
  return message;
}
