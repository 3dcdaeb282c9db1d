/** The model of commands: what a right ledger answers is allowed, and each wrong answer is found and named. */
import { describe, expect, it } from "vitest";
import {
  ack,
  cancel,
  conflict,
  failed,
  goal,
  id,
  inCapitals,
  OTHER_SESSION,
  paused,
  rejected,
  rename,
  SESSION,
  start,
  stop,
  Written,
} from "../../support/written-history.js";

describe("a history is allowed", () => {
  const missing = (n: number) => rejected(id(n), "missing_goal");
  it.each<[string, Written]>([
    ["without requests", new Written()],
    ["in which a replay gets the first ack", new Written().ask(1, ack(id(1))).ask(1, ack(id(1)))],
    [
      "in which another payload and another method are refused",
      new Written()
        .ask(1, ack(id(1)))
        .ask(1, conflict(id(1)), { text: "other" })
        .ask(1, conflict(id(1)), goal(1))
        .ask(1, ack(id(1))),
    ],
    [
      "in which a rejection is said again",
      new Written().ask(1, missing(1), goal(1)).ask(1, missing(1), goal(1)),
    ],
    [
      "in which an ack is followed by a launch that failed, for good",
      new Written()
        .ask(1, ack(id(1)))
        .ask(1, rejected(id(1), "deferred_start_failed"))
        .ask(1, rejected(id(1), "deferred_start_failed")),
    ],
    [
      "in which an acked command is abandoned by a crash",
      new Written()
        .ask(1, ack(id(1)))
        .crash()
        .ask(1, rejected(id(1), "abandoned"), { life: 1 })
        .ask(1, rejected(id(1), "abandoned"), { life: 1 }),
    ],
    [
      "in which what was not answered was taken in",
      new Written()
        .ask(1, undefined)
        .crash()
        .ask(1, conflict(id(1)), { life: 1, text: "other" }),
    ],
    [
      "in which what was not answered was not taken in",
      new Written()
        .ask(1, undefined)
        .crash()
        .ask(1, ack(id(1)), { life: 1, text: "other" }),
    ],
    [
      "in which what was not answered is acked later, and stays so",
      new Written()
        .ask(1, undefined)
        .ask(1, ack(id(1)))
        .ask(1, ack(id(1))),
    ],
    [
      "in which errors that admit nothing come between",
      new Written()
        .ask(1, failed("overloaded"))
        .ask(1, failed("sessionNotLoaded"))
        .ask(1, ack(id(1)), { text: "other" })
        .ask(1, failed("backpressured"), { text: "other" })
        .ask(1, ack(id(1)), { text: "other" }),
    ],
    [
      "in which nobody knows what an inner failure did",
      new Written().ask(1, failed("internal")).ask(1, conflict(id(1)), { text: "other" }),
    ],
    [
      "in which the second of two payloads at once was first",
      new Written()
        .ask(1, conflict(id(1)), { sent: 10, answered: 13, text: "one" })
        .ask(1, ack(id(1)), { sent: 11, answered: 12, text: "two" }),
    ],
    [
      "in which an id is spelt in other letters",
      new Written()
        .ask(10, ack(id(10)))
        .ask(10, ack(id(10).toUpperCase(), id(10).toUpperCase()), inCapitals(10)),
    ],
    [
      "in which an id in other letters is refused",
      new Written()
        .ask(10, ack(id(10)))
        .ask(10, conflict(id(10)), inCapitals(10))
        .ask(10, ack(id(10))),
    ],
    [
      "in which a payload is written in a way of which no source says that it is another one",
      new Written()
        .ask(1, ack(id(1)))
        .ask(1, conflict(id(1)), {
          params: {
            sessionId: SESSION,
            commandId: id(1),
            ifBusy: "queue",
            input: [{ type: "text", text: "hello" }],
          },
        })
        .ask(1, ack(id(1))),
    ],
    [
      "in which one id stands for two commands of two sessions",
      new Written().ask(1, ack(id(1))).ask(1, ack(id(1)), {
        params: { sessionId: OTHER_SESSION, commandId: id(1), input: [{ type: "text", text: "other" }] },
      }),
    ],
    [
      "in which an id reaches over all sessions",
      new Written().ask(1, ack(id(1))).ask(1, conflict(id(1)), {
        params: { sessionId: OTHER_SESSION, commandId: id(1), input: [{ type: "text", text: "other" }] },
      }),
    ],
    [
      "in which a stop is forgotten by the next host",
      new Written()
        .ask(1, { result: { commandId: id(1), status: "accepted", turnId: id(7) } }, stop(1))
        .crash()
        .ask(1, rejected(id(1), "missing_run"), { ...stop(1), life: 1 }),
    ],
    [
      "in which a stop that was rejected is carried out later",
      new Written()
        .ask(1, rejected(id(1), "missing_run"), stop(1))
        .ask(1, { result: { commandId: id(1), status: "accepted", turnId: id(7) } }, stop(1)),
    ],
    [
      "in which an ephemeral host knows nothing of the one before",
      new Written()
        .ephemeral()
        .ask(1, ack(id(1)))
        .crash()
        .ask(1, failed("sessionNotFound"), { life: 1 }),
    ],
    [
      "in which the session that a start shows has changed since",
      new Written()
        .ask(1, { result: { session: { sessionId: SESSION, turnCount: 0 }, viewCursor: "1" } }, start(1))
        .ask(1, { result: { session: { sessionId: SESSION, turnCount: 4 }, viewCursor: "9" } }, start(1)),
    ],
    [
      "in which the next host leaves the name out of the answer to a renaming",
      new Written()
        .ask(1, { result: { commandId: id(1), status: "accepted", name: "one" } }, rename(1))
        .crash()
        .ask(1, { result: { commandId: id(1), status: "accepted" } }, { ...rename(1), life: 1 }),
    ],
    [
      "in which a host has forgotten an id on purpose",
      new Written()
        .ask(1, ack(id(1)))
        .ask(1, rejected(id(1), "command_id_expired"))
        .ask(1, ack(id(1))),
    ],
  ])("%s", (_, written) => {
    expect(written.laws()).toEqual([]);
  });
});

describe("a history breaks", () => {
  it.each<[string, string, Written]>([
    [
      "replay-identity",
      "a new turn id on replay",
      new Written().ask(1, ack(id(1))).ask(1, ack(id(1), id(2))),
    ],
    ["replay-identity", "a conflict with itself", new Written().ask(1, ack(id(1))).ask(1, conflict(id(1)))],
    [
      "replay-identity",
      "a rejection after an ack, in one life",
      new Written().ask(1, paused(1), goal(1)).ask(1, rejected(id(1), "missing_goal"), goal(1)),
    ],
    [
      "replay-identity",
      "a decision that is refused since it was taken",
      new Written()
        .ask(1, { result: { commandId: id(1), status: "accepted", userInputId: "u" } }, cancel(1))
        .ask(1, failed("userInputAlreadySettled"), cancel(1)),
    ],
    [
      "conflict-payload",
      "two payloads",
      new Written().ask(1, ack(id(1))).ask(1, ack(id(1)), { text: "other" }),
    ],
    [
      "conflict-payload",
      "two payloads, one of them rejected",
      new Written().ask(1, ack(id(1))).ask(1, rejected(id(1), "runtime_busy"), { text: "other" }),
    ],
    ["conflict-payload", "a conflict of an id that is new", new Written().ask(1, conflict(id(1)))],
    ["conflict-method", "two methods", new Written().ask(1, ack(id(1))).ask(1, paused(1), goal(1))],
    [
      "conflict-changes-nothing",
      "a conflict that takes the place of the first",
      new Written()
        .ask(1, ack(id(1)))
        .ask(1, conflict(id(1)), { text: "other" })
        .ask(1, conflict(id(1))),
    ],
    [
      "payload-blind",
      "one payload in two forms",
      new Written().ask(1, ack(id(1)), { meaning: "one" }).ask(1, conflict(id(1)), {
        meaning: "one",
        params: { commandId: id(1), sessionId: SESSION, input: [] },
      }),
    ],
    [
      "rejection-replay",
      "an ack after a rejection",
      new Written().ask(1, rejected(id(1), "missing_goal"), goal(1)).ask(1, paused(1), goal(1)),
    ],
    [
      "rejection-replay",
      "another reason",
      new Written()
        .ask(1, rejected(id(1), "missing_goal"), goal(1))
        .ask(1, rejected(id(1), "missing_run"), goal(1)),
    ],
    [
      "abandoned-is-stable",
      "an ack after it was abandoned",
      new Written()
        .ask(1, undefined)
        .crash()
        .ask(1, rejected(id(1), "abandoned"), { life: 1 })
        .ask(1, ack(id(1)), { life: 1 }),
    ],
    [
      "deferred-launch-failure",
      "an ack after the launch failed",
      new Written()
        .ask(1, ack(id(1)))
        .ask(1, rejected(id(1), "deferred_start_failed"))
        .ask(1, ack(id(1))),
    ],
    [
      "dedupe-after-crash",
      "another ack after a crash",
      new Written()
        .ask(1, ack(id(1)))
        .crash()
        .ask(1, ack(id(1), id(2)), { life: 1 }),
    ],
    [
      "ack-implies-durable",
      "a session that is forgotten",
      new Written()
        .ask(1, ack(id(1)))
        .crash()
        .ask(1, failed("sessionNotFound"), { life: 1 }),
    ],
    [
      "ack-implies-durable",
      "a session that was begun and is forgotten",
      new Written()
        .ask(1, { result: { session: { sessionId: SESSION }, viewCursor: "1" } }, start(1))
        .crash()
        .ask(2, failed("sessionNotFound"), { life: 1 }),
    ],
    [
      "transient-errors-leave-nothing",
      "an error that took the id",
      new Written().ask(1, failed("invalidParams")).ask(1, conflict(id(1)), { text: "other" }),
    ],
    [
      "command-id-letter-case",
      "two acks of an id in two spellings",
      new Written().ask(10, ack(id(10))).ask(10, ack(id(10), id(2)), inCapitals(10)),
    ],
    [
      "duplicates-at-once",
      "two acks of copies on one connection",
      new Written()
        .ask(1, ack(id(1)), { sent: 10, answered: 13 })
        .ask(1, ack(id(1), id(2)), { sent: 11, answered: 12 }),
    ],
    [
      "duplicates-across-connections",
      "two acks of copies on two connections",
      new Written()
        .ask(1, ack(id(1)), { sent: 10, answered: 13 })
        .ask(1, ack(id(1), id(2)), { sent: 11, answered: 12, connection: 1 }),
    ],
    [
      "replay-identity",
      "a stop that names another turn when it is sent again",
      new Written()
        .ask(1, { result: { commandId: id(1), status: "accepted", turnId: id(7) } }, stop(1))
        .ask(1, { result: { commandId: id(1), status: "accepted", turnId: id(8) } }, stop(1)),
    ],
    [
      "conflict-payload",
      "two payloads at once",
      new Written()
        .ask(1, ack(id(1)), { sent: 10, answered: 13 })
        .ask(1, ack(id(1)), { sent: 11, answered: 12, text: "other" }),
    ],
  ])("%s by %s", (law, _, written) => {
    expect(written.laws()).toEqual([law]);
  });
});
