/**
 * From a schema on disk to a checked model: what every command starts with.
 */
import { DISK, type Files } from "./bundle/files.js";
import { type Bundle, parseBundle, readBundle } from "./bundle/read.js";
import type { Findings } from "./diagnostics/finding.js";
import { fingerprintOf } from "./fingerprint/fingerprint.js";
import { lint } from "./lint/lint.js";
import { buildProtocol } from "./model/build.js";
import { project } from "./model/project.js";
import type { Protocol, Surface } from "./model/protocol.js";

/** A schema that may be used: it has no error. */
export interface Loaded {
  readonly bundle: Bundle;
  /** The whole protocol, with its stability. */
  readonly protocol: Protocol;
}

/**
 * Reads, checks and resolves a schema.
 * @param files where its files are; the disk by default
 * @returns nothing when an error was found; `findings` says which
 * @throws {TroubleError} when a file cannot be read
 */
export function loadSchema(path: string, findings: Findings, files: Files = DISK): Loaded | undefined {
  return resolve(readBundle(path, findings, files), findings);
}

/** The same for a text; `path` names it in findings. */
export function loadSchemaText(text: string, path: string, findings: Findings): Loaded | undefined {
  return resolve(parseBundle(text, path, findings), findings);
}

function resolve(bundle: Bundle | undefined, findings: Findings): Loaded | undefined {
  if (bundle === undefined) return undefined;
  const protocol = buildProtocol(bundle.root);
  lint({ protocol, source: bundle.source, findings });
  return findings.hasErrors ? undefined : { bundle, protocol };
}

/** One surface of a loaded schema; nothing, and a finding, where it cannot be told. */
export function surfaceOf(
  { bundle, protocol }: Loaded,
  surface: Surface,
  findings: Findings,
): Protocol | undefined {
  if (surface === "stable" && bundle.stableUnknown) {
    findings.report("stable-surface-unknown", bundle.source, "", {});
    return undefined;
  }
  return project(protocol, surface);
}

/** The fingerprint of the stable surface of a loaded schema. */
export function stableFingerprint({ protocol }: Loaded): string {
  return fingerprintOf(project(protocol, "stable")).fingerprint;
}
