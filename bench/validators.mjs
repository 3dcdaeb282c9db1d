// The validators: ours against ajv's standalone module of the same definitions.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { askInTurns } from "./lib/cold.mjs";
import { sampleInTurns } from "./lib/contenders.mjs";
import { checkOf, MAKERS, makingWords, moduleFile, SETS } from "./lib/modules.mjs";
import { KINDS, mutants, texts } from "./lib/payloads.mjs";
import { BENCH } from "./lib/places.mjs";
import { atLeast, atMost, median, medians } from "./lib/statistics.mjs";

const WIDE = "item/completed";
const ROUNDS = 9;

/** The measurements, in order; each answers the medians of its samples and the ratios that have targets. */
export const measurements = [
  { name: "throughput", title: "Checks of parsed messages, a second of processor time", measure: throughput },
  { name: "parse", title: "Messages parsed and checked, a second of processor time", measure: parse },
  { name: "module", title: "The module: bytes, and ms to import it in a fresh process", measure: module },
  { name: "making", title: "Making the module in a fresh process, ms", measure: making },
];

const pairs = (list) => list.flatMap((set) => MAKERS.map((maker) => [set, maker]));

async function throughput(scratch) {
  await requireAgreement(scratch);
  const samples = {};
  const ratios = [];
  for (const kind of Object.keys(KINDS)) {
    const answers = await sampleMakers("contenders/throughput.mjs", kind, scratch, MAKERS, 120);
    for (const maker of MAKERS) samples[`${kind}, ${maker}`] = answers[maker];
    const ratio = median(answers.mspkit) / median(answers.ajv);
    ratios.push(atLeast(kind === WIDE ? 2.2 : 1.8, `${kind}, mspkit / ajv`, ratio));
  }
  return { samples, medians: medians(samples), ratios };
}

async function parse(scratch) {
  const samples = {};
  const ratios = [];
  for (const kind of Object.keys(KINDS)) {
    const { mspkit, ajv } = await sampleMakers("contenders/parse.mjs", kind, scratch, MAKERS, 60);
    const alone = mspkit.map((sample) => sample.alone);
    const checked = mspkit.map((sample) => sample.checked);
    samples[`${kind}, JSON.parse`] = alone;
    samples[`${kind}, JSON.parse and mspkit`] = checked;
    samples[`${kind}, JSON.parse and ajv`] = ajv.map((sample) => sample.checked);
    const ratio = median(mspkit.map((sample) => sample.alone / sample.checked));
    ratios.push(
      atMost(kind === WIDE ? 1.25 : 1.1, `${kind}, cost of JSON.parse and mspkit / JSON.parse`, ratio),
    );
  }
  return { samples, medians: medians(samples), ratios };
}

function sampleMakers(module, kind, scratch, makers, windowMs) {
  const contender = (maker) => {
    const argument = { maker, file: moduleFile(maker, SETS[0], scratch), kind, windowMs };
    return [maker, { module, argument, warmUps: 5 }];
  };
  return sampleInTurns(Object.fromEntries(makers.map(contender)), { rounds: ROUNDS });
}

/** The speed of a check that decides otherwise would say nothing. */
async function requireAgreement(scratch) {
  let compared = 0;
  for (const kind of Object.keys(KINDS)) {
    const ours = await checkOf("mspkit", moduleFile("mspkit", SETS[0], scratch), kind);
    const theirs = await checkOf("ajv", moduleFile("ajv", SETS[0], scratch), kind);
    for (const value of [...texts(kind).map((text) => JSON.parse(text)), ...mutants(kind)]) {
      compared++;
      if (ours(value) === theirs(value)) continue;
      throw new Error(`mspkit and ajv disagree about ${kind} ${JSON.stringify(value)}`);
    }
  }
  if (compared < 1000) throw new Error(`only ${compared} messages were compared`);
}

function module(scratch) {
  const commands = {};
  const middle = {};
  for (const [set, maker] of pairs(SETS)) {
    const file = moduleFile(maker, set, scratch);
    commands[`${set}, ${maker}`] = { words: [join(BENCH, "contenders/import.mjs"), file] };
    middle[`${set}, ${maker}, bytes`] = readFileSync(file).length;
    middle[`${set}, ${maker}, bytes gzipped`] = gzipSync(readFileSync(file)).length;
  }
  const samples = {};
  for (const [name, { ms }] of Object.entries(askInTurns(commands, 15))) samples[name] = ms;
  for (const [name, ms] of Object.entries(medians(samples))) middle[`${name}, ms`] = ms;
  const ratios = SETS.flatMap((set) => {
    const ratio = (what) => middle[`${set}, mspkit, ${what}`] / middle[`${set}, ajv, ${what}`];
    return [
      atMost(0.25, `${set}, bytes, mspkit / ajv`, ratio("bytes")),
      atMost(0.4, `${set}, import, mspkit / ajv`, ratio("ms")),
    ];
  });
  return { samples, medians: middle, ratios };
}

function making(scratch) {
  const commands = {};
  for (const [set, maker] of pairs(SETS)) {
    commands[`${set}, ${maker}`] = { words: makingWords(maker, set, join(scratch, "made.mjs")) };
  }
  const samples = {};
  for (const [name, answer] of Object.entries(askInTurns(commands, ROUNDS))) {
    for (const [part, ms] of Object.entries(answer)) samples[part === "ms" ? name : `${name}, ${part}`] = ms;
  }
  const ms = medians(samples);
  const ratios = SETS.map((set) =>
    atLeast(15, `${set}, ajv / mspkit`, ms[`${set}, ajv`] / ms[`${set}, mspkit`]),
  );
  return { samples, medians: ms, ratios };
}
