/** The laws of what a peer may send, driven from the tables: each returns the problems that it found. */
import { type Definition, gatesOf, type Json, type Schema } from "../../../../codegen/index.js";
import type { Bindings, Connection, ErrorAnswer } from "../../../support/bindings.js";
import { Sampler } from "./conversation.js";

/** What a law found. */
export interface Verdict {
  /** The gates that were tried, with values that would be valid and values that would not. */
  readonly tried: string[];
  readonly problems: string[];
}

/** A server whose handlers answer valid results, and say when they are reached. */
export function serve({ server, tables }: Bindings, sample: Sampler, reached: (method: string) => void) {
  const handlers = Object.fromEntries(
    Object.entries(tables.methods).map(([method, { result }]) => [
      method,
      () => {
        reached(method);
        return sample.value(result);
      },
    ]),
  );
  return server.createServer(handlers, { checkResults: true });
}

/**
 * Every gate of every method: the method's own, and each gated member of its params, with a good and a bad value.
 * Without opt-in or grant it is refused for its own reason and no handler is reached; with it, a good value passes.
 */
export async function gatesHold(bindings: Bindings, seed: number): Promise<Verdict> {
  const verdict: Verdict = { tried: [], problems: [] };
  const { tables, plan } = bindings;
  const sample = new Sampler(bindings, seed);
  const stable = new Sampler(bindings, seed, "stable");
  let reached = 0;
  const server = serve(bindings, sample, () => reached++);
  const all = Object.keys(tables.capabilities);
  const expectRefusal = async (
    what: string,
    method: string,
    params: unknown,
    connection: Connection,
    expected: Readonly<Record<string, unknown>>,
  ): Promise<void> => {
    verdict.tried.push(what);
    const before = reached;
    const { error } = await server.dispatch(method, params, connection);
    const found = error === undefined ? {} : summary(error);
    if (JSON.stringify(found) !== JSON.stringify(expected) || reached !== before)
      verdict.problems.push(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
  };
  const expectPass = async (what: string, method: string, params: unknown, connection: Connection) => {
    const { error } = await server.dispatch(method, params, connection);
    if (error !== undefined) verdict.problems.push(`${what}: ${JSON.stringify(error)} although allowed`);
  };
  for (const [method, row] of Object.entries(tables.methods)) {
    const descriptor = row.descriptor ?? method;
    const params = sample.params(row);
    if (row.stability !== undefined) {
      const expected = { code: -32601, kind: "experimentalRequired", descriptor };
      const unopted = { grants: all, experimental: false };
      await expectRefusal(`${method}`, method, params, unopted, expected);
      await expectRefusal(
        `${method}, bad params`,
        method,
        1,
        { ...unopted, experimental: ["other"] },
        expected,
      );
      await expectPass(`${method} by descriptor`, method, sample.params(row), {
        grants: all,
        experimental: true,
      });
    }
    if (row.capability !== undefined) {
      const expected = { code: -32010, kind: "capabilityRequired", capability: row.capability };
      const ungranted = { grants: all.filter((name) => name !== row.capability), experimental: true };
      await expectRefusal(`${method} ungranted`, method, params, ungranted, expected);
      await expectRefusal(`${method} ungranted, bad params`, method, 1, ungranted, expected);
    }
    for (const gate of gatesOf(plan.protocol, row.params)) {
      const what = `${method} ${gate.path}`;
      const opted = row.stability === undefined ? [] : [descriptor];
      for (const bad of [false, true]) {
        // Nothing else that is gated is beside it.
        const plain = row.stability === undefined ? stable : sample;
        const value = withMember(bindings, plain, row.params as string, gate.path, bad);
        const grants = row.capability === undefined ? [] : [row.capability];
        if (gate.descriptor !== undefined) {
          const expected = { code: -32602, kind: "experimentalRequired", descriptor: gate.descriptor };
          await expectRefusal(what, method, value, { grants, experimental: opted }, expected);
        }
        if (gate.capability !== undefined) {
          const expected = { code: -32010, kind: "capabilityRequired", capability: gate.capability };
          await expectRefusal(what, method, value, { grants, experimental: true }, expected);
        }
        const open = { grants: all, experimental: true };
        if (bad) {
          const { error } = await server.dispatch(method, value, open);
          if (error?.code !== -32602 || error.kind === "experimentalRequired")
            verdict.problems.push(`${what}: a bad value passes when it is allowed`);
        } else await expectPass(what, method, value, open);
      }
    }
  }
  return verdict;
}

function summary({ code, kind, data }: ErrorAnswer): Record<string, unknown> {
  return {
    code,
    kind,
    ...(data["descriptor"] === undefined ? {} : { descriptor: data["descriptor"] }),
    ...(data["capability"] === undefined ? {} : { capability: data["capability"] }),
  };
}

/** Valid params that have a member at a path of a gate; a bad one is of a type that no schema has. */
function withMember(
  { plan, validators }: Bindings,
  sample: Sampler,
  definition: string,
  path: string,
  bad: boolean,
): Json {
  const { definitions } = plan.protocol;
  const resolve = (node: Schema): Schema =>
    node.ref === undefined ? node : resolve((definitions.get(node.ref) as Definition).schema);
  const tokens = path.split("/").slice(1);
  const build = (given: Schema, value: Json, rest: readonly string[]): Json => {
    const node = resolve(given);
    const token = rest[0];
    if (token === undefined) return bad ? [[null]] : value;
    const arm = node.union?.arms.find((one) => resolve(one).members?.some(({ name }) => name === token));
    if (arm !== undefined) {
      const constants = (resolve(arm).members ?? []).flatMap(({ name, schema, required }) =>
        required ? [[name, schema.constant?.value ?? "x"] as const] : [],
      );
      return build(arm, Object.fromEntries(constants), rest);
    }
    if (token === "*" && node.items !== undefined)
      return [build(node.items, minimal(node.items), rest.slice(1))];
    const whole = { ...(value as Record<string, Json>) };
    const member = node.members?.find(({ name }) => name === token)?.schema ?? (node.additional as Schema);
    whole[token === "*" ? "any" : token] = build(member, minimal(member), rest.slice(1));
    return whole;
  };
  const minimal = (node: Schema): Json =>
    node.ref === undefined ? minimalOf(resolve(node)) : (sample.value(node.ref) as Json);
  const { schema } = definitions.get(definition) as Definition;
  const built = build(schema, sample.object(definition), tokens);
  if (!bad && validators.definitions[definition]?.(built) !== null)
    throw new Error(`no valid ${definition} with ${path}: ${JSON.stringify(built)}`);
  return built;
}

function minimalOf({ types, minimum }: Schema): Json {
  const type = types?.[0];
  if (type === "object") return {};
  if (type === "array") return [];
  if (type === "boolean") return true;
  return type === "string" ? "x" : (minimum ?? 1);
}
