// The generator: types against json-schema-to-typescript and a hand emitter, the program cold, growth.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { node, peakMemory, timeInTurns } from "./lib/cold.mjs";
import { sampleInTurns } from "./lib/contenders.mjs";
import { asOneSchema, grown } from "./lib/inputs.mjs";
import { BENCH, PROGRAM, SCHEMA } from "./lib/places.mjs";
import { atLeast, atMost, median, medians } from "./lib/statistics.mjs";

const PEER = "json-schema-to-typescript";
const FLOOR = "hand emitter";
const ROUNDS = 11;
const GROWTH = 10;
/** The products that are held to the targets. */
const PRODUCTS = ["types", "validators", "tables", "schema", "model"];

/** The measurements, in order; each answers the medians of its samples and the ratios that have targets. */
export const measurements = [
  {
    name: "types-warm",
    title: "Types of the whole surface, warm, ms of processor time a run",
    measure: typesWarm,
  },
  { name: "program-cold", title: "The program, cold, ms that pass from start to exit", measure: programCold },
  { name: "memory", title: "Peak resident memory, MiB", measure: memory },
  { name: "growth", title: `The bundle and ${GROWTH} of it, ms of processor time a stage`, measure: growth },
];

const readSchema = () => JSON.parse(readFileSync(SCHEMA, "utf8"));

/** The bundle as the peer reads it, in a file. */
function peerInput(scratch) {
  const file = join(scratch, "one.schema.json");
  writeFileSync(file, JSON.stringify(asOneSchema(readSchema()), null, 2));
  return file;
}

async function typesWarm(scratch) {
  const input = { mspkit: SCHEMA, [PEER]: peerInput(scratch), [FLOOR]: SCHEMA };
  const contenders = Object.fromEntries(
    Object.entries(input).map(([generator, from], i) => {
      const argument = { generator, from, to: join(scratch, `types${i}.ts`), windowMs: 150 };
      // A run of the peer is many times as long, and it settles in fewer of them.
      return [generator, { module: "contenders/types.mjs", argument, warmUps: generator === PEER ? 12 : 40 }];
    }),
  );
  const samples = await sampleInTurns(contenders, { rounds: ROUNDS });
  for (const { argument } of Object.values(contenders)) requireEveryType(argument);
  const ms = medians(samples);
  return {
    samples,
    medians: ms,
    ratios: [
      atLeast(10, `${PEER} / mspkit`, ms[PEER] / ms.mspkit),
      atMost(3, `mspkit / ${FLOOR}`, ms.mspkit / ms[FLOOR]),
    ],
  };
}

/** A generator that left something out would be fast for nothing. */
function requireEveryType({ generator, to }) {
  const types = readFileSync(to, "utf8").match(/^export (interface|type) /gm).length;
  const definitions = Object.keys(readSchema().$defs).length;
  if (types < definitions) throw new Error(`${generator} printed ${types} types of ${definitions}`);
}

const TYPES = "mspkit generate --only types";
const ALL = "mspkit generate";
const EVERY = "mspkit generate, every product";
const CHECK = "mspkit generate --check";
const NODE = "bare Node start";

/** The commands that are measured cold; folders that have to be current are made so. */
function commands(scratch) {
  const [types, all, every, check] = ["types", "all", "every", "check"].map((name) => join(scratch, name));
  const empty = (folder) => () => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  };
  const some = ["--only", "types,validators,tables"];
  const generate = (out, ...words) => [PROGRAM, "generate", "--schema", SCHEMA, "--out", out, ...words];
  node(generate(types, "--only", "types"));
  node(generate(check, ...some));
  const json2ts = join(BENCH, "node_modules/json-schema-to-typescript/dist/src/cli.js");
  return {
    [NODE]: { words: ["-e", "0"] },
    [TYPES]: { words: generate(types, "--only", "types") },
    [CHECK]: { words: generate(check, ...some, "--check") },
    [ALL]: { words: generate(all, "--only", PRODUCTS.join(",")), before: empty(all) },
    [EVERY]: { words: generate(every), before: empty(every) },
    json2ts: { words: [json2ts, "-i", peerInput(scratch), "-o", join(scratch, "json2ts.ts")] },
  };
}

function programCold(scratch) {
  const samples = timeInTurns(commands(scratch), ROUNDS);
  const ms = medians(samples);
  return {
    samples,
    medians: ms,
    ratios: [
      atMost(2, `${TYPES} / ${NODE}`, ms[TYPES] / ms[NODE]),
      atMost(1, `${ALL} / json2ts`, ms[ALL] / ms.json2ts),
      atMost(2.5, `${EVERY} / json2ts`, ms[EVERY] / ms.json2ts),
      atMost(4, `${CHECK} / ${NODE}`, ms[CHECK] / ms[NODE]),
    ],
  };
}

function memory(scratch) {
  const { [NODE]: bare, [TYPES]: types, json2ts } = commands(scratch);
  const runs = ([name, command]) => [name, peakMemory(command, 7, scratch)];
  const samples = Object.fromEntries(Object.entries({ [NODE]: bare, [TYPES]: types, json2ts }).map(runs));
  const mib = medians(samples);
  return { samples, medians: mib, ratios: [atMost(80, TYPES, mib[TYPES], " MiB")] };
}

async function growth(scratch) {
  const contender = (times, warmUps) => {
    const bundle = join(scratch, `grown${times}.schema.json`);
    writeFileSync(bundle, JSON.stringify(grown(readSchema(), times), null, 2));
    return {
      module: "contenders/stages.mjs",
      argument: { bundle, products: PRODUCTS, windowMs: 150 },
      warmUps,
    };
  };
  // Both have seen some seconds of work before the clock starts.
  const contenders = { once: contender(1, 20), grown: contender(GROWTH, 6) };
  const answers = await sampleInTurns(contenders, { rounds: ROUNDS });
  const samples = {};
  const middle = {};
  const ratios = [];
  for (const stage of Object.keys(answers.once[0])) {
    const [once, more] = ["once", "grown"].map((name) => answers[name].map((times) => times[stage]));
    samples[stage] = { once, grown: more };
    middle[stage] = median(once);
    middle[`${stage}, ${GROWTH} times`] = median(more);
    ratios.push(atMost(12, stage, median(more) / median(once)));
  }
  return { samples, medians: middle, ratios };
}
