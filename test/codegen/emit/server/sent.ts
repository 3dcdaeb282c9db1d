/** The law of what is sent to a peer that did not opt in: nothing experimental is left, and nothing else is lost. */
import { type Definition, type Json, project, type Schema } from "../../../../codegen/index.js";
import type { Answer, Bindings, Connection, Server } from "../../../support/bindings.js";
import type { Validators } from "../../../support/compile.js";
import { canonical, Sampler } from "./conversation.js";

/** What the law found. */
export interface Sent {
  /** By message: how many values were sent, and of how many something was left out. */
  readonly counts: Map<string, { sent: number; changed: number }>;
  readonly problems: string[];
}

const UNOPTED: Connection = { grants: [], experimental: false };

/** Every result, notification and request, as a peer without opt-in gets it. `stable`: the stable validators. */
export function nothingLeaks(
  bindings: Bindings,
  stable: Validators,
  { rounds, seed }: { rounds: number; seed: number },
): Sent {
  const sent: Sent = { counts: new Map(), problems: [] };
  const { tables, plan } = bindings;
  const { definitions } = plan.protocol;
  const base = project(plan.protocol, "stable");
  const sample = new Sampler(bindings, seed);
  const errors: unknown[] = [];
  const server = bindings.server.createServer({}, { onError: (error: unknown) => errors.push(error) });
  const grants = Object.keys(tables.capabilities);
  const hold = (what: string, definition: string, value: Json, shown: unknown): void => {
    const count = sent.counts.get(what) ?? { sent: 0, changed: 0 };
    sent.counts.set(what, count);
    count.sent++;
    if (shown !== value) count.changed++;
    const schema = (definitions.get(definition) as Definition).schema;
    const left = leftovers(definitions, schema, shown);
    if (left.length > 0) sent.problems.push(`${what} leaks ${left.join(" and ")}`);
    const violations = stable.definitions[definition]?.(shown);
    if (violations !== null && violations !== undefined)
      sent.problems.push(`${what} is not stable: ${JSON.stringify(violations)}`);
    if (
      leftovers(definitions, schema, value).length === 0 &&
      shown !== value &&
      !carries(bindings, definition)
    )
      sent.problems.push(`${what} is copied for nothing`);
    const again = server.result("", shown as never, UNOPTED);
    if (again.result !== undefined) sent.problems.push("an unknown method has a result");
  };
  for (let round = 0; round < rounds; round++) {
    for (const [method, row] of Object.entries(tables.methods)) {
      const value = sample.value(row.result) as Json;
      const before = canonical(value);
      const connection = {
        grants,
        experimental: row.stability === undefined ? false : [row.descriptor ?? method],
      };
      const { result } = server.result(method, value, connection);
      if (row.stability === undefined) hold(`result of ${method}`, row.result, value, result);
      if (canonical(value) !== before) sent.problems.push(`${method} changes its result`);
      const whole = server.result(method, value, { grants, experimental: true });
      if (whole.result !== value) sent.problems.push(`${method} changes the result of an opted-in peer`);
    }
    for (const [kind, rows] of [
      ["notification", tables.notifications],
      ["request", tables.requests],
    ] as const) {
      for (const [method, row] of Object.entries(rows)) {
        if (row.direction === "client-to-host") continue;
        const params = sample.value(row.params);
        const message = server[kind](method, params, { grants, experimental: false });
        if ((message === undefined) !== (row.stability !== undefined))
          sent.problems.push(`${kind} ${method} is ${message === undefined ? "not sent" : "sent"}`);
        if (message !== undefined && row.params !== undefined)
          hold(`params of ${method}`, row.params, params as Json, message.params);
        const whole = server[kind](method, params, { grants, experimental: true });
        if (whole?.params !== params) sent.problems.push(`${method} changes the params of an opted-in peer`);
      }
    }
    pages(
      bindings,
      server,
      sample,
      base.notifications.map(({ name }) => name),
      sent,
    );
  }
  return sent;
}

function carries({ plan }: Bindings, definition: string): boolean {
  const { definitions } = plan.protocol;
  const seen = new Set<string>();
  const reach = (name: string): boolean => {
    const target = definitions.get(name);
    if (target === undefined || seen.has(name)) return false;
    seen.add(name);
    return (
      target.carries !== undefined ||
      [...JSON.stringify(target.schema).matchAll(/"ref":"([^"]*)"/g)].some(([, inner]) =>
        reach(inner as string),
      )
    );
  };
  return reach(definition);
}

/** A page with every notification inside: the experimental ones are gone, the others as they are sent alone. */
function pages(
  bindings: Bindings,
  server: Server,
  sample: Sampler,
  stable: readonly string[],
  sent: Sent,
): void {
  const { tables } = bindings;
  if (!Object.hasOwn(tables.methods, "view/page")) return;
  const grants = Object.keys(tables.capabilities);
  const events = Object.entries(tables.notifications).flatMap(([method, row]) =>
    row.direction === "host-to-client" ? [{ method, params: sample.object(row.params) }] : [],
  );
  const connection = { grants, experimental: false };
  const future = { method: "future/event", params: { sessionId: "s" } };
  const page = { events: [...events, future], nextCursor: null };
  const answer: Answer = server.result("view/page", page, connection);
  const shown = (answer.result as { readonly events: readonly { method: string; params: unknown }[] }).events;
  const expected = events.flatMap(
    ({ method, params }) => server.notification(method, params, connection) ?? [],
  );
  if (canonical(shown) !== canonical([...expected, future]))
    sent.problems.push("view/page differs from the events sent alone");
  for (const { method } of shown)
    if (method !== "future/event" && !stable.includes(method))
      sent.problems.push(`view/page leaks ${method}`);
  for (const { method, params } of shown) {
    const definition = tables.notifications[method]?.params;
    if (definition === undefined) continue;
    const { definitions } = bindings.plan.protocol;
    const left = leftovers(definitions, (definitions.get(definition) as Definition).schema, params);
    if (left.length > 0) sent.problems.push(`view/page leaks ${left.join(" and ")} of ${method}`);
  }
  const count = sent.counts.get("events in a page") ?? { sent: 0, changed: 0 };
  sent.counts.set("events in a page", count);
  count.sent += events.length;
  count.changed += events.length - expected.length;
}

/** The experimental parts that a value still has; found by the model, without the server's own data. */
function leftovers(
  definitions: ReadonlyMap<string, Definition>,
  schema: Schema,
  value: unknown,
  isElement = false,
): string[] {
  const found: string[] = [];
  const look = (node: Schema, inner: unknown, element = false): void => {
    found.push(...leftovers(definitions, node, inner, element));
  };
  if (schema.ref !== undefined) look((definitions.get(schema.ref) as Definition).schema, value, isElement);
  for (const { value: word, stability } of schema.enum?.values ?? [])
    if (stability !== undefined && word === value && (isElement || schema.enum?.open === false))
      found.push(`${schema.pointer} ${String(word)}`);
  for (const arm of schema.union?.arms ?? []) if (fits(arm, value)) look(arm, value, isElement);
  if (Array.isArray(value)) {
    if (schema.items !== undefined) for (const item of value) look(schema.items, item, true);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      const member = schema.members?.find((one) => one.name === name && one.declared);
      if (member?.schema.stability !== undefined) found.push(member.schema.pointer);
      const node = member?.schema ?? schema.additional;
      if (node !== undefined) look(node, inner);
    }
  }
  return found;
}

/** Whether an arm's constants are those of a value. */
function fits(arm: Schema, value: unknown): boolean {
  return (arm.members ?? []).every(
    ({ name, schema }) =>
      schema.constant === undefined ||
      (typeof value === "object" &&
        value !== null &&
        Object.getOwnPropertyDescriptor(value, name)?.value === schema.constant.value),
  );
}
