// The host: commands that become durable, repeats, loading a long session, and what a command leaves in memory.
import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { askInTurns } from "./lib/cold.mjs";
import { sampleInTurns } from "./lib/contenders.mjs";
import { bundleInternals } from "./lib/internals.mjs";
import { BENCH, PROGRAM } from "./lib/places.mjs";
import { atLeast, atMost, median, medians } from "./lib/statistics.mjs";

const RECORDS = 100_000;
const FEW = 1_000;
const MANY = 1_000_000;

/** The measurements, in order. */
export const measurements = [
  { name: "durable", title: "session/setReasoningEffort, 64 in flight, acks a second", measure: durable },
  { name: "replay", title: "The same, repeats, 64 in flight, acks a second", measure: replay },
  { name: "load", title: `A session of ${RECORDS} records, ms of processor time`, measure: load },
  { name: "remembered", title: "What a command leaves in memory, bytes", measure: remembered },
];

const serve = (...words) => [PROGRAM, "serve", "--store", ...words];

function folder(scratch) {
  const dir = mkdtempSync(join(scratch, "host-"));
  mkdirSync(join(dir, "store"));
  return join(dir, "store");
}

/** A host and its client; `words` gives the words of its process from the folder of its store. */
function contender(scratch, words, argument) {
  const dir = folder(scratch);
  return {
    module: "contenders/host.mjs",
    argument: { words: words(dir), dir, ...argument },
    warmUps: 4,
  };
}

const inFiles = (dir) => serve(`file:${dir}`);
const inMemory = () => serve("memory");
const floor = (group) => (dir) => [join(BENCH, "floors/durable-server.mjs"), group, dir];
const perRequest = (dir) => [join(BENCH, "contenders/host-per-request.mjs"), `file:${dir}`];

async function durable(scratch) {
  const fresh = (words, calls) => contender(scratch, words, { sample: "fresh", calls });
  const answers = await sampleInTurns(
    {
      "a commit for each request": fresh(perRequest, 2_000),
      "file store": fresh(inFiles, 10_000),
      "memory store": fresh(inMemory, 10_000),
      "floor, a commit for each request": fresh(floor("one"), 2_000),
      floor: fresh(floor("chunk"), 10_000),
    },
    { rounds: 15 },
  );
  const samples = rates(answers);
  const ratio = (below) => median(samples["file store"].map((rate, round) => rate / samples[below][round]));
  return {
    samples,
    medians: medians(samples),
    ratios: [
      atLeast(7, "file store / a commit for each request", ratio("a commit for each request")),
      atLeast(0.3, "file store / memory store", ratio("memory store")),
    ],
  };
}

async function replay(scratch) {
  const collecting = ["--expose-gc", "--require", join(BENCH, "lib/collect.cjs")];
  const repeats = (count) =>
    contender(scratch, (dir) => [...collecting, ...inFiles(dir)], {
      sample: "replay",
      calls: 10_000,
      remembered: count,
    });
  const answers = await sampleInTurns(
    {
      "memory store, fresh": contender(scratch, inMemory, { sample: "fresh", calls: 10_000 }),
      [`replay of ${FEW}`]: repeats(FEW),
      [`replay of ${MANY}`]: repeats(MANY),
    },
    { rounds: 15 },
  );
  const samples = rates(answers);
  const rate = medians(samples);
  const few = samples[`replay of ${FEW}`];
  const many = samples[`replay of ${MANY}`];
  const written = [FEW, MANY].flatMap((count) =>
    answers[`replay of ${count}`].map((answer) => answer.written),
  );
  return {
    samples,
    medians: rate,
    ratios: [
      atMost(0, "written to the log by repeats", Math.max(...written), " bytes"),
      atLeast(
        0.8,
        `replay of ${FEW} / memory store, fresh`,
        median(few.map((value, round) => value / samples["memory store, fresh"][round])),
      ),
      atMost(1.3, `replay of ${FEW} / of ${MANY}`, median(few.map((value, round) => value / many[round]))),
    ],
  };
}

const rates = (answers) =>
  Object.fromEntries(Object.entries(answers).map(([name, list]) => [name, list.map(({ rate }) => rate)]));

async function load(scratch) {
  const internals = await bundleInternals(scratch);
  const contenderOf = (what) => ({
    module: "contenders/host-load.mjs",
    argument: { what, internals, records: RECORDS, dir: folder(scratch) },
    warmUps: 2,
  });
  const samples = await sampleInTurns(
    { "read + JSON.parse": contenderOf("parse"), load: contenderOf("load") },
    { rounds: 9 },
  );
  const ms = medians(samples);
  return {
    samples,
    medians: ms,
    ratios: [atMost(3, "load / read + JSON.parse", ms.load / ms["read + JSON.parse"])],
  };
}

async function remembered(scratch) {
  const internals = await bundleInternals(scratch);
  const counts = [MANY / 4, MANY / 2, MANY];
  const words = [join(BENCH, "contenders/host-memory.mjs"), internals, ...counts.map(String)];
  const samples = askInTurns({ host: { words } }, 3).host;
  const bytes = medians(samples);
  const [first, ...rest] = counts.map((count) => bytes[count]);
  return {
    samples,
    medians: bytes,
    ratios: rest.map((value, i) =>
      atMost(1.15, `a command of ${counts[i + 1]} / of ${counts[0]}`, Math.max(value / first, first / value)),
    ),
  };
}
