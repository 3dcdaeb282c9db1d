// How many frames a second a host is fuzzed with, or how many params a second fast-check draws, those of all methods alike.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BENCH, ROOT } from "../lib/places.mjs";

const SERVER = join(BENCH, "contenders/fuzz-server.mjs");

export default async function prepare({ internals, what, frames }) {
  let seed = 0;
  if (what === "sample") {
    const { default: fc } = await import(
      pathToFileURL(createRequire(join(ROOT, "package.json")).resolve("fast-check")).href
    );
    const generated = join(ROOT, "dist/generated/msp/experimental/arbitraries.js");
    const { methods } = await import(pathToFileURL(generated).href);
    const params = Object.values(methods).flatMap((method) =>
      method.params === undefined ? [] : [method.params.valid],
    );
    const numRuns = Math.ceil(frames / params.length);
    return async () => {
      seed++;
      const begin = performance.now();
      for (const values of params) fc.sample(values, { seed, numRuns });
      return (1_000 * numRuns * params.length) / (performance.now() - begin);
    };
  }
  const { fuzz, openDriver } = await import(pathToFileURL(internals).href);
  const driver = await openDriver({ words: [process.execPath, SERVER], cwd: BENCH });
  return async () => {
    const report = await fuzz(driver, { seed: ++seed, frames, lawCases: 0 });
    if (report.findings.length > 0) throw new Error(JSON.stringify(report.findings[0]));
    if (report.answers < report.frames * 0.9)
      throw new Error(`${report.answers} answers to ${report.frames} frames`);
    return (1_000 * report.frames) / report.durationMs;
  };
}
