// Generators of types: read a file, print, write a file. A sample is the ms that one run takes, the median of a window.
import { writeFileSync } from "node:fs";
import { printFile } from "../floors/types.mjs";
import { spentMs } from "../lib/clock.mjs";
import { codegen, ROOT } from "../lib/places.mjs";
import { median } from "../lib/statistics.mjs";

const GENERATORS = {
  async mspkit() {
    const { CONFIG_FILE, emitProducts, Findings, loadSchema, planSurface, readConfig, ruleSettings } =
      await codegen("index.js");
    const config = readConfig(`${ROOT}${CONFIG_FILE}`, new Findings());
    return async ({ from, to }) => {
      const findings = new Findings(ruleSettings(config, from));
      const plan = planSurface(loadSchema(from, findings), "experimental", findings);
      const [{ text }] = await emitProducts(plan, ["types"]);
      writeFileSync(to, text);
    };
  },
  async "json-schema-to-typescript"() {
    const { compileFromFile } = await import("json-schema-to-typescript");
    return async ({ from, to }) => writeFileSync(to, await compileFromFile(from));
  },
  async "hand emitter"() {
    return async ({ from, to }) => printFile(from, to);
  },
};

export default async function prepare({ generator, windowMs, ...files }) {
  const run = await GENERATORS[generator]();
  return async () => {
    const runs = [];
    const end = spentMs() + windowMs;
    do {
      const start = spentMs();
      await run(files);
      runs.push(spentMs() - start);
    } while (spentMs() < end);
    return median(runs);
  };
}
