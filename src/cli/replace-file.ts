/** Writes a file so that nobody sees half of it. */
import { realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { TroubleError } from "../../codegen/diagnostics/finding.js";

/**
 * Writes a file anew or for the first time: all of it or none of it, where a link leads, with the same rights.
 * @throws {TroubleError} when it cannot be written
 */
export function replaceFile(path: string, text: string | Uint8Array): void {
  let temporary: string | undefined;
  try {
    const old = statSync(path, { throwIfNoEntry: false });
    const target = old === undefined ? path : realpathSync(path);
    temporary = `${target}.${process.pid}.tmp`;
    writeFileSync(temporary, text, old === undefined ? {} : { mode: old.mode });
    renameSync(temporary, target);
  } catch (error) {
    if (temporary !== undefined) rmSync(temporary, { force: true });
    throw new TroubleError(path, (error as Error).message);
  }
}
