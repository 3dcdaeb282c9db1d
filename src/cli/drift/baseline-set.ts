/** `mspkit baseline set`: the schema of today becomes the one that the gate compares with. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { DISK } from "../../../codegen/bundle/files.js";
import { bundleIn } from "../../../codegen/bundle/read.js";
import { TroubleError } from "../../../codegen/diagnostics/finding.js";
import {
  type Acknowledgments,
  type Deprecation,
  formatAcknowledgments,
} from "../../../codegen/drift/acknowledgments.js";
import { driftOf } from "../../../codegen/drift/drift.js";
import { announces, isRemoval } from "../../../codegen/drift/gate.js";
import { isRelease } from "../../../codegen/drift/version.js";
import { isWritten } from "../../../codegen/drift/written.js";
import { type Loaded, stableFingerprint } from "../../../codegen/load.js";
import { type Command, EXIT, UsageError } from "../command.js";
import { replaceFile } from "../replace-file.js";
import { refuse } from "../report.js";
import { readSettings, SCHEMA_OPTION } from "../settings.js";
import { text } from "../values.js";
import { baselineNoteText, NOTE_FILE } from "./baseline-note.js";
import { besideSchema } from "./beside.js";
import { ownBaseline } from "./compare.js";
import { acknowledgmentsFor, loadHead } from "./head.js";
import { releaseOf } from "./known-releases.js";
import { loadVersion, type Surroundings, type Version } from "./version.js";

export const baselineSetCommand: Command = {
  summary: "Make the schema the baseline, and take out the acknowledgments that are settled by that.",
  operands: "",
  maxOperands: 0,
  options: {
    ...SCHEMA_OPTION,
    release: {
      type: "string",
      value: "X.Y.Z",
      help: "the release that it is (default: the known one with its fingerprint, if there is one)",
    },
  },
  async run(given, io) {
    const stated = text(given, "release");
    if (stated !== undefined && !isRelease(stated))
      throw new UsageError(`--release takes a release such as 1.4.0, not "${stated}"`);
    const settings = readSettings(given, io);
    if ("refused" in settings) return refuse(settings.refused, io);
    const { schema, rules } = settings;
    const head = loadHead(settings);
    if ("refused" in head) return refuse(head.refused, io);
    const acknowledged = acknowledgmentsFor(undefined, schema, io);
    if ("refused" in acknowledged) return refuse(acknowledged.refused, io);

    const path = resolve(io.cwd, schema);
    const { baseline, acknowledgments } = besideSchema(path);
    const at: Surroundings = { io, schema, rules, table: undefined };
    const settled = existsSync(join(baseline, NOTE_FILE))
      ? await settledBy(acknowledged.file, head.loaded, at)
      : { left: acknowledged.file, gone: [] };
    const fingerprint = stableFingerprint(head.loaded);
    const release = stated ?? releaseOf({}, fingerprint, undefined);
    const note = { fingerprint, ...(release === undefined ? {} : { release }) };
    writeBaseline(path, baseline, baselineNoteText(note));
    // Last of all: until then, nothing is settled.
    if (settled.gone.length > 0 || !existsSync(acknowledgments))
      replaceFile(acknowledgments, formatAcknowledgments(settled.left));

    io.out(
      `${besideSchema(schema).baseline}: ${release === undefined ? "no release" : `release ${release}`}: ${fingerprint}\n`,
    );
    for (const line of settled.gone) io.out(`${line}\n`);
    if (release === undefined)
      io.err("--release names the release that it is of; without, no window of a deprecation is checked\n");
    const left = settled.left.acknowledgments.length;
    if (left > 0) io.err(`${left} ${left === 1 ? "acknowledgment is" : "acknowledgments are"} left\n`);
    return EXIT.fine;
  },
};

/** What is left of the acknowledgments when the baseline is moved to a schema, and what goes, each on a line. */
async function settledBy(
  file: Acknowledgments,
  head: Loaded,
  at: Surroundings,
): Promise<{ readonly left: Acknowledgments; readonly gone: readonly string[] }> {
  let base: Version;
  try {
    const own = ownBaseline(at.schema, at.io);
    base = loadVersion(own.name, own.reference, at);
  } catch (error) {
    if (!(error instanceof TroubleError)) throw error;
    at.io.err(`${error.message}\nso no acknowledgment is taken out\n`);
    return { left: file, gone: [] };
  }
  const { changes } = await driftOf(base.loaded, head);
  const made = new Set(changes.map(({ id }) => id));
  const removed = (one: Deprecation): boolean =>
    changes.some((change) => isRemoval(change) && announces(one, change)) ||
    (isWritten(base.loaded.bundle.source, one.pointer, one.value) &&
      !isWritten(head.bundle.source, one.pointer, one.value));
  const done = file.acknowledgments.filter(({ change }) => made.has(change));
  const over = file.deprecations.filter(removed);
  return {
    left: {
      ...file,
      acknowledgments: file.acknowledgments.filter((one) => !done.includes(one)),
      deprecations: file.deprecations.filter((one) => !over.includes(one)),
    },
    gone: [
      ...done.map(({ change, rule, pointer }) => `settled: ${change} ${rule} ${pointer}`),
      ...over.map(({ pointer }) => `over: the deprecation of ${pointer}`),
    ],
  };
}

/** Puts a schema in place of the baseline that was. Files that are none of its parts stay. */
function writeBaseline(schema: string, folder: string, note: string): void {
  const pair = DISK.isFolder(schema);
  const parts = pair
    ? ["stable", "experimental"].map((surface) => ({ from: bundleIn(join(schema, surface)), below: surface }))
    : [{ from: schema, below: "." }];
  const bytes = parts.map(({ from, below }) => ({ below, name: bundleName(from), text: readFileSync(from) }));
  try {
    mkdirSync(folder, { recursive: true });
    // Without its note, a half-written baseline is not taken for a whole one.
    rmSync(join(folder, NOTE_FILE), { force: true });
    for (const surface of ["stable", "experimental"])
      rmSync(join(folder, surface), { recursive: true, force: true });
    for (const name of readdirSync(folder)) if (name.endsWith(".schema.json")) rmSync(join(folder, name));
    for (const { below } of bytes) mkdirSync(join(folder, below), { recursive: true });
  } catch (error) {
    throw new TroubleError(folder, (error as Error).message);
  }
  for (const { below, name, text: content } of bytes) replaceFile(join(folder, below, name), content);
  replaceFile(join(folder, NOTE_FILE), note);
}

/** By this ending a folder's bundle is found, whatever the schema of today is called. */
function bundleName(path: string): string {
  const name = basename(path);
  return name.endsWith(".schema.json") ? name : `${name.replace(/\.json$/, "")}.schema.json`;
}
