// The wire: a client and a server of ours in two processes, beside a hand-written loop and two libraries.
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { sampleInTurns } from "./lib/contenders.mjs";
import { canPin } from "./lib/pinning.mjs";
import { BENCH, ROOT } from "./lib/places.mjs";
import { peakOf } from "./lib/process-peak.mjs";
import { atLeast, atMost, median, medians, notMeasured } from "./lib/statistics.mjs";

const FLOOR = "floor";
const VSCODE = "vscode-jsonrpc";
const MCP = "MCP tool call";

const SERVERS = {
  mspkit: "contenders/wire-mspkit-server.mjs",
  [FLOOR]: "floors/wire-server.mjs",
  [VSCODE]: "contenders/wire-vscode-server.mjs",
  [MCP]: "contenders/wire-mcp-server.mjs",
};

/** The measurements, in order. */
export const measurements = [
  { name: "in-flight", title: "64 requests in flight, answers a second", measure: inFlight },
  { name: "sequential", title: "One request after the other, pinned, microseconds", measure: sequential },
  { name: "ready", title: "From the start of the server to its first answer, ms", measure: ready },
  { name: "server-memory", title: "Peak resident memory of the server, MiB", measure: memory },
  { name: "validation", title: "64 requests in flight, answers a second", measure: validation },
];

/** A client of a library and the server that goes with it. */
function contender(library, argument, warmUps, words = [join(BENCH, SERVERS[library])]) {
  const refuses = library === "mspkit" ? { refuses: true } : {};
  return { module: "contenders/wire.mjs", argument: { library, words, ...refuses, ...argument }, warmUps };
}

function contenders(libraries, argument, warmUps) {
  return Object.fromEntries(libraries.map((library) => [library, contender(library, argument, warmUps)]));
}

async function inFlight() {
  const everyone = contenders(Object.keys(SERVERS), { sample: "inFlight", calls: 20_000 }, 6);
  const samples = await sampleInTurns(everyone, { rounds: 11 });
  const rate = medians(samples);
  return {
    samples,
    medians: rate,
    ratios: [
      atLeast(0.8, `mspkit / ${FLOOR}`, rate.mspkit / rate[FLOOR]),
      atLeast(2.5, `mspkit / ${VSCODE}`, rate.mspkit / rate[VSCODE]),
      atLeast(3, `mspkit / ${MCP}`, rate.mspkit / rate[MCP]),
    ],
  };
}

async function sequential() {
  const bounds = [
    [1.1, "p50", `p50, mspkit / ${FLOOR}`],
    [2, "p99", `p99, mspkit / ${FLOOR}`],
  ];
  if (!canPin()) {
    const ratios = bounds.map(([target, , what]) =>
      notMeasured(target, what, "at most", "two cores or taskset"),
    );
    return { samples: {}, medians: {}, ratios };
  }
  // Each ratio is taken within a round, whose halves meet the same machine. A sample is long: its first calls find the
  // processor's caches full of another contender, and must be fewer than one in a hundred.
  const argument = { sample: "sequential", calls: 5_000, pinned: true };
  const answers = await sampleInTurns(contenders(Object.keys(SERVERS), argument, 6), { rounds: 25 });
  const samples = {};
  for (const library of Object.keys(SERVERS)) {
    for (const part of ["p50", "p99"])
      samples[`${library}, ${part}`] = answers[library].map((answer) => answer[part]);
  }
  const ratio = (part) =>
    median(answers.mspkit.map((answer, round) => answer[part] / answers[FLOOR][round][part]));
  return {
    samples,
    medians: medians(samples),
    ratios: bounds.map(([target, part, what]) => atMost(target, what, ratio(part))),
  };
}

async function ready() {
  const samples = await sampleInTurns(contenders(Object.keys(SERVERS), { sample: "ready" }, 2), {
    rounds: 15,
  });
  const ms = medians(samples);
  return {
    samples,
    medians: ms,
    ratios: [atMost(1.25, `mspkit / ${FLOOR}`, ms.mspkit / ms[FLOOR])],
  };
}

async function memory() {
  if (peakOf(process.pid) === undefined)
    return { samples: {}, medians: {}, ratios: [notMeasured(60, "mspkit", "at most", "/proc", " MiB")] };
  const argument = { sample: "memory", calls: 23_000 };
  const samples = await sampleInTurns(contenders(Object.keys(SERVERS), argument, 0), { rounds: 7 });
  const mib = medians(samples);
  return { samples, medians: mib, ratios: [atMost(60, "mspkit", mib.mspkit, " MiB")] };
}

async function validation(scratch) {
  // The difference is small, so there are many rounds, each short enough that both halves meet the same machine.
  const argument = { sample: "inFlight", calls: 4_000 };
  const words = [join(BENCH, "contenders/wire-unchecked-server.mjs"), uncheckedServer(scratch)];
  const pair = {
    checked: contender("mspkit", argument, 20),
    unchecked: contender("mspkit", { ...argument, refuses: false }, 20, words),
  };
  const samples = await sampleInTurns(pair, { rounds: 151 });
  const ratio = median(samples.checked.map((rate, round) => rate / samples.unchecked[round]));
  return {
    samples,
    medians: medians(samples),
    ratios: [atLeast(0.97, "checked / unchecked", ratio)],
  };
}

/** The generated server, copied beside validators to which every value is valid. */
function uncheckedServer(scratch) {
  const folder = join(scratch, "unchecked");
  const generated = join(ROOT, "dist/generated/msp/stable");
  mkdirSync(folder, { recursive: true });
  for (const name of ["server.js", "tables.js"]) cpSync(join(generated, name), join(folder, name));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  writeFileSync(
    join(folder, "validators.js"),
    `import * as real from ${JSON.stringify(pathToFileURL(join(generated, "validators.js")).href)};
const open = (part) =>
  part === null || typeof part !== "object"
    ? part && (() => null)
    : Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, open(inner)]));
export const errors = open(real.errors);
export const methods = open(real.methods);
export const notifications = open(real.notifications);
export const requests = open(real.requests);
`,
  );
  return join(folder, "server.js");
}
