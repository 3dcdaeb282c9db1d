// Commands a second with results in PostgreSQL: by Workspaces, or by the two statements that somebody would write by
// hand, a claim and its completion, unnamed as a pooler by transaction needs them.
import { randomUUID } from "node:crypto";
import pg from "pg";
import { Workspaces } from "../../dist/src/commands/index.js";
import { migratePostgres, postgresResults } from "../../dist/src/commands/node.js";

const RESULT = {
  status: "accepted",
  result: { turnId: "0192f5c8-7a1e-7c3d-9b2a-000000000003", startedNewTurn: true },
};

export default async function prepare({ by, url, connections, calls }) {
  const pool = new pg.Pool({ connectionString: url, max: connections });
  const call = await CALLS[by](pool);
  if (JSON.stringify(await call(randomUUID())) !== JSON.stringify(RESULT))
    throw new Error(`${by}: another result`);
  return async () => {
    const ids = Array.from({ length: calls }, () => randomUUID());
    const start = performance.now();
    const worker = async () => {
      for (let id = ids.pop(); id !== undefined; id = ids.pop()) await call(id);
    };
    await Promise.all(Array.from({ length: connections }, worker));
    return (calls / (performance.now() - start)) * 1000;
  };
}

const CALLS = {
  async mspkit(pool) {
    await migratePostgres(pool);
    // Nobody deletes by hand either.
    const workspaces = new Workspaces({
      results: postgresResults(pool, { retention: { newest: 10_000_000 } }),
    });
    const handle = { tenant: "t", workspace: "w", participant: "p", carryOut: async () => RESULT };
    const command = { method: "run/retry", params: { runId: "r" } };
    return (commandId) => workspaces.execute(handle, command, { commandId });
  },

  async "by hand"(pool) {
    await pool.query(
      `create table if not exists by_hand
       (key text primary key, claim text not null, deadline timestamptz not null, result text)`,
    );
    const claim = `insert into by_hand (key, claim, deadline) values ($1, $2, now() + interval '60 s')
      on conflict (key) do nothing`;
    const complete = "update by_hand set result = $3 where key = $1 and claim = $2 and result is null";
    return async (id) => {
      const key = `t/w/p/${id}`;
      const token = randomUUID();
      const { rowCount } = await pool.query(claim, [key, token]);
      if (rowCount !== 1) throw new Error("claimed by another");
      const completed = await pool.query(complete, [key, token, JSON.stringify(RESULT)]);
      if (completed.rowCount !== 1) throw new Error("taken by another");
      return RESULT;
    };
  },
};
