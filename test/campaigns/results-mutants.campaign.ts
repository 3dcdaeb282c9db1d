/** Faults planted in the functions of PostgreSQL: each is caught by the law that it breaks. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresResults } from "../../src/commands/node.js";
import { migrateTo } from "../../src/commands/results/postgres/migrate.js";
import { MIGRATIONS } from "../../src/commands/results/postgres/migrations.js";
import { checkResults, type ResultsSubject } from "../../src/laws/store/index.js";
import { hasPostgres, startPostgres, type TestPostgres } from "../support/postgres.js";

const MUTANTS: readonly (readonly [what: string, law: string, from: RegExp, to: string])[] = [
  [
    "a claim overwrites the one that stands",
    "one-claim",
    /on conflict \(key\) do nothing/,
    "on conflict (key) do update set claim = excluded.claim",
  ],
  ["epochs begin again", "epochs", /nextval\('mspkit\.command_epochs'\)/, "1"],
  [
    "a settlement does not ask whose the claim is",
    "fenced",
    /(set result = p_result.*\n\s*where c\.key = p_key) and c\.claim = p_claim and c\.epoch = p_epoch/,
    "$1",
  ],
  [
    "a settlement does not ask whether there is one",
    "first-result",
    /c\.epoch = p_epoch and c\.result is null\n(\s*and c\.deadline > clock_timestamp\(\)\n\s*returning c\.deadline)/,
    "c.epoch = p_epoch\n$1",
  ],
  [
    "a settlement does not ask for the deadline",
    "abandoned",
    /and c\.result is null\n\s*and c\.deadline > clock_timestamp\(\)\n(\s*)returning c\.deadline <= clock_timestamp\(\) into late/,
    "and c.result is null\n$1returning false into late",
  ],
  [
    "a late claim is not abandoned",
    "abandoned",
    /set result = p_abandoned, settled_at = clock_timestamp\(\)\n/,
    "set settled_at = clock_timestamp()\n",
  ],
  [
    "a release does not ask whose the claim is",
    "released",
    /(delete from mspkit\.command_results c\n\s*where c\.key = p_key) and c\.claim = p_claim and c\.epoch = p_epoch/,
    "$1",
  ],
  [
    "a release does not ask whether it is settled",
    "released",
    /and c\.epoch = p_epoch and c\.result is null and c\.effects = 0/,
    "and c.epoch = p_epoch",
  ],
  [
    "a pending claim is forgotten",
    "forgotten",
    /where c\.result is not null\n\s*and (\(p_age_ms[^\n]*\n\s*order by c\.settled_at),/,
    "where $1 nulls first,",
  ],
  [
    "what was claimed first is forgotten first",
    "settled-last",
    /order by c\.settled_at, c\.epoch/,
    "order by c.epoch",
  ],
  ["no watermark is raised", "forgotten", /where g\.id_time is not null group by/, "where false group by"],
  ["a new claim is made where it is full", "full", /where not p_full and \(p_time/, "where (p_time"],
  [
    "the signature is lost",
    "first-result",
    /select p_key, p_scope, p_time, p_claim, p_signature,/,
    "select p_key, p_scope, p_time, p_claim, null,",
  ],
];

describe.skipIf(!hasPostgres)("results in PostgreSQL", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres({ fsync: "off" });
  });
  afterAll(async () => {
    await server?.remove();
  });

  it.each(MUTANTS)("where %s, are caught by the law %s", async (what, law, from, to) => {
    const [{ sql, ...rest }] = MIGRATIONS as [(typeof MIGRATIONS)[number]];
    expect(sql.match(new RegExp(from, "g"))).toHaveLength(1);
    const subject: ResultsSubject = {
      name: what,
      async makePlace() {
        const url = await server.database();
        await migrateTo(url, [{ ...rest, sql: sql.replace(from, to) }]);
        return {
          results: async (retention) => postgresResults(url, retention === undefined ? {} : { retention }),
          remove: async () => undefined,
        };
      },
    };
    const report = await checkResults(subject, { only: [law] });
    expect(report.laws.map(({ verdict, broken }) => [verdict, typeof broken?.what])).toEqual([
      ["broken", "string"],
    ]);
  });
});
