// Test data: the generated arbitraries beside fast-check's own combinators on the same shapes, and json-schema-faker.
import { readFileSync } from "node:fs";
import { sampleInTurns } from "./lib/contenders.mjs";
import { SCHEMA } from "./lib/places.mjs";
import { atLeast, atMost, medians } from "./lib/statistics.mjs";

const BARE = "bare fast-check";
const FAKER = "json-schema-faker";
const ROUNDS = 9;

const { methods } = JSON.parse(readFileSync(SCHEMA, "utf8"));
const paramsOf = (method) => methods[method].params.$ref.slice("#/$defs/".length);
const all = [
  ...new Set(
    Object.keys(methods).flatMap((method) =>
      methods[method].params === undefined ? [] : [paramsOf(method)],
    ),
  ),
];

const small = (name, definition) => ({
  name,
  title: `A thousand params of ${name}, ms of processor time`,
  measure: () =>
    measure([definition], ["mspkit", BARE], (ms) => [atMost(1.2, `mspkit / ${BARE}`, ms.mspkit / ms[BARE])]),
});

/** The measurements, in order. */
export const measurements = [
  small("turn/start", paramsOf("turn/start")),
  small("session/start", paramsOf("session/start")),
  small("item/completed", "ItemCompletedParams"),
  {
    name: "all-params",
    title: "A thousand params, spread over all methods, ms of processor time",
    measure: () =>
      measure(all, ["mspkit", BARE, FAKER], (ms) => [atLeast(4, `${FAKER} / mspkit`, ms[FAKER] / ms.mspkit)]),
  },
];

async function measure(definitions, makers, ratiosOf) {
  const contender = (maker) => ({
    module: "contenders/arbitraries.mjs",
    argument: { maker, definitions },
    warmUps: maker === FAKER ? 3 : 15,
  });
  const samples = await sampleInTurns(Object.fromEntries(makers.map((maker) => [maker, contender(maker)])), {
    rounds: ROUNDS,
  });
  const ms = medians(samples);
  return { samples, medians: ms, ratios: ratiosOf(ms) };
}
