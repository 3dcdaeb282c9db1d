import { expect, test } from "vitest";
import type { JoinResult } from "../../../src/client/fold/index.js";
import type { SessionRecord } from "../../../src/host/session/records.js";
import { SessionViewLog } from "../../../src/host/session/view.js";
import { Random } from "../../../src/laws/random.js";
import { Counts, LawBroken } from "./law.js";
import {
  cursorsArePlaces,
  joinsAnywhere,
  pagesGiveEvents,
  READ,
  type Read,
  rangesHaveNoHoles,
  tell,
} from "./law-view.js";
import { Laws } from "./laws.js";
import { Schedule } from "./schedule.js";
import { SESSION_ID, Simulation } from "./simulation.js";

type Log = readonly (readonly SessionRecord[])[];

/** The log of a session that went through a schedule. */
function logOf(seed: number, steps: number): { readonly log: Log; readonly simulation: Simulation } {
  const counts = new Counts();
  const simulation = new Simulation(new Laws(counts));
  const schedule = new Schedule(new Random(seed), simulation, counts);
  for (let step = 0; step < steps; step++) schedule.step();
  simulation.flush();
  return { log: simulation.log, simulation };
}

const SEEDS = Array.from({ length: 40 }, (_, i) => 1_000 + i);
const LOGS = SEEDS.map((seed) => logOf(seed, 120));

test("who joins at any cursor sees what one sees who was there from the beginning", () => {
  const counts = new Counts();
  for (const { log } of LOGS) joinsAnywhere(tell(SESSION_ID, log), SESSION_ID, counts);
  expect(counts.of("a join")).toBeGreaterThan(1_000);
});

test("pages of any size, in both directions, give the events", () => {
  const counts = new Counts();
  const random = new Random(7);
  for (const { log } of LOGS) pagesGiveEvents(tell(SESSION_ID, log), random, counts);
  expect(counts.of("a page")).toBeGreaterThan(500);
});

test("every cursor is the place of its event, and no other text is one", () => {
  const counts = new Counts();
  for (const { log } of LOGS) cursorsArePlaces(tell(SESSION_ID, log), counts);
  expect(counts.of("a cursor")).toBeGreaterThan(2_000);
});

test("every stream numbers its records without holes, over restarts too", () => {
  const counts = new Counts();
  for (const { log } of LOGS) rangesHaveNoHoles(tell(SESSION_ID, log), counts);
  for (const kind of ["session", "run", "approval.review"])
    expect(counts.of(`a record of ${kind}`), kind).toBeGreaterThan(100);
  expect(counts.of("an item of several records")).toBeGreaterThan(100);
});

test("of a small window what came before is truncated, and the rest is exact", () => {
  const counts = new Counts();
  const random = new Random(8);
  for (const { log } of LOGS)
    for (const retained of [0, 1, 10, 33]) {
      const told = tell(SESSION_ID, log, READ, retained);
      cursorsArePlaces(told, counts);
      pagesGiveEvents(told, random, counts);
      const kept = told.view.ordinal - told.view.first + 1;
      expect(kept).toBeLessThanOrEqual(Math.floor(retained * 1.25));
      expect(kept).toBeGreaterThanOrEqual(Math.min(retained, told.view.ordinal));
    }
  expect(counts.of("a cursor that is truncated")).toBeGreaterThan(2_000);
  expect(counts.of("a cursor")).toBeGreaterThan(1_000);
});

test("a restart tells the same events under the same cursors", () => {
  for (const { log, simulation } of LOGS) {
    const { events, view } = tell(SESSION_ID, log);
    const again = simulation.view;
    expect(again.ordinal).toBe(view.ordinal);
    for (const [i, event] of events.entries()) expect(again.event(i + 1)).toEqual(event);
  }
});

test("what is being streamed is in the snapshot once, with the text so far", () => {
  const view = new SessionViewLog(SESSION_ID, 100);
  const [created] = LOGS[0]!.log[0]!;
  view.apply(created!);
  const item = {
    itemId: "i",
    kind: "agentMessage" as const,
    turnId: "t",
    revision: 1,
    status: "inProgress" as const,
    text: "",
  };
  const { viewCursor } = view.passing("item/started", { item }).params;
  view.passing("item/delta", { itemId: "i", delta: "One ", field: "text" });
  expect(view.snapshot().state.items).toMatchObject([{ itemId: "i", text: "One " }]);
  expect(view.place(viewCursor)).toEqual({ kind: "at", ordinal: 0 });
  const updated = { ...item, revision: 2, text: "Two " };
  view.apply({ type: "event", method: "item/updated", params: { item: updated }, at: 0 });
  view.passing("item/delta", { itemId: "i", delta: "three", field: "text" });
  expect(view.snapshot().state.items).toMatchObject([{ itemId: "i", text: "Two three", revision: 2 }]);
  const completed = { ...updated, revision: 3, text: "Four", status: "completed" as const };
  view.apply({ type: "event", method: "item/completed", params: { item: completed }, at: 0 });
  expect(view.snapshot().state.items).toEqual([completed]);
});

const withSnapshot = (
  change: (state: NonNullable<JoinResult["history"]["snapshot"]>["state"]) => void,
): Read => ({
  ...READ,
  join: (state, view) => {
    const join = READ.join(state, view);
    if (join.history.snapshot != null) change(join.history.snapshot.state);
    return join;
  },
});

interface Fault {
  readonly fault: string;
  readonly read?: Read;
  /** A fault of what is told after the snapshots were made. */
  readonly told?: (told: ReturnType<typeof tell>) => ReturnType<typeof tell>;
}

const FAULTS: readonly Fault[] = [
  {
    fault: "a snapshot forgets the turn that runs",
    read: withSnapshot((state) => (state.activeTurn = null)),
  },
  { fault: "a snapshot counts one turn too many", read: withSnapshot((state) => state.turnCount++) },
  { fault: "a snapshot lacks its last item", read: withSnapshot((state) => state.items.splice(-1)) },
  { fault: "a snapshot forgets the goal", read: withSnapshot((state) => (state.goal = null)) },
  {
    fault: "a snapshot forgets what was asked",
    read: {
      ...READ,
      join: (state, view) => {
        const join = READ.join(state, view);
        if (join.history.snapshot != null) join.history.snapshot.state.pendingApprovals = [];
        return { ...join, pendingRequests: [] };
      },
    },
  },
  {
    fault: "a snapshot names the cursor before its own",
    read: {
      ...READ,
      join: (state, view) => {
        const join = READ.join(state, view);
        const { snapshot } = join.history;
        if (snapshot != null) snapshot.viewCursor = `v:${SESSION_ID}:${Math.max(0, view.ordinal - 1)}`;
        return join;
      },
    },
  },
  {
    fault: "a page repeats the event of its cursor",
    read: {
      ...READ,
      page: (view, params) => {
        const answer = READ.page(view, params);
        if ("events" in answer && params.cursor != null) {
          const place = view.place(params.cursor);
          const event = place.kind === "at" ? view.event(place.ordinal) : undefined;
          if (event !== undefined) answer.events.unshift({ method: event.method, params: event.params });
        }
        return answer;
      },
    },
  },
  {
    fault: "the last page is not the last",
    read: {
      ...READ,
      page: (view, params) => {
        const answer = READ.page(view, params);
        return "events" in answer ? { ...answer, nextCursor: null } : answer;
      },
    },
  },
  {
    fault: "a cursor is the place after its own",
    read: {
      ...READ,
      place: (view, cursor) => {
        const place = view.place(cursor);
        return place.kind === "at" ? { kind: "at", ordinal: place.ordinal + 1 } : place;
      },
    },
  },
  {
    fault: "an event is not told",
    told: (told) => ({ ...told, events: told.events.filter((_, i) => i !== 20) }),
  },
  {
    fault: "two events have one cursor",
    told: ({ events, ...told }) => ({
      ...told,
      events: events.map((event, i) => (i === 20 ? events[19]! : event)),
    }),
  },
];

function faultIsFound({ read = READ, told: change = (told) => told }: Fault): boolean {
  const counts = new Counts();
  const random = new Random(9);
  return LOGS.some(({ log }) => {
    try {
      const told = change(tell(SESSION_ID, log, read));
      joinsAnywhere(told, SESSION_ID, counts);
      pagesGiveEvents(told, random, counts, read);
      cursorsArePlaces(told, counts, read);
      rangesHaveNoHoles(told, counts);
      return false;
    } catch (error) {
      if (!(error instanceof LawBroken)) throw error;
      return true;
    }
  });
}

test.each(FAULTS)("the laws of the view notice that $fault", (fault) => {
  expect(faultIsFound(fault)).toBe(true);
});

test("the laws of the view notice nothing where nothing is wrong", () => {
  expect(faultIsFound({ fault: "" })).toBe(false);
});
