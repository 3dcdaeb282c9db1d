// Writes schema/msp/releases.json: the fingerprints that the protocol's owners publish, by release, and, for each
// release whose bundle is at hand, our own fingerprint of its stable surface with the parts it is made of.
//   node scripts/releases.mjs TABLE [OUT]
// TABLE is a JSON array of { release, stableFingerprint, experimentalFingerprint?, surface? }; `surface` is the path
// of the release's bundle, relative to the table.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Findings, fingerprintOf, loadSchema, project } from "../dist/codegen/index.js";

const [table, out = fileURLToPath(new URL("../schema/msp/releases.json", import.meta.url))] =
  process.argv.slice(2);
if (table === undefined) {
  console.error("usage: node scripts/releases.mjs TABLE [OUT]");
  process.exit(2);
}

const releases = JSON.parse(readFileSync(table, "utf8")).map(
  ({ release, stableFingerprint, experimentalFingerprint, surface }) => {
    const entry = { release, published: { stable: stableFingerprint } };
    if (experimentalFingerprint !== undefined) entry.published.experimental = experimentalFingerprint;
    if (surface === undefined) return entry;
    const findings = new Findings();
    const loaded = loadSchema(join(dirname(table), surface), findings);
    if (loaded === undefined) throw new Error(`${surface}: ${JSON.stringify(findings.sorted()[0])}`);
    // What our marks add is not of the owners' making, so `behaviour` stays out.
    const { fingerprint, parts } = fingerprintOf(project(loaded.protocol, "stable"));
    return { ...entry, stable: { fingerprint, parts } };
  },
);

const text = {
  $comment:
    "Releases of the Muse Session Protocol. published: the fingerprints of its owners, whose making they do not state. stable: our own, by docs/fingerprint.md. Written by scripts/releases.mjs.",
  releases,
};
writeFileSync(out, `${JSON.stringify(text, null, 1)}\n`);
