/** Where things are: the project, its fixtures, and the reference data beside it where that is laid out. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** The project's folder. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The whole MSP surface. */
export const MSP_SCHEMA = join(ROOT, "schema/msp/msp.schema.json");
/** The second bundle, which is not MSP and has every keyword. */
export const DEPOT_SCHEMA = join(ROOT, "test/fixtures/depot/depot.schema.json");
/** The bundle of workspaces: the second protocol that the project generates. */
export const WORKSPACE_SCHEMA = join(ROOT, "schema/workspace/workspace.schema.json");
/** The reference data of the protocol; its tests are skipped where it is not there. */
export const REFERENCE = join(ROOT, "../shared/msp");
/** Whether the reference data is there. */
export const hasReference = existsSync(join(REFERENCE, "surface.json"));

/** A folder that is gone after the test. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "mspkit-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
