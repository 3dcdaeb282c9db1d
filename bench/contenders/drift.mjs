// Two versions of a protocol, loaded and compared. A sample is the ms of processor time that each stage took.
import { mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { spentMs } from "../lib/clock.mjs";
import { ROOT } from "../lib/places.mjs";

export default async function prepare({ internals, scratch, base, head }) {
  const { driftOf, loadForDrift } = await import(pathToFileURL(internals).href);
  const fastCheck = pathToFileURL(createRequire(join(ROOT, "package.json")).resolve("fast-check")).href;
  const load = (text) => {
    const file = join(mkdtempSync(join(scratch, "module-")), "module.mjs");
    writeFileSync(file, text.replace('from "fast-check"', `from ${JSON.stringify(fastCheck)}`));
    return import(pathToFileURL(file).href);
  };
  const read = (file) => {
    const { loaded, findings } = loadForDrift(file);
    if (loaded === undefined) throw new Error(`${file} has errors: ${JSON.stringify(findings.sorted()[0])}`);
    return loaded;
  };
  return async () => {
    const times = {};
    let last = spentMs();
    const lap = (stage) => {
      const now = spentMs();
      times[stage] = now - last;
      last = now;
    };
    const [before, after] = [read(base), read(head)];
    lap("load both");
    const judged = await driftOf(before, after);
    lap("without evidence");
    const proven = await driftOf(before, after, { evidence: { load } });
    lap("with evidence");
    return { times, changes: judged.changes.length, verdicts: proven.changes.map(({ verdict }) => verdict) };
  };
}
