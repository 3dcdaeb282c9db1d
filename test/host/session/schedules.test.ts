import { expect, test } from "vitest";
import { Counts } from "./law.js";
import { type Broken, runSchedule, STEPS } from "./laws.js";
import { SENT_METHODS } from "./schedule.js";

/** In parts, so that none of them takes long. */
const PARTS = [0, 1, 2, 3, 4, 5, 6, 7];
const SCHEDULES = 640;

const counts = new Counts();
let steps = 0;

test.each(PARTS)("no schedule of clients, agents, crashes and restarts breaks a law: part %i", (part) => {
  const broken: Broken[] = [];
  for (let seed = part + 1; seed <= SCHEDULES && broken.length < 3; seed += PARTS.length) {
    const found = runSchedule(seed, counts);
    if (found !== undefined) broken.push(found);
    steps += STEPS;
  }
  expect(broken).toEqual([]);
});

test("the schedules came to everything that the laws speak of", () => {
  expect(steps).toBeGreaterThanOrEqual(100_000);
  const few = Object.entries(MET).filter(([name, least]) => counts.of(name) < least);
  expect(few.map(([name, least]) => `${name}: ${counts.of(name)} of ${least}`)).toEqual([]);
});

/** What a method can be answered, where it is not both accepted and rejected. */
const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  "turn/start": ["accepted", "refused"],
  "goal/set": ["accepted"],
  "session/setReasoningEffort": ["accepted"],
  "session/rename": ["accepted"],
  "session/leave": ["accepted"],
  "task/stopAll": ["accepted"],
  "approval/decide": ["accepted", "refused"],
  "userInput/answer": ["accepted", "refused"],
  "userInput/cancel": ["accepted", "refused"],
  "userInput/clarify": ["accepted", "refused"],
  "userInput/interrupt": ["accepted", "refused"],
};

/** How often each answer of each command, and what each law speaks of, must have come up. */
const MET: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    SENT_METHODS.flatMap((method) =>
      (ANSWERS[method] ?? ["accepted", "rejected"]).map((answer) => [`${method}: ${answer}`, 30]),
    ),
  ),
  crash: 200,
  release: 50,
  "a state that is compared with its fold": 1_000,
  "an event that is checked": 10_000,
  "a start: now": 1_000,
  "a start: first": 200,
  "a start: last": 1_000,
  "a start that steers": 200,
  "a start while the queue is full": 100,
  "a queue of several": 1_000,
  "a launch from the queue": 1_000,
  "a turn that went back to the queue": 20,
  "a queued turn that keeps its ack over a restart": 200,
  "an end: completed": 500,
  "an end: failed": 200,
  "an end: cancelled": 500,
  "an end: crash": 100,
  "an end: launchError": 200,
  "an end: unqueued": 200,
  "a steer that is shown": 500,
  "a steer of a turn that is over, while the next one runs": 100,
  "a stop of a turn that is over, while the next one runs": 50,
  "a stop of a turn that waits": 50,
  "an unqueue of the turn that runs": 100,
  "a retraction: accepted": 20,
  "a retraction: declined": 20,
  "a repeat of an ack": 500,
  "a repeat of a rejection": 300,
  "a conflict": 300,
  "an ack that is taken back: deferred_start_failed": 100,
  "an ack that is taken back: abandoned": 100,
  "a goal that changed": 500,
  "a goal that stayed": 200,
  "a wake": 200,
  "a goal while a turn runs": 200,
  "an edit of a goal that is paused": 20,
  "a goal that is paused with its turn": 30,
  "session/setModel changes": 50,
  "session/setModel stays": 50,
  "session/setApprovalMode changes": 50,
  "session/setApprovalMode stays": 50,
  "session/setReasoningEffort changes": 50,
  "session/setReasoningEffort stays": 50,
  "session/rename changes": 50,
  "session/rename stays": 50,
  "approval/requested": 500,
  "approval/updated": 50,
  "userInput/requested": 500,
  "asked and approved": 30,
  "asked and approvedForSession": 30,
  "asked and denied": 30,
  "asked and abort": 200,
  "asked and answered": 50,
  "asked and cancelled": 20,
  "asked and clarified": 20,
  "asked and interrupted": 20,
  "asked and timedOut": 20,
  "asked and aborted": 200,
  "an end in the background": 50,
  "a stopAll of several": 30,
  "item/updated agentMessage": 50,
  "item/updated userMessage": 10,
  "item/completed compaction": 50,
  "item/completed userShell": 100,
};
