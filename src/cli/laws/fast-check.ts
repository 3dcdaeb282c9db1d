/** The optional peer that makes cases. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { TroubleError } from "../../../codegen/diagnostics/finding.js";
import { packageRoot } from "../package.js";

/** Whether it is there. What needs it is not even loaded without. */
export function hasFastCheck(): boolean {
  try {
    createRequire(join(packageRoot(), "index.js")).resolve("fast-check");
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes sure that it is there before what needs it is loaded.
 * @throws {TroubleError} where it is not installed
 */
export function needFastCheck(): void {
  if (!hasFastCheck())
    throw new TroubleError(
      "fast-check",
      "is not installed beside mspkit",
      "npm install --save-dev fast-check",
    );
}
