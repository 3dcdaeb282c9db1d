/** Laws of commands over the death of a host: what was acked is known afterwards, and nothing happens twice. */
import fc from "fast-check";
import type { rejections } from "../../../generated/msp/experimental/tables.js";
import { canonicalJson } from "../../ledger/canonical.js";
import { CaseVoid } from "../broken.js";
import type { Sent } from "../client.js";
import type { Ability, CrashPoint } from "../driver/driver.js";
import { type AnyLaw, law } from "../law.js";
import { isAck, type JsonObject, type Outcome, rejectionReason } from "../model/history.js";
import { completed, type Trial, textInput } from "../trial.js";
import { same, viewOf } from "./session-view.js";

/** What a law needs that lets its host die. */
export const MORTAL: readonly Ability[] = ["durable", "crash", "serves:session/resume"];

/** Points at which a host dies; the simplest is just before the first write. */
export function crashPoints(mostWrites = 6, mostMs = 30): fc.Arbitrary<CrashPoint> {
  return fc.record({
    write: fc.integer({ min: 1, max: mostWrites }),
    moment: fc.constantFrom("before", "torn", "after"),
    delayMs: fc.integer({ min: 0, max: mostMs }),
  });
}

/** What a command is answered whose outcome was lost. */
export const ABANDONED: string = "abandoned" satisfies keyof typeof rejections;
/** What a turn is answered that waited and could not be launched. */
export const LAUNCH_FAILED: string = "deferred_start_failed" satisfies keyof typeof rejections;

/** Whether a replay may say this of a command that was acked before its host died. */
export function lostAtDeath(outcome: Outcome): boolean {
  const reason = rejectionReason(outcome);
  return reason === ABANDONED || reason === LAUNCH_FAILED;
}

/** Whether two answers are the same, value for value; the message of an error is for people, and no part of it. */
export function sameAnswer(one: Outcome, other: Outcome): boolean {
  return canonicalJson(withoutMessage(one)) === canonicalJson(withoutMessage(other));
}

function withoutMessage(outcome: Outcome): unknown {
  if (isAck(outcome)) return outcome;
  const { code, data } = outcome.error;
  return { code, data };
}

/** Params of a turn under a new id. */
export function turnParams(trial: Trial, sessionId: string, prompt = "", more: JsonObject = {}): JsonObject {
  return { sessionId, commandId: trial.mint(), input: textInput(prompt), ...more };
}

/** Holds a command to one effect at most: one turn, one message of the user. */
export async function holdOneEffect(
  trial: Trial,
  sessionId: string,
  commandId: string,
  by = 0,
): Promise<number> {
  await trial.quiet();
  const view = await viewOf(trial, sessionId, by);
  const starts = view.startsOf(commandId);
  const messages = view.messagesOf(commandId);
  trial.hold(starts.length <= 1, "a command began more than one turn", { starts });
  trial.hold(messages.length <= 1, "a command brought about more than one message of the user", { messages });
  trial.count("effects");
  return Math.max(starts.length, messages.length);
}

/** Commands whose work is over when they are answered, by what they are called in cases. */
const SETTLED = {
  turn: "turn/start",
  rename: "session/rename",
  effort: "session/setReasoningEffort",
} as const;

type SettledKind = keyof typeof SETTLED;

function settledParams(trial: Trial, sessionId: string, kind: SettledKind, n: number): JsonObject {
  if (kind === "turn") return turnParams(trial, sessionId, trial.prompts.quick);
  const params = { sessionId, commandId: trial.mint() };
  return kind === "rename" ? { ...params, name: `name ${n}` } : { ...params, reasoningEffort: "low" };
}

const dedupeAfterCrash = law<{
  readonly kinds: readonly SettledKind[];
  readonly deaths: number;
  readonly inOrder: boolean;
}>({
  id: "dedupe-after-crash",
  level: "durable",
  promise:
    "A command that was acked and whose work is over gets its ack again, value for value, after its host died, and has no second effect.",
  needs: [...MORTAL, "quick"],
  least: { replays: 15, crashes: 10 },
  runs: 15,
  cases: () =>
    fc.record({
      kinds: fc.array(fc.constantFrom<SettledKind>("turn", "rename", "effort"), {
        minLength: 1,
        maxLength: 3,
      }),
      deaths: fc.integer({ min: 1, max: 2 }),
      inOrder: fc.boolean(),
    }),
  async run(trial, { kinds, deaths, inOrder }) {
    const sessionId = await trial.session();
    const done: { readonly method: string; readonly params: JsonObject; readonly first: Outcome }[] = [];
    for (const [n, of] of kinds.entries()) {
      const kind = trial.can(`serves:${SETTLED[of]}`) ? of : "turn";
      const method = SETTLED[kind];
      const params = settledParams(trial, sessionId, kind, n);
      const first = await trial.ask(method, params);
      if (!isAck(first)) throw new CaseVoid(`${method} was refused`);
      if (kind === "turn") await trial.need(completed(String(first.result["turnId"])), "a turn did not end");
      done.push({ method, params, first });
    }
    for (let death = 0; death < deaths; death++) {
      await (inOrder && death === 0 ? trial.restart() : trial.crash());
      trial.count("crashes");
      await trial.resume(sessionId);
      for (const { method, params, first } of done) {
        const again = await trial.ask(method, params);
        trial.count("replays");
        trial.hold(sameAnswer(first, again), "a replay after a crash got another answer", { first, again });
      }
    }
    for (const { method, params } of done)
      if (method === SETTLED.turn) {
        const effects = await holdOneEffect(trial, sessionId, String(params["commandId"]));
        trial.hold(effects === 1, "a turn that had ended is not on the view after a crash", { params });
      }
  },
});

/** A turn that is submitted while its host dies. */
interface DyingTurn {
  readonly point: CrashPoint;
  /** Whether another turn runs, so that it waits. */
  readonly queued: boolean;
  readonly again: number;
}

const dyingTurns = (point: fc.Arbitrary<CrashPoint>): fc.Arbitrary<DyingTurn> =>
  fc.record({ point, queued: fc.boolean(), again: fc.integer({ min: 0, max: 1 }) });

/** Submits it, lets the host die, and loads the session again. */
async function submitDying(
  trial: Trial,
  { point, queued }: DyingTurn,
): Promise<{ readonly sessionId: string; readonly params: JsonObject; readonly heard: Outcome | undefined }> {
  const sessionId = await trial.session();
  if (queued) await trial.busy(sessionId);
  const params = turnParams(trial, sessionId, trial.prompts.quick);
  let sent: Sent | undefined;
  await trial.crashDuring(point, async () => {
    sent = await trial.send("turn/start", params);
    await trial.answer(sent);
    await trial.quiet();
  });
  trial.count("crashes");
  const heard = sent?.operation.outcome;
  await trial.resume(sessionId);
  return { sessionId, params, heard };
}

const ackImpliesDurable = law<DyingTurn>({
  id: "ack-implies-durable",
  level: "durable",
  promise:
    "A command whose ack was heard is known after a crash: a replay gets the ack, or a rejection that says what became of it, and it is never carried out anew.",
  needs: [...MORTAL, "quick", "busy"],
  least: { acks: 5, replays: 5 },
  runs: 25,
  cases: () => dyingTurns(crashPoints()),
  async run(trial, of) {
    const { sessionId, params, heard } = await submitDying(trial, of);
    if (!isAck(heard)) return;
    trial.count("acks");
    const commandId = String(params["commandId"]);
    // What recovery does of itself is not what a replay does.
    await trial.quiet();
    const loaded = trial.history.next();
    for (let i = 0; i <= of.again; i++) {
      const again = await trial.ask("turn/start", params);
      trial.count("replays");
      trial.hold(
        sameAnswer(heard, again) || lostAtDeath(again),
        "a command that was acked is not known after a crash",
        { heard, again },
      );
    }
    await holdOneEffect(trial, sessionId, commandId);
    // An ack that a host makes anew looks like the first one: what tells it is the turn that then begins.
    const anew = trial.history.told.find(
      ({ moment, method, params: of }) =>
        moment > loaded && method === "turn/started" && same(of["commandId"], commandId),
    );
    trial.hold(
      heard.result["disposition"] !== "started" || anew === undefined,
      "a turn that was acked as started is begun by a replay after the crash",
      { anew },
    );
  },
});

const unansweredIsSafe = law<DyingTurn>({
  id: "unanswered-is-safe",
  level: "durable",
  promise:
    "A command without an answer may be sent again after a crash: it gets one answer, and has one effect in all.",
  needs: [...MORTAL, "quick", "busy"],
  least: { unanswered: 5, replays: 10 },
  runs: 25,
  // A quick host answers within a millisecond.
  cases: () => dyingTurns(crashPoints(2, 1)),
  async run(trial, of) {
    const { sessionId, params, heard } = await submitDying(trial, of);
    if (heard !== undefined) return;
    trial.count("unanswered");
    const first = await trial.ask("turn/start", params);
    trial.count("replays");
    trial.hold(
      isAck(first) || lostAtDeath(first),
      "a command without an answer is refused when it is sent again after a crash",
      { first },
    );
    const commandId = String(params["commandId"]);
    if (isAck(first)) await trial.need(completed(String(first.result["turnId"])), "a turn did not end");
    for (let i = 0; i <= of.again; i++) {
      const again = await trial.ask("turn/start", params);
      trial.count("replays");
      trial.hold(sameAnswer(first, again), "a second replay got another answer", { first, again });
    }
    const effects = await holdOneEffect(trial, sessionId, commandId);
    if (isAck(first))
      trial.hold(effects === 1, "a command that was acked after a crash has no effect", { first });
  },
});

/** See the top of the file. */
export const crashLaws: readonly AnyLaw[] = [dedupeAfterCrash, ackImpliesDurable, unansweredIsSafe];
