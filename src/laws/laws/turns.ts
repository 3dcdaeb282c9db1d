/** Laws of a turn: which one an ack names, that it ends once, and what becomes of a launch that fails. */
import fc from "fast-check";
import { CaseVoid } from "../broken.js";
import { type AnyLaw, law } from "../law.js";
import { isAck, type JsonObject, type Outcome, rejectionReason } from "../model/history.js";
import { completed, started, type Trial } from "../trial.js";
import { LAUNCH_FAILED, sameAnswer, turnParams } from "./crashes.js";
import { isEnd, same, viewOf } from "./session-view.js";

const IF_BUSY = ["queue", "steer", "replace"] as const;

const turnIdentity = law<{
  readonly ifBusy: (typeof IF_BUSY)[number] | null;
  readonly method: "turn/start" | "turn/steer";
}>({
  id: "turn-identity",
  level: "core",
  promise:
    "The ack of a turn names the turn that then begins: under the id of its command where it begins at once, the one that runs where it is a steer.",
  needs: ["busy"],
  least: { fresh: 15, queued: 2, steered: 4 },
  runs: 20,
  cases: () =>
    fc.record({
      ifBusy: fc.constantFrom(null, ...IF_BUSY),
      method: fc.constantFrom("turn/start", "turn/steer"),
    }),
  async run(trial, { ifBusy, method }) {
    const sessionId = await trial.session();
    const params = turnParams(trial, sessionId, trial.prompts.busy);
    const fresh = await trial.command("turn/start", params);
    const running = String(fresh["turnId"]);
    trial.count("fresh");
    trial.hold(
      same(fresh["turnId"], String(params["commandId"])),
      "a fresh turn has another id than its command",
      {
        fresh,
      },
    );
    trial.hold(
      fresh["disposition"] === "started" && fresh["startedNewTurn"] === true,
      "a turn of an idle session is not said to have started",
      { fresh },
    );
    await holdStart(trial, params, running);
    if (method === "turn/steer" && trial.can("serves:turn/steer")) {
      const steer = { ...turnParams(trial, sessionId, "over there"), expectedTurnId: running };
      const ack = await trial.command("turn/steer", steer);
      trial.count("steered");
      trial.hold(same(ack["turnId"], running), "the ack of a steer does not name the turn that runs", {
        ack,
      });
      return;
    }
    const later = turnParams(trial, sessionId, trial.prompts.busy, ifBusy === null ? {} : { ifBusy });
    const ack = await trial.command("turn/start", later);
    const { disposition } = ack;
    trial.hold(
      ack["startedNewTurn"] === (disposition === "started"),
      "startedNewTurn does not say what the disposition says",
      { ack },
    );
    if (ifBusy === "steer") {
      trial.count("steered");
      trial.hold(
        disposition === "steered" && same(ack["turnId"], running),
        "the ack of a turn that became a steer does not name the turn that runs",
        { ack },
      );
      return;
    }
    const turnId = String(ack["turnId"]);
    trial.hold(!same(turnId, running), "a turn that waits has the id of the one that runs", { ack });
    if (ifBusy !== "replace") {
      trial.count("queued");
      trial.hold(disposition === "queued", "a turn that came while another ran is not said to wait", { ack });
      await trial.interrupt(sessionId, running);
    }
    await holdStart(trial, later, turnId);
    await trial.interrupt(sessionId, turnId);
  },
});

/** The turn that an ack has named begins, for the command that was acked. */
async function holdStart(trial: Trial, { commandId }: JsonObject, turnId: string): Promise<void> {
  const start = await trial.until(
    ({ method, params }) => method === "turn/started" && same(params["commandId"], String(commandId)),
  );
  trial.hold(start !== undefined, "no turn begins for a command that was acked", { commandId });
  trial.hold(same(start?.params["turnId"], turnId), "another turn begins than the ack has named", {
    turnId,
    start: start?.params,
  });
}

/** What turns do that are submitted, in cases. */
const WHATS = ["quick", "busy", "failing", "failingLaunch"] as const;

interface Submission {
  readonly what: (typeof WHATS)[number];
  readonly replace: boolean;
  /** Whether it is asked to be taken from the queue again. */
  readonly unqueue: boolean;
}

const oneEnd = law<{ readonly turns: readonly Submission[] }>({
  id: "one-end",
  level: "core",
  promise:
    "Every turn that an ack has promised has exactly one end: turn/completed, or turn/unqueued where it never ran.",
  needs: ["quick", "busy"],
  least: { ends: 25, unqueued: 1 },
  runs: 20,
  cases: () =>
    fc.record({
      turns: fc.array(
        fc.record({ what: fc.constantFrom(...WHATS), replace: fc.boolean(), unqueue: fc.boolean() }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
  async run(trial, { turns }) {
    const sessionId = await trial.session();
    const acked: string[] = [];
    for (const { what, replace, unqueue } of turns) {
      const prompt = trial.prompts[what] ?? trial.prompts.quick;
      const outcome = await trial.ask(
        "turn/start",
        turnParams(trial, sessionId, prompt, replace ? { ifBusy: "replace" } : {}),
      );
      // A launch may fail before the ack.
      if (!isAck(outcome)) continue;
      const { turnId, disposition } = outcome.result;
      acked.push(String(turnId));
      if (!unqueue || disposition !== "queued" || !trial.can("serves:turn/unqueue")) continue;
      const taken = await trial.ask("turn/unqueue", { sessionId, commandId: trial.mint(), turnId });
      if (isAck(taken)) trial.count("unqueued");
    }
    await settle(trial, sessionId, acked);
    for (const turnId of acked) {
      const ends = (await viewOf(trial, sessionId)).endsOf(turnId);
      trial.count("ends", ends.length);
      trial.hold(ends.length === 1, `a turn that was acked has ${ends.length} ends`, { turnId, ends });
    }
  },
});

/** Interrupts what runs until every one of some turns has ended, or nothing more happens. */
export async function settle(trial: Trial, sessionId: string, turnIds: readonly string[]): Promise<void> {
  const open = new Set(turnIds.map((turnId) => turnId.toLowerCase()));
  const asked = new Set<string>();
  let at = 0;
  const running = new Set<string>();
  /** Takes in what was told since; whether there is something to be done. */
  const look = (): boolean => {
    const { told } = trial.history;
    for (; at < told.length; at++) {
      const { method, params } = told[at] as (typeof told)[number];
      if (!same(params["sessionId"], sessionId)) continue;
      const turnId = String(params["turnId"]).toLowerCase();
      if (method === "turn/started") running.add(turnId);
      if (!isEnd(method)) continue;
      running.delete(turnId);
      open.delete(turnId);
    }
    return open.size === 0 || [...running].some((turnId) => !asked.has(turnId));
  };
  while ((await trial.until(look)) !== undefined || look()) {
    if (open.size === 0) break;
    for (const turnId of running) {
      if (asked.has(turnId)) continue;
      asked.add(turnId);
      await trial.ask("turn/interrupt", { sessionId, turnId, commandId: trial.mint() });
    }
  }
  await trial.quiet();
}

const deferredLaunchFailure = law<{
  readonly before: number;
  readonly replace: boolean;
  readonly replays: number;
  readonly dies: boolean;
}>({
  id: "deferred-launch-failure",
  level: "core",
  promise:
    "A turn that waited and cannot be launched never starts: it ends as failed with launchError, and its command is then answered deferred_start_failed.",
  needs: ["busy", "quick", "failingLaunch"],
  least: { failures: 8, replays: 8 },
  runs: 10,
  cases: () =>
    fc.record({
      before: fc.integer({ min: 0, max: 2 }),
      replace: fc.boolean(),
      replays: fc.integer({ min: 1, max: 2 }),
      dies: fc.boolean(),
    }),
  async run(trial, { before, replace, replays, dies }) {
    const sessionId = await trial.session();
    const running = await trial.busy(sessionId);
    for (let i = 0; i < before; i++) await trial.turn(sessionId, trial.prompts.quick ?? "");
    const how = replace ? { ifBusy: "replace" } : {};
    const params = turnParams(trial, sessionId, trial.prompts.failingLaunch, how);
    const ack = await trial.ask("turn/start", params);
    if (!isAck(ack)) throw new CaseVoid("a turn that cannot be launched is refused at once");
    const turnId = String(ack.result["turnId"]);
    if (!replace) await trial.interrupt(sessionId, running);
    const end = await trial.until(completed(turnId));
    trial.hold(end !== undefined, "a turn that cannot be launched has no end", { ack: ack.result });
    trial.count("failures");
    const { terminal, error } = (end?.params ?? {}) as { terminal?: unknown; error?: JsonObject };
    trial.hold(
      terminal === "failed" && error?.["kind"] === "launchError",
      "a turn that cannot be launched does not end as failed with launchError",
      { end: end?.params },
    );
    await trial.quiet();
    trial.hold(
      !trial.history.told.some(started(turnId)),
      "a turn that cannot be launched is said to have started",
      { turnId },
    );
    const lives = dies && trial.can("crash") && trial.can("durable") && trial.can("serves:session/resume");
    let first: Outcome | undefined;
    for (let i = 0; i < replays; i++) {
      if (lives && i === replays - 1) {
        await trial.crash();
        await trial.resume(sessionId);
      }
      const again = await trial.ask("turn/start", params);
      first ??= again;
      trial.count("replays");
      trial.hold(
        rejectionReason(again) === LAUNCH_FAILED,
        "a turn that could not be launched is not answered so when it is asked for again",
        { again },
      );
      trial.hold(sameAnswer(first, again), "the answer to a failed launch has changed", { first, again });
    }
  },
});

/** See the top of the file. */
export const turnLaws: readonly AnyLaw[] = [turnIdentity, oneEnd, deferredLaunchFailure];
