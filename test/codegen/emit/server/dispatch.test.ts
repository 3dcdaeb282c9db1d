/** The order of a dispatch, and what leaves it. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  type Bindings,
  bindingsOf,
  type Connection,
  type ErrorAnswer,
  type Handler,
  wired,
} from "../../../support/bindings.js";
import { bundleOf, planOf, planOfFile } from "../../../support/compile.js";
import { DEPOT_SCHEMA } from "../../../support/repo.js";
import { GATED } from "./gated-bundle.js";

const ALL: Connection = { grants: ["secrets"], experimental: true };
const NONE: Connection = { grants: new Set(), experimental: false };

let gated: Bindings;
let depot: Bindings;
beforeAll(async () => {
  gated = await bindingsOf(planOf(GATED));
  depot = await bindingsOf(planOfFile(DEPOT_SCHEMA));
});

function violationsOf(error: ErrorAnswer | undefined): unknown {
  return (error?.data["details"] as { readonly violations: unknown } | undefined)?.violations;
}

/** A server of the gated bundle, and what its `onError` got. */
function serve(handlers: Record<string, Handler | "withheld">, options: object = {}) {
  const errors: unknown[] = [];
  const server = gated.server.createServer(handlers, {
    onError: (error: unknown) => errors.push(error),
    ...options,
  });
  return { server, errors };
}

describe("a method is not found", () => {
  const kindOf = async (method: string, connection: Connection, handlers = {}, options = {}) =>
    (await serve(handlers, options).server.dispatch(method, undefined, connection)).error;

  test.each(["nothing", "toString", "__proto__", "", "happened", "ask"])(
    "when it is called %j",
    async (method) => {
      expect(await kindOf(method, ALL)).toEqual({
        kind: "methodNotFound",
        code: -32601,
        message: expect.any(String),
        data: { kind: "methodNotFound", retryable: false },
      });
    },
  );

  test("when it is withheld, by its handler or by the profile, whatever the peer opted into", async () => {
    const handler = (): object => ({});
    for (const connection of [ALL, NONE]) {
      expect(await kindOf("new", connection, { new: "withheld" })).toMatchObject({ kind: "methodNotFound" });
      expect(await kindOf("bare", connection, { bare: handler }, { profile: "ephemeral" })).toMatchObject({
        kind: "methodNotFound",
      });
      expect(await kindOf("bare", connection, { bare: handler })).toBeUndefined();
      expect(await kindOf("bare", connection, { bare: handler }, { profile: "durable" })).toBeUndefined();
    }
  });

  test("when it has no handler, but an experimental one says first that it is", async () => {
    expect(await kindOf("put", ALL)).toMatchObject({ kind: "methodNotFound" });
    expect(await kindOf("new", ALL)).toMatchObject({ kind: "methodNotFound" });
    expect(await kindOf("new", NONE)).toMatchObject({ kind: "experimentalRequired", code: -32601 });
  });
});

describe("params", () => {
  const ask = async (method: string, params: unknown) => {
    let got: unknown = "nothing";
    const handler: Handler = (given) => {
      got = given;
      return {};
    };
    const { error } = await serve({ [method]: handler }).server.dispatch(method, params, ALL);
    return { error, got };
  };

  test("are refused with every place that is wrong", async () => {
    const { error } = await ask("put", { name: 1, list: [{}, { name: "n", tone: "odd" }] });
    expect(error).toMatchObject({ kind: "invalidParams", code: -32602 });
    expect(error?.data).toEqual({
      kind: "invalidParams",
      retryable: false,
      details: {
        violations: expect.arrayContaining(
          [
            ["/name", "type"],
            ["/list/0", "required"],
            ["/list/1/tone", "enum"],
          ].map(([instanceLocation, keyword]) => ({
            instanceLocation,
            keyword,
            message: expect.any(String),
          })),
        ),
      },
    });
  });

  test("are refused with a bounded number of places", async () => {
    const { error } = await ask("put", { name: "n", list: Array.from({ length: 5_000 }, () => ({})) });
    expect(violationsOf(error)).toHaveLength(100);
  });

  test("of a strict method may have no other members; of others they may, and keep them", async () => {
    const { error } = await ask("strict", { a: "x", "b/c": "x", "d/e": 1, toString: 1, f: undefined });
    expect(violationsOf(error)).toEqual([
      { instanceLocation: "/d~1e", keyword: "additionalProperties", message: expect.any(String) },
      { instanceLocation: "/toString", keyword: "additionalProperties", message: expect.any(String) },
    ]);
    expect((await ask("bare", { a: 1 })).error).toMatchObject({ kind: "invalidParams" });
    expect((await ask("bare", {})).error).toBeUndefined();
    const params = { a: "x", other: [1] };
    expect((await ask("gated", params)).got).toBe(params);
  });

  test("that are absent are empty; a handler of a method without params gets none", async () => {
    expect((await ask("strict", undefined)).got).toEqual({});
    expect((await ask("put", undefined)).error).toMatchObject({ kind: "invalidParams" });
    expect((await ask("bare", undefined)).got).toBeUndefined();
  });

  test.each([null, 1, "x", [], true])("that are %j are refused everywhere", async (params) => {
    for (const method of ["put", "strict", "bare", "map"])
      expect((await ask(method, params)).error, method).toMatchObject({ kind: "invalidParams" });
  });
});

describe("what a handler throws", () => {
  test.each([
    new Error("the password is x"),
    "the password is x",
    null,
    undefined,
    { code: -32000, kind: "busy" },
  ])("(%o) is answered with `internal` alone", async (thrown) => {
    const { server, errors } = serve({
      put: () => {
        throw thrown;
      },
    });
    const { error } = await server.dispatch("put", { name: "n" }, ALL);
    // MSP's registry has the kind; this one has not, so that JSON-RPC's code is taken.
    expect(error).toEqual({
      kind: "internal",
      code: -32603,
      message: "internal error",
      data: { kind: "internal" },
    });
    expect(errors).toEqual([thrown]);
  });

  test("is not told when `onError` throws too", async () => {
    const { server } = serve(
      { put: () => Promise.reject(new Error("first")) },
      {
        onError: () => {
          throw new Error("second");
        },
      },
    );
    expect((await server.dispatch("put", { name: "n" }, ALL)).error).toMatchObject({ kind: "internal" });
  });

  test("is an error of the protocol where it was made as one, with the registry's claim or its own", async () => {
    const { protocolError, isProtocolError } = gated.server;
    const answer = async (error: unknown) =>
      (await serve({ put: () => Promise.reject(error) }).server.dispatch("put", { name: "n" }, ALL)).error;
    expect(wired(await answer(protocolError("busy", { more: 1 })))).toEqual({
      kind: "busy",
      code: -32000,
      message: "busy",
      data: { kind: "busy", retryable: true, more: 1 },
    });
    expect((await answer(protocolError("busy", { retryable: false })))?.data).toEqual({
      kind: "busy",
      retryable: false,
    });
    expect((await answer(protocolError("busy", { retryable: undefined })))?.data).toEqual({ kind: "busy" });
    expect((await answer(protocolError("unsure")))?.data).toEqual({ kind: "unsure" });
    expect((await answer(protocolError("busy", { kind: "other" })))?.data["kind"]).toBe("busy");
    expect((await answer(protocolError("experimentalRequired")))?.code).toBe(-32601);
    expect((await answer(protocolError("experimentalRequired", {}, "m", -32602)))?.code).toBe(-32602);
    expect(() => protocolError("nothing")).toThrow(TypeError);
    expect(isProtocolError(protocolError("busy"))).toBe(true);
    expect(isProtocolError(new Error("busy"))).toBe(false);
    // A program may hold this module twice.
    expect(
      await answer(
        (await bindingsOf(planOf(GATED), { server: (t) => `${t}\n// twice` })).server.protocolError("busy"),
      ),
    ).toMatchObject({ kind: "busy" });
  });
});

describe("results", () => {
  test("are checked where that is asked for, and a wrong one is `internal`", async () => {
    const handlers = { put: () => ({ name: 1, password: "x" }) };
    const lax = serve(handlers);
    expect(await lax.server.dispatch("put", { name: "n" }, ALL)).toEqual({
      result: { name: 1, password: "x" },
    });
    const strict = serve(handlers, { checkResults: true });
    const { error } = await strict.server.dispatch("put", { name: "n" }, ALL);
    expect(error).toEqual({
      kind: "internal",
      code: -32603,
      message: "internal error",
      data: { kind: "internal" },
    });
    expect(strict.errors).toMatchObject([{ violations: [{ instanceLocation: "/name", keyword: "type" }] }]);
  });

  test("go out without what the peer did not opt into", async () => {
    const { server } = serve({ put: () => ({ name: "n", fresh: "x" }) });
    expect(await server.dispatch("put", { name: "n" }, NONE)).toEqual({ result: { name: "n" } });
  });
});

describe("a notification of a client", () => {
  const send = async (method: string, params: unknown, connection: Connection) => {
    const got: unknown[] = [];
    const take: Handler = (given) => got.push(given);
    const { server, errors } = serve({}, { notifications: { told: take, toldNew: take, happened: take } });
    expect(await server.dispatchNotification(method, params, connection)).toBeUndefined();
    return {
      got,
      refused: (errors as { kind?: string; code?: number }[]).map(({ kind, code }) => `${code} ${kind}`),
    };
  };

  test("gets to its handler when it is valid, and is refused by the same rules as a request", async () => {
    expect(await send("told", { name: "n" }, NONE)).toEqual({ got: [{ name: "n" }], refused: [] });
    expect(await send("toldNew", undefined, ALL)).toEqual({ got: [undefined], refused: [] });
    expect(await send("toldNew", undefined, NONE)).toEqual({
      got: [],
      refused: ["-32601 experimentalRequired"],
    });
    expect(await send("told", { fresh: 1 }, NONE)).toEqual({
      got: [],
      refused: ["-32602 experimentalRequired"],
    });
    expect(await send("told", { name: "n", secret: "x" }, NONE)).toEqual({
      got: [],
      refused: ["-32010 capabilityRequired"],
    });
    expect(await send("told", {}, NONE)).toEqual({ got: [], refused: ["-32602 invalidParams"] });
    for (const method of ["nothing", "constructor", "happened", "put"])
      expect(await send(method, { name: "n" }, ALL), method).toEqual({
        got: [],
        refused: ["-32601 methodNotFound"],
      });
  });
});

test("handlers get the connection and the host's own context, and keep their `this`", async () => {
  const seen: unknown[] = [];
  const handlers = {
    bare(this: unknown, params: unknown, context: unknown) {
      seen.push(this, params, context);
      return {};
    },
  };
  const context = { ...ALL, session: { id: "s" } };
  await serve(handlers).server.dispatch("bare", undefined, context);
  expect(seen).toEqual([handlers, undefined, context]);
});

test("errors are those of the bundle's registry: by kind, else by code, else JSON-RPC's", async () => {
  expect(depot.server.standardErrors).toEqual({
    methodNotFound: { code: -32601, kind: "methodNotFound" },
    invalidParams: { code: -32602, kind: "badParams" },
    internal: { code: -32603, kind: "internal" },
    capabilityRequired: { code: -32010, kind: "capabilityRequired" },
  });
  const taken = await bindingsOf(
    planOf(
      bundleOf(
        { Nothing: { type: "object", properties: {} } },
        {
          errors: [
            { code: -32010, kind: "taken" },
            { code: -32500, kind: "methodNotFound" },
          ],
          reserved: [{ identifier: "-32011" }],
          methods: { a: { result: { $ref: "#/$defs/Nothing" } } },
        },
      ),
    ),
  );
  expect(taken.server.standardErrors).toMatchObject({
    methodNotFound: { code: -32500 },
    capabilityRequired: { code: -32012 },
  });
});
