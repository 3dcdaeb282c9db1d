/** Laws of what was under way when a host died: it is settled as abandoned, and what waited goes on waiting. */
import fc from "fast-check";
import { CaseVoid } from "../broken.js";
import type { CrashPoint } from "../driver/driver.js";
import { type AnyLaw, law } from "../law.js";
import { isAck, type JsonObject, type Outcome, rejectionReason } from "../model/history.js";
import { completed, started, type Trial } from "../trial.js";
import { ABANDONED, crashPoints, holdOneEffect, MORTAL, sameAnswer, turnParams } from "./crashes.js";
import { viewOf } from "./session-view.js";

/** How a host dies over a turn that runs: at once, or while something else is done. */
interface Death {
  readonly during: CrashPoint | null;
}

const deaths = (): fc.Arbitrary<CrashPoint | null> => fc.option(crashPoints(3, 5), { nil: null, freq: 2 });

/** A turn that runs when its host dies. */
interface Orphan {
  readonly sessionId: string;
  readonly params: JsonObject;
  readonly turnId: string;
}

/** Submits a turn that does not end of itself, and lets the host die. */
async function orphan(trial: Trial, { during }: Death): Promise<Orphan> {
  const sessionId = await trial.session();
  const params = turnParams(trial, sessionId, trial.prompts.busy);
  const { turnId } = await trial.command("turn/start", params);
  await trial.need(started(String(turnId)), "a turn that was started did not begin");
  if (during === null) await trial.crash();
  else
    await trial.crashDuring(during, async () => {
      await trial.ask("turn/start", turnParams(trial, sessionId, trial.prompts.busy));
      await trial.quiet();
    });
  trial.count("crashes");
  return { sessionId, params, turnId: String(turnId) };
}

/** Asks again for a turn whose work is gone: it must be abandoned. */
async function abandonedAnswer(trial: Trial, { params }: Orphan): Promise<Outcome> {
  const again = await trial.ask("turn/start", params);
  trial.count("replays");
  trial.hold(
    rejectionReason(again) === ABANDONED,
    isAck(again)
      ? "a turn whose work was lost in a crash is still said to be accepted"
      : "a turn whose work was lost in a crash is not said to be abandoned",
    { again },
  );
  return again;
}

const abandonedSettlement = law<Death & { readonly inOrder: boolean }>({
  id: "abandoned-settlement",
  level: "durable",
  promise:
    "A turn that ran when its host died is answered as abandoned afterwards, never with its ack, and the view has its end: failed or cancelled.",
  needs: [...MORTAL, "busy"],
  least: { replays: 10 },
  runs: 15,
  cases: () => fc.record({ during: deaths(), inOrder: fc.boolean() }),
  async run(trial, { during, inOrder }) {
    const of = await orphan(trial, { during });
    await trial.resume(of.sessionId);
    if (inOrder) await trial.quiet();
    await abandonedAnswer(trial, of);
    await trial.quiet();
    const ends = (await viewOf(trial, of.sessionId)).endsOf(of.turnId);
    trial.hold(ends.length === 1, `a turn that ran when its host died has ${ends.length} ends`, { ends });
    const terminal = ends[0]?.params["terminal"];
    trial.hold(
      terminal === "failed" || terminal === "cancelled",
      "a turn that ran when its host died ended in another way than failed or cancelled",
      { ends },
    );
    const starts = (await viewOf(trial, of.sessionId)).startsOf(String(of.params["commandId"]));
    trial.hold(starts.length <= 1, "a turn that ran when its host died was begun again", { starts });
  },
});

const abandonedIsStable = law<
  Death & { readonly replays: number; readonly again: number; readonly recovering: CrashPoint | null }
>({
  id: "abandoned-is-stable",
  level: "durable",
  promise:
    "A command that was settled as abandoned is answered so for good: again, after further crashes, and where the host died in the middle of settling it.",
  needs: [...MORTAL, "busy"],
  least: { replays: 25, crashes: 20 },
  runs: 12,
  cases: () =>
    fc.record({
      during: fc.constant(null),
      replays: fc.integer({ min: 1, max: 2 }),
      again: fc.integer({ min: 1, max: 2 }),
      recovering: fc.option(crashPoints(2, 5), { nil: null }),
    }),
  async run(trial, { during, replays, again, recovering }) {
    const of = await orphan(trial, { during });
    if (recovering !== null) {
      await trial.crashDuring(recovering, async () => {
        await trial.resume(of.sessionId);
        await trial.quiet();
      });
      trial.count("crashes");
    }
    let first: Outcome | undefined;
    for (let life = 0; life <= again; life++) {
      if (life > 0) {
        await trial.crash();
        trial.count("crashes");
      }
      await trial.resume(of.sessionId);
      for (let i = 0; i < replays; i++) {
        const answer = await abandonedAnswer(trial, of);
        first ??= answer;
        trial.hold(sameAnswer(first, answer), "the answer to an abandoned command has changed", {
          first,
          answer,
        });
      }
    }
    await trial.quiet();
    const ends = (await viewOf(trial, of.sessionId)).endsOf(of.turnId);
    trial.hold(ends.length === 1, `a turn that was abandoned has ${ends.length} ends`, { ends });
  },
});

const queuedAckSurvives = law<{
  readonly waiting: number;
  readonly inOrder: boolean;
  readonly early: boolean;
}>({
  id: "queued-ack-survives",
  level: "durable",
  promise:
    "A turn that waited when its host died keeps its ack and its place: it is launched afterwards, once, and in its order.",
  needs: [...MORTAL, "busy", "quick"],
  least: { replays: 15, launches: 15 },
  runs: 12,
  cases: () =>
    fc.record({ waiting: fc.integer({ min: 1, max: 3 }), inOrder: fc.boolean(), early: fc.boolean() }),
  async run(trial, { waiting, inOrder, early }) {
    const sessionId = await trial.session();
    await trial.busy(sessionId);
    const queued: { readonly params: JsonObject; readonly first: Outcome; readonly turnId: string }[] = [];
    for (let i = 0; i < waiting; i++) {
      const params = turnParams(trial, sessionId, trial.prompts.quick);
      const first = await trial.ask("turn/start", params);
      if (!isAck(first) || first.result["disposition"] !== "queued")
        throw new CaseVoid("a turn does not wait for another");
      queued.push({ params, first, turnId: String(first.result["turnId"]) });
    }
    await (inOrder ? trial.restart() : trial.crash());
    await trial.resume(sessionId);
    const replay = async (): Promise<void> => {
      for (const { params, first } of queued) {
        const again = await trial.ask("turn/start", params);
        trial.count("replays");
        trial.hold(sameAnswer(first, again), "a turn that waited has lost its ack", { first, again });
      }
    };
    if (early) await replay();
    const launches: string[] = [];
    for (const { params, turnId } of queued) {
      const end = await trial.until(completed(turnId));
      const view = await viewOf(trial, sessionId);
      trial.hold(
        end !== undefined || view.endsOf(turnId).length > 0,
        "a turn that waited when its host died was never launched",
        { turnId },
      );
      const effects = await holdOneEffect(trial, sessionId, String(params["commandId"]));
      trial.hold(effects === 1, "a turn that waited when its host died has no effect", { turnId });
      trial.count("launches");
      launches.push(turnId.toLowerCase());
    }
    if (!early) await replay();
    const order = (await viewOf(trial, sessionId)).launches().filter((turnId) => launches.includes(turnId));
    trial.hold(
      order.join() === launches.join(),
      "turns that waited when their host died were launched in another order",
      { order, launches },
    );
  },
});

/** See the top of the file. */
export const abandonedLaws: readonly AnyLaw[] = [abandonedSettlement, abandonedIsStable, queuedAckSurvives];
