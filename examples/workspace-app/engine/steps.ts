/** What the steps of a run do, one after the other, without touching the store. */
import type {
  Expression,
  LogEvent,
  RuleDefinition,
  Step,
} from "../../../generated/workspace/stable/types.js";
import type { JsonObject, JsonValue } from "../../../src/commands/app.js";
import { evaluate } from "../rules/expression.js";
import type { Subject } from "../rules/subject.js";

/** The most that the values of a run may have as JSON, in characters. */
export const MAX_VALUES = 65_536;

/** A function that steps may call. It has to end soon after `signal` is aborted; nobody waits for it longer. */
export type AppFunction = (
  given: JsonObject,
  context: {
    readonly runId: string;
    /** Which attempt of the run it is: what acts on the world can tell a repeated call by the run and the step. */
    readonly attempt: number;
    /** The index of the step, from 0. */
    readonly step: number;
    readonly signal: AbortSignal;
  },
) => JsonValue | Promise<JsonValue>;

/** An event that a step wants published when the run is done. */
export interface Wanted {
  /** The index of the step. */
  readonly step: number;
  readonly type: string;
  readonly data: JsonObject;
}

/** What steps came to. */
export type Outcome =
  | { readonly done: { readonly values: JsonObject; readonly wanted: readonly Wanted[] } }
  | { readonly failed: { readonly reason: string; readonly message: string } };

/** What steps are carried out with. */
export interface StepContext {
  readonly runId: string;
  readonly attempt: number;
  readonly functions: ReadonlyMap<string, AppFunction>;
  readonly signal: AbortSignal;
}

class Failed extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Carries out the steps of a rule for an event.
 * @throws the reason of the signal, as soon as it is aborted
 */
export async function runSteps(
  { steps }: RuleDefinition,
  event: LogEvent,
  context: StepContext,
): Promise<Outcome> {
  const { eventId, type } = event;
  const wanted: Wanted[] = [];
  let values: JsonObject = {};
  try {
    for (const [step, what] of steps.entries()) {
      context.signal.throwIfAborted();
      const subject = { eventId, type, data: event.data as JsonObject, values };
      const made = await runStep(what, step, subject, context);
      values = { ...values, ...made.values };
      if (JSON.stringify(values).length > MAX_VALUES)
        throw new Failed("value_too_large", `the values have more than ${MAX_VALUES} characters`);
      if (made.wanted !== undefined) wanted.push(made.wanted);
    }
    return { done: { values, wanted } };
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof Failed)) throw error;
    return { failed: { reason: error.reason, message: error.message } };
  }
}

interface Made {
  readonly values?: JsonObject;
  readonly wanted?: Wanted;
}

async function runStep(what: Step, step: number, subject: Subject, context: StepContext): Promise<Made> {
  // Its form was checked when the rule was installed; the types of an open union cannot carry that.
  const given = what as unknown as {
    readonly do: string;
    readonly set: Readonly<Record<string, Expression>>;
    readonly type: string;
    readonly data: Readonly<Record<string, Expression>>;
    readonly ms: number;
    readonly function: string;
    readonly arguments: Readonly<Record<string, Expression>>;
    readonly as?: string;
  };
  switch (given.do) {
    case "compute":
      return { values: evaluateAll(given.set, subject) };
    case "publish":
      return { wanted: { step, type: given.type, data: evaluateAll(given.data, subject) } };
    case "wait":
      await sleep(given.ms, context.signal);
      return {};
    case "call": {
      const answer = await call(given.function, step, evaluateAll(given.arguments, subject), context);
      return given.as === undefined ? {} : { values: { [given.as]: answer } };
    }
    default:
      throw new Failed("unknown_step", `there is no step ${given.do}`);
  }
}

function evaluateAll(expressions: Readonly<Record<string, Expression>>, subject: Subject): JsonObject {
  let size = 0;
  const made = Object.entries(expressions).map(([name, expression]): [string, JsonValue] => {
    const evaluated = evaluate(expression, subject);
    if ("failure" in evaluated)
      throw new Failed(evaluated.failure.reason, `${name}: ${evaluated.failure.message}`);
    size += JSON.stringify(evaluated.value).length;
    if (size > MAX_VALUES)
      throw new Failed("value_too_large", `the values have more than ${MAX_VALUES} characters`);
    return [name, evaluated.value];
  });
  return Object.fromEntries(made);
}

async function call(
  name: string,
  step: number,
  given: JsonObject,
  { runId, attempt, functions, signal }: StepContext,
): Promise<JsonValue> {
  const called = functions.get(name);
  if (called === undefined) throw new Failed("unknown_function", `there is no function ${name}`);
  let answer: unknown;
  try {
    // One that does not listen to the signal is left behind.
    answer = await raced(
      Promise.resolve().then(() => called(given, { runId, attempt, step, signal })),
      signal,
    );
  } catch (error) {
    signal.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    throw new Failed("function_failed", `${name}: ${message}`.slice(0, 500));
  }
  return asJson(answer, name);
}

/** What JSON carries of an answer; what it cannot carry fails the run. */
function asJson(answer: unknown, name: string): JsonValue {
  try {
    const text = JSON.stringify(answer);
    if (text !== undefined) return JSON.parse(text) as JsonValue;
  } catch {
    // Told below: a circle, a bigint, or what throws when it is asked.
  }
  throw new Failed("result_not_serialisable", `${name} answered what JSON cannot carry`);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const slept = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return raced(slept, signal).finally(() => clearTimeout(timer));
}

/** What a promise comes to, unless the signal is aborted before. */
function raced<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
