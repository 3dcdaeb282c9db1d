/** The law of payload identity over every command of the bundle, with the bundle's model and validators as oracle. */

import type { Definition, Json, Schema } from "../../codegen/index.js";
import { methods } from "../../generated/msp/experimental/tables.js";
import { methods as validators } from "../../generated/msp/experimental/validators.js";
import type { CommandName } from "../../src/host/payloads.js";
import { Random } from "../../src/laws/random.js";
import { canonicalJson } from "../../src/ledger/canonical.js";
import { planOfFile } from "../support/compile.js";
import { MSP_SCHEMA } from "../support/repo.js";
import { reversed } from "../support/reversed.js";
import { got, type Holder, type Made, put, type Site, ValueMaker } from "../support/values.js";

/** What is under test: the text that stands for a command's payload. */
export type Identity = (method: CommandName, params: object) => string;

/** What a run has found and done. */
export interface Findings {
  readonly problems: readonly string[];
  /** Comparisons by what was compared. */
  readonly counts: Readonly<Record<string, number>>;
  /** `METHOD POINTER` of each member whose value was changed. */
  readonly changed: ReadonlySet<string>;
}

/** The methods that take a command id, as the tables have them. */
export const COMMANDS = (Object.keys(methods) as (keyof typeof methods)[]).filter(
  (method): method is CommandName => methods[method].commandId === "required",
);

const { definitions } = planOfFile(MSP_SCHEMA).protocol;

/** The members that are keys of a command and not its payload. */
export function isKey(method: CommandName, name: string): boolean {
  return name === "commandId" || (name === "sessionId" && method !== "session/start");
}

/** The members that a command's params can have at any level, as `METHOD POINTER` of their schemas. */
export function membersOfCommand(method: CommandName): ReadonlySet<string> {
  const found = new Set<string>();
  const seen = new Set<Schema>();
  const visit = (schema: Schema, top: boolean): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    if (schema.ref !== undefined) visit((definitions.get(schema.ref) as Definition).schema, top);
    for (const arm of schema.union?.arms ?? []) visit(arm, top);
    for (const { name, declared, schema: member } of schema.members ?? []) {
      if (!declared || (top && isKey(method, name))) continue;
      found.add(`${method} ${member.pointer}`);
      visit(member, false);
    }
    for (const inner of [schema.items, schema.additional]) if (inner !== undefined) visit(inner, false);
  };
  visit((definitions.get(methods[method].params) as Definition).schema, true);
  return found;
}

/** Holds an identity to the law for all commands; `most` values a command, fewer where all its members were changed. */
export function payloadLaw(identity: Identity, most: number, least = 25): Findings {
  const problems: string[] = [];
  const counts: Record<string, number> = {};
  const changed = new Set<string>();
  for (const method of COMMANDS) {
    const random = new Random(method.length * 7919 + method.charCodeAt(method.length - 1));
    const maker = new ValueMaker(definitions, random);
    const wanted = membersOfCommand(method);
    const root = (definitions.get(methods[method].params) as Definition).schema;
    for (let i = 0; i < most; i++) {
      if (i >= least && [...wanted].every((member) => changed.has(member))) break;
      const run = new Run(method, maker.make(root), identity, counts, changed);
      run.blind();
      run.sharp();
      problems.push(...run.problems);
    }
  }
  return { problems, counts, changed };
}

/** One made value of one command. Every change is taken back. */
class Run {
  readonly method: CommandName;
  readonly identity: Identity;
  readonly problems: string[] = [];
  readonly #made: Made;
  readonly #counts: Record<string, number>;
  readonly #changed: Set<string>;
  readonly #before: string;

  constructor(
    method: CommandName,
    made: Made,
    identity: Identity,
    counts: Record<string, number>,
    changed: Set<string>,
  ) {
    this.method = method;
    this.identity = identity;
    this.#made = made;
    this.#counts = counts;
    this.#changed = changed;
    this.#before = this.#now();
  }

  /** What must not change the payload. */
  blind(): void {
    const value = this.#made.value as object;
    this.#same("order of members", this.identity(this.method, reversed(value)));
    const spaced: unknown = JSON.parse(JSON.stringify(value, null, "\t ").replaceAll("\n", "\r\n"));
    this.#same("white space", this.identity(this.method, spaced as object));
    this.#same("a copy", this.identity(this.method, structuredClone(value)));
    for (const site of this.#made.sites) {
      const inner = got(site.holder, site.key);
      if (isKey(this.method, String(site.key)) && site.holder === this.#made.value)
        this.#with(site, "another key", "0000", true);
      else if (site.nodes.length === 0 && inner !== undefined && !this.#unknownHolder(site))
        this.#with(site, "an unknown member's value", { other: [inner] }, true);
      if (site.nodes.length > 0 && isObject(inner)) this.#members(site, inner);
    }
  }

  /** What must change the payload. */
  sharp(): void {
    for (const site of this.#made.sites) {
      const { holder, key, nodes } = site;
      const inner = got(holder, key);
      const top = holder === this.#made.value;
      if (nodes.length === 0 || inner === undefined || (top && isKey(this.method, String(key)))) continue;
      if (inner === this.#made.value) continue;
      if (isObject(inner)) this.#with(site, "a scalar for an object", "text", false);
      else if (Array.isArray(inner)) {
        this.#with(site, "one item more", [...inner, inner[0] ?? "new"], false);
        const turned = [...inner].reverse();
        if (canonicalJson(turned) !== canonicalJson(inner)) this.#with(site, "order of items", turned, false);
      } else {
        this.#with(site, "another scalar", other(inner), false);
        if (typeof inner === "string") {
          const composed = this.#try(site, `${inner}\u00e9`);
          const decomposed = this.#try(site, `${inner}e\u0301`);
          this.#expect("forms of a letter", composed !== decomposed, site);
          const zero = this.#try(site, "1");
          this.#expect("a number and its text", zero !== this.#try(site, 1), site);
        }
        if (typeof inner === "number")
          this.#expect("0 and -0", this.#try(site, 0) === this.#try(site, -0), site);
      }
      for (const node of nodes) this.#changed.add(`${this.method} ${node.pointer}`);
    }
  }

  /** The members of an object that its schema knows: absent, null, unknown ones, and those of a map. */
  #members(site: Site, inner: Record<string, Json>): void {
    const map = site.nodes.some(({ additional }) => additional !== undefined);
    for (const name of ["later", "__proto__", "toString"]) {
      if (Object.hasOwn(inner, name)) continue;
      if (site.nodes.some(({ members }) => members?.some((member) => member.name === name))) continue;
      const at: Site = { ...site, holder: inner, key: name };
      const what = map ? "an entry of a map" : "an unknown member";
      this.#with(at, what, map ? { transport: "stdio" } : { x: 1 }, !map);
    }
    const known = new Set(site.nodes.flatMap(({ members }) => members ?? []).map(({ name }) => name));
    for (const name of known) {
      if (inner === this.#made.value && isKey(this.method, name)) continue;
      const at: Site = { ...site, holder: inner, key: name };
      const absent = this.#valid(at, undefined);
      if (!absent) continue;
      const gone = this.#try(at, undefined);
      if (this.#valid(at, null)) this.#expect("null and absent", this.#try(at, null) === gone, at);
      this.#expect("an undefined member", this.#tryUndefined(at) === gone, at);
      const value = got(inner, name);
      if (value !== undefined && value !== null && !isDefault(this.method, name, value))
        this.#expect("an absent member", gone !== this.#now(), at);
      const preset = defaultOf(this.method, name);
      if (preset !== undefined) this.#expect("a default and absent", this.#try(at, preset) === gone, at);
    }
  }

  /** Whether a place is inside an unknown member: then what holds it has no nodes either. */
  #unknownHolder(site: Site): boolean {
    const above = this.#made.sites.find(({ holder, key }) => got(holder, key) === (site.holder as Json));
    return above === undefined || above.nodes.length === 0 || Array.isArray(site.holder);
  }

  #now(): string {
    return this.identity(this.method, this.#made.value as object);
  }

  #valid(site: Site, value: Json | undefined): boolean {
    return this.#while(site, value, () => validators[this.method].params(this.#made.value) === null);
  }

  #try({ holder, key }: Site, value: Json | undefined): string {
    return this.#while({ holder, key }, value, () => this.#now());
  }

  #tryUndefined({ holder, key }: Site): string {
    return this.#while({ holder, key }, undefined, () => {
      put(holder, key, undefined as unknown as Json);
      return this.#now();
    });
  }

  #while<T>({ holder, key }: Pick<Site, "holder" | "key">, value: Json | undefined, look: () => T): T {
    const before = Object.getOwnPropertyDescriptor(holder, key);
    if (value === undefined) remove(holder, key);
    else put(holder, key, value);
    const seen = look();
    if (before === undefined) remove(holder, key);
    else Object.defineProperty(holder, key, before);
    return seen;
  }

  #with(site: Site, what: string, value: Json, same: boolean): void {
    this.#expect(what, (this.#try(site, value) === this.#before) === same, site);
  }

  #same(what: string, identity: string): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + 1;
    if (identity !== this.#before) this.problems.push(`${this.method}: ${what}`);
  }

  #expect(what: string, holds: boolean, site: Site): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + 1;
    if (!holds) this.problems.push(`${this.method}: ${what} at ${site.key}`);
  }
}

function remove(holder: Holder, key: string | number): void {
  Reflect.deleteProperty(holder, key);
}

function isObject(value: Json | undefined): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function other(value: null | boolean | number | string): Json {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value === 0 ? 1 : -value;
  return value === null ? "text" : `${value}~`;
}

/** The defaults that the bundle states in words: written down a second time, so that the first is held to them. */
const STATED: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  "turn/start": { ifBusy: "queue" },
  "turn/interrupt": { retract: false },
  "session/leave": { stop: false },
  "session/resume": { excludeItems: false },
  "session/fork": { excludeItems: false },
  "session/setModel": { displayLabel: "", profileId: "", providerId: "" },
  "skill/import": { dryRun: false, force: false },
};

function defaultOf(method: CommandName, name: string): Json | undefined {
  return STATED[method]?.[name];
}

function isDefault(method: CommandName, name: string, value: Json): boolean {
  return defaultOf(method, name) === value;
}
