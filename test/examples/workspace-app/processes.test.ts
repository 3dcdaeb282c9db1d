/** Several processes with the application on one store, and what is left of those that are killed. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createWorkspaceApp, openStorage } from "../../../examples/workspace-app/index.js";
import type { RuleDefinition, Step } from "../../../generated/workspace/stable/types.js";
import { hasPostgres, startPostgres, type TestPostgres } from "../../support/postgres.js";
import { scratchFolder } from "../../support/repo.js";
import { type Desk, deskOf, noticesOf } from "../../support/workspace-app.js";
import { type AppChild, type AppChildOptions, appChild } from "../../support/workspace-app-child.js";

let postgres: TestPostgres | undefined;
beforeAll(async () => {
  if (hasPostgres) postgres = await startPostgres();
});
afterAll(() => postgres?.remove());

const record: Step = { do: "call", function: "record", arguments: {} };
const tell: Step = { do: "publish", type: "told", data: { of: { op: "get", path: "/eventId" } } };

/** What was called, as `RUN ATTEMPT`. */
const called = (effects: string): string[] =>
  existsSync(effects) ? readFileSync(effects, "utf8").trim().split("\n") : [];

describe.each([
  ["sqlite", async () => `sqlite:${join(scratchFolder(), "app.sqlite")}`],
  ["postgres", async () => (postgres as TestPostgres).database()],
] as const)("processes on one store in %s", (name, makeUrl) => {
  interface World {
    readonly url: string;
    readonly effects: string;
    child(options?: AppChildOptions): Promise<AppChild>;
    /** A look from outside: an application of this process, whose engine runs nothing. */
    look(): Promise<Desk>;
  }
  const inWorld =
    (test: (world: World) => Promise<void>): ((context: { skip(): void }) => Promise<void>) =>
    async ({ skip }) => {
      if (name === "postgres" && postgres === undefined) return skip();
      const url = await makeUrl();
      const effects = join(scratchFolder(), "effects");
      await test({
        url,
        effects,
        child: (options) => appChild(url, effects, options),
        async look() {
          const storage = await openStorage(url);
          storage.due = async () => [];
          const app = createWorkspaceApp({
            storage,
            pollMs: 20,
            functions: { record: () => null, hang: () => null },
          });
          onTestFinished(() => app.close());
          return deskOf(app);
        },
      });
    };
  const install = (desk: Desk, steps: Step[], more: Partial<RuleDefinition> = {}): Promise<unknown> =>
    desk.call("rule/install", { ruleId: "r", definition: { on: "t", steps: steps as never, ...more } });

  it(
    "append an event once, whichever they are, and run what it starts once",
    inWorld(async ({ child, look, effects }) => {
      const desk = await look();
      await install(desk, [record, tell]);
      const children = await Promise.all([child(), child(), child()]);
      const ids = Array.from({ length: 30 }, (_, i) => `e${i}`);
      const answers = await Promise.all(
        ids.flatMap((eventId, i) =>
          children.map((one, c) => one.ask("event/publish", { type: "t", eventId }, `c${i}-${c}`)),
        ),
      );
      const statuses = answers.map((answer) =>
        answer.status === "accepted" ? (answer.result as { status: string }).status : "rejected",
      );
      expect(statuses.filter((status) => status === "accepted")).toHaveLength(30);
      expect(statuses.filter((status) => status === "duplicate")).toHaveLength(60);
      const { runs } = await desk.call("run/list", { limit: 200 });
      const done = await Promise.all(runs.map(({ runId }) => desk.settled(runId, "done", "failed")));
      expect(done.map(({ status, attempt }) => `${status} ${attempt}`)).toEqual(Array(30).fill("done 1"));
      expect(called(effects).sort()).toEqual(runs.map(({ runId }) => `${runId} 1`).sort());
      const { events } = await desk.call("event/list", { limit: 200 });
      expect(events.map(({ position }) => position)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
      const told = events.filter(({ type }) => type === "told").map(({ data }) => data["of"] as string);
      expect(told.sort()).toEqual([...ids].sort());
    }),
  );

  it(
    "take up what a killed one ran",
    inWorld(async ({ child, look, effects }) => {
      const desk = await look();
      await install(desk, [record, { do: "call", function: "hang", arguments: {}, as: "attempt" }, tell]);
      const first = await child({ leaseMs: 1500 });
      const published = await first.ask("event/publish", { type: "t", eventId: "e" }, "c");
      const [runId] = (published as unknown as { result: { runIds: [string] } }).result.runIds;
      while (called(effects).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      await first.kill();
      expect((await desk.call("run/read", { runId })).run).toMatchObject({ status: "running", attempt: 1 });
      await child();
      expect(await desk.settled(runId, "done", "failed")).toMatchObject({
        status: "done",
        attempt: 2,
        output: { attempt: 2 },
      });
      expect(called(effects)).toEqual([`${runId} 1`, `${runId} 2`]);
      expect((await desk.call("event/list", { type: "told" })).events).toHaveLength(1);
    }),
  );

  it(
    "lose nothing that was queued, however often they are killed",
    inWorld(async ({ child, look, effects }) => {
      const desk = await look();
      await install(desk, [{ do: "wait", ms: 20 }, record, tell], { maxAttempts: 10 });
      for (let i = 0; i < 24; i++) await desk.call("event/publish", { type: "t", eventId: `e${i}` });
      const done = async (): Promise<number> =>
        (await desk.call("run/list", { status: "done", limit: 200 })).runs.length;
      let kills = 0;
      for (let seen = 0; seen < 18; kills++) {
        const one = await child({ concurrency: 2, leaseMs: 1500 });
        const from = seen;
        while ((seen = await done()) < Math.min(from + 4, 24)) await new Promise((r) => setTimeout(r, 10));
        await one.kill();
      }
      expect(kills).toBeGreaterThan(2);
      await child({ concurrency: 2 });
      const { runs } = await desk.call("run/list", { limit: 200 });
      const ended = await Promise.all(runs.map(({ runId }) => desk.settled(runId, "done", "failed")));
      expect(ended.map(({ status }) => status)).toEqual(Array(24).fill("done"));
      const { events } = await desk.call("event/list", { type: "told", limit: 200 });
      expect(new Set(events.map(({ causedBy }) => causedBy)).size).toBe(24);
      expect(events).toHaveLength(24);
      // What acts on the world may be called again by a later attempt, and never twice by one.
      expect(new Set(called(effects)).size).toBe(called(effects).length);
    }),
  );

  it(
    "hear of what the others change",
    inWorld(async ({ child, look }) => {
      const desk = await look();
      const { notices, until } = noticesOf(desk.handle);
      const other = await child();
      await install(desk, [record]);
      await other.ask("event/publish", { type: "t", eventId: "e" }, "c");
      await until((all) => JSON.stringify(all).includes('"done"'));
      const methods = notices.map(({ method }) => method);
      expect(methods.filter((method) => method === "event/published")).toHaveLength(1);
      const revisions = notices.map(({ params }) => params["revision"] as number);
      expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
    }),
  );
});
