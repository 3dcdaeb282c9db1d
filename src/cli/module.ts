/**
 * Runs a generated module from its text, as `validate` and `sample` do for any schema.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { TroubleError } from "../../codegen/diagnostics/finding.js";
import { packageRoot } from "./package.js";

/** The launcher's own `import`: code that comes from a cache has none. */
declare const __import: ((specifier: string) => Promise<unknown>) | undefined;

/** The module at a URL. */
export function importFile(href: string): Promise<unknown> {
  return typeof __import === "undefined" ? import(href) : __import(href);
}

/**
 * The module of a text.
 * @param peers the packages that it imports by name, which a file in a temporary folder could not find
 * @throws {TroubleError} when a peer is not installed
 */
export async function importText(text: string, cwd: string, peers: readonly string[] = []): Promise<unknown> {
  let resolved = text;
  for (const peer of peers) {
    resolved = resolved.replace(
      `from "${peer}"`,
      `from ${JSON.stringify(pathToFileURL(findPeer(peer, cwd)).href)}`,
    );
  }
  const folder = mkdtempSync(join(tmpdir(), "mspkit-"));
  try {
    const path = join(folder, "module.mjs");
    writeFileSync(path, resolved);
    return await importFile(pathToFileURL(path).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The file of an optional peer: the project's own before ours. */
function findPeer(name: string, cwd: string): string {
  for (const folder of [cwd, packageRoot()]) {
    try {
      return createRequire(join(folder, "index.js")).resolve(name);
    } catch {
      // not there; the next place may have it
    }
  }
  throw new TroubleError(name, "is not installed", `npm install --save-dev ${name}`);
}
