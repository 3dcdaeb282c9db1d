// Fuzzing: frames a second over standard streams to a host that serves nothing, beside the wire and beside fast-check.

import { join } from "node:path";
import { sampleInTurns } from "./lib/contenders.mjs";
import { bundleInternals } from "./lib/internals.mjs";
import { BENCH } from "./lib/places.mjs";
import { atLeast, medians } from "./lib/statistics.mjs";

const FRAMES = 60_000;

/** The measurements, in order. */
export const measurements = [
  { name: "fuzz-rate", title: "Fuzzing a host that serves nothing, a second", measure: rate },
];

async function rate(scratch) {
  const internals = await bundleInternals(scratch);
  const contender = (what) => ({
    module: "contenders/fuzz.mjs",
    argument: { internals, what, frames: FRAMES },
    warmUps: 2,
  });
  const wire = {
    module: "contenders/wire.mjs",
    argument: {
      library: "floor",
      words: [join(BENCH, "floors/wire-server.mjs")],
      sample: "inFlight",
      calls: FRAMES,
    },
    warmUps: 2,
  };
  const samples = await sampleInTurns(
    { "frames fuzzed": contender("fuzz"), "values sampled": contender("sample"), "wire floor": wire },
    { rounds: 5 },
  );
  const found = medians(samples);
  return {
    samples,
    medians: found,
    ratios: [
      atLeast(0.1, "frames fuzzed / wire floor", found["frames fuzzed"] / found["wire floor"]),
      atLeast(0.15, "frames fuzzed / values sampled", found["frames fuzzed"] / found["values sampled"]),
    ],
  };
}
