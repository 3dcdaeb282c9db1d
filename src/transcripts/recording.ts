/**
 * Writes a transcript while a session runs: each frame as soon as it is whole, so that whatever ends the recording
 * leaves a transcript that can be read.
 */
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { DEFAULT_LIMIT_BYTES } from "../wire/frames.js";
import { isObject } from "./differences.js";
import { TranscriptError } from "./error.js";
import { type Manifest, NORMALIZABLE } from "./manifest.js";
import { replaceFile } from "./repin.js";
import { hasTranscript, MANIFEST_FILE, type Side, TRANSCRIPT_FILE } from "./transcript.js";

const LF = 10;
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lossy = new TextDecoder("utf-8", { ignoreBOM: true });

/** A transcript that is being written. */
export class Recording {
  readonly #folder: string;
  readonly #fresh: string | undefined;
  readonly #fd: number;
  readonly #rest: Record<Side, Buffer[]> = { client: [], server: [] };
  #manifest: Manifest;
  #initializeId: unknown;
  #pinned = false;
  #lines = 0;

  /**
   * Starts a transcript in a folder, which is made where it is not there.
   * @param fingerprint the pin until the host says what it serves
   * @throws {TranscriptError} when the folder has a transcript already or cannot be written
   */
  constructor(folder: string, fingerprint: string, clockStartMs: number) {
    this.#folder = folder;
    if (hasTranscript(folder)) throw new TranscriptError("unwritable", folder, "has a transcript already");
    this.#manifest = {
      kind: "mspTranscript",
      schemaVersion: 1,
      scenario: basename(resolve(folder)),
      provenance: "host-generated",
      fingerprint,
      viewSchemaVersion: 1,
      serverConfig: { frameLimitBytes: DEFAULT_LIMIT_BYTES },
      transports: ["stdio", "in-process"],
      normalize: NORMALIZABLE,
      seeds: { idSeed: 0, clockStartMs },
      source: [],
    };
    try {
      this.#fresh = mkdirSync(folder, { recursive: true });
      this.#fd = openSync(join(folder, TRANSCRIPT_FILE), "ax");
    } catch (error) {
      throw new TranscriptError("unwritable", folder, (error as Error).message);
    }
    try {
      this.#writeManifest();
    } catch (error) {
      this.discard();
      throw error;
    }
  }

  /**
   * Takes bytes that passed from one side to the other and writes the frames that are whole with them.
   * @throws {TranscriptError} when they cannot be written
   */
  add(dir: Side, chunk: Buffer): void {
    const last = chunk.lastIndexOf(LF);
    const held = this.#rest[dir];
    if (last === -1) {
      // The stream's owner may use its memory again.
      held.push(Buffer.from(chunk));
      return;
    }
    const whole = Buffer.concat([...held, chunk.subarray(0, last)]);
    this.#rest[dir] = last + 1 < chunk.length ? [Buffer.from(chunk.subarray(last + 1))] : [];
    let text = "";
    for (let from = 0; from <= whole.length; ) {
      const end = whole.indexOf(LF, from);
      const to = end === -1 ? whole.length : end;
      text += this.#line(dir, whole.subarray(from, to));
      from = to + 1;
    }
    this.#append(text);
  }

  /** The bytes at the end of a side's stream that are no whole frame. They are not recorded. */
  leftover(dir: Side): number {
    return this.#rest[dir].reduce((sum, { length }) => sum + length, 0);
  }

  /**
   * Completes the manifest.
   * @throws {TranscriptError} when it cannot be written
   */
  finish(): void {
    closeSync(this.#fd);
    if (this.#lines > 0) {
      const lines = this.#lines === 1 ? "1" : `1-${this.#lines}`;
      this.#manifest = { ...this.#manifest, source: [{ lines, cite: "recorded from a running host" }] };
    }
    this.#writeManifest();
  }

  /** Removes what was begun: nothing was recorded. */
  discard(): void {
    closeSync(this.#fd);
    for (const name of [TRANSCRIPT_FILE, MANIFEST_FILE]) rmSync(join(this.#folder, name), { force: true });
    if (this.#fresh !== undefined && existsSync(this.#fresh)) rmSync(this.#fresh, { recursive: true });
  }

  /** A frame as a line of the transcript; empty for a line that is no frame. */
  #line(dir: Side, bytes: Buffer): string {
    let raw: string;
    let base64: string | undefined;
    try {
      raw = strict.decode(bytes);
    } catch {
      raw = lossy.decode(bytes);
      base64 = bytes.toString("base64");
    }
    if (/^[ \t\r]*$/.test(raw)) return "";
    this.#lines++;
    if (!this.#pinned) this.#lookForPin(dir, raw);
    return `${JSON.stringify({ dir, raw, base64 })}\n`;
  }

  /** The host says in its answer to `initialize` which schema it serves; that is what the session was made of. */
  #lookForPin(dir: Side, raw: string): void {
    const frame = parsed(raw);
    if (!isObject(frame)) return;
    if (dir === "client" && frame["method"] === "initialize") this.#initializeId = frame["id"];
    if (dir === "client" || this.#initializeId === undefined || frame["id"] !== this.#initializeId) return;
    const { result } = frame;
    const schema = isObject(result) ? result["schema"] : undefined;
    const fingerprint = isObject(schema) ? schema["fingerprint"] : undefined;
    this.#pinned = true;
    if (typeof fingerprint !== "string" || !/^sha256:[0-9a-f]{64}$/.test(fingerprint)) return;
    this.#manifest = { ...this.#manifest, fingerprint };
    this.#writeManifest();
  }

  #append(text: string): void {
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
    } catch (error) {
      const file = join(this.#folder, TRANSCRIPT_FILE);
      throw new TranscriptError("unwritable", file, (error as Error).message);
    }
  }

  #writeManifest(): void {
    replaceFile(join(this.#folder, MANIFEST_FILE), `${JSON.stringify(this.#manifest, null, 2)}\n`);
  }
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined; // no frame of the handshake
  }
}
