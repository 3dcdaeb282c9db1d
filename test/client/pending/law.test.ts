import { describe, expect, it } from "vitest";
import { PendingCommandSet } from "../../../src/client/pending/index.js";
import { COMMAND_NAMES, pendingLaw } from "./law.js";
import { MUTANTS, mutated, UNCHANGED } from "./mutants.js";

const RUNS = 1000;

describe("the law of the pending set", () => {
  it("holds: no entry is lost, retired twice or retired without a cause, and the words come back", () => {
    const counts = pendingLaw(PendingCommandSet, { runs: RUNS });
    // Each command, each way to end, each arm of a join and each answer that changes nothing.
    const exercised = [
      ...COMMAND_NAMES,
      "by userMessage",
      "by activeTurn",
      "by rejected",
      "by abandoned",
      "by reclaimed",
      "by retryAbandonedByClient",
      "by terminalUnknown",
      "kept in the queue",
      "kept as a steer",
      "to replay",
      "to resubmit",
      "submit: again",
      "submit: dead",
      "submit: closed",
      "error: held",
      "replay: held",
      "replay: dead",
      "resolve: held",
      "resolve: dead",
      "reclaim: undefined",
      "userMessage: undefined",
      "stopRetrying: undefined",
      "movement: replays",
      "newSession: opened",
      "restart: pending",
      "restart: empty",
    ];
    expect(exercised.filter((name) => (counts[name] ?? 0) < 40)).toEqual([]);
  });

  it("holds for the set as it is compiled for the mutants", async () => {
    pendingLaw(await mutated(UNCHANGED), { runs: RUNS });
  });

  it.each(MUTANTS)("is seen to be broken when $name", async (mutant) => {
    const sets = await mutated(mutant);
    expect(() => pendingLaw(sets, { runs: RUNS, shrink: false })).toThrow(/Property failed/);
  });
});
