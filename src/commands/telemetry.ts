/**
 * What is told of commands to OpenTelemetry, by its API alone: without a provider it comes to nothing, and no exporter is
 * chosen here. Neither ids nor tenants nor params are told.
 *
 * Spans: `mspkit.execute` with `mspkit.command.method`, `mspkit.command.status`, `mspkit.command.reason` and
 * `mspkit.command.how`; inside it `mspkit.claim` and `mspkit.wait`, where those take time. Counters: `mspkit.execute`
 * (method, status, reason, how), `mspkit.claim` (answer), `mspkit.replay` (method) and `mspkit.wait` (answer).
 */
import type { Attributes, Context, Counter, Span, Tracer } from "@opentelemetry/api";
import type { Command, CommandResult } from "./app.js";

/** How a result came about. */
export type How = "carriedOut" | "replayed" | "joined" | "waited" | "refused";

/** What `Workspaces` tells. */
export interface Telemetry {
  /** An execution begins. */
  execute(command: Command): Execution;
}

/** One execution that is told of. */
export interface Execution {
  /** Runs an action inside the span, so that spans that begin in it stand below. */
  within<T>(action: () => T): T;
  /** The store was asked for a claim. `answer`: the kind, or `failed`. */
  claimed(answer: string): void;
  /** It begins to wait for another; what is given back ends that. */
  waits(): (answer: string) => void;
  /** It is over. */
  ended(result: CommandResult, how: How): void;
}

const SILENT_EXECUTION: Execution = {
  within: (action) => action(),
  claimed: () => undefined,
  waits: () => () => undefined,
  ended: () => undefined,
};

/** Tells nothing. */
export const silence: Telemetry = { execute: () => SILENT_EXECUTION };

/** The same, and what it throws is heard of elsewhere: a command does not depend on who is told of it. */
export function guarded(telemetry: Telemetry, failed: (error: unknown) => void): Telemetry {
  if (telemetry === silence) return telemetry;
  return {
    execute(command) {
      try {
        return new GuardedExecution(telemetry.execute(command), failed);
      } catch (error) {
        failed(error);
        return SILENT_EXECUTION;
      }
    },
  };
}

class GuardedExecution implements Execution {
  readonly #inner: Execution;
  readonly #failed: (error: unknown) => void;

  constructor(inner: Execution, failed: (error: unknown) => void) {
    this.#inner = inner;
    this.#failed = failed;
  }

  within<T>(action: () => T): T {
    let begun = false;
    let made: { readonly value: T } | undefined;
    try {
      return this.#inner.within(() => {
        begun = true;
        made = { value: action() };
        return made.value;
      });
    } catch (error) {
      if (begun && made === undefined) throw error; // the action's own
      this.#failed(error);
      return made === undefined ? action() : made.value;
    }
  }

  claimed(answer: string): void {
    try {
      this.#inner.claimed(answer);
    } catch (error) {
      this.#failed(error);
    }
  }

  waits(): (answer: string) => void {
    try {
      const ended = this.#inner.waits();
      return (answer) => {
        try {
          ended(answer);
        } catch (error) {
          this.#failed(error);
        }
      };
    } catch (error) {
      this.#failed(error);
      return () => undefined;
    }
  }

  ended(result: CommandResult, how: How): void {
    try {
      this.#inner.ended(result, how);
    } catch (error) {
      this.#failed(error);
    }
  }
}

/** What is used of the package: `@opentelemetry/api`. */
export type OpenTelemetryApi = Pick<typeof import("@opentelemetry/api"), "trace" | "metrics" | "context">;

/** Tells of commands by an OpenTelemetry API; silence where the package is not installed. */
export async function openTelemetry(): Promise<Telemetry> {
  let api: OpenTelemetryApi;
  try {
    api = await import("@opentelemetry/api");
  } catch {
    return silence;
  }
  return telemetryOf(api);
}

const NAME = "mspkit";

/** Tells of commands by the API that is given. */
export function telemetryOf(api: OpenTelemetryApi): Telemetry {
  const instruments = new Instruments(api);
  return { execute: ({ method }) => new TracedExecution(instruments, method) };
}

/** What is told with. */
class Instruments {
  readonly trace: OpenTelemetryApi["trace"];
  readonly context: OpenTelemetryApi["context"];
  readonly tracer: Tracer;
  readonly executed: Counter;
  readonly claims: Counter;
  readonly replays: Counter;
  readonly waits: Counter;

  constructor({ trace, metrics, context }: OpenTelemetryApi) {
    this.trace = trace;
    this.context = context;
    this.tracer = trace.getTracer(NAME);
    const meter = metrics.getMeter(NAME);
    const counter = (name: string, description: string): Counter =>
      meter.createCounter(`mspkit.${name}`, { description });
    this.executed = counter("execute", "Commands that were answered");
    this.claims = counter("claim", "Claims, by what they were answered");
    this.replays = counter("replay", "Commands answered from memory");
    this.waits = counter("wait", "Commands that waited for another");
  }
}

class TracedExecution implements Execution {
  readonly #by: Instruments;
  readonly #method: string;
  readonly #span: Span;
  /** The context in which its parts are; undefined where nobody records them. */
  readonly #inside: Context | undefined;
  readonly #began: number | undefined;

  constructor(by: Instruments, method: string) {
    this.#by = by;
    this.#method = method;
    const span = by.tracer.startSpan("mspkit.execute");
    this.#span = span;
    if (!span.isRecording()) return;
    this.#inside = by.trace.setSpan(by.context.active(), span);
    this.#began = Date.now();
    span.setAttribute("mspkit.command.method", method);
  }

  within<T>(action: () => T): T {
    return this.#inside === undefined ? action() : this.#by.context.with(this.#inside, action);
  }

  claimed(answer: string): void {
    const { claims, tracer } = this.#by;
    claims.add(1, { answer });
    if (this.#inside !== undefined)
      part(tracer, this.#inside, "mspkit.claim", this.#began).setAttribute("answer", answer).end();
  }

  waits(): (answer: string) => void {
    const { waits, tracer } = this.#by;
    const waiting =
      this.#inside === undefined ? undefined : part(tracer, this.#inside, "mspkit.wait", undefined);
    return (answer) => {
      waits.add(1, { answer });
      waiting?.setAttribute("answer", answer).end();
    };
  }

  ended(result: CommandResult, how: How): void {
    const { executed, replays } = this.#by;
    const reason = result.status === "rejected" ? result.rejection.reason : undefined;
    const told: Attributes = { method: this.#method, status: result.status, how };
    if (reason !== undefined) told["reason"] = reason;
    executed.add(1, told);
    if (how === "replayed") replays.add(1, { method: this.#method });
    end(this.#span, this.#inside !== undefined, result.status, how, reason);
  }
}

function part(tracer: Tracer, inside: Context, name: string, startTime: number | undefined): Span {
  return tracer.startSpan(name, startTime === undefined ? {} : { startTime }, inside);
}

function end(span: Span, told: boolean, status: string, how: How, reason: string | undefined): void {
  if (told) {
    span.setAttribute("mspkit.command.status", status);
    span.setAttribute("mspkit.command.how", how);
    if (reason !== undefined) span.setAttribute("mspkit.command.reason", reason);
  }
  span.end();
}
