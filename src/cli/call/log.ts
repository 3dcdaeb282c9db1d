/**
 * What came from the host: printed as NDJSON, held to the schema, and remembered as far as the verdict needs it.
 */
import { canonicalJson } from "../../ledger/canonical.js";
import type { Violation } from "../../transcripts/bundle.js";
import type { ProtocolFault } from "../../wire/faults.js";
import type { Io } from "../command.js";
import { type CallSurface, entry } from "./surface.js";
import type { Arrival } from "./tap.js";

/** How a call is printed and what ends the wait for it. */
export interface LogOptions {
  readonly of: CallSurface;
  readonly io: Io;
  /** Print results alone, bare. */
  readonly quiet: boolean;
  /** The notification or request that is waited for. */
  readonly until: string | undefined;
}

/** The messages of the host. */
export class CallLog {
  readonly #options: LogOptions;
  /** Findings in the answer to `initialize`. */
  handshake = 0;
  /** Findings so far: what came against the schema or against an earlier answer. */
  findings = 0;
  /** Answers to calls that were results. */
  results = 0;
  /** Answers to calls that were errors. */
  errors = 0;
  #first: string | undefined;
  readonly #came: Promise<void>;
  #settle!: () => void;

  constructor(options: LogOptions) {
    this.#options = options;
    this.#came = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Resolves when what is waited for has come. */
  get came(): Promise<void> {
    return this.#came;
  }

  /** Takes the next message. */
  arrived(arrival: Arrival): void {
    const { io } = this.#options;
    // The handshake is told on stderr; it is no answer to the call.
    if (arrival.method === "initialize") {
      this.handshake = this.#hold(arrival);
      return;
    }
    this.#print(arrival);
    this.#hold(arrival);
    if (arrival.type === "result" || arrival.type === "error") {
      if (arrival.type === "result") this.results++;
      else this.errors++;
      const answer = canonicalJson(arrival.type === "result" ? [arrival.result] : { error: arrival.error });
      this.#first ??= answer;
      if (answer !== this.#first) {
        this.findings++;
        io.err(
          `${io.program}: answer ${this.results + this.errors} of ${arrival.method} differs from the first\n`,
        );
      }
    } else if (arrival.method === this.#options.until) this.#settle();
  }

  /** Takes note of a frame that is no message. */
  fault({ kind, why, evidence }: ProtocolFault): void {
    this.finding(
      `the host sent what is no message: ${kind}${why === undefined ? "" : `, ${why}`}: ${evidence}`,
    );
  }

  /** Tells of something that is wrong with the host. */
  finding(text: string): void {
    const { io } = this.#options;
    this.findings++;
    io.err(`${io.program}: ${text}\n`);
  }

  #print(arrival: Arrival): void {
    const { io, quiet } = this.#options;
    if (!quiet) {
      const { type } = arrival;
      const shown =
        type === "result"
          ? { type, result: arrival.result }
          : type === "error"
            ? { type, error: arrival.error }
            : arrival;
      io.out(`${JSON.stringify(shown)}\n`);
    } else if (arrival.type === "result") io.out(`${JSON.stringify(arrival.result)}\n`);
    else if (arrival.type === "error")
      io.err(`${io.program}: ${arrival.method}: ${JSON.stringify(arrival.error)}\n`);
  }

  /** Holds a message to the schema; how many findings there are. */
  #hold(arrival: Arrival): number {
    const { what, violations } = this.#check(arrival);
    const { io } = this.#options;
    for (const { instanceLocation, keyword, message } of violations) {
      this.findings++;
      const place = instanceLocation === "" ? "the value" : instanceLocation;
      io.err(`${what} of ${arrival.method}: ${place} ${message} (${keyword})\n`);
    }
    return violations.length;
  }

  /** What the schema says of a message. Of a method that the surface lacks it says nothing. */
  #check(arrival: Arrival): { readonly what: string; readonly violations: readonly Violation[] } {
    const { tables, validators } = this.#options.of;
    const all = { all: true } as const;
    const { method } = arrival;
    switch (arrival.type) {
      case "result":
        return {
          what: "result",
          violations: entry(validators.methods, method)?.result(arrival.result, all) ?? [],
        };
      case "error": {
        const { code, data } = arrival.error;
        const kind = Object.keys(tables.errors).find((name) => tables.errors[name]?.code === code);
        const validate = kind === undefined ? undefined : entry(validators.errors, kind);
        return { what: "error data", violations: data === undefined ? [] : (validate?.(data, all) ?? []) };
      }
      case "notification":
        return {
          what: "params",
          violations: entry(validators.notifications, method)?.(given(arrival.params), all) ?? [],
        };
      case "request":
        return {
          what: "params",
          violations: entry(validators.requests, method)?.params?.(given(arrival.params), all) ?? [],
        };
    }
  }
}

/** Params that are left out are those of an empty object. */
function given(params: unknown): unknown {
  return params === undefined ? {} : params;
}
