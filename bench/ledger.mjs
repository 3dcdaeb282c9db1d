// The ledger: logs on the disk beside bare writes, and what an id and a payload cost beside a library for idempotency.
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { sampleInTurns } from "./lib/contenders.mjs";
import { bundleInternals } from "./lib/internals.mjs";
import { atLeast, median, medians } from "./lib/statistics.mjs";

const GROUP = 64;
const ROUNDS = 25;

/** The measurements, in order. */
export const measurements = [
  { name: "file-log", title: "Records of 300 bytes to a file, records a second", measure: fileLog },
  { name: "sqlite-log", title: "Records of 300 bytes to SQLite, records a second", measure: sqliteLog },
  { name: "idempotency", title: "turn/start, its payload checked, calls a second", measure: idempotency },
];

function fileLog(scratch) {
  return log(scratch, "append + fdatasync", "file");
}

function sqliteLog(scratch) {
  return log(scratch, "better-sqlite3", "sqlite");
}

async function log(scratch, bare, store) {
  const one = `${store}, one at a time`;
  const many = `${store}, ${GROUP} together`;
  const contender = (writer, together, calls) => ({
    module: "contenders/log.mjs",
    argument: { writer, together, calls, dir: mkdtempSync(join(scratch, "log-")) },
    warmUps: 3,
  });
  const samples = await sampleInTurns(
    {
      [bare]: contender(bare, 1, 800),
      [one]: contender(store, 1, 800),
      [many]: contender(store, GROUP, 200 * GROUP),
    },
    { rounds: ROUNDS },
  );
  // What a flush takes changes from moment to moment: each ratio is of samples that are neighbours.
  const ratio = (above, below) => median(samples[above].map((rate, round) => rate / samples[below][round]));
  return {
    samples,
    medians: medians(samples),
    ratios: [
      atLeast(0.9, `${one} / ${bare}`, ratio(one, bare)),
      atLeast(10, `${many} / ${one}`, ratio(many, one)),
    ],
  };
}

async function idempotency(scratch) {
  const internals = await bundleInternals(scratch);
  const contender = (library) => ({
    module: "contenders/idempotency.mjs",
    argument: { library, internals, calls: 4_000 },
    warmUps: 4,
  });
  const answers = await sampleInTurns(
    { mspkit: contender("mspkit"), powertools: contender("powertools") },
    { rounds: 11 },
  );
  const samples = {};
  for (const [library, list] of Object.entries(answers)) {
    samples[`${library}, first`] = list.map(({ first }) => first);
    samples[`${library}, replay`] = list.map(({ replay }) => replay);
  }
  const rate = medians(samples);
  const ratio = (part) => rate[`mspkit, ${part}`] / rate[`powertools, ${part}`];
  return {
    samples,
    medians: rate,
    ratios: ["first", "replay"].map((part) => atLeast(4, `mspkit / powertools, ${part}`, ratio(part))),
  };
}
