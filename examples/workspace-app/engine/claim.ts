/**
 * What the engine does to a run in the store. A run is held by a process under a lease: a token, the number of the
 * attempt, which is never used again, and a time by the clock of the store. Who holds it no longer changes nothing.
 */
import type { LogEvent, RuleDefinition, Run } from "../../../generated/workspace/stable/types.js";
import type { JsonValue } from "../../../src/commands/app.js";
import { publish } from "../firing.js";
import { definitionOf, eventOf, type RunState, runEntry, runStateOf, versionKey } from "../records.js";
import { rejectionOf } from "../rejections.js";
import { checkSize } from "../rules/definition.js";
import type { Transaction } from "../storage/storage.js";
import type { Outcome } from "./steps.js";

/** How often a run is taken up where its rule does not say. */
const MAX_ATTEMPTS = 3;
/** How long a chain of runs and events may be: rules that fire each other end. */
export const MAX_EVENT_DEPTH = 16;

/** A run that a process holds. */
export interface Claim {
  readonly run: Run;
  readonly definition: RuleDefinition;
  readonly event: LogEvent;
}

/** The holder of a run. */
export interface Holder {
  readonly owner: string;
  readonly attempt: number;
}

/**
 * Takes a run that is due: a queued one, or one whose holder did not renew its lease.
 * @returns nothing where another was faster, or where the run was lost too often and has failed now
 */
export async function take(
  transaction: Transaction,
  runId: string,
  owner: string,
  leaseMs: number,
): Promise<Claim | undefined> {
  const { now } = transaction;
  const stored = await transaction.get("run", runId);
  if (stored === undefined || stored.due === null || stored.due > now) return undefined;
  const state = runStateOf(stored);
  const lost = state.run.status === "running";
  const version = await transaction.get("version", versionKey(state.run.ruleId, state.run.ruleVersion));
  const published = await transaction.get("event", state.run.eventId);
  if (version === undefined || published === undefined) {
    await fail(transaction, state, "damaged", "its rule or its event is not in the store");
    return undefined;
  }
  const definition = definitionOf(version);
  if (lost && state.taken >= (definition.maxAttempts ?? MAX_ATTEMPTS)) {
    await fail(transaction, state, "interrupted", `its process was lost ${state.taken} times`);
    return undefined;
  }
  const attempt = state.run.attempt + (lost ? 1 : 0);
  const run: Run = { ...state.run, status: "running", attempt, startedAt: now };
  await transaction.update("run", runId, runEntry({ run, owner, taken: state.taken + 1 }, now + leaseMs));
  return { run, definition, event: eventOf(published) };
}

/** Renews a lease; false where the run is not held any more. */
export async function renew(
  transaction: Transaction,
  runId: string,
  holder: Holder,
  leaseMs: number,
): Promise<boolean> {
  if ((await held(transaction, runId, holder)) === undefined) return false;
  await transaction.postpone("run", runId, transaction.now + leaseMs);
  return true;
}

/** Gives a run back, to be taken up by another process. */
export async function giveBack(transaction: Transaction, runId: string, holder: Holder): Promise<void> {
  const state = await held(transaction, runId, holder);
  if (state === undefined) return;
  const { startedAt: _, ...rest } = state.run;
  // Its number is used: what is called by it may still be under way.
  const run: Run = { ...rest, status: "queued", attempt: state.run.attempt + 1 };
  await transaction.update("run", runId, runEntry({ run, owner: null, taken: 0 }, transaction.now));
}

/**
 * Settles a run, and publishes what it wants published with it.
 * @returns false where the run is not held any more; then nothing is changed
 */
export async function settle(
  transaction: Transaction,
  { run: { runId }, event }: Claim,
  holder: Holder,
  outcome: Outcome,
): Promise<boolean> {
  const state = await held(transaction, runId, holder);
  if (state === undefined) return false;
  if ("failed" in outcome) {
    await fail(transaction, state, outcome.failed.reason, outcome.failed.message);
    return true;
  }
  const { values, wanted } = outcome.done;
  if (wanted.length > 0 && event.depth >= MAX_EVENT_DEPTH) {
    await fail(transaction, state, "too_deep", `events are ${MAX_EVENT_DEPTH} runs deep at the most`);
    return true;
  }
  for (const one of wanted) {
    const problem = sizeProblem(one.data);
    if (problem === undefined) continue;
    await fail(transaction, state, "data_too_large", problem);
    return true;
  }
  for (const { step, type, data } of wanted) {
    await publish(transaction, {
      eventId: `${runId}:${step}`,
      type,
      data,
      publishedBy: event.publishedBy,
      causedBy: runId,
      depth: event.depth + 1,
    });
  }
  const run: Run = { ...state.run, status: "done", output: values, endedAt: transaction.now };
  await transaction.update("run", runId, runEntry({ run, owner: null, taken: 0 }, null));
  return true;
}

async function held(
  transaction: Transaction,
  runId: string,
  { owner, attempt }: Holder,
): Promise<RunState | undefined> {
  const stored = await transaction.get("run", runId);
  if (stored === undefined) return undefined;
  const state = runStateOf(stored);
  const mine = state.run.status === "running" && state.owner === owner && state.run.attempt === attempt;
  return mine ? state : undefined;
}

async function fail(
  transaction: Transaction,
  { run }: RunState,
  reason: string,
  message: string,
): Promise<void> {
  const next: Run = {
    ...run,
    status: "failed",
    reason,
    message: message.slice(0, 500),
    endedAt: transaction.now,
  };
  await transaction.update("run", run.runId, runEntry({ run: next, owner: null, taken: 0 }, null));
}

function sizeProblem(data: JsonValue): string | undefined {
  try {
    checkSize(data, "the data");
    return undefined;
  } catch (error) {
    const rejection = rejectionOf(error);
    if (rejection === undefined) throw error;
    return rejection.message;
  }
}
