/** Laws of two hosts on one place: one of them has a session, the other leaves it alone until it is free. */
import fc from "fast-check";
import { CaseVoid, LawBroken } from "../broken.js";
import type { Ability } from "../driver/driver.js";
import { type AnyLaw, law } from "../law.js";
import { errorKind, isAck, type JsonObject, type Outcome, rejectionReason } from "../model/history.js";
import { SECOND_HOST } from "../stand.js";
import { checkStore } from "../store/check.js";
import { completed, started, type Trial } from "../trial.js";
import { ABANDONED, holdOneEffect, MORTAL, sameAnswer, turnParams } from "./crashes.js";
import { viewOf } from "./session-view.js";

const TWO: readonly Ability[] = [...MORTAL, "connections", "twoHosts", "busy"];
const second = { by: SECOND_HOST } as const;

/** The second host must refuse what the first one has, with a typed error that is no decision on the command. */
function holdRefused(trial: Trial, outcome: Outcome): void {
  trial.count("refusals");
  trial.hold(
    !isAck(outcome) && errorKind(outcome) !== undefined && rejectionReason(outcome) === undefined,
    "a host decides on a session that another one has",
    { outcome },
  );
}

/** Lets the second host load a session that nobody has any more. */
async function takeOver(trial: Trial, sessionId: string): Promise<void> {
  const outcome = await trial.ask("session/resume", { sessionId, commandId: trial.mint() }, second);
  trial.hold(isAck(outcome), "a session is not to be had after the host that had it has died", { outcome });
  trial.count("takeovers");
}

const settleOnce = law<{
  readonly turns: number;
  readonly runs: boolean;
  readonly secondFirst: boolean;
  readonly fences: boolean;
}>({
  id: "settle-once",
  level: "durable",
  promise:
    "Of two hosts on one place one carries a command out and the other refuses it; when the first is gone the other repeats its answers, and nothing happens twice.",
  needs: [...TWO, "quick"],
  least: { refusals: 10, takeovers: 8, replays: 10 },
  runs: 12,
  cases: () =>
    fc.record({
      turns: fc.integer({ min: 1, max: 2 }),
      runs: fc.boolean(),
      secondFirst: fc.boolean(),
      fences: fc.boolean(),
    }),
  async run(trial, { turns, runs, secondFirst, fences }) {
    const sessionId = await trial.session();
    await trial.client(SECOND_HOST);
    const done: { readonly params: JsonObject; readonly first: Outcome; readonly lost: boolean }[] = [];
    for (let i = 0; i < turns; i++) {
      const lost = runs && i === turns - 1;
      const params = turnParams(trial, sessionId, lost ? trial.prompts.busy : trial.prompts.quick);
      const sent = [];
      for (const by of secondFirst ? [SECOND_HOST, 0] : [0, SECOND_HOST])
        sent.push({ by, sent: await trial.send("turn/start", params, { by }) });
      let first: Outcome | undefined;
      for (const of of sent) {
        const outcome = await trial.answer(of.sent);
        if (of.by === 0) first = outcome;
        else holdRefused(trial, outcome);
      }
      if (!isAck(first)) throw new CaseVoid("a turn was refused");
      const turnId = String(first.result["turnId"]);
      await trial.need(lost ? started(turnId) : completed(turnId), "a turn did not begin, or did not end");
      done.push({ params, first, lost });
    }
    const fence = fences && trial.can("fence");
    await (fence ? trial.fence(sessionId) : trial.kill("first"));
    await takeOver(trial, sessionId);
    for (const { params, first, lost } of done) {
      const again = await trial.ask("turn/start", params, second);
      trial.count("replays");
      trial.hold(
        lost ? rejectionReason(again) === ABANDONED : sameAnswer(first, again),
        "the host that took a session over answers for a command otherwise than it was settled",
        { first, again },
      );
    }
    if (fence) {
      const late = turnParams(trial, sessionId, trial.prompts.quick);
      const outcome = await trial.ask("turn/start", late);
      trial.hold(!isAck(outcome), "a host takes a command in after its session was taken from it", {
        outcome,
      });
      const taken = await trial.ask("turn/start", late, second);
      trial.hold(isAck(taken), "a command that the host before refused is not carried out", { taken });
    }
    for (const { params } of done)
      await holdOneEffect(trial, sessionId, String(params["commandId"]), SECOND_HOST);
  },
});

const recoverySparesTheLiving = law<{
  readonly asks: number;
  readonly waits: boolean;
  readonly opens: boolean;
}>({
  id: "recovery-spares-the-living",
  level: "durable",
  promise:
    "A host that starts while another lives leaves what that one has under way alone: nothing of it is settled, ended or taken over.",
  needs: TWO,
  least: { refusals: 8, survivors: 8 },
  runs: 10,
  cases: () => fc.record({ asks: fc.integer({ min: 1, max: 3 }), waits: fc.boolean(), opens: fc.boolean() }),
  async run(trial, { asks, waits, opens }) {
    const sessionId = await trial.session();
    const params = turnParams(trial, sessionId, trial.prompts.busy);
    const first = await trial.ask("turn/start", params);
    if (!isAck(first)) throw new CaseVoid("a turn was refused");
    const turnId = String(first.result["turnId"]);
    await trial.need(started(turnId), "a turn that was started did not begin");
    // A session of its own, so that the other one has something to write.
    if (opens) await trial.session({}, SECOND_HOST);
    for (let i = 0; i < asks; i++) {
      const resumed = await trial.ask("session/resume", { sessionId, commandId: trial.mint() }, second);
      holdRefused(trial, resumed);
      if (waits) await trial.quiet();
    }
    holdRefused(trial, await trial.ask("turn/start", params, second));
    await trial.quiet();
    const end = trial.history.told.find(completed(turnId));
    trial.hold(end === undefined, "the turn of a host that lives was ended by another that started", {
      end: end?.params,
    });
    const again = await trial.ask("turn/start", params);
    trial.hold(
      sameAnswer(first, again),
      "a command of a host that lives was settled by another that started",
      {
        first,
        again,
      },
    );
    trial.count("survivors");
    const stopped = await trial.ask("turn/interrupt", { sessionId, turnId, commandId: trial.mint() });
    trial.hold(isAck(stopped), "a host has lost its turn to another that started", { stopped });
    trial.hold(
      (await trial.until(completed(turnId))) !== undefined,
      "a turn that was interrupted has no end",
    );
    const ends = (await viewOf(trial, sessionId)).endsOf(turnId);
    trial.hold(ends.length === 1, `a turn has ${ends.length} ends, with two hosts on one place`, { ends });
  },
});

const epochsRise = law<{ readonly rounds: number; readonly late: "interrupt" | "rename" | "turn" }>({
  id: "epochs-rise",
  level: "durable",
  promise:
    "A host from which a session was taken changes nothing of it any more, however often it changes hands: its late writes are refused.",
  needs: [...TWO, "fence", "store"],
  least: { fences: 10, late: 10, epochs: 5 },
  runs: 8,
  cases: () =>
    fc.record({
      rounds: fc.integer({ min: 1, max: 3 }),
      late: fc.constantFrom("interrupt", "rename", "turn"),
    }),
  async run(trial, { rounds, late }) {
    const { store } = trial.driver;
    if (store !== undefined) {
      const report = await checkStore(store, { only: ["epochs", "fenced"] });
      for (const { law: id, verdict, broken } of report.laws) {
        trial.count("epochs");
        trial.hold(verdict === "holds", `the store does not keep its law ${id}: ${broken?.what}`, broken);
      }
    }
    const sessionId = await trial.session();
    let holder = 0;
    for (let round = 0; round < rounds; round++) {
      const next = holder === 0 ? SECOND_HOST : 0;
      const params = turnParams(trial, sessionId, trial.prompts.busy);
      const { turnId } = await trial.command("turn/start", params, { by: holder });
      await trial.need(started(String(turnId)), "a turn that was started did not begin");
      await trial.fence(sessionId);
      trial.count("fences");
      const resumed = await trial.ask("session/resume", { sessionId, commandId: trial.mint() }, { by: next });
      trial.hold(isAck(resumed), "a session that was taken from its host is not to be had", { resumed });
      const commandId = trial.mint();
      const outcome = await {
        interrupt: () => trial.ask("turn/interrupt", { sessionId, turnId, commandId }, { by: holder }),
        rename: () => trial.ask("session/rename", { sessionId, name: "late", commandId }, { by: holder }),
        turn: () =>
          trial.ask("turn/start", turnParams(trial, sessionId, trial.prompts.quick), { by: holder }),
      }[late]();
      trial.count("late");
      // An interrupt leaves no record: that it was taken in says nothing.
      if (late !== "interrupt")
        trial.hold(!isAck(outcome), "a host takes a command in after its session was taken from it", {
          outcome,
        });
      await trial.quiet();
      const view = await viewOf(trial, sessionId, next);
      const ends = view.endsOf(String(turnId));
      trial.hold(ends.length === 1, `a turn whose session was taken from its host has ${ends.length} ends`, {
        ends,
      });
      const again = await trial.ask("turn/start", params, { by: next });
      trial.hold(
        rejectionReason(again) === ABANDONED,
        "a turn whose session was taken from its host is not abandoned",
        { again },
      );
      holder = next;
    }
  },
});

const storeLawsOfHost = law<{ readonly seed: number }>({
  id: "store-laws",
  level: "durable",
  promise:
    "What a host keeps its logs in keeps the laws of a store: one holder, epochs that are never used again, entries that are there once they were acked.",
  needs: ["durable", "store"],
  least: { laws: 10, checks: 10 },
  runs: 1,
  cases: () => fc.record({ seed: fc.integer({ min: 0, max: 1000 }) }),
  async run(trial, { seed }) {
    const { store } = trial.driver;
    if (store === undefined) throw new CaseVoid("there is no store");
    const report = await checkStore(store, { seed });
    for (const { law: id, verdict, broken, counts } of report.laws) {
      if (verdict === "notApplicable") continue;
      trial.count("laws");
      trial.count(
        "checks",
        Object.values(counts).reduce((sum, times) => sum + times, 0),
      );
      if (verdict === "broken")
        throw new LawBroken(`the store breaks its law ${id}: ${broken?.what}`, broken);
      if (verdict === "inconclusive") throw new CaseVoid(`too little of the store's law ${id} was tried`);
    }
  },
});

/** See the top of the file. */
export const twoHostLaws: readonly AnyLaw[] = [
  settleOnce,
  recoverySparesTheLiving,
  epochsRise,
  storeLawsOfHost,
];
