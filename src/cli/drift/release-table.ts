/**
 * A table of releases: which there are, what names their surfaces, and where their bundles are.
 */
import { dirname, join, resolve } from "node:path";
import { isJsonObject, type Json } from "../../../codegen/bundle/json.js";
import { parseFile } from "../../../codegen/bundle/read.js";
import { Findings, TroubleError } from "../../../codegen/diagnostics/finding.js";
import { isRelease } from "../../../codegen/drift/version.js";
import type { Io, Option } from "../command.js";
import { shown } from "../shown.js";

/** One release. */
export interface ReleaseRow {
  readonly release: string;
  /** The fingerprints of the stable surface that name it, ours and the owners'. */
  readonly fingerprints: readonly string[];
  /** Ours of the stable surface, where the table has it. */
  readonly stable: string | undefined;
  /** Path of its bundle or pair, as messages name it; absent where the table has none. */
  readonly bundle: string | undefined;
}

/** The rows of a file. */
export interface ReleaseTable {
  /** The file as it was named. */
  readonly name: string;
  readonly rows: readonly ReleaseRow[];
}

/** `--releases`. */
export const RELEASES_OPTION: Readonly<Record<string, Option>> = {
  releases: {
    type: "string",
    value: "FILE",
    help: "a table of releases: JSON rows of release, stableFingerprint and surface, the path of its bundle",
  },
};

/**
 * Reads a table: an array of `{release, stableFingerprint, surface?}`, `surface` being a path from the table's folder,
 * or an object whose `releases` has rows of that form or of `schema/msp/releases.json`.
 * @throws {TroubleError} when it cannot be read, or is none
 */
export function readReleaseTable(name: string, io: Io): ReleaseTable {
  const findings = new Findings();
  const source = parseFile(resolve(io.cwd, name), findings);
  const [problem] = findings.sorted();
  if (source === undefined || problem !== undefined)
    throw new TroubleError(name, `is no table of releases: ${problem?.message ?? "it cannot be read"}`);
  const { value } = source;
  const list = isJsonObject(value) ? value["releases"] : value;
  if (!Array.isArray(list)) throw new TroubleError(name, "is no table of releases: it has no array of rows");
  const rows = list.map((row, i) => {
    const read = readRow(row, dirname(resolve(io.cwd, name)), io);
    if (typeof read !== "string") return read;
    throw new TroubleError(name, `is no table of releases: row ${i + 1} ${read}`);
  });
  const seen = new Set<string>();
  for (const { release } of rows) {
    if (seen.has(release)) throw new TroubleError(name, `has the release ${release} twice`);
    seen.add(release);
  }
  return { name, rows };
}

/** A row; or what is wrong with it. */
function readRow(row: Json, folder: string, io: Io): ReleaseRow | string {
  if (!isJsonObject(row)) return "is no object";
  const { release, stableFingerprint, surface, published, stable } = row;
  if (typeof release !== "string" || !isRelease(release)) return "has no release such as 1.4.0";
  if (surface !== undefined && (typeof surface !== "string" || surface === ""))
    return "has a surface that is no path";
  const ours = isJsonObject(stable) ? stable["fingerprint"] : undefined;
  const theirs = isJsonObject(published) ? published["stable"] : stableFingerprint;
  const bundle = surface === undefined ? undefined : shown(join(folder, surface), io);
  const fingerprints = [ours, theirs].filter((one) => typeof one === "string");
  return { release, fingerprints, stable: typeof ours === "string" ? ours : undefined, bundle };
}
