/** What becomes of runs whose process dies, freezes, closes, or loses its store for a while. */
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorkspaceApp } from "../../../examples/workspace-app/index.js";
import { MemoryStorage } from "../../../examples/workspace-app/storage/memory.js";
import type { Storage } from "../../../examples/workspace-app/storage/storage.js";
import type { RuleDefinition } from "../../../generated/workspace/stable/types.js";
import type { App, JsonValue } from "../../../src/commands/app.js";
import { type Desk, deskOf } from "../../support/workspace-app.js";

const LEASE = 1000;

/** A store with a clock that is set, and processes on it that can be frozen. */
function world(): {
  pass(ms: number): void;
  /** What is left of the lease of a run, in milliseconds. */
  left(runId: string): Promise<number>;
  process(functions?: Functions): {
    app: App;
    desk: Promise<Desk>;
    freeze(): void;
    wake(): void;
    errors: unknown[];
  };
} {
  let now = 1_000_000;
  const shared = new MemoryStorage({ now: () => now });
  return {
    pass: (ms) => {
      now += ms;
    },
    left: async (runId) => {
      const run = await shared.read({ tenant: "orchard", workspace: "w1" }, (r) => r.get("run", runId));
      return (run?.due ?? now) - now;
    },
    process(functions = {}) {
      let frozen: Promise<void> | undefined;
      let thaw = (): void => undefined;
      const errors: unknown[] = [];
      // Frozen, it neither asks nor is answered.
      const slowly = async <T>(call: () => Promise<T>): Promise<T> => {
        await frozen;
        const answer = await call();
        await frozen;
        return answer;
      };
      const storage: Storage = {
        read: (scope, work) => slowly(() => shared.read(scope, work)),
        write: (scope, work, options) => slowly(() => shared.write(scope, work, options)),
        revision: (scope) => slowly(() => shared.revision(scope)),
        changes: (scope, after, limit) => slowly(() => shared.changes(scope, after, limit)),
        due: (limit) => slowly(() => shared.due(limit)),
        close: async () => undefined,
      };
      const app = createWorkspaceApp({
        storage,
        pollMs: 5,
        leaseMs: LEASE,
        functions: { now: () => null, ...functions },
        onError: (error) => errors.push(error),
      });
      const wake = (): void => {
        frozen = undefined;
        thaw();
      };
      onTestFinished(async () => {
        wake();
        await app.close();
      });
      return {
        app,
        desk: deskOf(app),
        errors,
        wake,
        freeze() {
          frozen = new Promise((resolve) => {
            thaw = resolve;
          });
        },
      };
    },
  };
}

type Functions = Record<string, (...given: never[]) => JsonValue | Promise<JsonValue>>;

/** A function whose first call ends when it is told to, and the later ones at once. */
function held(): { functions: Functions; begun: Promise<void>; release(): void; calls: () => number } {
  let begin = (): void => undefined;
  let release = (): void => undefined;
  let calls = 0;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const now = async (): Promise<JsonValue> => {
    if (++calls > 1) return calls;
    begin();
    await gate;
    return calls;
  };
  return { functions: { now } as Functions, begun, release, calls: () => calls };
}

const rule = (more: Partial<RuleDefinition> = {}): RuleDefinition => ({
  on: "t",
  steps: [
    { do: "call", function: "now", arguments: {}, as: "answer" },
    { do: "publish", type: "told", data: {} },
  ],
  ...more,
});

async function publish(desk: Desk, definition: RuleDefinition = rule()): Promise<string> {
  await desk.call("rule/install", { ruleId: "r", definition });
  const { runIds } = await desk.call("event/publish", { eventId: "e", type: "t" });
  return runIds[0] as string;
}

/** Waits as long as several looks of the engines take. */
const looks = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60));

describe("a run", () => {
  it("of a process that froze is taken up by another at the end of its lease, and the late end changes nothing", async () => {
    const { pass, process } = world();
    const gate = held();
    const a = process(gate.functions);
    const desk = await a.desk;
    const runId = await publish(desk);
    await gate.begun;
    a.freeze();
    const b = process({ now: () => "b" });
    const other = await b.desk;
    pass(LEASE - 1);
    await looks();
    expect((await other.call("run/read", { runId })).run).toMatchObject({ status: "running", attempt: 1 });
    pass(1);
    expect(await other.settled(runId, "done")).toMatchObject({ attempt: 2, output: { answer: "b" } });
    gate.release();
    a.wake();
    await looks();
    expect(await desk.settled(runId, "done")).toMatchObject({ attempt: 2, output: { answer: "b" } });
    expect((await desk.call("event/list", { type: "told" })).events).toHaveLength(1);
    expect([a.errors, b.errors]).toEqual([[], []]);
  });

  it("whose lease is renewed is left alone, however long it takes", async () => {
    const { pass, left, process } = world();
    const gate = held();
    const a = process(gate.functions);
    const runId = await publish(await a.desk);
    await gate.begun;
    const b = process({ now: () => "b" });
    const other = await b.desk;
    // Nearly three leases; each time the holder renews it at the last moment.
    for (let i = 0; i < 3; i++) {
      pass(LEASE - 1);
      while ((await left(runId)) < LEASE) await looks();
    }
    expect((await other.call("run/read", { runId })).run).toMatchObject({ status: "running", attempt: 1 });
    gate.release();
    expect(await other.settled(runId, "done")).toMatchObject({ attempt: 1, output: { answer: 1 } });
  });

  it("that is lost as often as its rule allows fails with the reason", async () => {
    const { pass, process } = world();
    const frozen = [];
    let runId: string | undefined;
    for (let i = 0; i < 2; i++) {
      const gate = held();
      const one = process(gate.functions);
      runId ??= await publish(await one.desk, rule({ maxAttempts: 2 }));
      await gate.begun;
      one.freeze();
      frozen.push(one);
      pass(LEASE);
    }
    const last = await process().desk;
    const failed = await last.settled(runId as string, "failed");
    expect(failed).toMatchObject({ reason: "interrupted", attempt: 2 });
    // Somebody who asks for it gives it as many anew.
    expect((await last.call("run/retry", { runId: runId as string })).run.attempt).toBe(3);
    await last.settled(runId as string, "done");
  });

  it("of a process that closes is given back, and taken up at once", async () => {
    const { process } = world();
    const gate = held();
    const a = process(gate.functions);
    const runId = await publish(await a.desk);
    await gate.begun;
    const b = await process({ now: () => "b" }).desk;
    await a.app.close();
    expect(await b.settled(runId, "done")).toMatchObject({ attempt: 2, output: { answer: "b" } });
    gate.release();
    await looks();
    expect((await b.call("event/list", { type: "told" })).events).toHaveLength(1);
  });

  it("that is cancelled through another process publishes nothing, and its function is told", async () => {
    const { process } = world();
    const seen: boolean[] = [];
    let began = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      began = resolve;
    });
    const now = (_: object, { signal }: { signal: AbortSignal }): Promise<JsonValue> =>
      new Promise((resolve) => {
        began();
        signal.addEventListener("abort", () => {
          seen.push(true);
          resolve("too late");
        });
      });
    const a = process({ now } as unknown as Functions);
    const runId = await publish(await a.desk);
    await begun;
    const b = await process().desk;
    await b.call("run/cancel", { runId });
    while (seen.length === 0) await looks();
    expect((await b.call("run/read", { runId })).run.status).toBe("cancelled");
    expect((await b.call("event/list", { type: "told" })).events).toEqual([]);
  });

  it("that never ends holds no place once it is cancelled", async () => {
    const { process } = world();
    const hangs: Functions = { now: () => new Promise<JsonValue>(() => undefined), soon: () => 1 };
    const desk = await process(hangs).desk;
    await desk.call("rule/install", { ruleId: "hang", definition: rule() });
    const steps: RuleDefinition["steps"] = [{ do: "call", function: "soon", arguments: {} }];
    await desk.call("rule/install", { ruleId: "soon", definition: { on: "soon", steps } });
    const hung: string[] = [];
    for (let i = 0; i < 16; i++) hung.push(...(await desk.call("event/publish", { type: "t" })).runIds);
    for (const runId of hung) await desk.settled(runId, "running");
    const { runIds } = await desk.call("event/publish", { type: "soon" });
    await looks();
    expect((await desk.call("run/read", { runId: runIds[0] as string })).run.status).toBe("queued");
    await desk.call("run/cancel", { runId: hung[7] as string });
    await desk.settled(runIds[0] as string, "done");
  });
});

describe("a store that is away for a while", () => {
  it("costs no run: what could not be written is written when it is back", async () => {
    const storage = new MemoryStorage();
    const write = storage.write.bind(storage);
    let away = 0;
    storage.write = async (...given) => {
      if (away > 0) {
        away--;
        throw new Error("away");
      }
      return write(...given);
    };
    const gate = held();
    const errors: unknown[] = [];
    const app = createWorkspaceApp({
      storage,
      pollMs: 5,
      functions: gate.functions as never,
      onError: (error) => errors.push(error),
    });
    onTestFinished(() => app.close());
    const desk = await deskOf(app);
    const runId = await publish(desk);
    await gate.begun;
    away = 4;
    gate.release();
    expect(await desk.settled(runId, "done")).toMatchObject({ attempt: 1 });
    expect(errors).toHaveLength(4);
    away = 3;
    await expect(desk.call("event/publish", { type: "t" })).rejects.toThrow("away");
    away = 0;
    const { runIds } = await desk.call("event/publish", { type: "t" });
    await desk.settled(runIds[0] as string, "done");
    expect(gate.calls()).toBe(2);
  });
});
