/**
 * JSON that a command is given: read, parsed with a reason where it is none, and its places found again.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { JsonSyntaxError, scanJson } from "../../codegen/bundle/json.js";
import type { Source } from "../../codegen/bundle/source.js";
import { TroubleError } from "../../codegen/diagnostics/finding.js";
import type { Io } from "./command.js";

/**
 * The text of a file, or of standard input for `-`.
 * @throws {TroubleError} when it cannot be read
 */
export async function readInput(name: string, io: Io): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = name === "-" ? await io.readStdin() : readFileSync(resolve(io.cwd, name));
  } catch (error) {
    throw new TroubleError(
      name,
      (error as NodeJS.ErrnoException).code === "ENOENT" ? "does not exist" : (error as Error).message,
    );
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new TroubleError(name, "is not UTF-8");
  }
}

/** The value of a text, or why it has none and where that shows. */
export function parseJson(
  text: string,
): { readonly value: unknown } | { readonly problem: string; readonly offset: number } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    try {
      scanJson(text);
      return { problem: "is not JSON", offset: 0 };
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      return { problem: `is not JSON: ${error.message}`, offset: error.offset };
    }
  }
}

/** A place in the text; the start of it where the text nests too deep to be walked. */
export function placeOf(source: Source, pointer: string): { readonly line: number; readonly column: number } {
  try {
    return source.locate(pointer);
  } catch {
    return { line: 1, column: 1 };
  }
}
