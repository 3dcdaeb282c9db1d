/** Client and server over a peer in memory: nothing of the tables is missing on either side. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Surface } from "../../../../codegen/index.js";
import { type Bindings, bindingsOf, replaced } from "../../../support/bindings.js";
import { planOfFile } from "../../../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA, WORKSPACE_SCHEMA } from "../../../support/repo.js";
import { converse, type Talk } from "./conversation.js";

const SEEDS = [1, 2];

describe.each<[string, string, Surface]>([
  ["msp", MSP_SCHEMA, "stable"],
  ["msp", MSP_SCHEMA, "experimental"],
  ["depot", DEPOT_SCHEMA, "stable"],
  ["depot", DEPOT_SCHEMA, "experimental"],
  ["workspace", WORKSPACE_SCHEMA, "stable"],
])("%s, %s, the %s surface", (_, file, surface) => {
  let bindings: Bindings;
  let talks: readonly Talk[];
  beforeAll(async () => {
    bindings = await bindingsOf(planOfFile(file, surface));
    talks = await Promise.all(SEEDS.map((seed) => converse(bindings, seed)));
  });

  test("has no problem", () => {
    expect(talks.flatMap(({ problems }) => problems)).toEqual([]);
  });

  test("calls every method once and gets its result", () => {
    for (const { methods } of talks) expect(methods).toEqual(Object.keys(bindings.tables.methods));
  });

  test("sends every notification, each in its direction", () => {
    for (const { notifications } of talks)
      expect(notifications).toEqual(Object.keys(bindings.tables.notifications));
  });

  test("sends every request of the host and gets its answer", () => {
    for (const { requests } of talks) expect(requests).toEqual(Object.keys(bindings.tables.requests));
  });

  test("gets every error as itself, under each kind, thrown or returned", () => {
    const rows = Object.entries(bindings.tables.errors).flatMap(([kind, { code, overrideKinds }]) =>
      [kind, ...overrideKinds].flatMap((name) => [`${code} ${name} thrown`, `${code} ${name} returned`]),
    );
    expect(rows.length).toBeGreaterThan(4);
    for (const { errors } of talks) expect(errors).toEqual(rows);
  });
});

test("MSP makes all three claims of an error: retryable, not retryable, and none", async () => {
  const { tables } = await bindingsOf(planOfFile(MSP_SCHEMA));
  expect(new Set(Object.values(tables.errors).map(({ retryable }) => retryable))).toEqual(
    new Set([true, false, undefined]),
  );
});

describe("the conversation fails", () => {
  const poisoned = async (poison: Parameters<typeof bindingsOf>[1]): Promise<readonly string[]> =>
    (await converse(await bindingsOf(planOfFile(DEPOT_SCHEMA), poison), 1)).problems;

  test("without a method of the client", async () => {
    const problems = await poisoned({ client: (text) => replaced(text, 'find: call("find"),', "") });
    expect(problems.some((problem) => problem.startsWith("find: "))).toBe(true);
  });

  test("with a method of the client that calls another", async () => {
    const problems = await poisoned({ client: (text) => replaced(text, 'bare("ping")', 'bare("tree")') });
    expect(problems.some((problem) => problem.startsWith("ping: "))).toBe(true);
  });

  test("without a notification of the client", async () => {
    const problems = await poisoned({
      client: (text) => replaced(text, 'watching: notify("watching"),', ""),
    });
    expect(problems.some((problem) => problem.startsWith("watching: "))).toBe(true);
  });

  test("with an error whose claim is lost", async () => {
    const problems = await poisoned({
      server: (text) => replaced(text, "{ kind, retryable, ...data }", "{ kind, ...data }"),
    });
    expect(problems.some((problem) => problem.includes("gateBusy"))).toBe(true);
  });

  test("with a command that forgets its id", async () => {
    const problems = await poisoned({
      client: (text) => replaced(text, "return whole;", "return params ?? {};"),
    });
    expect(problems.some((problem) => problem.startsWith("move: "))).toBe(true);
  });
});
