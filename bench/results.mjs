// Commands once per id: what `execute` costs in memory beside a library for idempotency, and in PostgreSQL beside the
// statements that one would write by hand.
import { sampleInTurns } from "./lib/contenders.mjs";
import { hasPostgres, startPostgres } from "./lib/postgres.mjs";
import { atLeast, median, medians, notMeasured } from "./lib/statistics.mjs";

const ROUNDS = 11;
const CONNECTIONS = [1, 16];
const TARGETS = { checked: 4, "first-result": 20 };

/** The measurements, in order. */
export const measurements = [
  { name: "results-memory", title: "Commands with results in memory, calls a second", measure: memory },
  {
    name: "results-postgres",
    title: "Commands with results in PostgreSQL, calls a second",
    measure: postgres,
  },
];

async function memory() {
  const contender = (library) => ({
    module: "contenders/results-memory.mjs",
    argument: { library, calls: 4_000, repeats: library === "powertools" ? 1 : 9 },
    warmUps: 4,
  });
  const libraries = [...Object.keys(TARGETS), "powertools"];
  const answers = await sampleInTurns(Object.fromEntries(libraries.map((name) => [name, contender(name)])), {
    rounds: ROUNDS,
  });
  const samples = {};
  for (const [library, list] of Object.entries(answers)) {
    samples[`${library}, first`] = list.map(({ first }) => first);
    samples[`${library}, replay`] = list.map(({ replay }) => replay);
  }
  const rate = medians(samples);
  return {
    samples,
    medians: rate,
    ratios: Object.entries(TARGETS).flatMap(([identity, target]) =>
      ["first", "replay"].map((part) =>
        atLeast(
          target,
          `${identity} / powertools, ${part}`,
          rate[`${identity}, ${part}`] / rate[`powertools, ${part}`],
        ),
      ),
    ),
  };
}

async function postgres(scratch) {
  const what = (connections) => `mspkit / by hand, ${connections} connection${connections === 1 ? "" : "s"}`;
  if (!hasPostgres()) {
    const ratios = CONNECTIONS.map((connections) =>
      notMeasured(0.85, what(connections), "at least", "PostgreSQL on the path"),
    );
    return { samples: {}, medians: {}, ratios };
  }
  const server = await startPostgres(scratch);
  try {
    const contenders = {};
    for (const connections of CONNECTIONS) {
      for (const by of ["mspkit", "by hand"])
        contenders[`${by}, ${connections}`] = {
          module: "contenders/results-postgres.mjs",
          argument: { by, url: server.url, connections, calls: connections === 1 ? 300 : 1_600 },
          warmUps: 3,
        };
    }
    const samples = await sampleInTurns(contenders, { rounds: 21 });
    // What a flush takes changes from moment to moment: each ratio is of samples that are neighbours.
    const ratio = (n) => median(samples[`mspkit, ${n}`].map((rate, i) => rate / samples[`by hand, ${n}`][i]));
    return {
      samples,
      medians: medians(samples),
      ratios: CONNECTIONS.map((connections) => atLeast(0.85, what(connections), ratio(connections))),
    };
  } finally {
    await server.stop();
  }
}
