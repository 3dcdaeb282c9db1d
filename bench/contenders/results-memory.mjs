// A command under an id, with results in memory and a handler that does nothing: carried out the first time, answered
// from memory the second. By powertools with its payload validation, or by Workspaces, which tell OpenTelemetry's no-op
// provider of it.
import { IdempotencyConfig, makeIdempotent } from "@aws-lambda-powertools/idempotency";
import * as tables from "../../dist/generated/msp/experimental/tables.js";
import { InMemoryCommandResults, openTelemetry, Workspaces } from "../../dist/src/commands/index.js";
import { commandId } from "../lib/command-ids.mjs";
import { texts } from "../lib/payloads.mjs";
import { Memory } from "../lib/powertools-memory.mjs";
import { median } from "../lib/statistics.mjs";
import { acknowledge } from "../lib/turn-start.mjs";

const METHOD = "turn/start";
let minted = 0;

export default async function prepare({ library, calls, repeats }) {
  const make = await LIBRARIES[library]();
  await requireOnce(library, make());
  return async () => {
    const rates = { first: [], replay: [] };
    for (let i = 0; i < repeats; i++) {
      const call = make();
      const commands = distinct(calls);
      rates.first.push(await rateOf(call, commands));
      rates.replay.push(await rateOf(call, commands));
      // What was remembered is not in the way of the next ones.
      await call.close?.();
    }
    return { first: median(rates.first), replay: median(rates.replay) };
  };
}

/** Nothing is compared before it does the same. */
async function requireOnce(library, call) {
  const [command] = distinct(1);
  const [one, other] = [await call(command), await call(command)];
  if (JSON.stringify(one) !== JSON.stringify(other))
    throw new Error(`${library}: a repeat has another answer`);
  if (call.effects() !== 1) throw new Error(`${library}: ${call.effects()} effects of one command`);
  if (library === "first-result") return;
  const params = { ...command.params, input: [{ type: "text", text: "something else" }] };
  const refused = await call({ ...command, params }).then(
    (result) => result.status === "rejected",
    () => true,
  );
  if (!refused) throw new Error(`${library}: an id stood for two payloads`);
}

/** Commands with an id each. Params are shared: nobody changes them, and what making them costs is not in question. */
const SHAPES = texts(METHOD).map((text) => {
  const { commandId: _, ...params } = JSON.parse(text);
  return params;
});

function distinct(count) {
  return Array.from({ length: count }, (_, i) => ({
    id: commandId(++minted),
    params: SHAPES[i % SHAPES.length],
  }));
}

async function rateOf(call, commands) {
  const start = process.cpuUsage();
  for (const command of commands) await call(command);
  const { user, system } = process.cpuUsage(start);
  return (commands.length / (user + system)) * 1e6;
}

/** By library: what makes a call that remembers nothing yet. */
const LIBRARIES = {
  checked: () => workspaces("checked"),
  "first-result": () => workspaces("first-result"),

  async powertools() {
    // It says for each refusal that it refuses.
    console.warn = () => {};
    return () => {
      let effects = 0;
      const config = new IdempotencyConfig({
        eventKeyJmesPath: "commandId",
        payloadValidationJmesPath: "@",
        hashFunction: "sha256",
      });
      config.registerLambdaContext({ getRemainingTimeInMillis: () => 60_000 });
      const handler = async (params) => {
        effects++;
        return acknowledge(params);
      };
      const idempotent = makeIdempotent(handler, { persistenceStore: new Memory(), config });
      return Object.assign(({ id, params }) => idempotent({ ...params, commandId: id }), {
        effects: () => effects,
      });
    };
  },
};

async function workspaces(identity) {
  const telemetry = await openTelemetry();
  return () => {
    let effects = 0;
    const handle = {
      tenant: "t",
      workspace: "w",
      participant: "p",
      async carryOut(_command, { commandId }) {
        effects++;
        return { status: "accepted", result: acknowledge({ commandId }) };
      },
    };
    // The ids have times that are long ago, and none may be forgotten before it is repeated.
    const results = new InMemoryCommandResults({ retention: { newest: 100_000 } });
    const made = new Workspaces({ results, identity, tables, telemetry });
    return Object.assign(
      ({ id, params }) => made.execute(handle, { method: METHOD, params }, { commandId: id }),
      { effects: () => effects, close: () => made.close() },
    );
  };
}
