/**
 * The generated code of MSP's whole surface, as the program finds it: not bundled, since most runs do without.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Bundle, loadBundle } from "../../transcripts/bundle.js";
import { importFile } from "../module.js";
import { packageRoot } from "../package.js";

/** Loads the bundle that the package carries. */
export function packagedBundle(): Promise<Bundle> {
  return loadBundle({ folder: folder(), importModule: importFile });
}

/** The fingerprint of the stable surface that the package carries. */
export async function packagedFingerprint(): Promise<string> {
  const tables = (await importFile(new URL("tables.js", folder()).href)) as Bundle["tables"];
  return tables.protocol.fingerprints.stable;
}

function folder(): URL {
  return pathToFileURL(join(packageRoot(), "dist", "generated", "msp", "experimental", "/"));
}
