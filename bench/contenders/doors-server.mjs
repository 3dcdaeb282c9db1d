// A server of HTTP for one command: the door of mspkit, or fastify by hand. It tells its address, and what it has used of
// the processor when it is asked.
import { readFileSync } from "node:fs";
import { fastify } from "fastify";
import * as tables from "../../dist/generated/workspace/stable/tables.js";
import * as validators from "../../dist/generated/workspace/stable/validators.js";
import { InMemoryCommandResults, openTelemetry, Workspaces } from "../../dist/src/commands/index.js";
import { sqliteResults } from "../../dist/src/commands/node.js";
import { byTokens, serveDoors, tokenRow } from "../../dist/src/doors/index.js";
import { TOKEN } from "../lib/doors-client.mjs";

const PATH = "/v1/event/publish";
const schema = JSON.parse(
  readFileSync(new URL("../../dist/generated/workspace/stable/schema.json", import.meta.url), "utf8"),
);
const [by, file] = process.argv.slice(2);

/** What came of a command. */
const published = (commandId) => ({
  commandId,
  status: "accepted",
  eventId: "order-1001",
  position: 1,
  runIds: [],
});

const SERVERS = {
  mspkit: () => doors(new InMemoryCommandResults({ retention: { newest: 10_000 } })),
  "mspkit, SQLite": () => doors(sqliteResults(file)),
  bare: () => bare((commandId) => published(commandId)),
  async "one commit each"() {
    const { default: Database } = await import("better-sqlite3");
    const database = new Database(file);
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    database.exec("create table results (id text primary key, result text not null) without rowid");
    const add = database.prepare("insert into results values (?, ?) on conflict do nothing");
    return bare((commandId) => {
      const result = published(commandId);
      add.run(commandId, JSON.stringify(result));
      return result;
    });
  },
};

async function doors(results) {
  const app = {
    bundle: { tables, validators, schema },
    open: async ({ tenant, participant }, workspace) => ({
      tenant,
      participant,
      workspace,
      carryOut: async (_command, { commandId }) => ({ status: "accepted", result: published(commandId) }),
    }),
    close: async () => {},
  };
  const workspaces = new Workspaces({ results, telemetry: await openTelemetry() });
  const authenticate = byTokens([tokenRow(TOKEN, { tenant: "t", participant: "p" })]);
  const { url } = await serveDoors({ app, workspaces, authenticate, limits: { perSecond: 1e9 } });
  return url;
}

/** A route as it is written by hand: it parses, validates and answers. */
async function bare(carryOut) {
  const server = fastify();
  const body = { ...schema.$defs.EventPublishParams, $defs: schema.$defs };
  server.post(PATH, { schema: { body } }, async ({ body: { commandId } }) => carryOut(commandId));
  return server.listen({ host: "127.0.0.1", port: 0 });
}

const url = await SERVERS[by]();
process.on("message", () => process.send(process.cpuUsage()));
process.on("disconnect", () => process.exit());
process.send(url);
