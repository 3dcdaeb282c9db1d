/** Rejections, made and thrown: what a command or a query comes to instead of a result. */
import type { JsonObject, Rejection } from "../../src/commands/app.js";

const REJECTED = Symbol.for("mspkit.workspace-app.rejected");

/** Ends a command or a query with a rejection, and its transaction with nothing. Told by {@link rejectionOf}. */
export class Rejected extends Error {
  readonly [REJECTED] = true;
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    super(rejection.message);
    this.name = "Rejected";
    this.rejection = rejection;
  }
}

/** A final rejection. `reason` is one of the bundle's. */
export function rejection(reason: string, message: string, data?: JsonObject): Rejection {
  return { reason, message, retryable: false, ...(data === undefined ? {} : { data }) };
}

/** The same, to be thrown. */
export function rejected(reason: string, message: string, data?: JsonObject): Rejected {
  return new Rejected(rejection(reason, message, data));
}

/** The rejection that an error carries; nothing where it carries none. */
export function rejectionOf(error: unknown): Rejection | undefined {
  const marked = typeof error === "object" && error !== null && REJECTED in error;
  return marked ? (error as Rejected).rejection : undefined;
}
