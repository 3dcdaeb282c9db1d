// Commands over HTTP: what the door of REST costs beside a route of fastify by hand, and what results on the disk cost
// beside a commit for each request.
import { sampleInTurns } from "./lib/contenders.mjs";
import { atLeast, median, medians } from "./lib/statistics.mjs";

const TOGETHER = 64;

/** The measurements, in order. */
export const measurements = [
  {
    name: "rest-memory",
    title: "Commands over REST with results in memory, calls a second of the server's processor",
    measure: memory,
  },
  {
    name: "rest-sqlite",
    title: `Commands over REST with results in SQLite, ${TOGETHER} connections, calls a second`,
    measure: sqlite,
  },
];

function memory(dir) {
  // Of the processor: the client has half of a small machine, and takes it from whoever is faster.
  const argument = { together: TOGETHER, calls: 6_000, of: "processor", dir };
  return pair("mspkit", "bare", argument, 0.7, 15);
}

function sqlite(dir) {
  const argument = { together: TOGETHER, calls: 2_000, of: "time", dir };
  // What keeps nothing is beside them for whoever reads it: nothing that keeps results is faster.
  return pair("mspkit, SQLite", "one commit each", argument, 5, 11, ["bare"]);
}

async function pair(ours, other, argument, target, rounds, beside = []) {
  const contender = (by) => ({ module: "contenders/doors.mjs", argument: { by, ...argument }, warmUps: 4 });
  const contenders = Object.fromEntries([ours, other, ...beside].map((by) => [by, contender(by)]));
  const samples = await sampleInTurns(contenders, { rounds });
  // Each ratio is of samples that are neighbours: what a machine does changes from moment to moment.
  const ratio = median(samples[ours].map((rate, round) => rate / samples[other][round]));
  return { samples, medians: medians(samples), ratios: [atLeast(target, `${ours} / ${other}`, ratio)] };
}
