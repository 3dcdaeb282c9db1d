/**
 * A version of a protocol, loaded from where a reference says.
 */

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, posix, resolve } from "node:path";
import { DISK, type Files } from "../../../codegen/bundle/files.js";
import { bundleIn } from "../../../codegen/bundle/read.js";
import { findingLine, type RuleSettings, TroubleError } from "../../../codegen/diagnostics/finding.js";
import { loadForDrift } from "../../../codegen/drift/drift.js";
import { isRelease } from "../../../codegen/drift/version.js";
import { type Loaded, stableFingerprint } from "../../../codegen/load.js";
import type { Io } from "../command.js";
import { shown } from "../shown.js";
import { NOTE_FILE, readBaselineNote } from "./baseline-note.js";
import { gitTree } from "./git-files.js";
import type { Reference } from "./reference.js";
import type { ReleaseTable } from "./release-table.js";

/** A version that can be compared. */
export interface Version {
  /** The words that named it. */
  readonly name: string;
  readonly loaded: Loaded;
  /** The release that its place says it is: the row of a table, the note of a baseline. */
  readonly release?: string;
  /** The version that its tag is named after, which may be of the whole repository. */
  readonly tagged?: string;
  /** The version of the package that it was found in, which may be another than the protocol's. */
  readonly packaged?: string;
}

/** What references are read against. */
export interface Surroundings {
  readonly io: Io;
  /** Path of the schema that is compared, from the working folder. */
  readonly schema: string;
  readonly rules: RuleSettings;
  /** The table of `--releases`; absent where none was given. */
  readonly table: ReleaseTable | undefined;
}

/**
 * The version that a reference names.
 * @param name the words of the reference
 * @throws {TroubleError} when it is not there, or cannot be used
 */
export function loadVersion(name: string, reference: Reference, at: Surroundings): Version {
  switch (reference.kind) {
    case "path":
      return fromDisk(name, reference.path, at);
    case "git":
      return fromGit(name, reference, at);
    case "release":
      return { ...fromDisk(name, bundleOf(reference.release, at.table), at), release: reference.release };
    case "package":
      return fromPackage(name, reference, at);
  }
}

function fromDisk(name: string, path: string, at: Surroundings): Version {
  const file = lone(shown(resolve(at.io.cwd, path), at.io), DISK);
  const note = readBaselineNote(file);
  const loaded = load(name, file, at);
  if (note === undefined) return { name, loaded };
  if (note.fingerprint !== stableFingerprint(loaded))
    throw new TroubleError(
      name,
      `is not what its ${NOTE_FILE} says: it was edited, or is of another mspkit`,
      "mspkit baseline set writes both.",
    );
  return { name, loaded, ...(note.release === undefined ? {} : { release: note.release }) };
}

/** The file of a folder that has one bundle; of a pair, and of anything else, the path itself. */
function lone(path: string, files: Files): string {
  if (!files.isFolder(path) || files.list(path).includes("stable")) return path;
  return bundleIn(path, files);
}

function fromGit(
  name: string,
  { ref, path }: Reference & { readonly kind: "git" },
  at: Surroundings,
): Version {
  const schema = resolve(at.io.cwd, at.schema);
  const tree = gitTree(ref, path === undefined ? dirname(schema) : at.io.cwd);
  const within = path === undefined || /^\.{1,2}\//.test(path) ? tree.below(path ?? basename(schema)) : path;
  const loaded = load(name, lone(`${tree.name}${posix.normalize(within)}`, tree.files), at, tree.files);
  const tagged = /^(?:refs\/tags\/)?v?(.*)$/s.exec(ref)?.[1] ?? "";
  return { name, loaded, ...(isRelease(tagged) ? { tagged } : {}) };
}

function bundleOf(release: string, table: ReleaseTable | undefined): string {
  const name = `release:${release}`;
  if (table === undefined) throw new TroubleError(name, "needs --releases FILE, a table that has its bundle");
  const row = table.rows.find((one) => one.release === release);
  if (row === undefined) {
    const known = table.rows.map((one) => one.release).join(", ");
    throw new TroubleError(name, `is not in ${table.name}`, `It has ${known === "" ? "no release" : known}.`);
  }
  if (row.bundle === undefined)
    throw new TroubleError(
      name,
      `has no bundle in ${table.name}`,
      "A row with a bundle has its path as surface.",
    );
  return row.bundle;
}

function fromPackage(
  name: string,
  { name: wanted, path }: Reference & { readonly kind: "package" },
  at: Surroundings,
): Version {
  const places = createRequire(join(at.io.cwd, "index.js")).resolve.paths(wanted) ?? [];
  const folder = places
    .map((place) => join(place, wanted))
    .find((one) => existsSync(join(one, "package.json")));
  if (folder === undefined)
    throw new TroubleError(`package:${wanted}`, "is not installed", `npm install --save-dev ${wanted}`);
  const loaded = load(name, lone(shown(join(folder, path), at.io), DISK), at);
  const version = versionIn(join(folder, "package.json"));
  return { name, loaded, ...(version === undefined ? {} : { packaged: version }) };
}

/** The version that a package's manifest states, if it is one. */
function versionIn(manifest: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version?: unknown };
    return typeof version === "string" && isRelease(version) ? version : undefined;
  } catch {
    return undefined; // the schema is what counts
  }
}

/** A version has to be fit for use: with an error in it, nothing could be said of what changed. */
function load(name: string, path: string, at: Surroundings, files: Files = DISK): Loaded {
  const { loaded, findings } = loadForDrift(path, at.rules, files);
  if (loaded === undefined) {
    const first = findings.sorted().find(({ severity }) => severity === "error");
    throw new TroubleError(name, `cannot be compared with: ${first === undefined ? "" : findingLine(first)}`);
  }
  if (loaded.bundle.stableUnknown)
    throw new TroubleError(name, "is the experimental bundle alone, so its stable surface is not known");
  return loaded;
}
