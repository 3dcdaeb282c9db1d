/** Laws of turns that wait: in which order they are launched, and how one is taken back. */
import fc from "fast-check";
import { CaseVoid } from "../broken.js";
import { type AnyLaw, law } from "../law.js";
import { isAck, type JsonObject, type Outcome, rejectionReason } from "../model/history.js";
import { completed, started, type Trial } from "../trial.js";
import { sameAnswer, turnParams } from "./crashes.js";
import { queuedIn, viewOf } from "./session-view.js";
import { settle } from "./turns.js";

/** What is asked to be taken from the queue. */
type Target = "queued" | "running" | "ended" | "unknown";

const unqueueNoCancel = law<{ readonly target: Target; readonly replays: number; readonly behind: boolean }>({
  id: "unqueue-no-cancel",
  level: "core",
  promise:
    "To take a turn from the queue never stops one: too late, it is rejected for good and the turn goes on; admitted, the turn never starts.",
  needs: ["busy", "quick", "serves:turn/unqueue"],
  least: { admitted: 3, late: 6, replays: 10 },
  runs: 20,
  cases: () =>
    fc.record({
      target: fc.constantFrom<Target>("running", "queued", "ended", "unknown"),
      replays: fc.integer({ min: 1, max: 2 }),
      behind: fc.boolean(),
    }),
  async run(trial, { target, replays, behind }) {
    const sessionId = await trial.session();
    const ended = target === "ended" ? await trial.busy(sessionId) : "";
    if (target === "ended") await trial.interrupt(sessionId, ended);
    const running = await trial.busy(sessionId);
    const waiting = target === "queued" ? await queued(trial, sessionId) : "";
    const other = behind ? await queued(trial, sessionId) : "";
    const turnId = { queued: waiting, running, ended, unknown: trial.mint() }[target];
    const params = { sessionId, turnId, commandId: trial.mint() };
    const first = await trial.ask("turn/unqueue", params);
    if (target === "queued") {
      trial.count("admitted");
      trial.hold(isAck(first), "a turn that waits cannot be taken from the queue", { first });
      const told = await trial.until(
        ({ method, params: of }) => method === "turn/unqueued" && of["turnId"] === turnId,
      );
      trial.hold(told !== undefined, "that a turn was taken from the queue is not told", { turnId });
    } else {
      trial.count("late");
      trial.hold(
        target === "unknown" ? !isAck(first) : rejectionReason(first) !== undefined,
        `to take a turn from the queue that is ${target} is not rejected`,
        { first },
      );
    }
    for (let i = 0; i < replays; i++) {
      const again = await trial.ask("turn/unqueue", params);
      trial.count("replays");
      trial.hold(sameAnswer(first, again), "a replay of an unqueue got another answer", { first, again });
    }
    await trial.quiet();
    const stopped = trial.history.told.find(completed(running));
    trial.hold(stopped === undefined, "an unqueue has stopped the turn that runs", { end: stopped?.params });
    await trial.interrupt(sessionId, running);
    if (other !== "") {
      const end = await trial.until(completed(other));
      trial.hold(end !== undefined, "a turn that waited behind is not launched", { turnId: other });
    }
    await trial.quiet();
    if (target !== "queued") return;
    trial.hold(!trial.history.told.some(started(turnId)), "a turn that was taken from the queue started", {
      turnId,
    });
    const ends = (await viewOf(trial, sessionId)).endsOf(turnId);
    trial.hold(
      ends.length === 1 && ends[0]?.method === "turn/unqueued",
      "a turn that was taken from the queue has not turn/unqueued as its one end",
      { ends },
    );
  },
});

async function queued(trial: Trial, sessionId: string): Promise<string> {
  const { turnId, disposition } = await trial.turn(sessionId, trial.prompts.quick ?? "");
  if (disposition !== "queued") throw new CaseVoid("a turn does not wait for another");
  return String(turnId);
}

const queueOrder = law<{
  readonly waiting: number;
  readonly atOnce: boolean;
  readonly without: number | null;
}>({
  id: "queue-order",
  level: "core",
  promise:
    "Turns that wait are launched one after the other in the order of their admission, which is that of queuedTurns in a snapshot.",
  needs: ["busy", "quick"],
  least: { launches: 25, orders: 12 },
  runs: 14,
  cases: () =>
    fc.record({
      waiting: fc.integer({ min: 2, max: 5 }),
      atOnce: fc.boolean(),
      without: fc.option(fc.integer({ min: 0, max: 4 }), { nil: null, freq: 1 }),
    }),
  async run(trial, { waiting, atOnce, without }) {
    const sessionId = await trial.session();
    const running = await trial.busy(sessionId);
    const params: JsonObject[] = [];
    const outcomes: Outcome[] = [];
    for (let i = 0; i < waiting; i++) params.push(turnParams(trial, sessionId, trial.prompts.quick));
    if (atOnce) {
      const sent = [];
      for (const of of params) sent.push(await trial.send("turn/start", of));
      for (const each of sent) outcomes.push(await trial.answer(each));
    } else for (const of of params) outcomes.push(await trial.ask("turn/start", of));
    let order = outcomes.map((outcome) => {
      if (!isAck(outcome) || outcome.result["disposition"] !== "queued")
        throw new CaseVoid("a turn does not wait for another");
      return String(outcome.result["turnId"]).toLowerCase();
    });
    if (without !== null && trial.can("serves:turn/unqueue")) {
      const turnId = order[without % order.length] as string;
      const taken = await trial.ask("turn/unqueue", { sessionId, turnId, commandId: trial.mint() });
      if (isAck(taken)) order = order.filter((other) => other !== turnId);
    }
    if (trial.can("serves:session/resume")) {
      const listed = queuedIn(await trial.resume(sessionId));
      if (listed !== undefined) {
        trial.hold(
          [...listed].sort().join() === [...order].sort().join(),
          "the snapshot has not the turns that wait",
          { listed, order },
        );
        // Of those that were sent at once nobody but the host knows the order.
        if (atOnce) order = [...listed];
        trial.hold(listed.join() === order.join(), "the snapshot has turns that wait in another order", {
          listed,
          order,
        });
      }
    }
    await trial.interrupt(sessionId, running);
    await settle(trial, sessionId, order);
    const launched = (await viewOf(trial, sessionId)).launches().filter((turnId) => order.includes(turnId));
    trial.count("launches", launched.length);
    trial.count("orders");
    trial.hold(launched.length === order.length, "not every turn that waited was launched", {
      launched,
      order,
    });
    // At once, and with no snapshot, any order will do.
    if (!atOnce || trial.can("serves:session/resume"))
      trial.hold(launched.join() === order.join(), "turns that waited were launched in another order", {
        launched,
        order,
      });
  },
});

/** See the top of the file. */
export const queueLaws: readonly AnyLaw[] = [unqueueNoCancel, queueOrder];
