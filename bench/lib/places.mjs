// Where things are.
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const BENCH = join(ROOT, "bench");
/** The input of every measurement: the whole MSP surface. */
export const SCHEMA = join(ROOT, "schema/msp/msp.schema.json");
/** The program, as it is installed. */
export const PROGRAM = join(ROOT, "dist/bin/mspkit.cjs");

/** A module of the built generator. */
export function codegen(name) {
  return import(pathToFileURL(join(ROOT, "dist/codegen", name)).href);
}
