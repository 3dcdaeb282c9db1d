/** Laws of what is meant for one turn: a steer, an interrupt, a cancel. Too late, it never reaches the next one. */
import fc from "fast-check";
import type { Ability } from "../driver/driver.js";
import { type AnyLaw, law } from "../law.js";
import { isAck, type JsonObject, type Outcome, rejectionReason } from "../model/history.js";
import { completed, started, type Trial } from "../trial.js";
import { turnParams } from "./crashes.js";
import { itemOf, same, viewOf } from "./session-view.js";

/** Two turns that go on until they are interrupted: the second begins when the first has ended. */
interface Pair {
  readonly sessionId: string;
  readonly first: string;
  readonly second: string;
}

/** Makes a pair whose first turn runs; the second one waits for it. */
async function waitingPair(trial: Trial): Promise<Pair> {
  const sessionId = await trial.session();
  const first = await trial.busy(sessionId);
  const { turnId } = await trial.turn(sessionId, trial.prompts.busy ?? "");
  return { sessionId, first, second: String(turnId) };
}

/** Makes a pair whose first turn is over, and whose second runs. */
async function passedPair(trial: Trial): Promise<Pair> {
  const pair = await waitingPair(trial);
  await trial.interrupt(pair.sessionId, pair.first);
  await trial.need(started(pair.second), "a turn that waited did not begin");
  return pair;
}

/** When a steer is sent: while its turn runs, together with the interrupt of it, or when another one runs. */
type Time = "during" | "race" | "late";

const steerStays = law<{ readonly time: Time; readonly viaStart: boolean; readonly steers: number }>({
  id: "steer-stays",
  level: "core",
  promise:
    "A steer belongs to the turn that it names: its message lies between the start and the end of that turn; too late, it is rejected, and its text is in no turn.",
  needs: ["busy", "serves:turn/steer"],
  least: { steers: 10, late: 3 },
  runs: 20,
  cases: () =>
    fc.record({
      time: fc.constantFrom<Time>("late", "during", "race"),
      viaStart: fc.boolean(),
      steers: fc.integer({ min: 1, max: 3 }),
    }),
  async run(trial, { time, viaStart, steers }) {
    const pair = await (time === "late" ? passedPair(trial) : waitingPair(trial));
    const { sessionId, first, second } = pair;
    // What is sent as a turn names no turn: it cannot come too late.
    const asTurn = viaStart && time === "during";
    const params: JsonObject[] = [];
    for (let i = 0; i < steers; i++) {
      const of = turnParams(trial, sessionId, `a steer, number ${i} at ${first}`);
      params.push({ ...of, ...(asTurn ? { ifBusy: "steer" } : { expectedTurnId: first }) });
    }
    const method = asTurn ? "turn/start" : "turn/steer";
    const sent = [];
    for (const [i, of] of params.entries()) {
      sent.push(await trial.send(method, of));
      if (time === "race" && i === 0)
        await trial.send("turn/interrupt", { sessionId, turnId: first, commandId: trial.mint() });
    }
    const outcomes: Outcome[] = [];
    for (const each of sent) outcomes.push(await trial.answer(each));
    for (const outcome of outcomes) {
      trial.count(time === "late" ? "late" : "steers");
      if (time === "late")
        trial.hold(
          rejectionReason(outcome) !== undefined,
          "a steer at a turn that has ended is not rejected",
          { outcome },
        );
      else if (time === "during")
        trial.hold(isAck(outcome), "a steer at the turn that runs is refused", { outcome });
    }
    if (time === "during") await trial.interrupt(sessionId, first);
    await trial.need(started(second), "a turn that waited did not begin");
    await trial.quiet();
    await trial.interrupt(sessionId, second);
    await trial.quiet();
    for (const [i, of] of params.entries()) await holdPlace(trial, pair, of, outcomes[i] as Outcome);
  },
});

/** Holds a steer to its place on the view. */
async function holdPlace(trial: Trial, pair: Pair, params: JsonObject, outcome: Outcome): Promise<void> {
  const { events } = await viewOf(trial, pair.sessionId);
  const commandId = String(params["commandId"]);
  const messages = events.flatMap(({ params: of }, place) =>
    itemOf(of)["kind"] === "userMessage" && same(itemOf(of)["commandId"], commandId)
      ? [{ item: itemOf(of), place }]
      : [],
  );
  if (!isAck(outcome)) {
    trial.hold(messages.length === 0, "a steer that was rejected is on the view", { outcome, messages });
    return;
  }
  const place = (method: string) =>
    events.findIndex((event) => event.method === method && same(event.params["turnId"], pair.first));
  const [start, end] = [place("turn/started"), place("turn/completed")];
  for (const { item, place: at } of messages) {
    trial.hold(same(item["turnId"], pair.first), "a steer is in another turn than the one that it was for", {
      item,
    });
    trial.hold(
      (start === -1 || start < at) && (end === -1 || at < end),
      "a steer is not between the start and the end of its turn",
      { item, start, at, end },
    );
  }
}

const lateCancel = law<{
  readonly method: "turn/interrupt" | "turn/cancel";
  readonly times: number;
  readonly race: boolean;
}>({
  id: "late-cancel",
  level: "core",
  promise:
    "An interrupt or a cancel of a turn that has ended is rejected, and does nothing to the turn that runs by then.",
  needs: ["busy"],
  least: { late: 10, survivors: 10 },
  runs: 16,
  cases: () =>
    fc.record({
      method: fc.constantFrom("turn/interrupt", "turn/cancel"),
      times: fc.integer({ min: 1, max: 3 }),
      race: fc.boolean(),
    }),
  async run(trial, { method: of, times, race }) {
    const method = trial.can(`serves:${of}` as Ability) ? of : "turn/interrupt";
    const { sessionId, first, second } = await (race ? waitingPair(trial) : passedPair(trial));
    const stop = () => trial.send(method, { sessionId, turnId: first, commandId: trial.mint() });
    const sent = [];
    // In a race the first one is in time, and those behind it may be.
    for (let i = 0; i < (race ? times + 1 : times); i++) sent.push(await stop());
    for (const each of sent) {
      const outcome = await trial.answer(each);
      if (race) continue;
      trial.count("late");
      trial.hold(rejectionReason(outcome) !== undefined, "to stop a turn that has ended is not rejected", {
        outcome,
      });
    }
    await trial.need(started(second), "a turn that waited did not begin");
    if (race) {
      await trial.need(completed(first), "a turn that was stopped did not end");
      const outcome = await trial.answer(await stop());
      trial.count("late");
      trial.hold(rejectionReason(outcome) !== undefined, "to stop a turn that has ended is not rejected", {
        outcome,
      });
    }
    await trial.quiet();
    const end = trial.history.told.find(completed(second));
    trial.hold(end === undefined, "what was to stop a turn that had ended has stopped the next one", {
      end: end?.params,
    });
    trial.count("survivors");
    const outcome = await trial.ask("turn/interrupt", { sessionId, turnId: second, commandId: trial.mint() });
    trial.hold(isAck(outcome), "the turn that runs cannot be interrupted", { outcome });
    trial.hold(
      (await trial.until(completed(second))) !== undefined,
      "a turn that was interrupted has no end",
    );
  },
});

/** See the top of the file. */
export const steerLaws: readonly AnyLaw[] = [steerStays, lateCancel];
