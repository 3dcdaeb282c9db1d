/** What of the schema was exercised at a host: methods, the members of their params, bounds, closed values, errors. */
import { errors } from "../../../generated/msp/experimental/tables.js";
import { parseFrame } from "../../wire/parse.js";
import type { Line } from "../model/history.js";
import { errorSources } from "./errors.js";
import { mspModel } from "./model.js";
import { type Point, type PointFamily, Points } from "./points.js";

/** How much of one kind of thing was exercised. */
export interface FamilyCoverage {
  readonly reached: number;
  /** What can be reached at this host. */
  readonly total: number;
  /** What could have been reached and was not, by name. */
  readonly missing: readonly string[];
}

/** What does not count, and why. */
export interface Unreachable {
  readonly name: string;
  readonly why: string;
}

/** What was exercised of what a host serves. */
export interface CoverageReport {
  readonly methods: FamilyCoverage;
  readonly members: FamilyCoverage;
  /** At each bound, and just beyond it. */
  readonly bounds: FamilyCoverage;
  /** Each value of what is closed, and one that is none of them. */
  readonly values: FamilyCoverage;
  /** Kinds of errors that were answered. */
  readonly errors: FamilyCoverage;
  /** Of all points together, rounded down to a tenth; 100 for everything. */
  readonly percent: number;
  /** Errors that no client can get out of a host by itself. */
  readonly unreachable: readonly Unreachable[];
}

/** The kinds of points, in the order of reports. */
export const FAMILIES = ["methods", "members", "bounds", "values", "errors"] as const;

/** Gathers what lines exercise. */
export class Coverage {
  readonly #points = new Points(mspModel());
  readonly #methods = new Set<string>();
  readonly #errors = new Set<string>();
  /** Methods all of whose points are reached: there is nothing more to see in their params. */
  readonly #full = new Set<string>();
  #seen = 0;
  #byKey: ReadonlyMap<string, Point> | undefined;

  /** Takes a line that passed, of either side, handshakes too. What is no message exercises nothing. */
  note({ dir, raw }: Pick<Line, "dir" | "raw">): void {
    // Most lines of a host are no errors, and parsing is what costs.
    if (dir === "server" && !raw.includes('"error"')) return;
    const parsed = parseFrame(raw);
    if ("fault" in parsed || typeof parsed.value !== "object" || parsed.value === null) return;
    const { method, params, error } = parsed.value as Readonly<Record<string, unknown>>;
    if (dir === "server") this.noteError(error);
    else if (typeof method === "string") this.noteRequest(method, params);
  }

  /** Takes a request, or a notification, of a client. */
  noteRequest(method: string, params: unknown): void {
    this.#methods.add(method);
    if (this.#full.has(method)) return;
    this.#points.note(method, params);
    if (++this.#seen % 64 === 0 && [...this.#points.of(method)].every(({ reached }) => reached))
      this.#full.add(method);
  }

  /** Takes the error of an answer; anything else is no error. */
  noteError(error: unknown): void {
    if (typeof error !== "object" || error === null) return;
    const { code, data } = error as { readonly code?: unknown; readonly data?: unknown };
    const { kind } = (typeof data === "object" && data !== null ? data : {}) as { readonly kind?: unknown };
    if (typeof kind === "string") this.#errors.add(kind);
    // JSON-RPC does not ask for a kind: then the code tells the row.
    else for (const [name, row] of Object.entries(errors)) if (row.code === code) this.#errors.add(name);
  }

  /** How many things were reached so far. */
  get reached(): number {
    let count = this.#methods.size + this.#errors.size;
    for (const method of this.#methods)
      for (const { reached } of this.#points.of(method)) if (reached) count++;
    return count;
  }

  /** All that was reached, as words that {@link Coverage.adopt} takes. */
  keys(): Set<string> {
    const out = new Set<string>();
    for (const kind of this.#errors) out.add(`errors ${kind}`);
    for (const method of this.#methods) {
      out.add(`methods ${method}`);
      for (const point of this.#points.of(method)) if (point.reached) out.add(keyOf(point));
    }
    return out;
  }

  /** Takes what was reached elsewhere for reached. */
  adopt(keys: Iterable<string>): void {
    this.#byKey ??= new Map(
      Object.keys(mspModel().methods).flatMap((method) =>
        [...this.#points.of(method)].map((point) => [keyOf(point), point]),
      ),
    );
    for (const key of keys) {
      const point = this.#byKey.get(key);
      const [family, name = ""] = key.split(" ");
      if (point !== undefined) point.reached = true;
      else if (family === "methods") this.#methods.add(name);
      else if (family === "errors") this.#errors.add(name);
    }
    for (const method of this.#methods)
      if ([...this.#points.of(method)].every(({ reached }) => reached)) this.#full.add(method);
  }

  /**
   * What was exercised.
   * @param served the methods that the host serves: what belongs to others does not count
   */
  report(served: ReadonlySet<string>): CoverageReport {
    const points = new Set<Point>();
    const { methods } = mspModel();
    const known = [...served].filter((method) => Object.hasOwn(methods, method));
    for (const method of known) for (const point of this.#points.of(method)) points.add(point);
    const family = (name: PointFamily): FamilyCoverage => {
      const own = [...points].filter((point) => point.family === name);
      return coverageOf(own.map((point) => [point.name, point.reached]));
    };
    const sources = Object.entries(errorSources);
    const answerable = sources.filter(
      ([, source]) =>
        source === "any" || ("length" in source && source.some((method: string) => served.has(method))),
    );
    const families = {
      methods: coverageOf(known.map((method) => [method, this.#methods.has(method)])),
      members: family("members"),
      bounds: family("bounds"),
      values: family("values"),
      errors: coverageOf(answerable.map(([kind]) => [kind, this.#errors.has(kind)])),
    };
    const sum = (what: "reached" | "total"): number =>
      FAMILIES.reduce((total, name) => total + families[name][what], 0);
    const total = sum("total");
    return {
      ...families,
      percent: total === 0 ? 0 : Math.floor((1_000 * sum("reached")) / total) / 10,
      unreachable: sources.flatMap(([name, source]) =>
        typeof source === "object" && "unreachable" in source ? [{ name, why: source.unreachable }] : [],
      ),
    };
  }
}

function keyOf({ family, name }: Point): string {
  return `${family} ${name}`;
}

function coverageOf(things: readonly (readonly [name: string, reached: boolean])[]): FamilyCoverage {
  const missing = things.filter(([, reached]) => !reached).map(([name]) => name);
  return { reached: things.length - missing.length, total: things.length, missing };
}
