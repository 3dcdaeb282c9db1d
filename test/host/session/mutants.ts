/**
 * Aggregates with one fault each: what the laws must notice. A fault is one that somebody could build in by mistake.
 */

import type { Command, Decision } from "../../../src/host/session/decision.js";
import type { SessionRecord, ViewEvent } from "../../../src/host/session/records.js";
import type { SessionState } from "../../../src/host/session/state.js";
import { keyOf } from "../../../src/host/session/state.js";
import { CORE, type Core } from "./simulation.js";

/** An aggregate with a fault. */
export interface Mutant {
  readonly fault: string;
  readonly core: Core;
}

type Change = (decision: Decision, state: SessionState, command: Command) => Decision;

/** Changes what is decided of some commands. */
function commands(methods: string, change: Change): Core {
  return {
    ...CORE,
    decide: (state, command, context) => {
      const decision = CORE.decide(state, command, context);
      return command.method.startsWith(methods) ? change(decision, state, command) : decision;
    },
  };
}

/** Changes what a command says before it is decided. */
function words(method: string, change: (command: Command, state: SessionState) => Command): Core {
  return {
    ...CORE,
    decide: (state, command, context) =>
      CORE.decide(state, command.method === method ? change(command, state) : command, context),
  };
}

/** Changes the records that come of something. */
function records<N extends "started" | "ended" | "recovered" | "launchFailed" | "agentSaid" | "compacted">(
  name: N,
  change: (records: readonly SessionRecord[]) => readonly SessionRecord[],
): Core {
  const original = CORE[name] as (...args: never[]) => Decision;
  const changed = (...args: never[]): Decision => {
    const decision = original(...args);
    return { ...decision, records: change(decision.records) };
  };
  return { ...CORE, [name]: changed };
}

const isEvent = (record: SessionRecord, method: ViewEvent["method"]): boolean =>
  record.type === "event" && record.method === method;

const without = (method: ViewEvent["method"]) => (all: readonly SessionRecord[]) =>
  all.filter((record) => !isEvent(record, method));

const twice = (method: ViewEvent["method"]) => (all: readonly SessionRecord[]) =>
  all.flatMap((record) => (isEvent(record, method) ? [record, record] : [record]));

const wasAccepted = ({ answer }: Decision): boolean => "ack" in answer;

/** The mutants. */
export const MUTANTS: readonly Mutant[] = [
  {
    fault: "unqueue of the turn that runs cancels it",
    core: words("turn/unqueue", (command, { active }) =>
      keyOf(String(command.payload["turnId"])) === keyOf(active?.turnId ?? "")
        ? { ...command, method: "turn/cancel" }
        : command,
    ),
  },
  {
    fault: "a steer ignores the turn that it names",
    core: words("turn/steer", (command, { active }) => ({
      ...command,
      payload: { ...command.payload, expectedTurnId: active?.turnId ?? "" },
    })),
  },
  {
    fault: "a late stop hits the turn that runs now",
    core: words("turn/cancel", (command) => ({ ...command, payload: {} })),
  },
  {
    fault: "a steer that misses becomes a turn",
    core: commands("turn/steer", (decision, _, { spelt }) =>
      wasAccepted(decision)
        ? decision
        : {
            ...decision,
            records: [
              ...decision.records,
              { type: "turn", turnId: spelt, commandId: spelt, kind: "submit", place: "last", at: 0 },
            ],
          },
    ),
  },
  {
    fault: "a start in mid-turn is acked and makes no turn",
    core: commands("turn/start", (decision) => ({
      ...decision,
      records: decision.records.filter((record) => record.type !== "turn" || record.place !== "last"),
    })),
  },
  {
    fault: "a turn that replaces goes last",
    core: commands("turn/start", (decision) => ({
      ...decision,
      records: decision.records.map((record) =>
        record.type === "turn" && record.place === "first" ? { ...record, place: "last" as const } : record,
      ),
    })),
  },
  {
    fault: "the next turn is not launched",
    core: records("ended", (all) => all.filter(({ type }) => type !== "launching")),
  },
  { fault: "a turn has two terminals", core: records("ended", twice("turn/completed")) },
  { fault: "a turn starts twice", core: records("started", twice("turn/started")) },
  {
    fault: "a turn that was stopped ends as completed",
    core: records("ended", (all) =>
      all.map((record) =>
        record.type === "event" && record.method === "turn/completed"
          ? { ...record, params: { turnId: record.params.turnId, terminal: "completed" as const } }
          : record,
      ),
    ),
  },
  {
    fault: "a restart drops the queue",
    core: records("recovered", (all) => all.filter(({ type }) => type !== "launching")),
  },
  {
    fault: "a restart leaves what was under way open",
    core: records("recovered", (all) => all.filter(({ type }) => type !== "settled")),
  },
  { fault: "a restart forgets the orphan's terminal", core: records("recovered", without("turn/completed")) },
  { fault: "a restart leaves items open", core: records("recovered", without("item/completed")) },
  {
    fault: "a launch that failed keeps the ack",
    core: records("launchFailed", (all) =>
      all.map((record) => {
        if (record.type !== "settled") return record;
        const { answer: _, ...rest } = record;
        return { ...rest, outcome: "accepted" as const };
      }),
    ),
  },
  {
    fault: "a turn that ends does not settle its command",
    core: records("ended", (all) => all.filter(({ type }) => type !== "settled")),
  },
  { fault: "items stay open after their turn", core: records("ended", without("item/completed")) },
  { fault: "approvals stay open after their turn", core: records("ended", without("approval/resolved")) },
  { fault: "an approval is resolved twice", core: commands("approval/", both("approval/resolved")) },
  { fault: "questions are settled twice", core: commands("userInput/", both("userInput/settled")) },
  {
    fault: "the revision of an item does not grow",
    core: records("agentSaid", (all) =>
      all.map((record) =>
        record.type === "event" && record.method === "item/updated"
          ? { ...record, params: { item: { ...record.params.item, revision: 1 } } }
          : record,
      ),
    ),
  },
  {
    fault: "a rejected command tells an event",
    core: commands("goal/", (decision) => ({
      ...decision,
      records: wasAccepted(decision) ? decision.records : [...decision.records, goalEvent(null)],
    })),
  },
  {
    fault: "a goal that stays is told again",
    core: commands("goal/set", (decision, { goal }) =>
      decision.records.some((record) => isEvent(record, "session/goalChanged"))
        ? decision
        : { ...decision, records: [...decision.records, goalEvent(goal)] },
    ),
  },
  {
    fault: "a goal wakes no turn",
    core: commands("goal/resume", (decision) => ({
      ...decision,
      records: decision.records.filter(({ type }) => type !== "turn"),
      effects: [],
    })),
  },
  {
    fault: "a goal goes on when its turn is stopped",
    core: commands("turn/", (decision) => ({
      ...decision,
      records: without("session/goalChanged")(decision.records),
    })),
  },
  {
    fault: "a refused approval leaves a row",
    core: commands("approval/decide", (decision, _, { id, method, signature, payload }) =>
      "refusal" in decision.answer
        ? { ...decision, records: [{ type: "received", id, method, signature, payload, at: 0 }] }
        : decision,
    ),
  },
  {
    fault: "unqueue rejects the start that it takes back",
    core: commands("turn/unqueue", (decision) => ({
      ...decision,
      records: decision.records.filter(({ type }) => type !== "settled"),
    })),
  },
  {
    fault: "stopping one task stops all",
    core: words("task/stop", (command) => ({ ...command, method: "task/stopAll" })),
  },
  {
    fault: "a repeated command is carried out again",
    core: { ...CORE, stand: (memory, command) => onlyConflicts(CORE.stand(memory, command)) },
  },
  {
    fault: "another payload under an id is answered as the first",
    core: {
      ...CORE,
      stand: (memory, command) =>
        CORE.stand(memory, { ...command, signature: command.signature.replace(/x$/, "") }),
    },
  },
  {
    fault: "deciding changes the state",
    core: {
      ...CORE,
      decide: (state, command, context) => {
        state.queue.reverse();
        return CORE.decide(state, command, context);
      },
    },
  },
  {
    fault: "an answer is not one of the schema's",
    core: commands("turn/start", (decision) => ("ack" in decision.answer ? badAck(decision) : decision)),
  },
];

function both(method: ViewEvent["method"]): Change {
  return (decision) => ({ ...decision, records: twice(method)(decision.records) });
}

function goalEvent(goal: SessionState["goal"]): SessionRecord {
  return { type: "event", method: "session/goalChanged", params: { goal }, at: 0 };
}

function onlyConflicts(standing: ReturnType<Core["stand"]>): ReturnType<Core["stand"]> {
  return standing.kind === "conflict" ? standing : { kind: "new" };
}

/** The ack says a number where the schema has a text; the record says so too. */
function badAck(decision: Decision): Decision {
  const { answer } = decision as { answer: { ack: object } };
  const bad = { ack: { ...answer.ack, status: 1 } };
  const changed = decision.records.map((record) =>
    record.type === "received" ? { ...record, answer: bad } : record,
  );
  return { ...decision, records: changed, answer: bad };
}
