// The client: what folding a session costs beside parsing its lines, and what a fold keeps.
import { join } from "node:path";
import { askInTurns } from "./lib/cold.mjs";
import { sampleInTurns } from "./lib/contenders.mjs";
import { BENCH } from "./lib/places.mjs";
import { atLeast, atMost, medians } from "./lib/statistics.mjs";

const EVENTS = 100_000;
const ROUNDS = 7;
const ITEMS = 1_000;
const REVISIONS = 10;

/** The measurements, in order. */
export const measurements = [
  { name: "fold", title: `A session of ${EVENTS} events, ms of processor time`, measure: folding },
  { name: "command", title: "64 commands in flight, answers a second", measure: command },
  { name: "fold-memory", title: "What a fold keeps, MiB", measure: memory },
];

async function folding() {
  const contender = (what) => ({
    module: "contenders/fold.mjs",
    argument: { what, events: EVENTS },
    warmUps: 3,
  });
  const contenders = { "JSON.parse": contender("parse"), fold: contender("fold") };
  const samples = await sampleInTurns(contenders, { rounds: ROUNDS });
  const ms = medians(samples);
  return { samples, medians: ms, ratios: [atMost(2, "fold / JSON.parse", ms.fold / ms["JSON.parse"])] };
}

async function command() {
  const words = [join(BENCH, "contenders/command-server.mjs")];
  const contender = (what) => ({
    module: "contenders/command.mjs",
    argument: { what, words, calls: 10_000 },
    warmUps: 6,
  });
  const samples = await sampleInTurns(
    { request: contender("request"), command: contender("command") },
    { rounds: 11 },
  );
  const rate = medians(samples);
  return { samples, medians: rate, ratios: [atLeast(0.5, "command / request", rate.command / rate.request)] };
}

function memory() {
  const sizes = {
    once: [ITEMS, REVISIONS],
    "10 times the revisions": [ITEMS, 10 * REVISIONS],
    "10 times the items": [10 * ITEMS, REVISIONS],
  };
  const commands = Object.fromEntries(
    Object.entries(sizes).map(([name, size]) => [
      name,
      { words: [join(BENCH, "contenders/fold-memory.mjs"), ...size.map(String)] },
    ]),
  );
  const answers = askInTurns(commands, ROUNDS);
  const samples = Object.fromEntries(Object.entries(answers).map(([name, { mib }]) => [name, mib]));
  const mib = medians(samples);
  return {
    samples,
    medians: mib,
    ratios: [
      atMost(1.1, "10 times the revisions", mib["10 times the revisions"] / mib.once),
      atMost(12, "10 times the items", mib["10 times the items"] / mib.once),
    ],
  };
}
