// A call with an id: carried out the first time, answered from memory the second, and refused where its payload
// differs. By powertools with its payload validation, or as a host of ours does it: payload, signature, ledger.
import { IdempotencyConfig, makeIdempotent } from "@aws-lambda-powertools/idempotency";
import { commandId } from "../lib/command-ids.mjs";
import { texts } from "../lib/payloads.mjs";
import { Memory } from "../lib/powertools-memory.mjs";
import { acknowledge } from "../lib/turn-start.mjs";

const METHOD = "turn/start";
const handler = async (params) => acknowledge(params);
let minted = 0;

export default async function prepare({ library, internals, calls }) {
  const make = await LIBRARIES[library](internals);
  await requireIdentity(library, make());
  return async () => {
    const call = make();
    const params = distinct(calls);
    const first = await rateOf(call, params);
    return { first, replay: await rateOf(call, params) };
  };
}

function distinct(count) {
  const shapes = texts(METHOD).map((text) => JSON.parse(text));
  return Array.from({ length: count }, (_, i) => ({
    ...structuredClone(shapes[i % shapes.length]),
    commandId: commandId(++minted),
  }));
}

async function rateOf(call, params) {
  const start = performance.now();
  for (const one of params) await call(one);
  return (params.length / (performance.now() - start)) * 1000;
}

/** What remembered no payload, or carried a repeat out, would be fast for nothing. */
async function requireIdentity(library, call) {
  const [params] = distinct(1);
  const first = await call(params);
  const again = await call(structuredClone(params));
  if (JSON.stringify(first) !== JSON.stringify(again))
    throw new Error(`${library}: a repeat has another ack`);
  const other = { ...params, input: [{ type: "text", text: "something else" }] };
  const refused = await call(other).then(
    () => false,
    () => true,
  );
  if (!refused) throw new Error(`${library}: an id stood for two payloads`);
}

/** By library: what makes a handler that remembers nothing yet. */
const LIBRARIES = {
  async mspkit(internals) {
    const { CommandLedger, payloadOf, signature } = await import(internals);
    return () => {
      const ledger = new CommandLedger();
      return async (params) => {
        const id = params.commandId.toLowerCase();
        const { payload, refusal } = payloadOf(METHOD, params);
        if (refusal !== undefined) throw new Error(refusal.fault);
        const sum = signature(METHOD, payload);
        const standing = ledger.stand(id, sum);
        if (standing.kind === "conflict") throw new Error(standing.kind);
        if (standing.kind === "repeat") return standing.row.answer;
        const position = ledger.size;
        ledger.receive(id, sum, undefined, position);
        const answer = await handler(params);
        ledger.settle(id, position, answer);
        return answer;
      };
    };
  },

  async powertools() {
    // It says for each refusal that it refuses.
    console.warn = () => {};
    return () => {
      const config = new IdempotencyConfig({
        eventKeyJmesPath: "commandId",
        payloadValidationJmesPath: "@",
        hashFunction: "sha256",
      });
      config.registerLambdaContext({ getRemainingTimeInMillis: () => 60_000 });
      return makeIdempotent(handler, { persistenceStore: new Memory(), config });
    };
  },
};
