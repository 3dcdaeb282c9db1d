/** Laws of commands that leave no durable record: they are known again while the host lives, and harmless afterwards. */
import fc from "fast-check";
import { canonicalJson } from "../../ledger/canonical.js";
import { CaseVoid } from "../broken.js";
import { type AnyLaw, law } from "../law.js";
import { isAck, type JsonObject } from "../model/history.js";
import { completed, started } from "../trial.js";

const STOPS = ["turn/interrupt", "turn/cancel"] as const;

const replay = law<{
  readonly method: (typeof STOPS)[number];
  readonly named: boolean;
  readonly another: boolean;
  readonly times: number;
}>({
  id: "carrier-less-replay",
  level: "core",
  promise:
    "Within a life of the host a stop that is sent again gets the ack that it got first, with the turn that it was for, and stops no other.",
  needs: ["busy", "serves:turn/start", "serves:turn/interrupt"],
  least: { replays: 15, "another runs": 5, unnamed: 4 },
  runs: 25,
  cases: () =>
    fc.record({
      method: fc.constantFrom(...STOPS),
      named: fc.boolean(),
      another: fc.boolean(),
      times: fc.integer({ min: 1, max: 2 }),
    }),
  async run(trial, { method: wanted, named, another, times }) {
    const method = trial.can(`serves:${wanted}`) ? wanted : STOPS[0];
    const sessionId = await trial.session();
    const turnId = await trial.busy(sessionId);
    const params: JsonObject = { sessionId, commandId: trial.mint(), ...(named ? { turnId } : {}) };
    const first = await trial.ask(method, params);
    if (!isAck(first)) throw new CaseVoid(`${method} was refused`);
    if (!named) trial.count("unnamed");
    trial.hold(first.result["turnId"] === turnId, "a stop names another turn than the one that ran", {
      params,
      first,
      turnId,
    });
    await trial.need(completed(turnId), "a turn that was stopped did not end");
    const other = another ? await trial.busy(sessionId) : undefined;
    for (let i = 0; i < times; i++) {
      const again = await trial.ask(method, params);
      trial.count("replays");
      trial.hold(
        canonicalJson(again) === canonicalJson(first),
        "a stop got another answer when it was sent again",
        {
          params,
          first,
          again,
        },
      );
    }
    if (other === undefined) return;
    trial.count("another runs");
    await trial.quiet();
    trial.hold(
      !trial.history.told.some(completed(other)),
      "a stop that was sent again has stopped a turn that began later",
      { params, other },
    );
  },
});

const afterRestart = law<{
  readonly method: (typeof STOPS)[number];
  readonly ended: boolean;
  readonly another: boolean;
}>({
  id: "carrier-less-after-restart",
  level: "durable",
  promise: "A stop of a named turn that is sent again after a restart has no effect on what runs then.",
  needs: ["durable", "crash", "busy", "serves:turn/start", "serves:turn/interrupt", "serves:session/resume"],
  least: { replays: 12, "another runs": 4 },
  runs: 16,
  cases: () => fc.record({ method: fc.constantFrom(...STOPS), ended: fc.boolean(), another: fc.boolean() }),
  async run(trial, { method: wanted, ended, another }) {
    const method = trial.can(`serves:${wanted}`) ? wanted : STOPS[0];
    const sessionId = await trial.session();
    const turnId = await trial.busy(sessionId);
    const params = { sessionId, commandId: trial.mint(), turnId };
    const first = await trial.ask(method, params);
    if (!isAck(first)) throw new CaseVoid(`${method} was refused`);
    if (ended) await trial.need(completed(turnId), "a turn that was stopped did not end");
    await trial.crash();
    await trial.resume(sessionId);
    const other = another ? await trial.busy(sessionId) : undefined;
    await trial.quiet();
    const ends = endsOf();
    await trial.ask(method, params);
    trial.count("replays");
    await trial.quiet();
    trial.hold(endsOf() === ends, "a stop that was sent again after a restart has ended a turn", { params });
    trial.hold(
      trial.history.told.filter(started(turnId)).length <= 1,
      "a turn that was stopped began again after a restart",
      { turnId },
    );
    if (other !== undefined) trial.count("another runs");

    /** How many ends of turns were told in this life. */
    function endsOf(): number {
      const { told, operations } = trial.history;
      const life = operations.at(-1)?.life;
      return told.filter((one) => one.life === life && one.method === "turn/completed").length;
    }
  },
});

/** Laws of commands that leave no durable record. */
export const carrierLessLaws: readonly AnyLaw[] = [replay, afterRestart];
