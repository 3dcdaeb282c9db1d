/** The laws of the engine, over histories that are made up: what was published, run, stopped, replayed and lost. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createWorkspaceApp } from "../../../examples/workspace-app/index.js";
import { MemoryStorage } from "../../../examples/workspace-app/storage/memory.js";
import type { Storage } from "../../../examples/workspace-app/storage/storage.js";
import type { LogEvent, Rule, RuleDefinition, Run } from "../../../generated/workspace/stable/types.js";
import type { App, Notice } from "../../../src/commands/app.js";
import { type Desk, deskOf } from "../../support/workspace-app.js";

/** Rules that take their time, fail, publish, or come to an end at once; each over events with `n` at least its own. */
const DEFINITIONS: readonly RuleDefinition[] = [
  { on: "a", steps: [{ do: "compute", set: { n: { op: "get", path: "/data/n" } } }] },
  { on: "a", when: { op: "ge", path: "/data/n", value: 2 }, steps: [{ do: "wait", ms: 3 }] },
  { on: "a", steps: [{ do: "publish", type: "b", data: { n: { op: "get", path: "/data/n" } } }] },
  {
    on: "b",
    when: { op: "lt", path: "/data/n", value: 3 },
    steps: [{ do: "call", function: "flaky", arguments: {} }],
  },
];

type Move =
  | { readonly do: "publish"; readonly eventId: string; readonly type: string; readonly n: number }
  | { readonly do: "rule"; readonly ruleId: string; readonly definition: number }
  | { readonly do: "archive"; readonly ruleId: string }
  | { readonly do: "replay"; readonly ruleId: string; readonly replayId: string }
  | { readonly do: "cancel" | "skip" | "retry"; readonly pick: number }
  | { readonly do: "pause"; readonly ms: number }
  | { readonly do: "restart" };

const ruleId = fc.constantFrom("r1", "r2", "r3");
const pick = fc.nat({ max: 50 });
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("publish" as const),
      eventId: fc.integer({ min: 1, max: 12 }).map((n) => `e${n}`),
      type: fc.constantFrom("a", "b"),
      n: fc.nat({ max: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("rule" as const), ruleId, definition: fc.nat({ max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("archive" as const), ruleId }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("replay" as const),
      ruleId,
      replayId: fc.constantFrom("p1", "p2"),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("cancel", "skip", "retry"), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("pause" as const), ms: fc.nat({ max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
);

/** What a history came to. */
interface History {
  readonly events: LogEvent[];
  readonly runs: Run[];
  /** The versions of the rules, and at how many events of the log each began and ended. */
  readonly versions: Map<string, { definition: RuleDefinition; from: number; until: number }>;
  readonly replays: Set<string>;
  readonly notices: Notice[];
  readonly restarts: number;
}

/** Plays moves on a store that outlives the application. */
async function play(moves: readonly Move[], storage: Storage): Promise<History> {
  const kept: Storage = Object.assign(Object.create(storage) as Storage, {
    read: storage.read.bind(storage),
    write: storage.write.bind(storage),
    revision: storage.revision.bind(storage),
    changes: storage.changes.bind(storage),
    due: storage.due.bind(storage),
    close: async () => undefined,
  });
  const errors: unknown[] = [];
  let calls = 0;
  const start = (): App =>
    createWorkspaceApp({
      storage: kept,
      pollMs: 5,
      concurrency: 3,
      functions: {
        flaky: () => {
          if (++calls % 2 === 1) throw new Error("not now");
          return null;
        },
      },
      onError: (error) => errors.push(error),
    });
  let app = start();
  const notices: Notice[] = [];
  const open = async (): Promise<Desk> => {
    const desk = await deskOf(app);
    desk.handle.subscribe((notice) => notices.push(notice));
    return desk;
  };
  let desk = await open();
  const versions: History["versions"] = new Map();
  const replays = new Set<string>();
  let restarts = 0;
  const length = async (): Promise<number> => (await desk.call("event/list", { limit: 200 })).events.length;
  const noted = async (rule: Rule): Promise<void> => {
    const key = `${rule.ruleId}@${rule.version}`;
    const before = versions.get(`${rule.ruleId}@${rule.version - 1}`);
    const now = await length();
    if (before !== undefined) before.until = Math.min(before.until, now);
    if (!versions.has(key))
      versions.set(key, { definition: rule.definition, from: now, until: Number.POSITIVE_INFINITY });
  };
  for (const one of moves) {
    switch (one.do) {
      case "publish":
        await desk.call("event/publish", { eventId: one.eventId, type: one.type, data: { n: one.n } });
        break;
      case "rule": {
        const given = { ruleId: one.ruleId, definition: DEFINITIONS[one.definition] as RuleDefinition };
        const there = versions.has(`${one.ruleId}@1`);
        const context = { commandId: "c", signal: new AbortController().signal };
        const method = there ? "rule/update" : "rule/install";
        await quiet(desk, async () => {
          const answer = await desk.handle.carryOut({ method, params: given as never }, context);
          if (answer.status === "accepted") await noted((answer.result as unknown as { rule: Rule }).rule);
        });
        break;
      }
      case "archive": {
        const context = { commandId: "c", signal: new AbortController().signal };
        await quiet(desk, async () => {
          const params = { ruleId: one.ruleId };
          const answer = await desk.handle.carryOut({ method: "rule/archive", params }, context);
          if (answer.status === "rejected") return;
          const { version } = (answer.result as unknown as { rule: Rule }).rule;
          const ended = versions.get(`${one.ruleId}@${version}`);
          if (ended !== undefined) ended.until = Math.min(ended.until, await length());
        });
        break;
      }
      case "replay": {
        const context = { commandId: "c", signal: new AbortController().signal };
        const params = { ruleId: one.ruleId, replayId: one.replayId };
        await desk.handle.carryOut({ method: "rule/replay", params }, context);
        replays.add(one.replayId);
        break;
      }
      case "cancel":
      case "skip":
      case "retry": {
        const { runs } = await desk.call("run/list", { limit: 200 });
        const run = runs[one.pick % Math.max(1, runs.length)];
        const context = { commandId: "c", signal: new AbortController().signal };
        if (run !== undefined)
          await desk.handle.carryOut({ method: `run/${one.do}`, params: { runId: run.runId } }, context);
        break;
      }
      case "pause":
        await new Promise((resolve) => setTimeout(resolve, one.ms));
        break;
      case "restart":
        await app.close();
        app = start();
        desk = await open();
        restarts++;
    }
  }
  await calm(desk);
  const { events } = await desk.call("event/list", { limit: 200 });
  const runs = await allRuns(desk);
  await app.close();
  expect(errors).toEqual([]);
  return { events, runs, versions, replays, notices, restarts };
}

/** Does something while nothing runs, so that the log does not grow meanwhile. */
async function quiet(desk: Desk, work: () => Promise<void>): Promise<void> {
  await calm(desk);
  await work();
}

async function calm(desk: Desk): Promise<void> {
  for (;;) {
    const [queued, running] = [
      await desk.call("run/list", { status: "queued", limit: 1 }),
      await desk.call("run/list", { status: "running", limit: 1 }),
    ];
    if (queued.runs.length + running.runs.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

async function allRuns(desk: Desk): Promise<Run[]> {
  const runs: Run[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: { runs: Run[]; nextAfter?: number } = await desk.call("run/list", { after, limit: 200 });
    runs.push(...page.runs);
    after = page.nextAfter;
  }
  return runs;
}

/** What a condition of {@link DEFINITIONS} says, said otherwise. */
function matches({ on, when }: RuleDefinition, { type, data }: LogEvent): boolean {
  const n = data["n"] as number;
  if (type !== on) return false;
  if (when === undefined) return true;
  return when.op === "ge" ? n >= 2 : n < 3;
}

/** What is wrong with a history; nothing where it keeps the laws. */
function broken({ events, runs, versions, replays, notices }: History): string[] {
  const wrong: string[] = [];
  events.forEach(({ position }, i) => {
    if (position !== i + 1) wrong.push(`the event at place ${i + 1} has position ${position}`);
  });
  if (new Set(events.map(({ eventId }) => eventId)).size !== events.length)
    wrong.push("an id is there twice");
  const of = (event: LogEvent, key: string, replayId?: string): Run[] =>
    runs.filter(
      (run) =>
        run.eventId === event.eventId &&
        `${run.ruleId}@${run.ruleVersion}` === key &&
        run.replayId === replayId,
    );
  let expected = 0;
  for (const [key, { definition, from, until }] of versions) {
    for (const event of events) {
      const lived = event.position > from && event.position <= until;
      const wanted = lived && matches(definition, event) ? 1 : 0;
      expected += wanted;
      const found = of(event, key).length;
      if (found !== wanted) wrong.push(`${key} on ${event.eventId}: ${found} runs, not ${wanted}`);
      for (const replayId of replays) {
        const again = of(event, key, replayId).length;
        if (again > 1) wrong.push(`${key} on ${event.eventId}, replay ${replayId}: ${again} runs`);
        if (again === 1 && !matches(definition, event)) wrong.push(`${key} replayed on ${event.eventId}`);
      }
    }
  }
  const fired = runs.filter(({ replayId }) => replayId === undefined).length;
  if (fired !== expected) wrong.push(`${fired} runs, not ${expected}`);
  for (const run of runs) {
    const ends = ["done", "failed", "skipped", "cancelled"].includes(run.status);
    if (!ends || run.endedAt === undefined) wrong.push(`${run.runId} is ${run.status} and has no end`);
    if ((run.status === "failed") !== (run.reason !== undefined))
      wrong.push(`${run.runId}: reason ${run.reason}`);
    const published = events.filter(({ causedBy }) => causedBy === run.runId).length;
    const definition = versions.get(`${run.ruleId}@${run.ruleVersion}`)?.definition;
    const wants = run.status === "done" && definition?.steps[0]?.do === "publish" ? 1 : 0;
    if (published !== wants) wrong.push(`${run.runId}, ${run.status}, published ${published}, not ${wants}`);
  }
  const final = new Map<string, string>();
  for (const { method, params } of notices) {
    if (method !== "run/changed") continue;
    const { runId, status } = params["run"] as unknown as Run;
    const was = final.get(runId);
    if (was !== undefined && was !== status) wrong.push(`${runId} was ${was} and became ${status}`);
    if (status === "done" || status === "cancelled") final.set(runId, status);
  }
  return wrong;
}

describe("the engine", () => {
  it("starts one run for each event, rule and version, and lets none get lost, whatever happens", async () => {
    const seen: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 8, maxLength: 40 }), async (moves) => {
        const history = await play(
          [
            { do: "rule", ruleId: "r1", definition: 2 },
            { do: "rule", ruleId: "r2", definition: 3 },
            ...moves,
          ],
          new MemoryStorage(),
        );
        expect(broken(history)).toEqual([]);
        for (const { status, replayId, attempt } of history.runs) {
          seen[status] = (seen[status] ?? 0) + 1;
          if (replayId !== undefined) seen["replayed"] = (seen["replayed"] ?? 0) + 1;
          if (attempt > 1) seen["again"] = (seen["again"] ?? 0) + 1;
        }
        seen["restarts"] = (seen["restarts"] ?? 0) + history.restarts;
      }),
      { numRuns: 60 },
    );
    for (const what of ["done", "failed", "skipped", "cancelled", "replayed", "again", "restarts"])
      expect(seen[what] ?? 0, what).toBeGreaterThan(0);
    expect(seen["done"]).toBeGreaterThan(100);
  });

  /** A store in which something is wrong. */
  const FLAWED: readonly (readonly [flaw: string, make: () => Storage, law: RegExp])[] = [
    [
      "that forgets what it has",
      () => {
        const storage = new MemoryStorage();
        const write = storage.write.bind(storage);
        let runs = 0;
        storage.write = (scope, work, options) =>
          write(
            scope,
            (t) => {
              const insert = t.insert.bind(t);
              t.insert = async (kind, id, make) =>
                kind === "run" && ++runs % 3 === 0 ? true : insert(kind, id, make);
              return work(t);
            },
            options,
          );
        return storage;
      },
      /0 runs, not 1/,
    ],
    [
      "in which a cancelled run becomes done",
      () => {
        const storage = new MemoryStorage();
        const write = storage.write.bind(storage);
        storage.write = (scope, work, options) =>
          write(
            scope,
            (t) => {
              const update = t.update.bind(t);
              t.update = (kind, id, entry) => {
                const body = structuredClone(entry.body) as { run?: { status: string } };
                if (entry.state === "cancelled" && body.run !== undefined) body.run.status = "done";
                return update(kind, id, { ...entry, body: body as never });
              };
              return work(t);
            },
            options,
          );
        return storage;
      },
      /published 0, not 1|became/,
    ],
  ];

  it.each(FLAWED)("is seen to break its laws over a store %s", async (_, make, law) => {
    const publish = (n: number): Move => ({ do: "publish", eventId: `e${n}`, type: "a", n });
    const moves: Move[] = [{ do: "rule", ruleId: "r", definition: 2 }, publish(1), publish(2)];
    const cancels: Move[] = [0, 1, 2].map((one) => ({ do: "cancel", pick: one }));
    const history = await play([...moves, ...cancels, publish(3), { do: "cancel", pick: 2 }], make());
    expect(broken(history).join("\n")).toMatch(law);
  });
});
