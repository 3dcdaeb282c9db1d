/** The model of commands: what a right ledger answers is allowed, and each wrong answer is found and named. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkCommands, type Effort } from "../../../src/laws/model/commands.js";
import { History, type JsonObject, type Operation, type Outcome } from "../../../src/laws/model/history.js";

const SESSION = "019b76da-a800-7000-8000-000000000001";
const OTHER_SESSION = "019b76da-a800-7000-8000-000000000002";
const id = (n: number) => `019b76da-a801-7000-8000-${n.toString(16).padStart(12, "0")}`;

const ack = (commandId: string, turnId: string = commandId): Outcome => ({
  result: { commandId, status: "accepted", turnId, startedNewTurn: true, disposition: "started" },
});
const rejected = (commandId: string, reason: string): Outcome => ({
  error: { code: -32030, message: "no", data: { kind: "commandRejected", commandId, reason } },
});
const conflict = (commandId: string) => rejected(commandId, "command_id_conflict");
const failed = (kind: string): Outcome => ({ error: { code: -1, message: "no", data: { kind } } });

interface Asked {
  readonly method?: string;
  readonly params?: JsonObject;
  readonly text?: string;
  readonly meaning?: string;
  readonly life?: number;
  readonly connection?: number;
  readonly sent?: number;
  readonly answered?: number;
}

/** Writes a history, one request after the other where nothing else is said. */
class Written {
  readonly history = new History();

  ask(n: number, outcome: Outcome | undefined, asked: Asked = {}): this {
    const { method = "turn/start", text = "hello", life = 0, connection = 0 } = asked;
    const params = asked.params ?? {
      sessionId: SESSION,
      commandId: id(n),
      input: [{ type: "text", text }],
    };
    const { history } = this;
    const operation: Operation = {
      index: history.operations.length,
      connection,
      life,
      method,
      params,
      meaning: asked.meaning ?? JSON.stringify(params),
      sent: asked.sent ?? history.next(),
    };
    if (outcome !== undefined) {
      operation.outcome = outcome;
      operation.answered = asked.answered ?? history.next();
    }
    history.operations.push(operation);
    return this;
  }

  crash(life = 0): this {
    this.history.happenings.push({ moment: this.history.next(), life, what: "crashed" });
    return this;
  }

  ephemeral(): this {
    this.history.durable = false;
    return this;
  }

  laws(): readonly string[] {
    return checkCommands(this.history).map(({ law }) => law);
  }
}

const goal = (n: number, more: JsonObject = {}): Asked => ({
  method: "goal/pause",
  params: { sessionId: SESSION, commandId: id(n), ...more },
});
const paused = (n: number): Outcome => ({ result: { commandId: id(n), status: "accepted" } });
const stop = (n: number, more: JsonObject = {}): Asked => ({
  method: "turn/interrupt",
  params: { sessionId: SESSION, commandId: id(n), ...more },
});

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
      new Written().ask(10, ack(id(10))).ask(10, ack(id(10).toUpperCase(), id(10).toUpperCase()), {
        params: {
          sessionId: SESSION,
          commandId: id(10).toUpperCase(),
          input: [{ type: "text", text: "hello" }],
        },
      }),
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

function start(n: number): Asked {
  return { method: "session/start", params: { commandId: id(n) } };
}
function rename(n: number): Asked {
  return { method: "session/rename", params: { sessionId: SESSION, commandId: id(n), name: "one" } };
}

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

function cancel(n: number): Asked {
  return { method: "userInput/cancel", params: { sessionId: SESSION, commandId: id(n), userInputId: "u" } };
}

/** What is asked of a ledger that answers one request after the other, and when. */
interface Step {
  readonly key: number;
  readonly payload: number;
  readonly does: "accept" | "reject" | "refuse" | "crash" | "lose";
  /** How long it takes before and after the moment at which it is decided. */
  readonly before: number;
  readonly after: number;
}

const steps = fc.array(
  fc.record({
    key: fc.nat({ max: 3 }),
    payload: fc.nat({ max: 1 }),
    does: fc.constantFrom<Step["does"]>("accept", "accept", "accept", "reject", "refuse", "lose", "crash"),
    before: fc.nat({ max: 40 }),
    after: fc.nat({ max: 40 }),
  }),
  { maxLength: 24 },
);

/** Lets a right ledger answer, and writes down what a client would see. Requests overlap as they took time. */
function played(asked: readonly Step[]): History {
  const history = new History();
  const ledger = new Map<number, { readonly payload: number; readonly outcome: Outcome }>();
  let life = 0;
  let born = 0;
  asked.forEach(({ key, payload, does, before, after }, n) => {
    const moment = (n + 1) * 10;
    if (does === "crash") {
      history.happenings.push({ moment, life, what: "crashed" });
      life++;
      born = moment;
      return;
    }
    const commandId = id(key);
    const known = ledger.get(key);
    let outcome: Outcome | undefined;
    if (does === "refuse") outcome = failed("overloaded");
    else if (known !== undefined) outcome = known.payload === payload ? known.outcome : conflict(commandId);
    else {
      outcome = does === "reject" ? rejected(commandId, "runtime_busy") : ack(commandId, id(100 + n));
      ledger.set(key, { payload, outcome });
    }
    const next = asked.findIndex((step, i) => i > n && step.does === "crash");
    const end = moment + after + 0.5;
    const params = { sessionId: SESSION, commandId, input: [{ type: "text", text: `text ${payload}` }] };
    const operation: Operation = {
      index: history.operations.length,
      connection: n % 2,
      life,
      method: "turn/start",
      params,
      meaning: JSON.stringify(params),
      sent: Math.max(moment - before, born) + n / 1000,
    };
    // The answer of a host that died meanwhile never came.
    if (does !== "lose" && (next === -1 || end < (next + 1) * 10)) {
      operation.answered = end + n / 1000;
      operation.outcome = outcome;
    }
    history.operations.push(operation);
  });
  return history;
}

describe("whatever a right ledger answers", () => {
  it("is allowed, however requests overlap", () => {
    let overlapping = 0;
    let partial = 0;
    fc.assert(
      fc.property(steps, (asked) => {
        const history = played(asked);
        partial += history.operations.filter(({ outcome }) => outcome === undefined).length;
        overlapping += history.operations.filter((one, i) =>
          history.operations.some(
            (other, j) =>
              i < j &&
              one.params["commandId"] === other.params["commandId"] &&
              other.sent < (one.answered ?? Number.POSITIVE_INFINITY),
          ),
        ).length;
        expect(checkCommands(history)).toEqual([]);
      }),
      { numRuns: 500, seed: 1 },
    );
    expect(overlapping).toBeGreaterThan(500);
    expect(partial).toBeGreaterThan(500);
  });

  it("is refused with one answer changed, for what was changed", () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(steps, fc.nat(), (asked, pick) => {
        const history = played(asked);
        // What was sent after an answer came that says what the id stands for: its own answer is certain.
        const certain = history.operations.flatMap((one) => {
          if (one.outcome === undefined || isTransient(one.outcome)) return [];
          const first = history.operations.find(
            (other) =>
              other.params["commandId"] === one.params["commandId"] &&
              other.outcome !== undefined &&
              !isTransient(other.outcome) &&
              !isConflictOf(other.outcome) &&
              (other.answered ?? Number.POSITIVE_INFINITY) < one.sent,
          );
          return first === undefined ? [] : [{ one, first }];
        });
        const found = certain[pick % Math.max(1, certain.length)];
        if (found === undefined) return;
        const { one, first } = found;
        const was =
          first.meaning !== one.meaning ? "conflict" : "error" in one.outcome! ? "rejection" : "ack";
        one.outcome = ack(String(one.params["commandId"]), id(999));
        const laws = checkCommands(history).map(({ law }) => law);
        expect(laws).toHaveLength(1);
        for (const law of laws) seen.set(`${was}: ${law}`, (seen.get(`${was}: ${law}`) ?? 0) + 1);
      }),
      { numRuns: 2_000, seed: 2 },
    );
    expect([...seen.keys()].sort()).toEqual([
      "ack: dedupe-after-crash",
      "ack: duplicates-across-connections",
      "ack: duplicates-at-once",
      "ack: replay-identity",
      "conflict: conflict-payload",
      "rejection: rejection-replay",
    ]);
    for (const kind of ["ack: replay-identity", "ack: dedupe-after-crash", "conflict: conflict-payload"])
      expect(seen.get(kind), kind).toBeGreaterThan(30);
  });
});

const isTransient = (outcome: Outcome) => "error" in outcome && outcome.error.data["kind"] === "overloaded";
const isConflictOf = (outcome: Outcome) =>
  "error" in outcome && outcome.error.data["reason"] === "command_id_conflict";

describe("what a check costs", () => {
  const sequential = (count: number, keys: number): number => {
    const written = new Written();
    for (let i = 0; i < count; i++) written.ask(i % keys, ack(id(i % keys)));
    const effort: Effort = { steps: 0 };
    expect(checkCommands(written.history, effort)).toEqual([]);
    return effort.steps;
  };

  it.each([1, 100, 2_000])("grows as the history does, with %i ids", (keys) => {
    const [small, large] = [sequential(2_000, keys), sequential(10_000, keys)];
    expect(small).toBeGreaterThanOrEqual(2_000);
    expect(large).toBeLessThanOrEqual(small * 5 * 1.1);
    expect(large).toBeLessThanOrEqual(10_000 * 6);
  });

  it("stays small for many copies at once", () => {
    const written = new Written();
    for (let i = 0; i < 64; i++) written.ask(1, ack(id(1)), { sent: 10 + i, answered: 1_000 + i });
    for (let i = 0; i < 64; i++)
      written.ask(1, conflict(id(1)), { sent: 100 + i, answered: 2_000 + i, text: "other" });
    const effort: Effort = { steps: 0 };
    expect(checkCommands(written.history, effort)).toEqual([]);
    expect(effort.steps).toBeLessThan(200_000);
  });
});
