/** Laws of an id that is used for something else: it is refused, and nothing changes. */
import fc from "fast-check";
import type { MethodName } from "../../../generated/msp/experimental/types.js";
import { CaseVoid } from "../broken.js";
import { type AnyLaw, law } from "../law.js";
import { type JsonObject, rejectionReason } from "../model/history.js";
import { type Trial, textInput } from "../trial.js";
import { rejectionsOf } from "./command-rejections.js";
import { CommandTrial, holdConflict } from "./command-trial.js";
import { anyKind } from "./kind-cases.js";

const NEEDS = ["serves:session/start"] as const;

/** Texts so short may stand in an error by chance. */
const SHORTEST_SECRET = 8;

/** Free texts of params that are not in others. */
function textsOf(params: JsonObject, others: JsonObject): string[] {
  const known = JSON.stringify(others);
  const found: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === "object" && value !== null) for (const member of Object.values(value)) walk(member);
    else if (typeof value === "string" && value.length >= SHORTEST_SECRET && !known.includes(value))
      found.push(value);
  };
  walk(params);
  return found;
}

const conflictPayload = law<{ readonly kind: number; readonly over: boolean; readonly rejected: boolean }>({
  id: "conflict-payload",
  level: "core",
  promise:
    "An id that stands for one payload is refused for another one with command_id_conflict, and the error tells nothing of the first.",
  needs: NEEDS,
  least: { conflicts: 20, secrets: 5 },
  runs: 50,
  cases: () => fc.record({ kind: anyKind, over: fc.boolean(), rejected: fc.boolean() }),
  async run(trial, { kind, over, rejected }) {
    if (rejected) return conflictWithRejection(trial, kind);
    const command = await CommandTrial.arrange(trial, kind, { needsOther: true });
    await command.first();
    if (over) await command.reveal();
    const outcome = await command.ask(command.other);
    holdConflict(trial, outcome, command.commandId, "an id was taken for another payload");
    const told = JSON.stringify(outcome);
    for (const secret of textsOf(command.params, command.other)) {
      trial.count("secrets");
      trial.hold(!told.includes(JSON.stringify(secret).slice(1, -1)), "a conflict tells the first payload", {
        answer: outcome,
        secret,
      });
    }
  },
});

/** The id of a command that was rejected is not free either. */
async function conflictWithRejection(trial: Trial, n: number): Promise<void> {
  const kinds = rejectionsOf((ability) => trial.can(ability)).filter(({ other }) => other !== undefined);
  const kind = kinds[n % Math.max(1, kinds.length)];
  if (kind?.other === undefined) throw new CaseVoid("the host serves no command that could be rejected");
  const sessionId = await trial.session();
  const commandId = trial.mint();
  const params = kind.params({ trial, sessionId });
  const first = await trial.ask(kind.method, { ...params, commandId });
  if (rejectionReason(first) === undefined) throw new CaseVoid(`${kind.name} was not rejected`);
  trial.count("rejected before");
  const outcome = await trial.ask(kind.method, { ...kind.other(params), commandId });
  holdConflict(trial, outcome, commandId, "the id of a rejected command was taken for another payload");
}

/** Commands that are accepted in most states, as far as the host serves them. */
function simpleCommands(trial: Trial): { readonly method: MethodName; readonly params: JsonObject }[] {
  const all: { readonly method: MethodName; readonly params: JsonObject }[] = [
    { method: "session/setReasoningEffort", params: { reasoningEffort: "low" } },
    { method: "session/rename", params: { name: "a name by another command" } },
    { method: "turn/start", params: { input: textInput(trial.prompts.quick ?? "hello") } },
    { method: "goal/clear", params: {} },
  ];
  return all.filter(({ method }) => trial.can(`serves:${method}`));
}

const conflictMethod = law<{ readonly kind: number; readonly second: number; readonly over: boolean }>({
  id: "conflict-method",
  level: "core",
  promise: "An id that stands for a command of one method is refused for every other method.",
  needs: NEEDS,
  least: { conflicts: 20 },
  runs: 40,
  cases: () => fc.record({ kind: anyKind, second: fc.nat({ max: 9 }), over: fc.boolean() }),
  async run(trial, { kind, second, over }) {
    const command = await CommandTrial.arrange(trial, kind, { inSession: true });
    const others = simpleCommands(trial).filter(({ method }) => method !== command.kind.method);
    const other = others[second % Math.max(1, others.length)];
    if (other === undefined) throw new CaseVoid("the host serves one command only");
    await command.first();
    if (over) await command.reveal();
    const { sessionId, commandId } = command;
    await trial.quiet();
    const before = command.changes();
    const outcome = await trial.ask(other.method, { ...other.params, sessionId, commandId });
    holdConflict(trial, outcome, commandId, "an id was taken for another method");
    await trial.quiet();
    command.holdUnchanged(before, "a command that was refused did something");
  },
});

const conflictChangesNothing = law<{
  readonly kind: number;
  readonly method: boolean;
  readonly over: boolean;
}>({
  id: "conflict-changes-nothing",
  level: "core",
  promise: "After a conflict the view is as before, and the first command still gets its own ack.",
  needs: NEEDS,
  least: { conflicts: 20, replays: 20 },
  runs: 40,
  cases: () => fc.record({ kind: anyKind, method: fc.boolean(), over: fc.boolean() }),
  async run(trial, { kind, method, over }) {
    const command = await CommandTrial.arrange(
      trial,
      kind,
      method ? { inSession: true } : { needsOther: true },
    );
    const first = await command.first();
    if (over) await command.reveal();
    await trial.quiet();
    const before = command.changes();
    const { sessionId, commandId } = command;
    const other = simpleCommands(trial).find((one) => one.method !== command.kind.method);
    if (method && other !== undefined)
      await trial.ask(other.method, { ...other.params, sessionId, commandId });
    else await command.ask(command.other);
    trial.count("conflicts");
    await trial.quiet();
    command.holdUnchanged(before, "a command in conflict did something");
    const again = await command.ask();
    trial.count("replays");
    trial.hold(command.same(first, again), "after a conflict the first command got another answer", {
      command: command.params,
      first,
      again,
    });
    await command.reveal();
    await command.holdOneEffect("after a conflict a command was done again");
  },
});

/** Laws of ids that are used for something else. */
export const conflictLaws: readonly AnyLaw[] = [conflictPayload, conflictMethod, conflictChangesNothing];
