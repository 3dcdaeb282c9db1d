/**
 * The links of the agreement law that the server and the types hold: what the arbitraries call valid reaches a
 * handler and compiles as its type; what they call invalid is refused for its own place and keyword; what a stable
 * peer may not send is refused as experimental.
 */
import fc from "fast-check";
import { typeName } from "../../codegen/plan/names.js";
import type { Bindings, Connection } from "./bindings.js";
import type { Violation } from "./compile.js";
import type { Arbitraries, Invalid } from "./samples.js";

/** What a law looked at and what broke it. */
export interface Findings {
  readonly broken: string[];
  /** By method: valid values that were handled, invalid ones that were refused. */
  readonly counts: Record<string, { handled: number; refused: number }>;
}

/** Every method of a surface, driven from the tables, with a server that takes everything. */
export async function serverAgrees(
  { server, tables }: Bindings,
  arbitraries: Arbitraries,
  runs: number,
): Promise<Findings> {
  const out: Findings = { broken: [], counts: {} };
  let handled = false;
  const handlers = Object.fromEntries(
    Object.keys(tables.methods).map((method) => [
      method,
      () => {
        handled = true;
        return {};
      },
    ]),
  );
  const all: Connection = { grants: Object.keys(tables.capabilities), experimental: true };
  const host = server.createServer(handlers);
  for (const [method, { params }] of Object.entries(arbitraries.methods)) {
    const count = { handled: 0, refused: 0 };
    out.counts[method] = count;
    if (params === undefined) continue;
    for (const value of fc.sample(params.valid, { numRuns: runs, seed: 11 })) {
      handled = false;
      const answer = await host.dispatch(method, value, all);
      if (handled && answer.error === undefined) count.handled++;
      else
        out.broken.push(
          `${method}: refused the valid ${JSON.stringify(value)}: ${JSON.stringify(answer.error)}`,
        );
    }
    if (params.invalid === undefined) continue;
    for (const wrong of fc.sample(params.invalid, { numRuns: runs, seed: 12 })) {
      handled = false;
      const { error } = await host.dispatch(method, wrong.value, all);
      if (!handled && error !== undefined && tells(error, wrong)) count.refused++;
      else
        out.broken.push(
          `${method}: wants ${wrong.keyword} at "${wrong.instanceLocation}": got ${JSON.stringify(error)}`,
        );
    }
  }
  return out;
}

function tells(
  error: { readonly data: Readonly<Record<string, unknown>> },
  { instanceLocation, keyword }: Invalid,
): boolean {
  const { details } = error.data as { details?: { violations?: readonly Violation[] } };
  const [first, ...more] = details?.violations ?? [];
  return more.length === 0 && first?.instanceLocation === instanceLocation && first.keyword === keyword;
}

/**
 * A peer that did not opt in: what has an experimental member is refused as experimental, what was drawn from the
 * stable surface is handled.
 */
export async function gatesAgree(
  { server, tables }: Bindings,
  opted: Arbitraries,
  stable: Arbitraries,
  runs: number,
): Promise<{ readonly broken: string[]; readonly refused: number; readonly handled: number }> {
  const broken: string[] = [];
  let refused = 0;
  let handled = 0;
  const host = server.createServer(
    Object.fromEntries(Object.keys(tables.methods).map((method) => [method, () => ({})])),
  );
  const peer: Connection = { grants: Object.keys(tables.capabilities), experimental: false };
  for (const [method, { gates = [], stability }] of Object.entries(tables.methods)) {
    const params = opted.methods[method]?.params;
    if (params === undefined) continue;
    const names = gates.flatMap(({ path, descriptor }) =>
      descriptor === undefined || path.lastIndexOf("/") > 0 ? [] : [path.slice(1)],
    );
    for (const value of fc.sample(params.valid, { numRuns: runs, seed: 13 }) as object[]) {
      if (stability === undefined && !names.some((name) => Object.hasOwn(value, name))) continue;
      const { error } = await host.dispatch(method, value, peer);
      if (error?.kind === "experimentalRequired") refused++;
      else broken.push(`${method}: takes ${JSON.stringify(value)} from a stable peer`);
    }
    for (const value of stability === undefined
      ? fc.sample(stable.methods[method]!.params!.valid, { numRuns: runs, seed: 14 })
      : []) {
      const { error } = await host.dispatch(method, value, peer);
      if (error === undefined) handled++;
      else
        broken.push(`${method}: refuses ${JSON.stringify(value)} of a stable peer: ${JSON.stringify(error)}`);
    }
  }
  return { broken, refused, handled };
}

/** A program that assigns samples of every definition to its type; the definition of a line is in its comment. */
export function typeProgram(
  { plan }: Bindings,
  arbitraries: Arbitraries,
  runs: number,
): { readonly program: string; readonly lines: number } {
  const names = [...plan.protocol.definitions.keys()];
  const imports = `import type {\n${names.map((name) => `  ${typeName(name)},\n`).join("")}} from "./types.js";\n`;
  const rows = names.flatMap((name) =>
    fc
      .sample(
        arbitraries.definitions[name]!.valid.filter((value) => !hasInherited(value)),
        { numRuns: runs, seed: 15 },
      )
      .map((value) => `take<${typeName(name)}>(${literal(value)}); // ${name}`),
  );
  return {
    program: `${imports}declare function take<T>(value: T): void;\n${rows.join("\n")}\n`,
    lines: rows.length,
  };
}

/**
 * Whether a value has a member that every object inherits. In a literal TypeScript takes it for the inherited one: what
 * is in it gets no context, so that its tags are any string.
 */
function hasInherited(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, inner]) => name in Object.prototype || hasInherited(inner));
}

/** A value as a literal; an own `__proto__` needs its computed form. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(",")}]`;
  if (typeof value !== "object" || value === null)
    return JSON.stringify(value).replace(/[\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
  return `{${Object.entries(value)
    .map(([name, inner]) => `[${literal(name)}]:${literal(inner)}`)
    .join(",")}}`;
}
