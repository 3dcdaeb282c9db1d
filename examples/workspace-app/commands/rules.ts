/** `rule/install`, `rule/update`, `rule/archive` and `rule/replay`. */
import type { Rule, RuleDefinition } from "../../../generated/workspace/stable/types.js";
import type { JsonValue } from "../../../src/commands/app.js";
import { applies, MAX_ACTIVE_RULES, start } from "../firing.js";
import { eventOf, ruleEntry, ruleOf, versionEntry, versionKey } from "../records.js";
import { rejected } from "../rejections.js";
import { checkDefinition } from "../rules/definition.js";
import { sameValue } from "../rules/subject.js";
import type { Transaction } from "../storage/storage.js";
import { type CommandHandler, statusOf } from "./command.js";

/** How many events a replay looks at where it is not said. */
const REPLAY_LIMIT = 200;

/** Keeps a new rule. As it stands already it is a duplicate. */
export const installRule: CommandHandler<"rule/install"> = async (call) => {
  const { transaction, params, participant, functions } = call;
  const { ruleId, definition } = params;
  checkDefinition(definition, functions);
  const there = await transaction.get("rule", ruleId);
  if (there !== undefined) {
    const rule = active(ruleOf(there));
    if (sameDefinition(rule, definition)) return { status: statusOf(true), rule };
    throw rejected("rule_exists", `the rule ${ruleId} is there, and is another`, { version: rule.version });
  }
  const count = await transaction.list("rule", { state: "active", limit: MAX_ACTIVE_RULES });
  if (count.length >= MAX_ACTIVE_RULES)
    throw rejected("too_many_rules", `a workspace has ${MAX_ACTIVE_RULES} active rules at the most`);
  let rule: Rule | undefined;
  await transaction.insert("rule", ruleId, (position) => {
    const changed = { changedAt: transaction.now, changedBy: participant };
    rule = { ruleId, version: 1, state: "active", definition, position, ...changed };
    return ruleEntry(rule);
  });
  await transaction.insert("version", versionKey(ruleId, 1), () => versionEntry(definition));
  return { status: statusOf(false), rule: rule as Rule };
};

/** Gives a rule another definition and the next version. The one that it has already is a duplicate. */
export const updateRule: CommandHandler<"rule/update"> = async (call) => {
  const { transaction, params, participant, functions } = call;
  const { ruleId, definition, expectedVersion } = params;
  checkDefinition(definition, functions);
  const rule = active(await found(transaction, ruleId));
  if (sameDefinition(rule, definition)) return { status: statusOf(true), rule };
  if (expectedVersion !== undefined && expectedVersion !== rule.version)
    throw rejected("version_conflict", `the rule has version ${rule.version}`, { version: rule.version });
  const version = rule.version + 1;
  const next: Rule = {
    ...rule,
    definition,
    version,
    changedAt: transaction.now,
    changedBy: participant,
  };
  await transaction.update("rule", ruleId, ruleEntry(next));
  await transaction.insert("version", versionKey(ruleId, version), () => versionEntry(definition));
  return { status: statusOf(false), rule: next };
};

/** Ends a rule. */
export const archiveRule: CommandHandler<"rule/archive"> = async (call) => {
  const { transaction, params, participant } = call;
  const rule = await found(transaction, params.ruleId);
  if (rule.state === "archived") return { status: statusOf(true), rule };
  const next: Rule = { ...rule, state: "archived", changedAt: transaction.now, changedBy: participant };
  await transaction.update("rule", rule.ruleId, ruleEntry(next));
  return { status: statusOf(false), rule: next };
};

/** Fires a rule again on a part of the log. */
export const replayRule: CommandHandler<"rule/replay"> = async (call) => {
  const { transaction, params, newId } = call;
  const rule = active(await found(transaction, params.ruleId));
  const limit = params.limit ?? REPLAY_LIMIT;
  const replayId = params.replayId ?? `replay-${newId()}`;
  const selection = { group: rule.definition.on, after: params.after ?? 0, limit: limit + 1 };
  const until = params.until ?? Number.MAX_SAFE_INTEGER;
  const events = (await transaction.list("event", selection))
    .map(eventOf)
    .filter(({ position }) => position <= until);
  const page = events.slice(0, limit);
  const runs = [];
  for (const event of page)
    if (applies(rule, event)) runs.push(await start(transaction, event, rule, replayId));
  const last = page.at(-1);
  return {
    status: statusOf(!runs.some(({ started }) => started)),
    replayId,
    examined: page.length,
    runIds: runs.map(({ runId }) => runId),
    ...(events.length > page.length && last !== undefined ? { nextAfter: last.position } : {}),
  };
};

async function found(transaction: Transaction, ruleId: string): Promise<Rule> {
  const stored = await transaction.get("rule", ruleId);
  if (stored === undefined) throw rejected("rule_not_found", `there is no rule ${ruleId}`);
  return ruleOf(stored);
}

function active(rule: Rule): Rule {
  if (rule.state === "archived") throw rejected("rule_archived", `the rule ${rule.ruleId} is archived`);
  return rule;
}

function sameDefinition(rule: Rule, definition: RuleDefinition): boolean {
  return sameValue(rule.definition as unknown as JsonValue, definition as unknown as JsonValue);
}
