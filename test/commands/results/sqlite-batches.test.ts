/** Changes in SQLite that share a transaction: what fails of one is not the others' fault. */
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { Claim, CommandResults } from "../../../src/commands/index.js";
import { sqliteResults } from "../../../src/commands/node.js";
import { prepareResults } from "../../../src/commands/results/sqlite/tables.js";
import { accepted } from "../../support/commands.js";
import { scratchFolder } from "../../support/repo.js";

const keyOf = (commandId: string) => ({ tenant: "t", workspace: "w", participant: "p", commandId });

async function claimOf(results: CommandResults, commandId: string): Promise<Claim> {
  const request = { key: keyOf(commandId), idTime: undefined, signature: undefined, deadlineMs: 60_000 };
  const claimed = await results.claim(request);
  if (claimed.kind !== "claimed") throw new Error(claimed.kind);
  return claimed.claim;
}

function damage(path: string, { epoch }: Claim): void {
  const db = new Sqlite(path);
  db.prepare("update command_results set result = '{', settled_at = 1 where epoch = ?").run(epoch);
  db.close();
}

function rows(path: string): number {
  const db = new Sqlite(path, { readonly: true });
  const count = db.prepare<[], number>("select count(*) from command_results").pluck().get();
  db.close();
  return count!;
}

describe("a damaged row in SQLite", () => {
  it("fails its own settlement, and none of those that come in the same turn", async () => {
    const path = join(scratchFolder(), "results.db");
    const results = sqliteResults(path);
    const ids = Array.from({ length: 20 }, (_, i) => `c${i}`);
    const claims = await Promise.all(ids.map((id) => claimOf(results, id)));
    damage(path, claims[7]!);
    const settled = await Promise.allSettled(claims.map((claim) => results.settle(claim, accepted(1))));
    expect(settled.map((one) => (one.status === "rejected" ? one.reason.kind : one.value.kind))).toEqual(
      ids.map((_, i) => (i === 7 ? "damaged" : "settled")),
    );
    // They are on the disk, and a later batch is one again.
    const others = sqliteResults(path);
    expect(await others.read(keyOf("c19"))).toMatchObject({ kind: "settled", result: accepted(1) });
    await Promise.all([claimOf(results, "later"), claimOf(results, "last")]);
    expect(rows(path)).toBe(22);
    await others.close();
    await results.close();
  });

  it("fails who waits for it, and nobody who waits for another", async () => {
    const path = join(scratchFolder(), "results.db");
    const results = sqliteResults(path);
    const claims = [await claimOf(results, "a"), await claimOf(results, "b"), await claimOf(results, "c")];
    damage(path, claims[1]!);
    const waiting = Promise.allSettled(claims.map(({ key }) => results.wait(key, 60_000)));
    // Asked for once by then, all three at once.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await results.settle(claims[0]!, accepted(1));
    await results.settle(claims[2]!, accepted(3));
    expect((await waiting).map((one) => (one.status === "rejected" ? one.reason.kind : one.value))).toEqual([
      expect.objectContaining({ kind: "settled", result: accepted(1) }),
      "damaged",
      expect.objectContaining({ kind: "settled", result: accepted(3) }),
    ]);
    await results.close();
  });
});

it("processes that live briefly forget as well", async () => {
  const path = join(scratchFolder(), "results.db");
  let carried = 0;
  // None of them comes to the fifty after which one forgets; that none of a hundred does so is as good as impossible.
  for (let life = 0; life < 100; life++) {
    const results = sqliteResults(path, { retention: { newest: 20 } });
    const claims = await Promise.all(Array.from({ length: 10 }, (_, i) => claimOf(results, `${life}-${i}`)));
    await Promise.all(claims.map((claim) => results.settle(claim, accepted(1))));
    carried += claims.length;
    await results.close();
  }
  expect(carried).toBe(1_000);
  expect(rows(path)).toBeLessThan(1_000);
});

it("what is forgotten is found by an index, and not sorted", async () => {
  const path = join(scratchFolder(), "results.db");
  const results = sqliteResults(path);
  await claimOf(results, "a");
  await results.close();
  const db = new Sqlite(path);
  const plans: string[] = [];
  const { oldest } = prepareResults(db);
  for (const { detail } of db
    .prepare<[number, number], { detail: string }>(`explain query plan ${oldest.source}`)
    .all(1, 1))
    plans.push(detail);
  db.close();
  expect(plans).toEqual([expect.stringMatching(/USING INDEX command_settlements/)]);
});
