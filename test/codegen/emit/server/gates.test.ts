/** What a peer may not send is told from what it may, before anything else is looked at. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  type Bindings,
  bindingsOf,
  type ErrorAnswer,
  replaced,
  type Server,
} from "../../../support/bindings.js";
import { planOf, planOfFile } from "../../../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA } from "../../../support/repo.js";
import { Sampler } from "./conversation.js";
import { GATED } from "./gated-bundle.js";
import { gatesHold, serve } from "./gates.js";

const steer = { commandId: "c", expectedTurnId: "t", input: [], sessionId: "s" };
const gateOff = (text: string): string =>
  replaced(
    text,
    "if (refused.experimental !== undefined) return experimental(",
    "if (false) return experimental(",
  );

/** How a server answers `turn/steer` with a token budget, and an experimental method, without opt-in and with. */
async function steering(server: Server): Promise<readonly string[]> {
  const problems: string[] = [];
  const ask = async (method: string, params: unknown, experimental: boolean) =>
    (await server.dispatch(method, params, { grants: [], experimental })).error;
  const refusal = ({ code, kind, data }: Partial<ErrorAnswer> = {}): string =>
    `${code} ${kind} ${String(data?.["descriptor"])} ${String(data?.["retryable"])}`;
  for (const tokenBudget of [1, 0, 1.5, "1", null, {}]) {
    const found = refusal(await ask("turn/steer", { ...steer, tokenBudget }, false));
    if (found !== "-32602 experimentalRequired turn/steer.tokenBudget false")
      problems.push(`${JSON.stringify(tokenBudget)} without opt-in: ${found}`);
    const opted = await ask("turn/steer", { ...steer, tokenBudget }, true);
    const reason = JSON.stringify(opted?.data["details"] ?? null);
    if (
      tokenBudget === 1
        ? opted !== undefined
        : opted?.kind !== "invalidParams" || !reason.includes("/tokenBudget")
    )
      problems.push(`${JSON.stringify(tokenBudget)} opted in: ${JSON.stringify(opted)}`);
  }
  const missing = refusal(await ask("worktree/list", 1, false));
  if (missing !== "-32601 experimentalRequired worktree/list false") problems.push(`the method: ${missing}`);
  if ((await ask("worktree/list", 1, true))?.kind !== "invalidParams") problems.push("the method, opted in");
  if ((await ask("turn/steer", steer, false)) !== undefined) problems.push("without a budget");
  return problems;
}

describe("MSP", () => {
  let bindings: Bindings;
  beforeAll(async () => {
    bindings = await bindingsOf(planOfFile(MSP_SCHEMA));
  });
  const serverOf = (all: Bindings): Server => serve(all, new Sampler(all, 1), () => {});

  test("answers `turn/steer` with `tokenBudget` by the opt-in of the peer", async () => {
    expect(await steering(serverOf(bindings))).toEqual([]);
  });

  test("fails this without the gate", async () => {
    const poisoned = await bindingsOf(bindings.plan, { server: gateOff });
    expect((await steering(serverOf(poisoned))).length).toBeGreaterThanOrEqual(6);
  });

  test("refuses every gated method and member for its own reason, good value or bad", async () => {
    const { tried, problems } = await gatesHold(bindings, 1);
    expect(problems).toEqual([]);
    expect(tried.length).toBeGreaterThan(80);
    for (const what of [
      "turn/steer /tokenBudget",
      "session/start /limits",
      "turn/start /userShell",
      "session/start /config/mcpServers",
    ])
      expect(
        tried.filter((one) => one === what),
        what,
      ).toHaveLength(2);
  });

  test("the stable server takes an experimental member for an unknown one, and knows no experimental method", async () => {
    const stable = await bindingsOf(planOfFile(MSP_SCHEMA, "stable"));
    const server = serverOf(stable);
    const connection = { grants: [], experimental: false };
    expect(await server.dispatch("turn/steer", { ...steer, tokenBudget: "any" }, connection)).toHaveProperty(
      "result",
    );
    const { error } = await server.dispatch("worktree/list", {}, connection);
    expect(error).toMatchObject({ code: -32601, kind: "methodNotFound" });
  });
});

describe.each([
  ["the depot", () => planOfFile(DEPOT_SCHEMA)],
  ["a bundle with every gate", () => planOf(GATED)],
])("%s", (_, plan) => {
  test("refuses every gated method and member for its own reason", async () => {
    const { tried, problems } = await gatesHold(await bindingsOf(plan()), 1);
    expect(problems).toEqual([]);
    expect(tried.length).toBeGreaterThan(3);
  });

  test.each<[string, (text: string) => string]>([
    ["of the members", gateOff],
    [
      "of the methods",
      (text) =>
        replaced(text, "if (row.stability !== undefined && !optedIn(context, descriptor)) {", "if (false) {"),
    ],
    [
      "of the capabilities",
      (text) => replaced(text, "if (capability !== undefined) return notGranted(capability);", ""),
    ],
  ])("fails this without the gate %s", async (__, server) => {
    expect((await gatesHold(await bindingsOf(plan(), { server }), 1)).problems).not.toEqual([]);
  });
});

describe("a gated part is found", () => {
  let server: Server;
  beforeAll(async () => {
    const bindings = await bindingsOf(planOf(GATED));
    server = serve(bindings, new Sampler(bindings, 1), () => {});
  });
  const ask = async (
    method: string,
    params: unknown,
    experimental: boolean | string[] = false,
    grants: string[] = [],
  ) => {
    const { error } = await server.dispatch(method, params, { grants, experimental });
    const named = error?.data["descriptor"] ?? error?.data["capability"];
    return error === undefined
      ? ""
      : `${error.code} ${error.kind}${named === undefined ? "" : ` ${String(named)}`}`;
  };
  const FRESH = "-32602 experimentalRequired Node.fresh";
  const inner = { name: "n", fresh: 1 };

  test.each<[string, unknown, string]>([
    ["itself", inner, FRESH],
    ["with null for a value", { name: "n", fresh: null }, FRESH],
    ["not when it is undefined", { name: "n", fresh: undefined }, ""],
    ["not when it is inherited", Object.assign(Object.create({ fresh: "x" }), { name: "n" }), ""],
    ["through a reference", { name: "n", next: inner }, FRESH],
    ["two turns down a recursion", { name: "n", next: { name: "n", next: inner } }, FRESH],
    ["in an array", { name: "n", list: [{ name: "n" }, inner] }, FRESH],
    ["in a map", { name: "n", map: { constructor: inner } }, FRESH],
    ["in a map, under an odd name", { name: "n", map: JSON.parse('{"__proto__":{"fresh":1}}') }, FRESH],
    [
      "in an arm of a union",
      { name: "n", shape: { kind: "box", wide: 1 } },
      "-32602 experimentalRequired Shape.wide",
    ],
    ["not in another arm", { name: "n", shape: { kind: "dot", wide: 1 } }, ""],
    ["as a word of a closed enum", { name: "n", tone: "shrill" }, "-32602 experimentalRequired Tone.shrill"],
    [
      "as such a word in an array",
      { name: "n", tones: ["low", "shrill"] },
      "-32602 experimentalRequired Tone.shrill",
    ],
    [
      "as such a word in an arm",
      { name: "n", shape: { kind: "box", tone: "shrill" } },
      "-32602 experimentalRequired Tone.shrill",
    ],
    ["not as a word of an open enum", { name: "n", mood: "wild", moods: ["wild"] }, ""],
    ["before the rest is validated", { fresh: 1 }, FRESH],
    ["before a capability", { name: "n", secret: "x", next: inner }, FRESH],
    ["as a capability, before the rest is validated", { secret: 1 }, "-32010 capabilityRequired secrets"],
  ])("%s", async (_, params, expected) => {
    expect(await ask("put", params)).toBe(expected);
  });

  test("beside restricted others, only in those that are not declared", async () => {
    expect(await ask("map", { a: "x", b: { name: "n" } })).toBe("");
    expect(await ask("map", { a: "x", b: inner })).toBe(FRESH);
  });

  test("in a message inside a message", async () => {
    expect(await ask("page", { method: "newly", params: {} })).toBe("-32602 experimentalRequired newly");
    expect(await ask("page", { method: "happened", params: inner })).toBe(FRESH);
    expect(await ask("page", { method: "secretly" })).toBe("-32010 capabilityRequired secrets");
    expect(await ask("page", { method: "toString", params: inner })).toBe("");
  });

  test("by the descriptors that were opted into", async () => {
    const value = { name: "n", fresh: "x", shape: { kind: "box", wide: "x" } };
    expect(await ask("put", value, ["Shape.wide"])).toBe(FRESH);
    expect(await ask("put", value, ["Node.fresh"])).toBe("-32602 experimentalRequired Shape.wide");
    expect(await ask("put", value, ["Node.fresh", "Shape.wide"])).toBe("");
    expect(await ask("put", { name: "n", tone: "shrill" }, ["Tone.shrill"])).toBe("");
    expect(await ask("new", {}, ["other"])).toBe("-32601 experimentalRequired new");
    expect(await ask("new", {}, ["new"])).toBe("");
  });

  test("and a grant lets it pass", async () => {
    expect(await ask("put", { name: "n", secret: "x" }, false, ["secrets"])).toBe("");
    expect(await ask("gated", {}, false, ["secrets"])).toBe("");
    expect(await ask("gated", 1)).toBe("-32010 capabilityRequired secrets");
  });

  test("and a value that nests too deep is refused for its depth, gated or not", async () => {
    let deep: unknown = inner;
    for (let i = 0; i < 20_000; i++) deep = { name: "n", next: deep };
    expect(await ask("put", deep)).toBe("-32602 invalidParams");
  });
});
