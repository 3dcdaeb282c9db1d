// The drift gate: what it costs to hold a release against the one before, beside making types of it; growth.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { node, timeInTurns } from "./lib/cold.mjs";
import { sampleInTurns } from "./lib/contenders.mjs";
import { grown } from "./lib/inputs.mjs";
import { bundleInternals } from "./lib/internals.mjs";
import { PROGRAM } from "./lib/places.mjs";
import { neighbours } from "./lib/releases.mjs";
import { atMost, median, medians } from "./lib/statistics.mjs";

const GROWTH = 10;

/** The measurements, in order. */
export const measurements = [
  {
    name: "drift-cold",
    title: "A release against the one before it, cold, ms that pass from start to exit",
    measure: cold,
  },
  {
    name: "drift-growth",
    title: `Two releases and ${GROWTH} of each, ms of processor time a stage`,
    measure: growth,
  },
];

const TYPES = "mspkit generate --only types";
const WITH = "mspkit breaking";
const WITHOUT = "mspkit breaking --no-evidence";

function cold(scratch) {
  const { base, head } = neighbours(scratch);
  const types = [
    PROGRAM,
    "generate",
    "--schema",
    head,
    "--out",
    join(scratch, "drift-types"),
    "--only",
    "types",
  ];
  const breaking = [PROGRAM, "breaking", "--against", base, "--schema", head];
  // The folder of the types is current when the clock starts.
  node(types);
  requireChanges([...breaking, "--format", "json"]);
  const samples = timeInTurns(
    {
      [TYPES]: { words: types },
      [WITHOUT]: { words: [...breaking, "--no-evidence"] },
      [WITH]: { words: breaking },
    },
    11,
  );
  const ms = medians(samples);
  return {
    samples,
    medians: ms,
    ratios: [
      atMost(3, `${WITHOUT} / ${TYPES}`, ms[WITHOUT] / ms[TYPES]),
      atMost(10, `${WITH} / ${TYPES}`, ms[WITH] / ms[TYPES]),
    ],
  };
}

/** A gate that saw nothing, or tried nothing, would be fast for nothing. */
function requireChanges(words) {
  const { comparisons } = JSON.parse(node(words));
  const changes = comparisons.flatMap((comparison) => comparison.changes);
  const tried = changes.filter(({ evidence }) => evidence !== undefined);
  if (changes.length < 10 || tried.length < 5)
    throw new Error(`${changes.length} changes were found, and ${tried.length} were tried`);
}

async function growth(scratch) {
  const internals = await bundleInternals(scratch);
  const pair = neighbours(scratch);
  const contender = (times, warmUps) => {
    const [base, head] = ["base", "head"].map((side) => {
      const file = join(scratch, `drift-${side}-${times}.schema.json`);
      writeFileSync(
        file,
        JSON.stringify(grown(JSON.parse(readFileSync(pair[side], "utf8")), times), null, 2),
      );
      return file;
    });
    return { module: "contenders/drift.mjs", argument: { internals, scratch, base, head }, warmUps };
  };
  const answers = await sampleInTurns({ once: contender(1, 6), grown: contender(GROWTH, 1) }, { rounds: 5 });
  requireGrowth(answers);
  const samples = {};
  const middle = {};
  const ratios = [];
  for (const stage of Object.keys(answers.once[0].times)) {
    const [once, more] = ["once", "grown"].map((name) => answers[name].map(({ times }) => times[stage]));
    samples[stage] = { once, grown: more };
    middle[stage] = median(once);
    middle[`${stage}, ${GROWTH} times`] = median(more);
    ratios.push(atMost(12, stage, median(more) / median(once)));
  }
  return { samples, medians: middle, ratios };
}

/** Ten times the definitions have nearly ten times the changes: errors stand in lists, and no error carries a copy. */
function requireGrowth({ once: [one], grown: [more] }) {
  const additive = ({ verdicts }) => verdicts.filter((verdict) => verdict === "additive").length;
  if (additive(one) < 5 || more.changes < 5 * one.changes || additive(more) < 4 * additive(one))
    throw new Error(`${one.changes} changes became ${more.changes}, ${additive(more)} of them additive`);
}
