/** Commands whose claim ends otherwise than by their outcome: given back, taken over by an effect, or never settled. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type CommandResult,
  type CommandResults,
  InMemoryCommandResults,
  Workspaces,
} from "../../src/commands/index.js";
import { sqliteResults } from "../../src/commands/node.js";
import { accepted, command, handleOf, reasonOf } from "../support/commands.js";
import { scratchFolder } from "../support/repo.js";

const BUSY: CommandResult = {
  status: "rejected",
  rejection: { reason: "busy", message: "not now", retryable: true },
};

describe("a command of SQLite that has an effect beside its result and is then to be given back", () => {
  it("is answered by what its effect settled", async () => {
    const workspaces = new Workspaces({ results: sqliteResults(join(scratchFolder(), "results.db")) });
    const handle = handleOf(async (_, { fence }) => {
      await fence!.run(
        async () => undefined,
        () => accepted("made"),
      );
      return BUSY;
    });
    for (let i = 0; i < 2; i++)
      expect(await workspaces.execute(handle, command(), { commandId: "a" })).toEqual(accepted("made"));
    expect(handle.effects.get("a")).toBe(1);
    await workspaces.close();
  });

  it("is not carried out again: its rejection is its result", async () => {
    const workspaces = new Workspaces({ results: sqliteResults(join(scratchFolder(), "results.db")) });
    const handle = handleOf(async (_, { fence }) => {
      await fence!.run(async () => undefined);
      return BUSY;
    });
    const result = { status: "rejected", rejection: { ...BUSY.rejection, retryable: false } };
    for (let i = 0; i < 2; i++)
      expect(await workspaces.execute(handle, command(), { commandId: "a" })).toEqual(result);
    expect(handle.effects.get("a")).toBe(1);
    await workspaces.close();
  });
});

it("one that waits while the id becomes another command's is refused, and not told of the other", async () => {
  const path = join(scratchFolder(), "results.db");
  const one = new Workspaces({ results: sqliteResults(path), identity: "checked" });
  const two = new Workspaces({ results: sqliteResults(path), identity: "checked" });
  let begun: () => void = () => undefined;
  const begins = new Promise<void>((resolve) => (begun = resolve));
  let go: () => void = () => undefined;
  const first = handleOf(async () => {
    begun();
    await new Promise<void>((resolve) => (go = resolve));
    return BUSY;
  });
  const second = handleOf(() => accepted("of n=2"));
  const given = one.execute(first, command("m", { n: 1 }), { commandId: "a" });
  await begins;
  const waits = two.execute(second, command("m", { n: 1 }), { commandId: "a" });
  // It has been told that another carries it out, and waits for that.
  await new Promise((resolve) => setTimeout(resolve, 500));
  go();
  expect(await given).toEqual(BUSY);
  expect(await one.execute(second, command("m", { n: 2 }), { commandId: "a" })).toEqual(accepted("of n=2"));
  expect(reasonOf(await waits)).toBe("command_id_conflict");
  expect(second.effects.get("a")).toBe(1);
  await Promise.all([one.close(), two.close()]);
});

it("one that no store takes is abandoned at its deadline, and nothing waits for it any longer", async () => {
  const inner = new InMemoryCommandResults();
  let tries = 0;
  const results: CommandResults = {
    shared: false,
    durability: "ephemeral",
    url: "memory",
    claim: (request) => inner.claim(request),
    settle: async () => {
      tries++;
      throw new RangeError("too long");
    },
    release: (claim) => inner.release(claim),
    read: (key) => inner.read(key),
    wait: (key, waitMs) => inner.wait(key, waitMs),
    forget: () => inner.forget(),
    close: () => inner.close(),
  };
  const workspaces = new Workspaces({ results, deadlineMs: 300 });
  const handle = handleOf(() => accepted("x"));
  const ask = () => workspaces.execute(handle, command(), { commandId: "a" });
  expect((await Promise.all([ask(), ask()])).map(reasonOf)).toEqual(["abandoned", "abandoned"]);
  expect(reasonOf(await ask())).toBe("abandoned");
  expect(handle.effects.get("a")).toBe(1);
  expect(tries).toBeGreaterThan(1);
  await workspaces.close();
});
