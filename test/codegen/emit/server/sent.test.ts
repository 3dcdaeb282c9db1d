/** What is sent to a peer: what it may see, and all of that. */
import { beforeAll, describe, expect, test } from "vitest";
import { type Bindings, bindingsOf, replaced, type Server } from "../../../support/bindings.js";
import { planOf, planOfFile, type Validators, validatorsOf } from "../../../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA } from "../../../support/repo.js";
import { GATED } from "./gated-bundle.js";
import { nothingLeaks } from "./sent.js";

describe("MSP, to a peer that did not opt in", () => {
  let bindings: Bindings;
  let stable: Validators;
  beforeAll(async () => {
    bindings = await bindingsOf(planOfFile(MSP_SCHEMA));
    stable = await validatorsOf(planOfFile(MSP_SCHEMA, "stable"));
  });

  test("leaks nothing, changes nothing else, and leaves values as they were", () => {
    const { counts, problems } = nothingLeaks(bindings, stable, { rounds: 30, seed: 1 });
    expect(problems).toEqual([]);
    const methods = Object.values(bindings.tables.methods).filter(({ stability }) => stability === undefined);
    expect([...counts.keys()].filter((name) => name.startsWith("result of "))).toHaveLength(methods.length);
    // Of the messages that can hold something experimental, each did.
    for (const message of [
      "result of session/list",
      "result of session/read",
      "params of item/completed",
      "params of session/statusChanged",
      "events in a page",
    ]) {
      expect(counts.get(message)?.changed, message).toBeGreaterThan(0);
    }
  });

  test.each<[string, (text: string) => string]>([
    [
      "a member that is not restricted",
      (text) => replaced(text, /worktree: \{\s*experimental: "Session\.worktree",\s*\},/, ""),
    ],
    [
      "a definition whose restrictions are lost",
      (text) => replaced(text, /item: \{\s*ref: "Item",\s*required: true,\s*\},/g, ""),
    ],
    ["messages inside a message that are not looked at", (text) => replaced(text, "carries: true,", "")],
    [
      "an event whose params are not looked at",
      (text) => replaced(text, 'if (shown !== params) replace("params", shown);', ""),
    ],
    [
      "an element that is not dropped",
      (text) => replaced(text, "(isElement || part.open !== true)", "part.open !== true"),
    ],
    [
      "a notification that is sent to everyone",
      (text) => replaced(text, "if (!maySee(method, row, context)) return undefined;", ""),
    ],
    [
      "a value that is copied for nothing",
      (text) =>
        replaced(
          text,
          "return copy ?? value;\n  const { name, row } = carried;",
          "return copy ?? { ...value };\n  const { name, row } = carried;",
        ),
    ],
  ])("is seen to fail with %s", async (_, server) => {
    const poisoned = await bindingsOf(bindings.plan, { server });
    expect(nothingLeaks(poisoned, stable, { rounds: 30, seed: 1 }).problems).not.toEqual([]);
  });
});

test("the depot leaks nothing", async () => {
  const stable = await validatorsOf(planOfFile(DEPOT_SCHEMA, "stable"));
  const bindings = await bindingsOf(planOfFile(DEPOT_SCHEMA));
  const { counts, problems } = nothingLeaks(bindings, stable, { rounds: 30, seed: 1 });
  expect(problems).toEqual([]);
  expect(counts.size).toBeGreaterThan(5);
});

describe("of a value", () => {
  let server: Server;
  const errors: string[] = [];
  beforeAll(async () => {
    const bindings = await bindingsOf(planOf(GATED));
    server = bindings.server.createServer(
      {},
      { checkResults: true, onError: (error: Error) => errors.push(error.message) },
    );
  });
  const show = (
    method: string,
    value: unknown,
    experimental: boolean | string[] = false,
    grants: string[] = [],
  ) => server.result(method, value, { grants, experimental }).result;

  test.each<[string, object, object]>([
    ["an experimental member is left out", { name: "n", fresh: "x", extra: 1 }, { name: "n", extra: 1 }],
    ["a member without its capability is left out", { name: "n", secret: "x" }, { name: "n" }],
    [
      "members of members",
      { name: "n", next: { name: "m", fresh: "x", extra: [1] } },
      { name: "n", next: { name: "m", extra: [1] } },
    ],
    [
      "of elements",
      { name: "n", list: [{ name: "a" }, { name: "b", fresh: "x" }, { name: "c" }] },
      { name: "n", list: [{ name: "a" }, { name: "b" }, { name: "c" }] },
    ],
    [
      "of a map",
      { name: "n", map: { constructor: { name: "a", fresh: "x" } } },
      { name: "n", map: { constructor: { name: "a" } } },
    ],
    [
      "of the arm that the tag selects",
      { name: "n", shape: { kind: "box", wide: "x" } },
      { name: "n", shape: { kind: "box" } },
    ],
    [
      "new words of an open enum from an array, and nowhere else",
      { name: "n", mood: "wild", moods: ["calm", "wild", "odd"] },
      { name: "n", mood: "wild", moods: ["calm", "odd"] },
    ],
    [
      "words of a closed enum with the member that has them",
      { name: "n", tone: "shrill", tones: ["low", "shrill"] },
      { name: "n", tones: ["low"] },
    ],
  ])("%s", (_, value, expected) => {
    const before = structuredClone(value);
    expect(show("put", value)).toEqual(expected);
    expect(value).toEqual(before);
    expect(show("put", value, true, ["secrets"])).toBe(value);
  });

  test("members called `__proto__` stay what they are", () => {
    const value = JSON.parse(
      '{"name":"n","fresh":"x","__proto__":{"a":1},"map":{"__proto__":{"name":"m","fresh":"x"}}}',
    );
    expect(JSON.stringify(show("put", value))).toBe(
      '{"name":"n","__proto__":{"a":1},"map":{"__proto__":{"name":"m"}}}',
    );
  });

  test("what cannot be left out takes along what holds it", () => {
    const must = { tone: "shrill" };
    expect(show("mustList", { all: [{ tone: "low" }, must], one: must })).toEqual({ all: [{ tone: "low" }] });
    expect(server.result("must", must, { grants: [], experimental: false }).error).toMatchObject({
      kind: "internal",
    });
    expect(show("must", must, ["Tone.shrill"])).toBe(must);
  });

  test("messages inside are as they are sent alone", () => {
    const fresh = { name: "n", fresh: "x" };
    const events = [
      { method: "happened", params: fresh },
      { method: "newly", params: { name: "n" } },
      { method: "secretly", params: { name: "n" } },
      { method: "toString", params: fresh },
    ];
    const page = { events, last: { method: "newly", params: { name: "n" } } };
    expect(show("page", page)).toEqual({
      events: [
        { method: "happened", params: { name: "n" } },
        { method: "toString", params: fresh },
      ],
    });
    expect(show("page", page, ["newly", "Node.fresh"], ["secrets"])).toBe(page);
  });

  test("and wrong messages inside are not sent, where results are checked", () => {
    const wrong = { events: [{ method: "happened", params: { name: 1 } }] };
    errors.length = 0;
    expect(server.result("page", wrong, { grants: [], experimental: false }).error).toMatchObject({
      kind: "internal",
    });
    expect(errors).toEqual([expect.stringContaining("/name")]);
  });

  test("the opt-in may be by descriptor", () => {
    const value = { name: "n", fresh: "x", shape: { kind: "box", wide: "x" } };
    expect(show("put", value, ["Node.fresh"])).toEqual({ name: "n", fresh: "x", shape: { kind: "box" } });
    expect(show("put", value, ["Node.fresh", "Shape.wide"])).toBe(value);
  });

  test("notifications and requests are sent to those that may see them", () => {
    const params = { name: "n", fresh: "x" };
    const sent = (
      kind: "notification" | "request",
      method: string,
      experimental: boolean | string[],
      grants: string[] = [],
    ) => server[kind](method, params, { grants, experimental })?.params;
    expect(sent("notification", "newly", false)).toBeUndefined();
    expect(sent("notification", "newly", ["newly"])).toEqual({ name: "n" });
    expect(sent("notification", "newly", true)).toBe(params);
    expect(sent("notification", "secretly", false)).toBeUndefined();
    expect(sent("notification", "secretly", false, ["secrets"])).toEqual({ name: "n" });
    expect(sent("request", "askNew", false)).toBeUndefined();
    expect(sent("request", "askNew", ["askNew"])).toEqual({ name: "n" });
    expect(sent("request", "ask", false)).toEqual({ name: "n" });
  });

  test("a wrong message is not sent and reported, where results are checked", () => {
    errors.length = 0;
    const connection = { grants: [], experimental: true };
    expect(server.notification("happened", {}, connection)).toBeUndefined();
    expect(server.request("ask", { name: 1 }, connection)).toBeUndefined();
    expect(errors).toHaveLength(2);
  });

  test("what nests too deep is an error, not an overflow", () => {
    let deep: unknown = { name: "n" };
    for (let i = 0; i < 50_000; i++) deep = { name: "n", next: deep };
    expect(server.result("put", deep, { grants: [], experimental: false }).error).toMatchObject({
      kind: "internal",
    });
  });
});
