/**
 * The later version of a comparison, and what is acknowledged beside it.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseFile } from "../../../codegen/bundle/read.js";
import type { Source } from "../../../codegen/bundle/source.js";
import { Findings } from "../../../codegen/diagnostics/finding.js";
import {
  type Acknowledgments,
  NO_ACKNOWLEDGMENTS,
  readAcknowledgments,
} from "../../../codegen/drift/acknowledgments.js";
import { loadForDrift } from "../../../codegen/drift/drift.js";
import type { Loaded } from "../../../codegen/load.js";
import type { Io } from "../command.js";
import type { Settings } from "../settings.js";
import { shown } from "../shown.js";
import { besideSchema } from "./beside.js";

/** The schema of today; or why it is refused. */
export function loadHead(settings: Settings): { readonly loaded: Loaded } | { readonly refused: Findings } {
  const { loaded, findings } = loadForDrift(settings.schema, settings.rules);
  if (loaded === undefined) return { refused: findings };
  if (!loaded.bundle.stableUnknown) return { loaded };
  findings.report("stable-surface-unknown", loaded.bundle.source, "", {});
  return { refused: findings };
}

/** Acknowledgments, and their file where they have one. */
export interface ReadAcknowledgments {
  readonly file: Acknowledgments;
  readonly source: Source | undefined;
}

/**
 * The acknowledgments of a file; of the one beside the schema where none is named, if it is there.
 * @throws {TroubleError} when a file that is named cannot be read
 */
export function acknowledgmentsFor(
  named: string | undefined,
  schema: string,
  io: Io,
): ReadAcknowledgments | { readonly refused: Findings } {
  const path = resolve(io.cwd, named ?? besideSchema(schema).acknowledgments);
  if (named === undefined && !existsSync(path)) return { file: NO_ACKNOWLEDGMENTS, source: undefined };
  const findings = new Findings();
  const source = parseFile(shown(path, io), findings);
  // A key that stands twice is a finding of the reading, and no acknowledgment is taken then.
  const file = source === undefined || findings.hasErrors ? undefined : readAcknowledgments(source, findings);
  return file === undefined ? { refused: findings } : { file, source };
}
