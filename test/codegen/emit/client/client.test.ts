/** What a generated client sends, and how it is laid out. */
import { beforeAll, describe, expect, test } from "vitest";
import { emitClient } from "../../../../codegen/emit/client/emit.js";
import {
  type Answer,
  type Client,
  type ClientModule,
  functionOf,
  type Peer,
} from "../../../support/bindings.js";
import { bundleOf, loadModule, planOf, planOfFile, textOf } from "../../../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA } from "../../../support/repo.js";
import { check, erase } from "../../../support/typescript.js";

/** A peer that keeps what is sent and plays the host. */
class Wire implements Peer {
  readonly sent: unknown[] = [];
  notified: (method: string, params: unknown) => void = () => {};
  asked: (method: string, params: unknown) => Promise<Answer> = () => Promise.reject(new Error("no client"));

  async request(method: string, params: unknown, options?: object): Promise<unknown> {
    this.sent.push({ method, params, options });
    return { method };
  }

  notify(method: string, params: unknown): void {
    this.sent.push({ method, params });
  }

  onNotification(listener: (method: string, params: unknown) => void): void {
    this.notified = listener;
  }

  onRequest(listener: (method: string, params: unknown) => Promise<Answer>): void {
    this.asked = listener;
  }
}

async function load(plan: Parameters<typeof emitClient>[0]): Promise<ClientModule> {
  return (await loadModule(erase(emitClient(plan)["client.ts"] as string))) as ClientModule;
}

let msp: ClientModule;
beforeAll(async () => {
  msp = await load(planOfFile(MSP_SCHEMA));
});

/** A client of MSP on a wire, with numbered ids. */
function connect(more: object = {}) {
  const wire = new Wire();
  let minted = 0;
  const client = msp.createClient(wire, { mintCommandId: () => `id-${++minted}`, ...more });
  const call = (method: string, ...args: unknown[]) => functionOf(client, method)?.(...args);
  return { wire, client, call };
}

describe("a command", () => {
  test("has a new id at every call, or the one that is pinned", async () => {
    const { wire, call } = connect();
    const params = { sessionId: "s", input: [] };
    await call("turn/start", params);
    await call("turn/start", params, {});
    await call("turn/start", params, { commandId: "mine", signal: 1 });
    await call("turn/start", params, { commandId: undefined });
    expect(wire.sent).toEqual([
      { method: "turn/start", params: { ...params, commandId: "id-1" }, options: undefined },
      { method: "turn/start", params: { ...params, commandId: "id-2" }, options: {} },
      { method: "turn/start", params: { ...params, commandId: "mine" }, options: { signal: 1 } },
      { method: "turn/start", params: { ...params, commandId: "id-3" }, options: {} },
    ]);
    expect(params).toEqual({ sessionId: "s", input: [] });
  });

  test("leaves at once, so that messages leave in the order of the calls", () => {
    const { wire, call } = connect();
    void call("recap/request", { sessionId: "s" });
    void call("session/list", {});
    void call("usage/read");
    expect(wire.sent.map((message) => (message as { method: string }).method)).toEqual([
      "recap/request",
      "session/list",
      "usage/read",
    ]);
  });

  test("whose id cannot be minted rejects, and sends nothing", async () => {
    const { wire, call } = connect({
      mintCommandId: () => {
        throw new Error("no clock");
      },
    });
    await expect(call("recap/request", { sessionId: "s" })).rejects.toThrow("no clock");
    expect(wire.sent).toEqual([]);
  });
});

describe("params", () => {
  test("are left out where a method takes none, or where they say nothing", async () => {
    const { wire, call } = connect();
    await call("account/read");
    await call("account/read", { signal: 1 });
    await call("session/list");
    await call("session/list", {});
    await call("session/list", { cursor: undefined });
    expect(wire.sent).toEqual([
      { method: "account/read", params: undefined, options: undefined },
      { method: "account/read", params: undefined, options: { signal: 1 } },
      ...Array.from({ length: 3 }, () => ({ method: "session/list", params: undefined, options: undefined })),
    ]);
  });

  test("lose members that are undefined, however deep, and are the same value where there are none", async () => {
    const { wire, call } = connect();
    const clean = {
      sessionId: "s",
      deep: [{ a: null, b: [1, { c: "" }] }],
      map: JSON.parse('{"__proto__":{"d":1}}'),
    };
    await call("view/page", clean);
    const date = new Date(0);
    await call("view/page", { a: undefined, b: { c: undefined, d: [{ e: undefined, f: date }, undefined] } });
    await call("view/page", Object.assign(JSON.parse('{"__proto__":{"d":1}}'), { a: undefined }));
    const [first, second, third] = wire.sent.map((message) => (message as { params: unknown }).params);
    expect(first).toBe(clean);
    expect(second).toStrictEqual({ b: { d: [{ f: date }, undefined] } });
    expect(JSON.stringify(third)).toBe('{"__proto__":{"d":1}}');
  });

  test("are handed to a peer that writes JSON as they are; without content they are left out there too", async () => {
    const { wire, call } = connect();
    Object.assign(wire, { writesJson: true });
    const params = { sessionId: "s", limit: undefined, deep: [{ a: undefined }] };
    await call("view/page", params);
    await call("session/list", { cursor: undefined, limit: undefined });
    const [first, second] = wire.sent.map((message) => (message as { params: unknown }).params);
    expect(first).toBe(params);
    expect(second).toBeUndefined();
  });
});

describe("handlers", () => {
  test("of notifications are called in order, until they are removed", () => {
    const { wire, client } = connect();
    const got: string[] = [];
    const first = client.on({ "turn/started": () => got.push("a"), "turn/completed": undefined });
    const second = client.on({
      "turn/started": () => {
        got.push("b");
        second();
      },
    });
    for (const method of ["turn/started", "turn/started", "turn/completed", "toString", "future/event"])
      wire.notified(method, {});
    first();
    first();
    wire.notified("turn/started", {});
    expect(got).toEqual(["a", "b", "a"]);
  });

  test("of notifications do not keep others from being called when one throws", () => {
    const got: unknown[] = [];
    const throwing = {
      "turn/started": () => {
        throw new Error("mine");
      },
    };
    const { wire, client } = connect();
    client.on(throwing);
    client.on({ "turn/started": () => got.push("other") });
    expect(() => wire.notified("turn/started", {})).toThrow("mine");
    const told = connect({
      onError: (error: Error, method: string) => got.push(`${method} ${error.message}`),
    });
    told.client.on(throwing);
    told.wire.notified("turn/started", {});
    expect(got).toEqual(["other", "turn/started mine"]);
  });

  test("of the host's requests answer: the latest, a refusal without one, `internal` for what is thrown", async () => {
    const got: unknown[] = [];
    const { wire, client } = connect({ onError: (error: Error) => got.push(error.message) });
    const ask = () => wire.asked("approval/request", { a: 1 });
    const notFound = {
      code: -32601,
      message: expect.any(String),
      data: { kind: "methodNotFound", retryable: false },
    };
    expect(await ask()).toEqual({ error: notFound });
    client.handle({ "approval/request": (params: unknown) => ({ first: params, none: undefined }) });
    const remove = client.handle({
      "approval/request": () => Promise.reject(new Error("the password is x")),
    });
    expect(await ask()).toEqual({
      error: { code: -32603, message: "internal error", data: { kind: "internal", retryable: false } },
    });
    remove();
    expect(await ask()).toStrictEqual({ result: { first: { a: 1 } } });
    expect(await wire.asked("constructor", {})).toEqual({ error: notFound });
    expect(got).toEqual(["the password is x"]);
  });
});

describe("names", () => {
  const NAMES = [
    "delete",
    "constructor/toString",
    "__proto__",
    "x/__proto__/y",
    "x/hasOwnProperty",
    "a",
    "a/b",
    "a/name",
    "a/length",
    "a/prototype/call",
    "",
    "/",
    "a b/c-d",
    "on",
    "on_",
    "notify/x",
    "handle",
    "then",
    "x/then",
    "valueOf",
    "1/2",
  ];
  const NOTIFICATIONS = ["told", "told/again", "told/name", "then"];
  const plan = planOf(
    bundleOf(
      { Nothing: { type: "object", properties: {} } },
      {
        methods: Object.fromEntries(NAMES.map((name) => [name, { result: { $ref: "#/$defs/Nothing" } }])),
        notifications: Object.fromEntries(
          NOTIFICATIONS.map((name) => [name, { "x-msp-direction": "client-to-host" }]),
        ),
      },
    ),
  );
  test("of any kind make methods, also where one is the beginning of another", async () => {
    expect(plan.protocol.methods).toHaveLength(NAMES.length);
    const { createClient } = await load(plan);
    const wire = new Wire();
    const client = createClient(wire) as Client & Record<string, unknown>;
    for (const name of NAMES) await functionOf(client, name)?.();
    expect(wire.sent).toEqual(NAMES.map((method) => ({ method, params: undefined, options: undefined })));
    wire.sent.length = 0;
    for (const name of NOTIFICATIONS) functionOf(client.notify, name)?.();
    expect(wire.sent).toEqual(NOTIFICATIONS.map((method) => ({ method, params: undefined })));
    expect(Object.getPrototypeOf(client)).toBe(Object.prototype);
    // A client can be awaited: it is no promise.
    expect(await client).toBe(client);
  });

  test("of any kind make a client that compiles, and whose members a program can name", async () => {
    const files = {
      "types.ts": await textOf(plan, "types"),
      "client.ts": emitClient(plan)["client.ts"] as string,
      "use.ts": `import type { Client } from "./client.js";
export async function use(client: Client): Promise<void> {
  await client.delete();
  await client.constructor.toString();
  await client["__proto__"]();
  await client.a();
  await client.a.b();
  await client.a.name();
  await client.a.prototype.call();
  await client[""]();
  await client["a b"]["c-d"]();
  await client.on_();
  await client.on__();
  await client.notify_.x();
  await client.then_();
  client.on({});
  client.notify.told();
  client.notify.told.again();
  client.notify.then_();
}
`,
    };
    expect(check(files)).toEqual([]);
  });
});

test("a surface without commands needs no options, and imports what it uses", async () => {
  const text = emitClient(
    planOf(
      bundleOf(
        { N: { type: "object", properties: {} } },
        { methods: { a: { result: { $ref: "#/$defs/N" } } } },
      ),
    ),
  )["client.ts"] as string;
  expect(text).toContain("options: ClientOptions = {}");
  expect(text).not.toContain("mintCommandId");
  expect(text).not.toContain("  ClientNotificationParams,");
});

test("a description cannot leave its comment", async () => {
  const placeholder = ["$", "{x}"].join("");
  const description = `ends here */ alert(1) ${placeholder} \`y\` \u2028 </script>\n\n@param z\n * more`;
  const plan = planOf(
    bundleOf(
      { N: { type: "object", properties: {} } },
      {
        methods: {
          a: { result: { $ref: "#/$defs/N" }, description, deprecated: true },
          "b/c": { result: { $ref: "#/$defs/N" }, description },
        },
      },
    ),
  );
  const text = emitClient(plan)["client.ts"] as string;
  expect(text).toContain("@deprecated");
  expect(text).not.toContain("\u2028");
  const { createClient } = await load(plan);
  expect(Object.keys(createClient(new Wire()))).toEqual(["a", "b", "notify", "on", "handle"]);
});

test("the depot's methods stay at the top, and its optional id is minted", async () => {
  const { createClient } = await load(planOfFile(DEPOT_SCHEMA));
  const wire = new Wire();
  const client = createClient(wire, { mintCommandId: () => "id" });
  await functionOf(client, "ping")?.();
  await functionOf(client, "move")?.({ lines: [] });
  expect(wire.sent).toEqual([
    { method: "ping", params: undefined, options: undefined },
    { method: "move", params: { lines: [], commandId: "id" }, options: undefined },
  ]);
});
