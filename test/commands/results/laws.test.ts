/** All results of the project keep every law that they can be held to. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkResults, type ResultsSubject, resultsLaws } from "../../../src/laws/store/index.js";
import { hasPostgres, startPostgres, type TestPostgres } from "../../support/postgres.js";
import { memoryResults, notKept, postgresSubject, sqliteSubject } from "../../support/results-subjects.js";

let server: TestPostgres | undefined;

beforeAll(async () => {
  // No law cuts the power of its machine.
  if (hasPostgres) server = await startPostgres({ fsync: "off" });
});

afterAll(async () => {
  await server?.remove();
});

// It keeps nothing beside results.
const ofEffects = resultsLaws.filter(({ needs }) => needs === "effects").map(({ id }) => id);

const rows: [string, ResultsSubject, readonly string[]][] = [
  ["results in memory", memoryResults, ["killed", ...ofEffects]],
  ["results in SQLite", sqliteSubject, []],
];

it.each(rows)("%s keep the laws", async (_name, subject, notApplicable) => {
  const report = await checkResults(subject, { seed: 7 });
  expect(notKept(report)).toEqual(Object.fromEntries(notApplicable.map((id) => [id, "notApplicable {}"])));
  expect(report.holds).toBe(true);
});

it.skipIf(!hasPostgres)("results in PostgreSQL keep the laws", async () => {
  const report = await checkResults(
    postgresSubject(() => server!),
    { seed: 7 },
  );
  expect(notKept(report)).toEqual({});
  expect(report.holds).toBe(true);
});
