/**
 * What stands beside a schema: the baseline of its last release, and what is acknowledged since.
 */
import { dirname, join } from "node:path";
import { DISK } from "../../../codegen/bundle/files.js";

/** The file of the acknowledgments. */
export const ACKNOWLEDGMENTS_FILE = "acknowledgments.json";
/** The folder of the baseline. */
export const BASELINE_FOLDER = "baseline";

/**
 * Where the two are: in the folder of a bundle, and of a pair in the folder that is the pair.
 * @throws {TroubleError} when there is no such schema
 */
export function besideSchema(schema: string): {
  readonly baseline: string;
  readonly acknowledgments: string;
} {
  const folder = DISK.isFolder(schema) ? schema : dirname(schema);
  return { baseline: join(folder, BASELINE_FOLDER), acknowledgments: join(folder, ACKNOWLEDGMENTS_FILE) };
}
