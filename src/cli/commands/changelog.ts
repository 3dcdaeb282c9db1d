/** `mspkit changelog`: a fragment of a changelog, from one version to another. */
import { resolve } from "node:path";
import { changelogOf } from "../../../codegen/drift/changelog.js";
import { driftOf } from "../../../codegen/drift/drift.js";
import { nextVersion } from "../../../codegen/drift/version.js";
import { type Command, EXIT } from "../command.js";
import { ownBaseline, proof } from "../drift/compare.js";
import { acknowledgmentsFor } from "../drift/head.js";
import { releaseOf } from "../drift/known-releases.js";
import { REFERENCE, readReference } from "../drift/reference.js";
import { RELEASES_OPTION, readReleaseTable } from "../drift/release-table.js";
import { loadVersion, type Version } from "../drift/version.js";
import { EVIDENCE_OPTIONS, evidenceOption, type Named } from "../drift/words.js";
import { replaceFile } from "../replace-file.js";
import { refuse } from "../report.js";
import { readSettings, SCHEMA_OPTION } from "../settings.js";
import { text } from "../values.js";

export const changelogCommand: Command = {
  summary: "Print what changed from one version to another as a piece of a changelog, in Markdown.",
  operands: "",
  maxOperands: 0,
  options: {
    from: {
      type: "string",
      value: REFERENCE,
      help: "the earlier version (default: baseline/ beside the schema)",
    },
    to: { type: "string", value: REFERENCE, help: "the later version (default: the schema)" },
    ...SCHEMA_OPTION,
    ...RELEASES_OPTION,
    acknowledgments: {
      type: "string",
      value: "FILE",
      help: "where the reasons are (default: acknowledgments.json beside the schema, if it is there)",
    },
    ...EVIDENCE_OPTIONS,
    out: { type: "string", value: "FILE", help: "the file for it (default: standard output)" },
  },
  async run(given, io) {
    const [from, to] = ["from", "to"].map((option): Named | undefined => {
      const name = text(given, option);
      return name === undefined ? undefined : { name, reference: readReference(name, option) };
    });
    const out = text(given, "out");
    const how = proof(evidenceOption(given), io);
    const settings = readSettings(given, io);
    if ("refused" in settings) return refuse(settings.refused, io);
    const named = text(given, "releases");
    const table = named === undefined ? undefined : readReleaseTable(named, io);
    const { schema, rules } = settings;
    const at = { io, schema, rules, table };
    const load = ({ name, reference }: Named): Version => loadVersion(name, reference, at);
    const base = load(from ?? ownBaseline(schema, io));
    const head = load(to ?? { name: schema, reference: { kind: "path", path: schema } });
    const acknowledged = acknowledgmentsFor(text(given, "acknowledgments"), schema, io);
    if ("refused" in acknowledged) return refuse(acknowledged.refused, io);

    const drift = await driftOf(base.loaded, head.loaded, how);
    const released = releaseOf(base, drift.fingerprints.base, table);
    const carried = releaseOf(head, drift.fingerprints.head, table);
    const fragment = changelogOf(drift, {
      from: released ?? base.name,
      to: carried ?? head.name,
      // A version that has its release needs no advice on it.
      ...(released === undefined || carried !== undefined
        ? {}
        : { nextVersion: nextVersion(released, drift) }),
      acknowledgments: acknowledged.file,
    });
    if (out === undefined) io.out(fragment);
    else replaceFile(resolve(io.cwd, out), fragment);
    return EXIT.fine;
  },
};
