/** Commands while the store of their results fails, and when all of it is closed. */
import { describe, expect, it } from "vitest";
import { type CommandResults, InMemoryCommandResults, Workspaces } from "../../src/commands/index.js";
import { StoreError } from "../../src/ledger/store.js";
import { accepted, command, handleOf, reasonOf } from "../support/commands.js";

describe("where the store fails", () => {
  const failing = (broken: Partial<CommandResults>): CommandResults => {
    const inner = new InMemoryCommandResults();
    return {
      shared: false,
      durability: "ephemeral",
      url: "memory",
      claim: (request) => inner.claim(request),
      settle: (claim, result) => inner.settle(claim, result),
      release: (claim) => inner.release(claim),
      read: (key) => inner.read(key),
      wait: (key, waitMs) => inner.wait(key, waitMs),
      forget: () => inner.forget(),
      close: () => inner.close(),
      ...broken,
    };
  };

  it("before the claim nothing is carried out, and it may be tried again", async () => {
    const claim = () => {
      throw new StoreError("failed", "no room at /secret");
    };
    const workspaces = new Workspaces({ results: failing({ claim }) });
    const handle = handleOf(() => accepted(1));
    const result = await workspaces.execute(handle, command(), { commandId: "a" });
    expect(result).toMatchObject({ rejection: { reason: "results_unavailable", retryable: true } });
    expect(JSON.stringify(result)).not.toContain("secret");
    expect(handle.effects.size).toBe(0);
  });

  it("after the effect it is tried on, and the result is that of the one effect", async () => {
    const inner = new InMemoryCommandResults();
    let failures = 0;
    const results = failing({
      claim: (request) => inner.claim(request),
      settle: async (claim, result) => {
        if (++failures <= 3) throw new StoreError("failed", "the connection is gone");
        return inner.settle(claim, result);
      },
    });
    const workspaces = new Workspaces({ results });
    const handle = handleOf(() => accepted(1));
    const ask = () => workspaces.execute(handle, command(), { commandId: "a" });
    expect(await Promise.all([ask(), ask()])).toEqual([accepted(1), accepted(1)]);
    expect([failures, handle.effects.get("a")]).toEqual([4, 1]);
  });

  it("after the effect for longer than anybody waits, it still runs, and is settled in the end", async () => {
    const inner = new InMemoryCommandResults();
    let works = false;
    const results = failing({
      claim: (request) => inner.claim(request),
      settle: async (claim, result) => {
        if (!works) throw new StoreError("failed", "the connection is gone");
        return inner.settle(claim, result);
      },
    });
    const workspaces = new Workspaces({ results, waitMs: 30 });
    const handle = handleOf(() => accepted(1));
    const ask = () => workspaces.execute(handle, command(), { commandId: "a" });
    expect(reasonOf(await ask())).toBe("still_running");
    expect(reasonOf(await ask())).toBe("still_running");
    works = true;
    let result = await ask();
    for (let i = 0; i < 1_000 && reasonOf(result) === "still_running"; i++) result = await ask();
    expect(result).toEqual(accepted(1));
    expect(handle.effects.get("a")).toBe(1);
  });
});

describe("when it is closed", () => {
  it("what runs is waited for, and what comes is refused and may be tried elsewhere", async () => {
    const workspaces = new Workspaces();
    let end: (() => void) | undefined;
    const handle = handleOf(async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return accepted(1);
    });
    const running = workspaces.execute(handle, command(), { commandId: "a" });
    let closed = false;
    const closing = workspaces.close().then(() => (closed = true));
    const refused = await workspaces.execute(handle, command(), { commandId: "b" });
    expect(refused).toMatchObject({ rejection: { reason: "shutting_down", retryable: true } });
    expect(closed).toBe(false);
    end?.();
    expect(await running).toEqual(accepted(1));
    await closing;
  });
});
