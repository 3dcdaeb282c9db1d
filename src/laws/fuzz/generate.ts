/** Makes the cases of a fuzzing run: by a seed and a number, so that any of them can be made again by itself. */
import { capabilities } from "../../../generated/msp/experimental/tables.js";
import type { Prompts } from "../driver/driver.js";
import { Random } from "../random.js";
import type { FuzzCase, FuzzFrame, Opening } from "./frame.js";
import { spoilt, TOO_LONG } from "./hostile.js";
import { type MethodShape, Pools, SHAPES } from "./pools.js";
import { story } from "./stories.js";

/** What cases are made for. */
export interface GenerateOptions {
  readonly seed: number;
  /** Methods that the host serves: they are asked for more often. */
  readonly served: ReadonlySet<string>;
  readonly prompts: Prompts;
  /** Frames of a case. Default: 600. */
  readonly frames?: number;
  /** Frames of a part, at most: a part is under way while the next one is sent. Default: 200. */
  readonly inFlight?: number;
}

/** Frames of a case, if nothing else is said. */
export const CASE_FRAMES = 600;

/** Cases that share a way to begin, and so a life of the host: a few at first, so that a short run has every way. */
const FIRST_CASES = 6;
const LATER_CASES = 40;

/** Cases that draw from the same pools. */
const CASES_PER_POOL = 100;

/** The case among these that has a frame over every limit: it costs as much as a hundred others. */
const TOO_LONG_IN = 3;

/** Never asked for: texts that a host would run as commands must not come from chance. */
const DANGEROUS: readonly string[] = ["userShell"];
const HARMLESS = ["", "true", "echo fuzz"];
const CAPABILITIES = Object.keys(capabilities).filter((name) => !DANGEROUS.includes(name));
const OPENINGS: readonly Opening[] = [
  { experimental: false, capabilities: [] },
  { experimental: true, capabilities: CAPABILITIES },
  { experimental: false, capabilities: CAPABILITIES },
];

/** What names a thing that the host has told under another name. */
const TOLD_AS: Readonly<Record<string, readonly string[]>> = {
  expectedTurnId: ["turnId"],
  lastTurnId: ["turnId"],
  after: ["viewCursor", "nextCursor"],
  cursor: ["viewCursor", "nextCursor"],
  questionId: ["id"],
  selectedLabel: ["label"],
  taskId: ["taskId", "itemId"],
  throughItemId: ["itemId"],
};
const OBJECTS: Readonly<Record<string, string>> = { requirementId: "currentRequirementId" };
const NAMED = /(?:Id|Cursor|Ref)$/;
const ANY_NAME = ["sessionId", "turnId", "itemId", "approvalId", "viewCursor", "userInputId"];

/** Makes cases. */
export class Generator {
  readonly #options: Required<GenerateOptions>;
  readonly #served: readonly MethodShape[];
  readonly #others: readonly MethodShape[];
  readonly #texts: readonly string[];
  #pools: { readonly group: number; readonly pools: Pools } | undefined;

  constructor({ frames = CASE_FRAMES, inFlight = 200, ...options }: GenerateOptions) {
    this.#options = { frames, inFlight, ...options };
    const shapes = [...SHAPES.values()];
    this.#served = shapes.filter(({ name }) => options.served.has(name));
    this.#others = shapes.filter(({ name }) => !options.served.has(name));
    this.#texts = Object.values(options.prompts).filter((text) => text !== undefined);
  }

  /** Which life of the host a case belongs to, from 0. */
  static life(number: number): number {
    const first = FIRST_CASES * OPENINGS.length;
    return number < first
      ? Math.floor(number / FIRST_CASES)
      : OPENINGS.length + Math.floor((number - first) / LATER_CASES);
  }

  /** The case of a number, from 0. */
  make(number: number): FuzzCase {
    const { seed, frames, inFlight } = this.#options;
    const random = new Random((Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)) >>> 0);
    const pools = this.#poolsOf(number);
    const batches: FuzzFrame[][] = [];
    const told = number % 2 === 0 ? story(number / 2, this.#options.prompts, this.#options.served) : [];
    const focus = this.#focus(random);
    const acts = this.#served.some(({ name }) => name === "turn/start");
    const calm = Math.max(told.length, acts ? 2 : 0);
    let count = 0;
    for (let at = 0; count < frames; at++) {
      const batch: FuzzFrame[] = [...(told[at] ?? [])];
      if (at === 0) batch.push(this.#begin());
      if (at === 1) for (const text of this.#texts) if (random.chance(0.4)) batch.push(this.#turn(text));
      const size = Math.min(inFlight, frames - count);
      if (at === calm && number % CASES_PER_POOL === TOO_LONG_IN) batch.push(tooLong());
      // What comes first has to be told before it can be used: small parts at the beginning.
      const most = at < calm ? Math.min(size, 8 + batch.length) : size;
      while (batch.length < most) batch.push(this.#frame(random, pools, focus));
      batches.push(batch);
      count += batch.length;
    }
    const opening = OPENINGS[Generator.life(number) % OPENINGS.length] as Opening;
    return { opening, calm, batches };
  }

  /** Cases that follow each other share their pools; those of a case are the same however it is come to. */
  #poolsOf(number: number): Pools {
    const group = Math.floor(number / CASES_PER_POOL);
    if (this.#pools?.group !== group)
      this.#pools = { group, pools: new Pools(Math.imul(this.#options.seed, 31) + group) };
    return this.#pools.pools;
  }

  #focus(random: Random): readonly MethodShape[] {
    if (this.#served.length === 0 || random.chance(0.3)) return [];
    const { name } = random.pick(this.#served);
    const group = name.split("/")[0] as string;
    return this.#served.filter((shape) => shape.name.startsWith(`${group}/`));
  }

  #begin(): FuzzFrame {
    return { kind: "valid", text: request("session/start", '{"commandId":"{{new}}"}'), why: "a session" };
  }

  #turn(text: string): FuzzFrame {
    const input = JSON.stringify([{ type: "text", text }]);
    const params = `{"sessionId":"{{seen:sessionId:0}}","commandId":"{{new}}","input":${input}}`;
    return { kind: "valid", text: request("turn/start", params), why: `a turn: ${text}` };
  }

  #frame(random: Random, pools: Pools, focus: readonly MethodShape[]): FuzzFrame {
    const shape = this.#method(random, focus);
    const { name } = shape;
    const dice = random.next();
    if (dice < 0.2 && shape.canMiss) {
      const miss = pools.invalid(name, random)!;
      const params = JSON.stringify(this.#dressed(miss.value, random, "invalid"));
      return { kind: "nearMiss", text: request(name, params), why: `${name}: ${miss.why}` };
    }
    const value = pools.valid(name, random);
    const lean = random.chance(0.6) ? without(value, shape.optional, random) : value;
    if (shape.bounds.length > 0 && dice < 0.4) {
      const { member, values } = random.pick(shape.bounds);
      const at = { ...(lean as object), [member]: random.pick(values) };
      const params = JSON.stringify(this.#dressed(at, random, name));
      return { kind: "nearMiss", text: request(name, params), why: `${name}: at a bound of ${member}` };
    }
    const params = value === undefined ? undefined : JSON.stringify(this.#dressed(lean, random, name));
    const text = request(name, params);
    if (dice > 0.8) {
      const { text: bad, why } = spoilt(text, random);
      return { kind: "hostile", text: bad, why: `${name}: ${why}` };
    }
    return { kind: "valid", text, why: name };
  }

  #method(random: Random, focus: readonly MethodShape[]): MethodShape {
    if (focus.length > 0 && random.chance(0.5)) return random.pick(focus);
    const known = this.#served.length > 0 && (this.#others.length === 0 || random.chance(0.92));
    return random.pick(known ? this.#served : this.#others);
  }

  /** The same params with ids and cursors that the host has told, with texts that make its agent do something. */
  #dressed(value: unknown, random: Random, method: string, name = "", depth = 0): unknown {
    if (typeof value === "string") return this.#text(value, name, random);
    if (typeof value !== "object" || value === null || depth > 4) return value;
    if (Array.isArray(value)) {
      if (name === "input" && method !== "invalid" && random.chance(0.5))
        return [{ type: "text", text: random.pick(this.#texts.length > 0 ? this.#texts : ["hello"]) }];
      return value.map((item) => this.#dressed(item, random, method, name, depth + 1));
    }
    const object = OBJECTS[name];
    if (object !== undefined && method !== "invalid" && random.chance(0.7))
      return `{{object:${object}:${random.int(0, 7)}}}`;
    const out: Record<string, unknown> = {};
    for (const [member, inner] of Object.entries(value))
      set(out, member, this.#dressed(inner, random, method, member, depth + 1));
    return out;
  }

  #text(value: string, name: string, random: Random): string {
    if (name === "commandText") return random.pick(HARMLESS);
    if (name === "commandId") {
      const dice = random.next();
      if (dice < 0.75) return "{{new}}";
      return dice < 0.95 ? `{{command:${random.int(0, 30)}}}` : value;
    }
    const aliases = TOLD_AS[name] ?? (NAMED.test(name) ? [name] : undefined);
    if (aliases === undefined) {
      const says = (name === "text" || name === "objective") && this.#texts.length > 0;
      return says && random.chance(0.5) ? random.pick(this.#texts) : value;
    }
    const dice = random.next();
    if (dice > 0.93) return value;
    const told = dice > 0.88 ? random.pick(ANY_NAME) : random.pick(aliases);
    // The first that was told is the one that most was done to.
    return `{{seen:${told}:${random.chance(0.5) ? 0 : random.int(0, 12)}}}`;
  }
}

/** The text of a request. */
export function request(method: string, params: string | undefined): string {
  const tail = params === undefined ? "" : `,"params":${params}`;
  return `{"jsonrpc":"2.0","id":{{id}},"method":"${method}"${tail}}`;
}

function tooLong(): FuzzFrame {
  const params = `{"sessionId":"{{long:${TOO_LONG}}}"}`;
  return { kind: "hostile", text: request("session/read", params), why: "over the limit of every frame" };
}

function without(value: unknown, optional: readonly string[], random: Random): unknown {
  if (typeof value !== "object" || value === null || optional.length === 0) return value;
  const out: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value))
    if (!optional.includes(name) || random.chance(0.3)) set(out, name, inner);
  return out;
}

/** Sets a member, whatever its name means elsewhere. */
function set(out: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__")
    Object.defineProperty(out, name, { value, enumerable: true, configurable: true, writable: true });
  else out[name] = value;
}
