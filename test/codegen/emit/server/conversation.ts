/** The law that a generated client and a generated server understand each other, driven from the tables. */
import { type Definition, type Json, project, type Surface } from "../../../../codegen/index.js";
import { Random } from "../../../../src/laws/random.js";
import {
  type Answer,
  type Bindings,
  type Client,
  type Connection,
  type ErrorAnswer,
  functionOf,
  type Handler,
  MemoryPeer,
  type Row,
  type Server,
  wired,
} from "../../../support/bindings.js";
import type { Validate } from "../../../support/compile.js";
import { ValueMaker } from "../../../support/values.js";

/** What came of one conversation. */
export interface Talk {
  /** Names of the messages that arrived and were answered as they should; of the errors, code and kind. */
  readonly methods: string[];
  readonly notifications: string[];
  readonly requests: string[];
  readonly errors: string[];
  readonly problems: string[];
}

/** A connection that may use everything. */
export function everything({ tables }: Bindings): Connection {
  return { grants: new Set(Object.keys(tables.capabilities)), experimental: true };
}

/** Makes valid values of definitions, by a seed. */
export class Sampler {
  readonly #bindings: Bindings;
  readonly #definitions: ReadonlyMap<string, Definition>;
  readonly #maker: ValueMaker;

  /** The values are those of the whole surface, or only those that the stable one has. */
  constructor(bindings: Bindings, seed: number, surface: Surface = "experimental") {
    this.#bindings = bindings;
    this.#definitions = project(bindings.plan.protocol, surface).definitions;
    this.#maker = new ValueMaker(this.#definitions, new Random(seed));
  }

  #definition(name: string): Definition {
    return (this.#definitions.get(name) ?? this.#bindings.plan.protocol.definitions.get(name)) as Definition;
  }

  /** A valid value of a definition as the wire carries it; undefined where a message has none. */
  value(definition: string | undefined): Json | undefined {
    if (definition === undefined) return undefined;
    const validate = this.#bindings.validators.definitions[definition] as Validate;
    const { schema } = this.#definition(definition);
    for (let tries = 0; tries < 200; tries++) {
      const value = wired(this.#maker.make(schema).value);
      if (validate(value) === null) return value;
    }
    throw new Error(`no valid ${definition}`);
  }

  /** Valid params of a method; a strict one gets none that its schema does not declare. */
  params({ params, strict }: Row): Record<string, Json> | undefined {
    if (params === undefined) return undefined;
    const value = this.object(params);
    const { members = [] } = this.#definition(params).schema;
    for (const name of strict === true ? Object.keys(value) : [])
      if (!members.some((member) => member.name === name)) delete value[name];
    return value;
  }

  /** A valid value of a definition of objects. */
  object(definition: string | undefined): Record<string, Json> {
    return (this.value(definition) ?? {}) as Record<string, Json>;
  }
}

/** Every message of the tables once, each way, and every error. */
export async function converse(bindings: Bindings, seed: number): Promise<Talk> {
  const talk: Talk = { methods: [], notifications: [], requests: [], errors: [], problems: [] };
  const sample = new Sampler(bindings, seed);
  const { tables, server: made, client: clientModule } = bindings;
  const connection = everything(bindings);
  let handle: Handler = () => undefined;
  const current: Handler = (params, context) => handle(params, context);
  const thrown: unknown[] = [];
  const table = (names: object): object =>
    Object.fromEntries(Object.keys(names).map((name) => [name, current]));
  const server = made.createServer(table(tables.methods), {
    notifications: table(tables.notifications),
    checkResults: true,
    onError: (error: unknown) => thrown.push(error),
  });
  const peer = new MemoryPeer(server, connection);
  let minted = 0;
  const client = clientModule.createClient(peer, { mintCommandId: () => `minted-${++minted}` });
  const both = { talk, sample, bindings, server, peer, client, connection, thrown, expect: check };

  for (const [method, row] of Object.entries(tables.methods)) {
    const params = sample.params(row);
    const result = sample.value(row.result);
    let got: unknown = "nothing";
    handle = (given) => {
      got = given;
      return result;
    };
    const args = argumentsOf(row.commandId, params);
    const call = functionOf(client, method);
    const answer = call === undefined ? "no function" : await settled(call(...args));
    const ok =
      check(talk, method, "params", got, params) && check(talk, method, "result", answer, { value: result });
    if (ok) talk.methods.push(method);
  }
  await errors({ ...both, serve: (handler) => (handle = handler) });
  await notifications({ ...both, serve: (handler) => (handle = handler) });
  await requests(both);
  for (const error of thrown) talk.problems.push(`onError got ${String(error)}`);
  return talk;
}

interface Both {
  readonly talk: Talk;
  readonly sample: Sampler;
  readonly bindings: Bindings;
  readonly server: Server;
  readonly peer: MemoryPeer;
  readonly client: Client;
  readonly connection: Connection;
}

interface Serving extends Both {
  readonly serve: (handler: Handler) => void;
}

function argumentsOf(commandId: string | undefined, params: Record<string, Json> | undefined): unknown[] {
  if (params === undefined) return [];
  if (commandId === "none") return [params];
  const { commandId: id, ...rest } = params;
  // The client mints an id where the caller has none.
  if (id === undefined) params["commandId"] = "minted-1";
  return id === undefined ? [rest] : [rest, { commandId: id }];
}

async function settled(promise: unknown): Promise<{ value: unknown } | { error: unknown }> {
  try {
    return { value: await promise };
  } catch (error) {
    return { error };
  }
}

function check(talk: Talk, message: string, what: string, found: unknown, expected: unknown): boolean {
  const same = canonical(found) === canonical(expected);
  if (!same) talk.problems.push(`${message}: ${what} ${canonical(found)} instead of ${canonical(expected)}`);
  return same;
}

/** JSON with the members in order of their names. */
export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? "nothing"
  );
}

/** Every row of the registry, under its own kind and under each that stands in for it, thrown and returned. */
async function errors({ talk, sample, bindings, client, serve }: Serving): Promise<void> {
  const { tables, plan, server: made } = bindings;
  const [method, row] = Object.entries(tables.methods)[0] ?? [];
  if (method === undefined) return;
  for (const [base, { code, retryable, overrideKinds }] of Object.entries(tables.errors)) {
    for (const kind of [base, ...overrideKinds]) {
      const { kind: _, retryable: __, ...details } = sample.object(plan.protocol.errorData);
      const error = made.protocolError(kind, details, "for people", code);
      for (const how of ["thrown", "returned"]) {
        serve(() => {
          if (how === "thrown") throw error;
          return error;
        });
        const params = row === undefined ? undefined : sample.params(row);
        const call = functionOf(client, method);
        const answer = await settled(call?.(...argumentsOf(row?.commandId, params)));
        const found = ("error" in answer ? answer.error : undefined) as ErrorAnswer | undefined;
        const data = { ...details, kind, ...(retryable === undefined ? {} : { retryable }) };
        if (
          check(talk, `${code} ${kind} ${how}`, "error", found, { code, kind, message: "for people", data })
        )
          talk.errors.push(`${code} ${kind} ${how}`);
      }
    }
  }
}

async function notifications(all: Serving): Promise<void> {
  const { talk, sample, bindings, server, peer, client, connection, serve } = all;
  for (const [method, row] of Object.entries(bindings.tables.notifications)) {
    const params = sample.value(row.params);
    let got: unknown = "nothing";
    const take = (given: unknown): void => {
      got = given;
    };
    if (row.direction === "host-to-client") {
      const remove = client.on({ [method]: take });
      peer.tell(server.notification(method, params, connection));
      remove();
      const before = got;
      got = "nothing";
      peer.tell(server.notification(method, params, connection));
      if (!check(talk, method, "params after removal", got, "nothing")) continue;
      got = before;
    } else {
      serve(take);
      await functionOf(client.notify, method)?.(params);
    }
    if (check(talk, method, "params", got, params)) talk.notifications.push(method);
  }
}

async function requests({ talk, sample, bindings, server, peer, client, connection }: Both): Promise<void> {
  for (const [method, row] of Object.entries(bindings.tables.requests)) {
    const params = sample.value(row.params);
    const result = sample.value(row.result);
    let got: unknown = "nothing";
    const remove = client.handle({
      [method]: (given: unknown) => {
        got = given;
        return result;
      },
    });
    const message = server.request(method, params, connection);
    const answer = await peer.ask(message);
    remove();
    const later = (await peer.ask(message)) as Answer;
    const ok =
      check(talk, method, "params", got, params) &&
      check(talk, method, "answer", answer, { result }) &&
      check(talk, method, "code without a handler", later.error?.code, -32601);
    if (ok) talk.requests.push(method);
  }
}
