/**
 * Which transcripts the words of a command mean, and what is wrong with them as trouble of the surroundings.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { TroubleError } from "../../../codegen/diagnostics/finding.js";
import { TranscriptError } from "../../transcripts/error.js";
import { loadTranscript, type Transcript } from "../../transcripts/transcript.js";
import { type Given, type Io, UsageError } from "../command.js";
import { packageRoot } from "../package.js";

/** The root that was asked for, as it is named in messages. */
export function rootOption(
  { options }: Given,
  { cwd }: Io,
): { readonly path: string; readonly name: string } {
  const name = options["root"] as string | undefined;
  if (name === "") throw new UsageError("--root needs a folder");
  if (name !== undefined) return { path: resolve(cwd, name), name };
  const own = join(packageRoot(), "schema", "msp", "transcripts");
  return { path: own, name: own };
}

/**
 * The transcript that `--transcript` names: a folder, or a scenario below the root.
 * @throws {TroubleError} when it cannot be read
 */
export function transcriptOption(given: Given, io: Io): Transcript {
  const words = given.options["transcript"] as string;
  if (words === "") throw new UsageError("--transcript needs a folder");
  const path = resolve(io.cwd, words);
  const below = join(rootOption(given, io).path, words);
  return orTrouble(() => loadTranscript(!existsSync(path) && existsSync(below) ? below : path));
}

/** What a function answers; a transcript that cannot be used becomes trouble. */
export function orTrouble<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw asTrouble(error);
  }
}

/** A transcript that cannot be used, as trouble; any other error as it is. */
export function asTrouble(error: unknown): unknown {
  if (!(error instanceof TranscriptError)) return error;
  const place = error.line === undefined ? error.file : `${error.file}:${error.line}`;
  return new TroubleError(place, error.why);
}
