/**
 * Brings a folder to what was generated: all of it, or none of it.
 */
import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Findings, TroubleError } from "../diagnostics/finding.js";
import { MARKER } from "../emit/header.js";
import type { GeneratedFile } from "../plan/plan.js";
import { entryOf, MANIFEST, type Manifest, readManifest, writeManifest } from "./manifest.js";

/** How a folder differs from what was generated. File names are relative to the folder. */
export interface Difference {
  readonly folder: string;
  readonly missing: readonly string[];
  readonly changed: readonly string[];
  /** Owned files of the products that were made which these no longer have. */
  readonly extra: readonly string[];
  /** Files that stand where an output belongs and were not written by mspkit. */
  readonly foreign: readonly string[];
  readonly unchanged: number;
  /** The texts to write, the manifest last. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Compares a folder with what was generated for it. Writes nothing. */
export function compareFolder(
  folder: string,
  files: readonly GeneratedFile[],
  products: readonly string[],
  schema: string,
): Difference {
  const owned = readManifest(folder);
  const missing: string[] = [];
  const changed: string[] = [];
  const foreign: string[] = [];
  const texts = new Map<string, string>();
  const next = new Map<string, ReturnType<typeof entryOf>>(
    [...owned].filter(([, { product }]) => !products.includes(product)),
  );
  let unchanged = 0;
  for (const { product, name, text } of files) {
    next.set(name, entryOf(product, schema, text));
    const found = readIfThere(join(folder, name));
    if (found === text) unchanged++;
    else if (found === undefined) missing.push(name);
    else if (owned.has(name) || found.slice(0, 400).includes(MARKER)) changed.push(name);
    else foreign.push(name);
    if (found !== text) texts.set(name, text);
  }
  const extra = [...owned.keys()].filter(
    (name) => !next.has(name) && readIfThere(join(folder, name)) !== undefined,
  );
  const manifest = writeManifest(next as Manifest);
  const found = readIfThere(join(folder, MANIFEST));
  if (found !== manifest) {
    (found === undefined ? missing : changed).push(MANIFEST);
    texts.set(MANIFEST, manifest);
  }
  return { folder, missing, changed, extra, foreign, unchanged, texts };
}

/** Whether a folder is as it should be. */
export function isCurrent({ missing, changed, extra, foreign }: Difference): boolean {
  return missing.length + changed.length + extra.length + foreign.length === 0;
}

/** Reports what keeps a folder from being current; places are the files. */
export function reportDifference(difference: Difference, command: string, findings: Findings): void {
  const { folder } = difference;
  for (const name of difference.missing)
    findings.add("output-missing", join(folder, name), "", START, { command });
  for (const name of difference.changed)
    findings.add("output-changed", join(folder, name), "", START, { command });
  for (const name of difference.extra)
    findings.add("output-extra", join(folder, name), "", START, { command });
}

/** Reports the files of other people that are in the way. */
export function reportForeign(
  { folder, foreign }: Difference,
  files: readonly GeneratedFile[],
  findings: Findings,
): void {
  for (const name of foreign) {
    const product = files.find((file) => file.name === name)!.product;
    findings.add("output-not-owned", join(folder, name), "", START, { product });
  }
}

/**
 * Writes what differs. Every text is first written beside its place; only when all are on the disk is each renamed
 * into it, the manifest last. A failure before that leaves the folders as they were.
 * @returns the paths that were written and removed
 * @throws {TroubleError} when a folder or file cannot be written
 */
export function applyDifferences(differences: readonly Difference[]): {
  readonly written: string[];
  readonly removed: string[];
} {
  const staged: { readonly temporary: string; readonly path: string }[] = [];
  const written: string[] = [];
  const removed: string[] = [];
  const made: string[] = [];
  let at = "";
  try {
    for (const { folder, texts } of differences) {
      if (texts.size === 0) continue;
      for (const [name, text] of texts) {
        at = join(folder, name);
        const parent = dirname(at);
        makeFolder(parent, made);
        const temporary = join(parent, `.${basename(at)}.${process.pid}.tmp`);
        staged.push({ temporary, path: at });
        writeFileSync(temporary, text);
      }
    }
    for (const { temporary, path } of staged) {
      at = path;
      renameSync(temporary, path);
      written.push(path);
    }
    for (const { folder, extra } of differences) {
      for (const name of extra) {
        at = join(folder, name);
        rmSync(at);
        removed.push(at);
      }
    }
  } catch (error) {
    for (const { temporary } of staged) rmSync(temporary, { force: true });
    for (const folder of made.reverse()) removeEmpty(folder);
    throw new TroubleError(
      at,
      writeProblem(error as NodeJS.ErrnoException),
      "Choose another folder with --out.",
    );
  }
  return { written, removed };
}

/**
 * Makes a folder and those above it, and adds what it made to a list. Node's own recursive mkdir never returns
 * where an existing folder takes none, as under /proc.
 */
function makeFolder(path: string, made: string[]): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (dirname(path) !== path) makeFolder(dirname(path), made);
  mkdirSync(path);
  made.push(path);
}

/** Removes a folder that this run made, unless somebody has put something into it. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // not empty: something in it is somebody's
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new TroubleError(
      path,
      writeProblem(error as NodeJS.ErrnoException),
      "Choose another folder with --out.",
    );
  }
}

function writeProblem({ code, message }: NodeJS.ErrnoException): string {
  if (code === "ENOTDIR" || code === "EEXIST") return "a file stands where a folder belongs";
  if (code === "EISDIR") return "a folder stands where a file belongs";
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") return "cannot be written";
  return message;
}

const START = { line: 1, column: 1 };
