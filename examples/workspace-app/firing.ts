/** From an event to the runs that it starts. */
import { createHash } from "node:crypto";
import type { LogEvent, Rule } from "../../generated/workspace/stable/types.js";
import type { JsonObject } from "../../src/commands/app.js";
import { eventEntry, eventOf, ruleOf, runEntry, runIdsOf } from "./records.js";
import { holds } from "./rules/condition.js";
import type { Transaction } from "./storage/storage.js";

/** The most active rules of a workspace: what an event can start is bounded. */
export const MAX_ACTIVE_RULES = 256;

/** What is published. */
export interface Publication {
  readonly eventId: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly publishedBy: string;
  readonly causedBy?: string;
  readonly depth: number;
}

/** What came of publishing. */
export interface Published {
  readonly event: LogEvent;
  /** The runs that it started when it was first published. */
  readonly runIds: readonly string[];
  /** Whether the log had the id already; then nothing was changed. */
  readonly duplicate: boolean;
}

/** Appends an event and starts a run of each active rule that applies to it. */
export async function publish(transaction: Transaction, publication: Publication): Promise<Published> {
  const rules = await rulesFor(transaction, publication);
  const runIds = rules.map((rule) => runIdOf(publication.eventId, rule, undefined));
  let event: LogEvent | undefined;
  const appended = await transaction.insert("event", publication.eventId, (position) => {
    event = { ...publication, position, publishedAt: transaction.now };
    return eventEntry(event, runIds);
  });
  if (event !== undefined && appended) {
    for (const rule of rules) await start(transaction, event, rule, undefined);
    return { event, runIds, duplicate: false };
  }
  const stored = await transaction.get("event", publication.eventId);
  if (stored === undefined) throw new Error(`the log refuses the event ${publication.eventId}`);
  return { event: eventOf(stored), runIds: runIdsOf(stored), duplicate: true };
}

async function rulesFor(transaction: Transaction, event: Publication): Promise<Rule[]> {
  const selection = { group: event.type, state: "active", limit: MAX_ACTIVE_RULES };
  const rules = (await transaction.list("rule", selection)).map(ruleOf);
  return rules.filter((rule) => applies(rule, event));
}

/** Whether a rule applies to an event. */
export function applies({ definition: { on, when } }: Rule, event: LogEvent | Publication): boolean {
  const { eventId, type } = event;
  return (
    type === on && (when === undefined || holds(when, { eventId, type, data: event.data as JsonObject }))
  );
}

/**
 * Starts the run of a rule for an event, in the version that the rule has.
 * @returns the id of the run, which follows from all that: so there is one, however often it is started; and whether
 * this started it
 */
export async function start(
  transaction: Transaction,
  { eventId }: LogEvent,
  rule: Rule,
  replayId: string | undefined,
): Promise<{ readonly runId: string; readonly started: boolean }> {
  const runId = runIdOf(eventId, rule, replayId);
  const started = await transaction.insert("run", runId, (position) => {
    const run = {
      runId,
      ruleId: rule.ruleId,
      ruleVersion: rule.version,
      eventId,
      ...(replayId === undefined ? {} : { replayId }),
      status: "queued" as const,
      attempt: 1,
      position,
      queuedAt: transaction.now,
    };
    return runEntry({ run, owner: null, taken: 0 }, transaction.now);
  });
  return { runId, started };
}

function runIdOf(eventId: string, { ruleId, version }: Rule, replayId: string | undefined): string {
  const of = JSON.stringify([eventId, ruleId, version, replayId ?? null]);
  return `run-${createHash("sha256").update(of).digest("hex").slice(0, 32)}`;
}
