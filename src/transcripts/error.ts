/**
 * What can be wrong with a recorded session on disk, as data.
 */

/** Why a transcript cannot be used. */
export type TranscriptFault =
  /** A file or folder that is not there or cannot be read. */
  | "unreadable"
  /** A file or folder that cannot be written, or must not be. */
  | "unwritable"
  /** A file that is not UTF-8. */
  | "notUtf8"
  /** A manifest, or a line of a transcript, that is not JSON. */
  | "notJson"
  /** A line of a transcript that has not the members of one. */
  | "badLine"
  /** A manifest with a member that is missing or wrong. */
  | "badManifest"
  /** A client's frame that nothing could ever be compared with, or a frame that is not text. */
  | "badFrame"
  /** No frame, or no transcript, where there should be some. */
  | "empty";

/** A transcript that cannot be used. Tell the cases apart by `kind`. */
export class TranscriptError extends Error {
  override readonly name = "TranscriptError";
  readonly kind: TranscriptFault;
  /** The path, as it was given, joined with the file's name. */
  readonly file: string;
  /** 1-based; undefined where the whole file is meant. */
  readonly line: number | undefined;
  /** The reason, without the place. */
  readonly why: string;

  constructor(kind: TranscriptFault, file: string, why: string, line?: number) {
    super(`${file}${line === undefined ? "" : `:${line}`}: ${why}`);
    this.kind = kind;
    this.file = file;
    this.line = line;
    this.why = why;
  }
}
