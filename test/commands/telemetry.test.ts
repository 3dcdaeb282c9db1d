/** What OpenTelemetry is told of commands: by its API, to a provider that writes down. */
import { type Counter, context, metrics, type Span, trace } from "@opentelemetry/api";
import { expect, it } from "vitest";
import { openTelemetry, telemetryOf, Workspaces } from "../../src/commands/index.js";
import { accepted, command, handleOf } from "../support/commands.js";

/** An API whose spans and counters are written down. */
function written() {
  const spans: { name: string; attributes: Record<string, unknown>; ended: boolean }[] = [];
  const counts: [string, unknown][] = [];
  const startSpan = (name: string): Span => {
    const made = { name, attributes: {} as Record<string, unknown>, ended: false };
    spans.push(made);
    const span = {
      isRecording: () => true,
      setAttribute(key: string, value: unknown) {
        made.attributes[key] = value;
        return span;
      },
      end: () => {
        made.ended = true;
      },
      spanContext: () => ({ traceId: "1".repeat(32), spanId: "1".repeat(16), traceFlags: 1 }),
    };
    return span as unknown as Span;
  };
  const createCounter = (name: string): Counter => ({
    add: (_n, attributes) => counts.push([name, attributes]),
  });
  const api = {
    context,
    trace: Object.assign(Object.create(trace), { getTracer: () => ({ startSpan }) }),
    metrics: Object.assign(Object.create(metrics), { getMeter: () => ({ createCounter }) }),
  };
  return { spans, counts, telemetry: telemetryOf(api as never) };
}

it("is told of execute, claim, replay and wait, and neither ids nor tenants", async () => {
  const { spans, counts, telemetry } = written();
  const workspaces = new Workspaces({ telemetry });
  const handle = handleOf(
    async () => {
      await new Promise(setImmediate);
      return accepted("secret result");
    },
    { tenant: "secret tenant" },
  );
  const ask = () =>
    workspaces.execute(handle, command("run/skip", { text: "secret" }), { commandId: "secret-id" });
  await Promise.all([ask(), ask()]);
  await ask();
  await workspaces.execute(handle, command("run/skip"), { commandId: "" });
  const executed = counts.filter(([name]) => name === "mspkit.execute").map(([, told]) => told);
  const told = { method: "run/skip", status: "accepted" };
  expect(executed).toHaveLength(4);
  for (const how of ["carriedOut", "joined", "replayed"]) expect(executed).toContainEqual({ ...told, how });
  expect(executed).toContainEqual({
    method: "run/skip",
    status: "rejected",
    how: "refused",
    reason: "command_id_malformed",
  });
  expect(counts.filter(([name]) => name !== "mspkit.execute")).toEqual([
    ["mspkit.claim", { answer: "claimed" }],
    ["mspkit.wait", { answer: "accepted" }],
    ["mspkit.claim", { answer: "settled" }],
    ["mspkit.replay", { method: "run/skip" }],
  ]);
  expect(spans.map(({ name }) => name).sort()).toEqual([
    "mspkit.claim",
    "mspkit.claim",
    "mspkit.execute",
    "mspkit.execute",
    "mspkit.execute",
    "mspkit.execute",
    "mspkit.wait",
  ]);
  expect(spans.every(({ ended }) => ended)).toBe(true);
  expect(JSON.stringify([spans, counts])).not.toContain("secret");
});

it("without a provider comes to nothing", async () => {
  const workspaces = new Workspaces({ telemetry: await openTelemetry() });
  const handle = handleOf(() => accepted(1));
  for (let i = 0; i < 2; i++)
    expect(await workspaces.execute(handle, command(), { commandId: "a" })).toEqual(accepted(1));
});

it("that throws is heard of elsewhere: commands are carried out, repeated and ended as without it", async () => {
  const calls = ["execute", "within", "claimed", "waits", "waited", "ended"] as const;
  let thrown = 0;
  for (const broken of calls) {
    const fails = (call: (typeof calls)[number]): void => {
      if (call !== broken) return;
      thrown++;
      throw new Error(call);
    };
    const workspaces = new Workspaces({
      telemetry: {
        execute: () => {
          fails("execute");
          return {
            within(action) {
              fails("within");
              return action();
            },
            claimed: () => fails("claimed"),
            waits: () => {
              fails("waits");
              return () => fails("waited");
            },
            ended: () => fails("ended"),
          };
        },
      },
      onError: () => {
        throw new Error("nor does it help to be told");
      },
    });
    const handle = handleOf(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return accepted(broken);
    });
    const ask = () => workspaces.execute(handle, command(), { commandId: "a" });
    expect(await Promise.all([ask(), ask()])).toEqual([accepted(broken), accepted(broken)]);
    expect(await ask()).toEqual(accepted(broken));
    expect(handle.effects.get("a")).toBe(1);
    await workspaces.close();
  }
  expect(thrown).toBeGreaterThanOrEqual(calls.length);
});
