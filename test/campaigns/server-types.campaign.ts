/** What client and server promise to a compiler: they compile everywhere, and misuse of them does not. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { emitClient } from "../../codegen/emit/client/emit.js";
import { emitServer } from "../../codegen/emit/server/emit.js";
import type { SurfacePlan } from "../../codegen/index.js";
import { bundleOf, planOf, planOfFile, textOf } from "../support/compile.js";
import { DEPOT_SCHEMA, hasReference, MSP_SCHEMA, REFERENCE, scratchFolder } from "../support/repo.js";
import { type Compiler, check, tsc } from "../support/typescript.js";

/** The files of both products, and of those that they refer to. */
async function filesOf(plan: SurfacePlan): Promise<Record<string, string>> {
  return {
    "types.ts": await textOf(plan, "types"),
    "validators.d.ts": await textOf(plan, "validators", "validators.d.ts"),
    "tables.d.ts": await textOf(plan, "tables", "tables.d.ts"),
    ...emitClient(plan),
    ...emitServer(plan),
  };
}

const EMPTY = bundleOf({});
/** Names that the products themselves use, and what surrounds them. */
const CLASHING = bundleOf(
  Object.fromEntries(
    "Client Server Peer Handler Handlers Answer Connection ProtocolError Restriction Tables Check ErrorName withheld createServer methods Promise Omit"
      .split(" ")
      .map((name) => [
        name,
        {
          type: "object",
          properties: { commandId: { type: "string" }, [name]: { type: "string" } },
          required: [name],
        },
      ]),
  ),
  {
    methods: {
      ask: { params: { $ref: "#/$defs/Client" }, result: { $ref: "#/$defs/Server" } },
      tell: {
        params: { $ref: "#/$defs/Handler" },
        result: { $ref: "#/$defs/Promise" },
        "x-msp-kind": "command",
        "x-msp-command-id": "optional",
      },
    },
  },
);

describe.each<Compiler>(["typescript-5-4", "typescript-7"])("%s", (compiler) => {
  test("accepts client and server of every bundle under strict settings", async () => {
    const folder = scratchFolder();
    const plans: Record<string, SurfacePlan> = {
      empty: planOf(EMPTY),
      clashing: planOf(CLASHING),
      "msp-stable": planOfFile(MSP_SCHEMA, "stable"),
      msp: planOfFile(MSP_SCHEMA),
      "depot-stable": planOfFile(DEPOT_SCHEMA, "stable"),
      depot: planOfFile(DEPOT_SCHEMA),
      ...(hasReference ? { owners: planOfFile(join(REFERENCE, "surface.json")) } : {}),
    };
    for (const [name, plan] of Object.entries(plans)) {
      mkdirSync(join(folder, name));
      for (const [file, text] of Object.entries(await filesOf(plan)))
        writeFileSync(join(folder, name, file), text);
    }
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noImplicitReturns: true,
      noImplicitOverride: true,
      isolatedModules: true,
      verbatimModuleSyntax: true,
      module: "NodeNext",
      target: "ES2022",
      lib: ["ES2022"],
      types: [],
      noEmit: true,
    };
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    expect(await tsc(compiler, ["-p", "."], folder)).toEqual({ code: 0, output: "" });
  });
});

describe("a program", () => {
  let depot: Record<string, string>;
  beforeAll(async () => {
    depot = await filesOf(planOfFile(DEPOT_SCHEMA));
  });

  /** The problems of a program beside the depot's bindings. */
  const problems = (text: string): readonly string[] =>
    check({ ...depot, "use.ts": text }).map(
      ({ file, line, message }) => `${file}:${line} ${message.split("\n")[0]}`,
    );

  const HANDLERS = `import { createServer, protocolError, withheld } from "./server.js";
const handlers = {
  find: () => ({ articles: [], total: 0, version: 2 as const }),
  move: async () => protocolError("gateShut", { sku: "AB12" }),
  open: withheld,
  ping: () => ({}),
};
`;

  test("that serves every stable method, or says that it does not, compiles", () => {
    expect(
      problems(`${HANDLERS}
createServer({ ...handlers, tree: withheld });
const server = createServer<{ readonly user: string }>(
  {
    ...handlers,
    tree: (params: undefined, context) => {
      const user: string = context.user;
      if (context.experimental === true) throw protocolError("gateBusy");
      return { root: { label: user } };
    },
    stocktake: () => ({ counts: {} }),
  },
  { profile: "ephemeral", notifications: { watching: (params: undefined, { user }) => void user.length } },
);
const connection = { grants: ["survey"], experimental: ["move.dryRun"], user: "u" };
export const answer = await server.dispatch("find", {}, connection);
if ("error" in answer) answer.error.data.retryable satisfies boolean | undefined;
server.result("ping", {}, connection);
server.notification("happened", { at: 1, event: { what: "odd" } }, connection);
server.request("confirm", { moveId: "m", question: "q" }, connection)?.params;
`),
    ).toEqual([]);
  });

  test.each<[string, string]>([
    ["leaves a stable method out", "createServer(handlers);"],
    ["has undefined for a stable method", "createServer({ ...handlers, tree: undefined });"],
    ["answers a wrong result", "createServer({ ...handlers, tree: () => ({ root: {} }) });"],
    [
      "reads params that are not there",
      "createServer({ ...handlers, tree: withheld, find: (params) => ({ articles: [], total: params.amount, version: 2 }) });",
    ],
    ["withholds by another word", 'createServer({ ...handlers, tree: "no" });'],
    ["throws an error that the protocol has not", 'protocolError("nothing");'],
    ["gives an error a wrong detail", 'protocolError("gateBusy", { sku: 1 });'],
    [
      "dispatches without a connection",
      'createServer({ ...handlers, tree: withheld }).dispatch("find", {}, {});',
    ],
    [
      "leaves its own context out",
      'createServer<{ user: string }>({ ...handlers, tree: withheld }).dispatch("find", {}, { grants: [], experimental: true });',
    ],
    [
      "sends a client's notification",
      'createServer({ ...handlers, tree: withheld }).notification("watching", undefined, { grants: [], experimental: true });',
    ],
    [
      "notifies of a wrong thing",
      'createServer({ ...handlers, tree: withheld }).notification("happened", { at: "x" }, { grants: [], experimental: true });',
    ],
  ])("that %s does not", (_, line) => {
    expect(problems(`${HANDLERS}\n${line}\n`)).not.toEqual([]);
    expect(problems(`${HANDLERS}\n// @ts-expect-error\n${line}\n`)).toEqual([]);
  });

  const CLIENT = `import { createClient, type Peer } from "./client.js";
declare const peer: Peer;
declare const slow: Peer<{ readonly timeout?: number }>;
const options = { mintCommandId: () => "id" };
const client = createClient(peer, options);
const slowClient = createClient(slow, options);
const move = { lines: [{ sku: "AB12", quantity: 1 }], target: { to: "place" as const, label: "x" } };
`;

  test("that uses a client compiles", () => {
    expect(
      problems(`${CLIENT}
const { commandId, moveId } = await client.move(move);
await client.move(move, { commandId });
await slowClient.move(move, { commandId, timeout: 1 });
await slowClient.find({ limit: 1 }, { timeout: 1 });
await slowClient.ping({ timeout: 1 });
await client.find();
await client.tree();
client.notify.watching();
const remove = client.on({ happened: ({ at, event }) => void [at satisfies number, event.what] });
client.handle({ confirm: async ({ question }) => ({ yes: question === moveId }) });
remove();
`),
    ).toEqual([]);
  });

  test.each<[string, string]>([
    ["makes a client that cannot mint ids", "createClient(peer);"],
    ["makes a client that cannot mint ids, by its options", "createClient(peer, {});"],
    ["gives the id among the params", 'client.move({ ...move, commandId: "id" });'],
    [
      "gives the id among the params, by a variable",
      'const moved = { ...move, commandId: "id" }; client.move(moved);',
    ],
    ["misspells the id", 'client.move(move, { comandId: "id" });'],
    ["gives a query an id", 'client.find({}, { commandId: "id" });'],
    ["gives an action an id", 'client.open({ commandId: "id" });'],
    ["leaves params out", "client.move();"],
    ["gives params to a method without", "client.ping({ a: 1 });"],
    ["calls what is no method", "client.stock();"],
    ["gives an option that its peer has not", "slowClient.ping({ delay: 1 });"],
    ["handles what is no notification", "client.on({ watching: () => {} });"],
    ["answers the host wrongly", "client.handle({ confirm: () => ({}) });"],
    ["sends a wrong member", "client.find({ limit: true });"],
  ])("that %s does not", (_, line) => {
    expect(problems(`${CLIENT}\n// @ts-expect-error\n${line}\n`)).toEqual([]);
    expect(problems(`${CLIENT}\n${line}\n`)).not.toEqual([]);
  });
});

test("the imports of both are their own tree's alone, and the client's are types", async () => {
  const { "client.ts": client = "", "server.ts": server = "" } = await filesOf(planOfFile(MSP_SCHEMA));
  const imports = (text: string): string[] =>
    [...text.matchAll(/^(?:import|\}) .*from "([^"]*)";|^import "([^"]*)"/gm)].map(([, from]) => from ?? "");
  expect(imports(client)).toEqual(["./types.js"]);
  expect(client).not.toMatch(/^import (?!type )/m);
  expect(imports(server)).toEqual(["./tables.js", "./types.js", "./validators.js"]);
});
