/** The model of commands beside a ledger that is right: it allows what that answers, and takes time as it grows. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkCommands, type Effort } from "../../../src/laws/model/commands.js";
import { History, type Operation, type Outcome } from "../../../src/laws/model/history.js";
import { ack, conflict, failed, id, rejected, SESSION, Written } from "../../support/written-history.js";

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
