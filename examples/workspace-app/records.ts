/** Records of the store as what they stand for, and back. A body has the object of the protocol under its kind. */
import type {
  Feedback,
  LogEvent,
  Rule,
  RuleDefinition,
  Run,
} from "../../generated/workspace/stable/types.js";
import type { JsonObject } from "../../src/commands/app.js";
import type { Entry, Stored } from "./storage/storage.js";

/** What is kept of a run beside what is told of it. */
export interface RunState {
  readonly run: Run;
  /** The token of the process that has it; null while none has. */
  readonly owner: string | null;
  /** How often it was taken up since it was queued. */
  readonly taken: number;
}

const body = (value: object): JsonObject => value as JsonObject;

/** An event, with the runs that it started when it was appended. */
export function eventEntry(event: LogEvent, runIds: readonly string[]): Entry {
  return { group: event.type, state: "", due: null, body: body({ event, runIds }) };
}

/** The event of a record. */
export function eventOf(stored: Stored): LogEvent {
  return (stored.body as unknown as { event: LogEvent }).event;
}

/** The runs that the event of a record started. */
export function runIdsOf(stored: Stored): string[] {
  return (stored.body as unknown as { runIds: string[] }).runIds;
}

/** A rule; it is found by the type that it waits for. */
export function ruleEntry(rule: Rule): Entry {
  return { group: rule.definition.on, state: rule.state, due: null, body: body({ rule }) };
}

/** The rule of a record. */
export function ruleOf(stored: Stored): Rule {
  return (stored.body as unknown as { rule: Rule }).rule;
}

/** The key under which the definition of one version is kept for its runs. */
export function versionKey(ruleId: string, version: number): string {
  return `${version} ${ruleId}`;
}

/** The definition of one version. */
export function versionEntry(definition: RuleDefinition): Entry {
  return { group: "", state: "", due: null, body: body({ definition }) };
}

/** The definition of a record. */
export function definitionOf(stored: Stored): RuleDefinition {
  return (stored.body as unknown as { definition: RuleDefinition }).definition;
}

/** A run; `due`: when the engine has to look at it. */
export function runEntry(state: RunState, due: number | null): Entry {
  return { group: state.run.ruleId, state: state.run.status, due, body: body(state) };
}

/** The run of a record, with what is kept beside it. */
export function runStateOf(stored: Stored): RunState {
  return stored.body as unknown as RunState;
}

/** Feedback; it is found by its run. */
export function feedbackEntry(feedback: Feedback): Entry {
  return { group: feedback.runId, state: "", due: null, body: body({ feedback }) };
}

/** The feedback of a record. */
export function feedbackOf(stored: Stored): Feedback {
  return (stored.body as unknown as { feedback: Feedback }).feedback;
}
