/** The model of turns: what a right host tells is allowed, and each wrong thing is found and named. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/laws/model/history.js";
import { checkTurns } from "../../../src/laws/model/turns.js";
import { rejected, turnIdOf, WrittenTurns } from "../../support/written-turns.js";

const written = () => new WrittenTurns();
const launchFailed = { terminal: "failed", error: { kind: "launchError" } };

describe("a right host", () => {
  it.each<[string, () => WrittenTurns]>([
    ["runs a turn", () => written().turn(1).start(1).message(1, 1).end(1)],
    [
      "launches what waits in its order",
      () =>
        written().turn(1).start(1).turn(2, "queued").turn(3, "queued").end(1).start(2).end(2).start(3).end(3),
    ],
    [
      "puts what replaces before what waits",
      () =>
        written()
          .turn(1)
          .start(1)
          .turn(2, "queued")
          .turn(3, "queued", { ifBusy: "replace" })
          .end(1, { terminal: "cancelled" })
          .start(3)
          .end(3)
          .start(2)
          .end(2),
    ],
    [
      "takes a turn from the queue",
      () => written().turn(1).start(1).turn(2, "queued").unqueue(3, 2).unqueued(2).end(1),
    ],
    [
      "fails to launch a turn",
      () => written().turn(1).start(1).turn(2, "queued").end(1).end(2, launchFailed),
    ],
    ["takes steers in", () => written().turn(1).start(1).steer(2, 1).message(2, 1, { steered: true }).end(1)],
    [
      "repeats the ack of a steer when its turn is over",
      () => written().turn(1).start(1).steer(2, 1).message(2, 1, { steered: true }).end(1).steer(2, 1),
    ],
    [
      "refuses a steer that is too late",
      () => written().turn(1).start(1).end(1).steer(2, 1, rejected("turn_not_running")),
    ],
    [
      "says again what it said before a crash",
      () => written().turn(1).start(1).end(1).crash().turn(1).turn(2).start(2).end(2),
    ],
    [
      "ends over a crash what ran, and launches what waited",
      () =>
        written().turn(1).start(1).turn(2, "queued").crash().end(1, { terminal: "failed" }).start(2).end(2),
    ],
    [
      "is right in letters of the other case",
      () => written().turn(1, "started", {}, { turnId: turnIdOf(1).toUpperCase() }),
    ],
  ])("%s", (_, make) => {
    expect(make().laws).toEqual([]);
    expect(
      make()
        .settled()
        .laws.filter((law) => law !== "one-end"),
    ).toEqual([]);
  });

  it("need not have told everything to somebody who listens again", () => {
    const history = written().turn(1).start(1).turn(2, "queued").crash().start(2).end(2);
    expect(history.laws).toEqual([]);
  });

  it("may tell the same event to somebody who asks from a cursor on", () => {
    const again = written().turn(1).start(1).end(1);
    const [start] = again.history.told;
    again.ask("session/resume", { commandId: turnIdOf(9) }, { result: {} });
    again.told("turn/started", { ...(start?.params ?? {}) });
    expect(again.laws).toEqual([]);
  });
});

describe("a wrong host", () => {
  it.each<[string, string, () => WrittenTurns]>([
    ["one-end", "starts a turn twice", () => written().turn(1).start(1).start(1)],
    ["one-end", "ends a turn twice", () => written().turn(1).start(1).end(1).end(1)],
    ["one-end", "starts a turn after its end", () => written().turn(1).start(1).end(1).start(1)],
    ["one-end", "ends a turn that never began", () => written().turn(1).end(1)],
    [
      "one-end",
      "completes what was taken from the queue",
      () => written().turn(1).start(1).turn(2, "queued").unqueued(2).end(2, launchFailed),
    ],
    ["one-end", "tells of a turn after its end", () => written().turn(1).start(1).end(1).message(1, 1)],
    ["one-end", "forgets the end of a turn", () => written().turn(1).start(1).settled()],
    ["one-end", "forgets a turn over a crash", () => written().turn(1).start(1).crash().settled()],
    ["one-end", "ends a turn again over a crash", () => written().turn(1).start(1).end(1).crash().end(1)],
    ["queue-order", "runs two turns at once", () => written().turn(1).start(1).turn(2).start(2)],
    [
      "queue-order",
      "launches first what came last",
      () => written().turn(1).start(1).turn(2, "queued").turn(3, "queued").end(1).start(3).end(3).start(2),
    ],
    [
      "queue-order",
      "tries to launch first what came last",
      () =>
        written().turn(1).start(1).turn(2, "queued").turn(3, "queued").end(1).end(3, launchFailed).start(2),
    ],
    [
      "turn-identity",
      "gives a fresh turn another id",
      () => written().turn(1, "started", {}, { turnId: turnIdOf(7) }),
    ],
    [
      "turn-identity",
      "says of a turn that waits that it has started",
      () => written().turn(1, "queued", {}, { startedNewTurn: true }),
    ],
    ["turn-identity", "begins another turn than it named", () => written().turn(1).start(7, 1).end(7)],
    [
      "turn-identity",
      "has a message of one turn in another",
      () => written().turn(1).start(1).turn(2, "queued").message(2, 2),
    ],
    [
      "turn-identity",
      "names the steer in its ack",
      () =>
        written()
          .turn(1)
          .start(1)
          .steer(2, 1, { result: { turnId: turnIdOf(2) } }),
    ],
    ["steer-stays", "takes a steer in too late", () => written().turn(1).start(1).end(1).steer(2, 1)],
    [
      "steer-stays",
      "lets a steer leak into the next turn",
      () => written().turn(1).start(1).steer(3, 1).end(1).turn(2).start(2).message(3, 2, { steered: true }),
    ],
    [
      "steer-stays",
      "shows a steer after its turn",
      () => written().turn(1).start(1).steer(3, 1).end(1).message(3, 1, { steered: true }),
    ],
    [
      "steer-stays",
      "shows a steer that it has rejected",
      () =>
        written().turn(1).start(1).steer(3, 9, rejected("turn_not_running")).message(3, 1, { steered: true }),
    ],
    ["late-cancel", "acks to stop what has ended", () => written().turn(1).start(1).end(1).stop(2, 1)],
    [
      "late-cancel",
      "stops another turn than it was told to",
      () => written().turn(1).start(1).end(1).turn(2).start(2).stop(3, 1, 2),
    ],
    [
      "unqueue-no-cancel",
      "starts what was taken from the queue",
      () => written().turn(1).start(1).turn(2, "queued").unqueue(3, 2).end(1).start(2),
    ],
    [
      "unqueue-no-cancel",
      "completes a turn because it is taken from the queue",
      () => written().turn(1).start(1).unqueue(2, 1).end(1, { terminal: "cancelled" }),
    ],
    [
      "unqueue-no-cancel",
      "takes from the queue what has started",
      () => written().turn(1).start(1).unqueued(1),
    ],
    [
      "exactly-one-effect",
      "begins two turns for a command",
      () => written().turn(1).start(1).end(1).start(7, 1).end(7),
    ],
    [
      "exactly-one-effect",
      "has two messages of a command",
      () => written().turn(1).start(1).message(1, 1).message(1, 1),
    ],
    [
      "dedupe-after-crash",
      "begins another turn for a command after a crash",
      () => written().turn(1).start(1).end(1).crash().turn(1).start(7, 1).end(7),
    ],
  ])("breaks %s: it %s", (law, _, make) => {
    expect(make().laws).toContain(law);
  });

  it("is found in its pages, where nobody listened", () => {
    const history = written().turn(1).start(1).end(1).end(1).settled().history;
    history.told.length = 0;
    expect(checkTurns(history).map(({ law }) => law)).toEqual(["one-end", "one-end"]);
  });

  it("of a session of another trial is nobody's business", () => {
    const { history } = written().turn(1).start(1).start(1);
    history.sessions.clear();
    expect(checkTurns(history)).toEqual([]);
  });
});

/** What a client does next: submits a turn, or takes one from the queue; or the host goes on. */
const moves = fc.array(
  fc.record({
    move: fc.constantFrom("turn", "replace", "unqueue", "end", "failLaunch", "steer", "crash"),
    pick: fc.nat(5),
  }),
  { maxLength: 40, size: "max" },
);

/** A host that is right, told by what it writes. */
function rightHost(list: readonly { readonly move: string; readonly pick: number }[]): WrittenTurns {
  const of = written();
  let running: number | undefined;
  let queue: number[] = [];
  const doomed = new Set<number>();
  let n = 0;
  const launch = () => {
    running = undefined;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (doomed.has(next)) {
        of.end(next, launchFailed);
        continue;
      }
      running = next;
      of.start(next).message(next, next);
      return;
    }
  };
  const finish = (more?: JsonObject) => {
    if (running === undefined) return;
    of.end(running, more);
    launch();
  };
  for (const { move, pick } of list) {
    n++;
    if (move === "end") finish();
    else if (move === "steer" && running !== undefined)
      of.steer(n, running).message(n, running, { steered: true });
    else if (move === "unqueue" && queue.length > 0) {
      const turn = queue[pick % queue.length] as number;
      of.unqueue(n, turn).unqueued(turn);
      queue = queue.filter((other) => other !== turn);
    } else if (move === "crash") {
      of.crash();
      finish({ terminal: "failed" });
    } else if (move === "turn" || move === "failLaunch" || move === "replace") {
      if (running === undefined) {
        of.turn(n).start(n).message(n, n);
        running = n;
      } else if (move === "replace") {
        of.turn(n, "queued", { ifBusy: "replace" });
        queue.unshift(n);
        finish({ terminal: "cancelled" });
      } else {
        of.turn(n, "queued");
        queue.push(n);
        if (move === "failLaunch") doomed.add(n);
      }
    }
  }
  while (running !== undefined) finish();
  return of.settled();
}

describe("histories of a host that is right", () => {
  it("fit the model, whatever it was asked", () => {
    let turns = 0;
    fc.assert(
      fc.property(moves, (list) => {
        const { history } = rightHost(list);
        turns += history.told.filter(({ method }) => method === "turn/completed").length;
        expect(checkTurns(history)).toEqual([]);
      }),
      { numRuns: 300, seed: 1 },
    );
    expect(turns).toBeGreaterThan(1_000);
  });

  it("fit no more when an end is taken away, or told twice", () => {
    let broken = 0;
    fc.assert(
      fc.property(moves, fc.nat(), fc.boolean(), (list, pick, twice) => {
        const { history } = rightHost(list);
        const page = history.operations.at(-1)?.outcome as { result: { events: JsonObject[] } };
        const { events } = page.result;
        const ends = events.filter(({ method }) => method === "turn/completed");
        const end = ends[pick % Math.max(1, ends.length)];
        if (end === undefined) return;
        broken++;
        const params = { ...(end["params"] as JsonObject), viewCursor: "another" };
        if (twice) events.push({ ...end, params });
        else {
          events.splice(events.indexOf(end), 1);
          history.told.splice(
            history.told.findIndex(
              ({ params: of }) => of["viewCursor"] === (end["params"] as JsonObject)["viewCursor"],
            ),
            1,
          );
        }
        expect(checkTurns(history).map(({ law }) => law)).toContain("one-end");
      }),
      { numRuns: 200, seed: 1 },
    );
    expect(broken).toBeGreaterThan(100);
  });
});

describe("a check", () => {
  it("reads a history as often when it is ten times as long", () => {
    const reads = (turns: number): number => {
      const { history } = rightHost(
        Array.from({ length: turns }, (_, pick) => ({ move: pick % 3 === 2 ? "end" : "turn", pick })),
      );
      let count = 0;
      const counted = history.told.map((told) => ({
        ...told,
        get params() {
          count++;
          return told.params;
        },
      }));
      history.told.splice(0, history.told.length, ...counted);
      expect(checkTurns(history)).toEqual([]);
      expect(history.operations.length).toBeGreaterThan(turns / 2);
      return count;
    };
    expect(reads(10_000)).toBeLessThan(reads(1_000) * 12);
  });
});
