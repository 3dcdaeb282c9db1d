/**
 * What a law is told, and how it says that it is broken. Laws keep a model of their own: they know what clients sent and
 * what became durable, and nothing of the state by which the host decides.
 */
import { isDeepStrictEqual } from "node:util";
import type { Command } from "../../../src/host/session/decision.js";
import type { CommandAnswer, SessionRecord, ViewEvent } from "../../../src/host/session/records.js";
import { keyOf } from "../../../src/host/session/state.js";
import type { Happened } from "./simulation.js";

/** A law was broken. `law` names it. */
export class LawBroken extends Error {
  readonly law: string;

  constructor(law: string, detail: unknown) {
    super(`${law}: ${JSON.stringify(detail)}`);
    this.name = "LawBroken";
    this.law = law;
  }
}

/** How often something was exercised. */
export class Counts extends Map<string, number> {
  /** Counts one more. */
  met(name: string): void {
    this.set(name, (this.get(name) ?? 0) + 1);
  }

  /** How often; 0 where never. */
  of(name: string): number {
    return this.get(name) ?? 0;
  }
}

/** Says that a law is broken where a condition does not hold. */
export function hold(law: string, condition: boolean, detail?: unknown): asserts condition {
  if (!condition) throw new LawBroken(law, detail);
}

/** Says that a law is broken where two values differ. */
export function same(law: string, actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) throw new LawBroken(law, { actual, expected });
}

/** The ack of a command that was accepted. */
export function ackOf({ decision: { answer } }: Happened): Readonly<Record<string, unknown>> | undefined {
  return "ack" in answer ? answer.ack : undefined;
}

/** What a command was answered: accepted, rejected, or refused. */
export function outcomeOf({ decision: { answer } }: Happened): "accepted" | "rejected" | "refused" {
  if ("refusal" in answer) return "refused";
  return "ack" in answer ? "accepted" : "rejected";
}

/** The reason of a rejection. */
export function reasonOf(answer: CommandAnswer | { readonly refusal: unknown }): string | undefined {
  return "rejection" in answer ? answer.rejection.reason : undefined;
}

/** The command of a happening, where it is one. */
export function commandIn({ what }: Happened): Command | undefined {
  return typeof what === "string" ? undefined : what;
}

/** The records of a type. */
export function recordsOf<T extends SessionRecord["type"]>(
  { decision }: Happened,
  type: T,
): Extract<SessionRecord, { readonly type: T }>[] {
  return decision.records.filter((record): record is never => record.type === type);
}

/** The events of a method. */
export function eventsOf<M extends ViewEvent["method"]>(
  happened: Happened,
  method: M,
): Extract<ViewEvent, { readonly method: M }>["params"][] {
  return recordsOf(happened, "event")
    .filter((event) => event.method === method)
    .map(({ params }) => params as never);
}

/** Whether two ids are one. */
export function sameId(a: string, b: string): boolean {
  return keyOf(a) === keyOf(b);
}
