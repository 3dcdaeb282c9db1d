// The law kit: what it costs beside the host that it watches, and how judging a history grows.
import { sampleInTurns } from "./lib/contenders.mjs";
import { bundleInternals } from "./lib/internals.mjs";
import { atMost, medians } from "./lib/statistics.mjs";

const OPERATIONS = 10_000;

/** The measurements, in order. */
export const measurements = [
  { name: "bookkeeping", title: "A conversation of 10 sessions in this process, ms", measure: bookkeeping },
  { name: "judging", title: "Judging a history, ms of processor time", measure: judging },
];

async function bookkeeping(scratch) {
  const internals = await bundleInternals(scratch);
  const contender = (what) => ({
    module: "contenders/laws.mjs",
    argument: { internals, what },
    warmUps: 4,
  });
  const samples = await sampleInTurns(
    { "bare client": contender("bare"), "law kit": contender("kit") },
    { rounds: 11 },
  );
  const ms = medians(samples);
  // The kit's own part is at most the host's: twice the whole of a client that keeps nothing.
  return {
    samples,
    medians: ms,
    ratios: [atMost(2, "law kit / bare client", ms["law kit"] / ms["bare client"])],
  };
}

async function judging(scratch) {
  const internals = await bundleInternals(scratch);
  const contender = (operations) => ({
    module: "contenders/laws-judge.mjs",
    argument: { internals, operations },
    warmUps: 3,
  });
  const samples = await sampleInTurns(
    { [`${OPERATIONS} operations`]: contender(OPERATIONS), "10 times as many": contender(10 * OPERATIONS) },
    { rounds: 7 },
  );
  const ms = medians(samples);
  return {
    samples,
    medians: ms,
    ratios: [atMost(12, "10 times as many", ms["10 times as many"] / ms[`${OPERATIONS} operations`])],
  };
}
