/**
 * What is told of commands to OpenTelemetry, by its API alone: without a provider it comes to nothing, and no exporter is
 * chosen here. Neither ids nor tenants nor params are told.
 *
 * Spans: `mspkit.execute` with `mspkit.command.method`, `mspkit.command.status`, `mspkit.command.reason` and
 * `mspkit.command.how`; inside it `mspkit.claim` and `mspkit.wait`, where those take time. Counters: `mspkit.execute`
 * (method, status, reason, how), `mspkit.claim` (answer), `mspkit.replay` (method) and `mspkit.wait` (answer).
 */
import type { Attributes, Context, Span, Tracer } from "@opentelemetry/api";
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
export function telemetryOf({ trace, metrics, context }: OpenTelemetryApi): Telemetry {
  const tracer = trace.getTracer(NAME);
  const meter = metrics.getMeter(NAME);
  const executed = meter.createCounter("mspkit.execute", { description: "Commands that were answered" });
  const claims = meter.createCounter("mspkit.claim", { description: "Claims, by what they were answered" });
  const replays = meter.createCounter("mspkit.replay", { description: "Commands answered from memory" });
  const waits = meter.createCounter("mspkit.wait", { description: "Commands that waited for another" });
  return {
    execute({ method }) {
      const span = tracer.startSpan("mspkit.execute");
      const inside = span.isRecording() ? trace.setSpan(context.active(), span) : undefined;
      if (inside !== undefined) span.setAttribute("mspkit.command.method", method);
      const began = inside === undefined ? undefined : Date.now();
      return {
        within: (action) => (inside === undefined ? action() : context.with(inside, action)),
        claimed(answer) {
          claims.add(1, { answer });
          if (inside !== undefined)
            part(tracer, inside, "mspkit.claim", began).setAttribute("answer", answer).end();
        },
        waits() {
          const waiting = inside === undefined ? undefined : part(tracer, inside, "mspkit.wait", undefined);
          return (answer) => {
            waits.add(1, { answer });
            waiting?.setAttribute("answer", answer).end();
          };
        },
        ended(result, how) {
          const reason = result.status === "rejected" ? result.rejection.reason : undefined;
          const told: Attributes = { method, status: result.status, how };
          if (reason !== undefined) told["reason"] = reason;
          executed.add(1, told);
          if (how === "replayed") replays.add(1, { method });
          end(span, inside !== undefined, result.status, how, reason);
        },
      };
    },
  };
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
