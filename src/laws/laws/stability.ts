/** Laws of what is experimental: it is there for clients that asked for it, and for nobody else. */
import fc from "fast-check";
import { methods as samples } from "../../../generated/msp/experimental/arbitraries.js";
import { methods as rows } from "../../../generated/msp/experimental/tables.js";
import type { MethodName } from "../../../generated/msp/experimental/types.js";
import { codeOf } from "../conformance.js";
import { law } from "../law.js";
import { errorKind, isAck, type JsonObject, type Outcome } from "../model/history.js";
import { type Trial, textInput } from "../trial.js";
import { Conversation, conversations, type Step } from "./conversation.js";
import { experimentalInResult, experimentalInTold } from "./experimental.js";

interface Gate {
  readonly method: MethodName;
  /** The member of the params; undefined for the method itself. */
  readonly member?: string;
  readonly descriptor: string;
}

interface Row {
  readonly stability?: string;
  readonly descriptor?: string;
  readonly gates?: readonly { readonly path: string; readonly descriptor?: string }[];
}

const GATES: readonly Gate[] = Object.entries(rows as Readonly<Record<string, Row>>).flatMap(
  ([name, { stability, descriptor = name, gates = [] }]): Gate[] => {
    const method = name as MethodName;
    if (stability !== undefined) return [{ method, descriptor }];
    return gates.flatMap(({ path, descriptor: gated }) =>
      gated === undefined ? [] : [{ method, member: path.slice(1), descriptor: gated }],
    );
  },
);
const MEMBERS = GATES.filter(({ member }) => member !== undefined);

const EXPERIMENTAL = "experimentalRequired";

/** A value that fits a member, and one that fits none. */
function knockOf({ method, member }: Gate, bad: boolean): fc.Arbitrary<unknown> {
  if (bad) return fc.constant([[null]]);
  if (member === undefined) return fc.constant({});
  const valid = samples[method].params?.valid as fc.Arbitrary<JsonObject>;
  return valid.filter((params) => Object.hasOwn(params, member)).map((params) => params[member]);
}

interface Knock {
  readonly gate: number;
  readonly bad: boolean;
  readonly value: unknown;
}

/** What is experimental is refused for that reason, before anything else is looked at. */
export const experimentalGate = law<Knock>({
  id: "experimental-gate",
  level: "core",
  promise:
    "Without opt-in an experimental method or member is refused as `experimentalRequired` with its descriptor, whatever its value; a host that has none of it may say that there is no such method.",
  needs: ["quick"],
  least: { gates: 40, members: 10 },
  runs: 60,
  cases: () => {
    // Members of methods that hosts serve are more telling than methods.
    const which = fc.oneof(
      fc.constantFrom(...MEMBERS.map((gate) => GATES.indexOf(gate))),
      fc.nat({ max: GATES.length - 1 }),
    );
    return fc
      .tuple(which, fc.boolean())
      .chain(([gate, bad]) =>
        knockOf(GATES[gate] as Gate, bad).map((value): Knock => ({ gate, bad, value })),
      );
  },
  async run(trial, { gate: number, bad, value }) {
    const gate = GATES[number] as Gate;
    const { method, member, descriptor } = gate;
    const knows = trial.can("experimental");
    const details = (outcome: Outcome) => ({ outcome, descriptor });
    if (member === undefined) {
      const outcome = await trial.ask(method, bad ? { sessionId: value } : {});
      trial.count("gates");
      const kind = errorKind(outcome);
      trial.hold(
        kind === "methodNotFound" || isRefusal(outcome, "methodNotFound", descriptor),
        "an experimental method was not refused as one",
        details(outcome),
      );
      return;
    }
    if (!trial.can(`serves:${method}`)) return;
    const params = await plain(trial, method);
    const outcome = await trial.ask(method, { ...params, [member]: value });
    trial.count("gates");
    trial.count("members");
    if (knows)
      trial.hold(
        isRefusal(outcome, "invalidParams", descriptor),
        `an experimental member with ${bad ? "an invalid" : "a valid"} value was not refused as one`,
        details(outcome),
      );
    else
      trial.hold(
        errorKind(outcome) !== "invalidParams",
        "a member that the host does not know was not ignored",
        details(outcome),
      );
    const { sessionId } = params;
    if (!knows || typeof sessionId !== "string") return;
    // Nothing came of it.
    await trial.quiet();
    const told = trial.history.told.find(({ params: { commandId } }) => commandId === params["commandId"]);
    trial.hold(told === undefined, "something came of a command that was refused", { told });
  },
});

function isRefusal(outcome: Outcome, row: "methodNotFound" | "invalidParams", descriptor: string): boolean {
  return (
    "error" in outcome &&
    errorKind(outcome) === EXPERIMENTAL &&
    outcome.error.code === codeOf(row) &&
    outcome.error.data["descriptor"] === descriptor
  );
}

/** Params of a method without anything experimental, valid but for a target that need not be there. */
async function plain(trial: Trial, method: string): Promise<JsonObject> {
  const commandId = trial.mint();
  if (method === "session/start") return { commandId };
  const sessionId = await trial.session();
  const input = textInput(trial.prompts.quick ?? "");
  return method === "turn/steer"
    ? { sessionId, commandId, input, expectedTurnId: trial.mint() }
    : { sessionId, commandId, input };
}

interface Beside {
  readonly steps: readonly Step[];
  /** Whether a client that sees everything begins the session and listens to it. */
  readonly curious: boolean;
  /** Whether the host dies in between. */
  readonly dies: boolean;
}

/** What is experimental is not shown to who did not ask for it. */
export const experimentalStripped = law<Beside>({
  id: "experimental-stripped",
  level: "core",
  promise: "A client without opt-in is told nothing experimental, whatever other clients asked for.",
  needs: ["quick"],
  least: { messages: 100 },
  runs: 15,
  cases: () => fc.record({ steps: conversations(3), curious: fc.boolean(), dies: fc.boolean() }),
  async run(trial, { steps, curious, dies }) {
    const beside = curious && trial.can("connections") && trial.can("experimental");
    if (beside) await trial.client(1, { experimental: true });
    const sessionId = await trial.session({}, beside ? 1 : 0);
    const join = () => trial.ask("session/resume", { sessionId, commandId: trial.mint() });
    if (beside && trial.can("serves:session/resume")) await join();
    if (beside) await new Conversation(trial, sessionId, 1).play(steps.slice(0, 1));
    await new Conversation(trial, sessionId).play(steps);
    if (dies && trial.can("crash") && trial.can("durable") && trial.can("busy")) {
      await trial.turn(sessionId, trial.prompts.busy ?? "");
      await trial.crash();
      if (trial.can("serves:session/resume")) await join();
    }
    await trial.ask("session/list", { limit: 50 });
    if (trial.can("serves:session/read")) await trial.ask("session/read", { sessionId, excludeItems: false });
    await trial.ask("view/page", { sessionId, limit: 100 });
    await trial.quiet();
    for (const { connection, method, outcome } of trial.history.operations) {
      if (connection !== 0 || !isAck(outcome)) continue;
      trial.count("messages");
      const at = experimentalInResult(method, outcome.result) ?? inEvents(outcome.result);
      trial.hold(
        at === undefined,
        `the result of ${method} has something experimental: ${at}`,
        outcome.result,
      );
    }
    for (const { connection, kind, method, params } of trial.history.told) {
      if (connection !== 0) continue;
      trial.count("messages");
      const at = experimentalInTold(kind, method, params);
      trial.hold(at === undefined, `${method} has something experimental: ${at}`, params);
    }
  },
});

/** Events of a page are what was told. */
function inEvents({ events }: JsonObject): string | undefined {
  if (!Array.isArray(events)) return undefined;
  for (const [i, { method, params }] of (events as { method: string; params: JsonObject }[]).entries()) {
    const at = experimentalInTold("notification", method, params);
    if (at !== undefined) return `/events/${i}/params${at}`;
  }
  return undefined;
}

/** Budgets of tokens: what is one, and what is none. */
const BUDGETS: readonly { readonly value: unknown; readonly valid: boolean }[] = [
  { value: 1, valid: true },
  { value: 1_000_000, valid: true },
  { value: Number.MAX_SAFE_INTEGER, valid: true },
  { value: 0, valid: false },
  { value: -1, valid: false },
  { value: 1.5, valid: false },
  { value: null, valid: false },
  { value: "1", valid: false },
  { value: [1], valid: false },
];

/** With opt-in, what is experimental is as any other. */
export const experimentalOrdinary = law<{ readonly budget: number; readonly steers: boolean }>({
  id: "experimental-ordinary",
  level: "core",
  promise:
    "With opt-in an experimental member is checked as any other: accepted where it is valid, `invalidParams` where not.",
  needs: ["experimental", "busy"],
  least: { accepted: 2, refused: 4 },
  runs: 24,
  cases: () => fc.record({ budget: fc.nat({ max: BUDGETS.length - 1 }), steers: fc.boolean() }),
  async run(trial, { budget, steers }) {
    const { value: tokenBudget, valid } = BUDGETS[budget] as (typeof BUDGETS)[number];
    await trial.client(0, { experimental: true });
    const sessionId = await trial.session();
    const input = textInput(trial.prompts.quick ?? trial.prompts.busy ?? "");
    const steered = steers && trial.can("serves:turn/steer");
    const target = steered ? { expectedTurnId: await trial.busy(sessionId) } : {};
    const method = steered ? "turn/steer" : "turn/start";
    const commandId = trial.mint();
    const outcome = await trial.ask(method, { sessionId, commandId, ...target, input, tokenBudget });
    if (valid) {
      trial.count("accepted");
      trial.hold(isAck(outcome), "a valid budget was refused to a client with opt-in", { outcome });
    } else {
      trial.count("refused");
      trial.hold(
        errorKind(outcome) === "invalidParams",
        "an invalid budget was not refused as invalid params to a client with opt-in",
        { outcome },
      );
    }
  },
});

/** In the order in which they are tried. */
export const stabilityLaws = [experimentalGate, experimentalStripped, experimentalOrdinary];
