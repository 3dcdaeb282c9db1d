/**
 * One run of a law: the stores that act in it, what they did in words, and what was counted. Stores are named as hosts,
 * since each stands for one.
 */
import { type EntryText, isStoreError, type Log, type Space, type Store } from "../../ledger/store.js";
import { LawBroken } from "../broken.js";
import type { MortalStore, StorePlace } from "./subject.js";

/** What an action was answered: `ok`, the kind of a store's error, `TypeError`, or the text of another error. */
export type Told = string;

/** An answer with what it gave. */
export interface Answer<T> {
  readonly told: Told;
  /** There where it was told `ok`. */
  readonly value?: T;
}

/** A run of one law on one place. */
export class Trial {
  readonly place: StorePlace;
  /** What was done and answered, for a person. */
  readonly steps: string[] = [];
  /** How often something was really exercised, by its name. */
  readonly counts: Record<string, number> = {};
  readonly #hosts: Host[] = [];

  constructor(place: StorePlace) {
    this.place = place;
  }

  /** A host with a store of its own; that of the place, or one that was made otherwise. */
  async host(store?: Store): Promise<Host> {
    const host = new Host(this, `host ${this.#hosts.length + 1}`, store ?? (await this.place.store()));
    this.#hosts.push(host);
    return host;
  }

  /** Counts something that was exercised. */
  count(what: string, times = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + times;
  }

  /** Breaks the law where something is not so. */
  hold(so: boolean, otherwise: string): void {
    this.count("checks");
    if (!so) throw new LawBroken(otherwise);
  }

  /** Breaks the law where an answer is another one. */
  told<T>(answer: Answer<T>, wanted: Told, otherwise: string): void {
    this.hold(answer.told === wanted, `${otherwise}: told ${answer.told}, not ${wanted}`);
  }

  /** Breaks the law where entries are others. */
  same(found: readonly EntryText[] | undefined, wanted: readonly EntryText[], otherwise: string): void {
    const equal = found?.length === wanted.length && wanted.every((entry, i) => found[i] === entry);
    this.hold(equal, equal ? "" : `${otherwise}: ${spelt(found)}, not ${spelt(wanted)}`);
  }

  /** Closes the stores of hosts that live. */
  async end(): Promise<void> {
    for (const host of this.#hosts) if (!host.dead) await host.store.close().catch(() => undefined);
  }

  /** Does something, and writes down what it was answered. */
  async act<T>(words: string, action: () => Promise<T> | T): Promise<Answer<T>> {
    try {
      const value = await action();
      this.steps.push(`${words}: ok`);
      return { told: "ok", value };
    } catch (error) {
      const told = isStoreError(error)
        ? error.kind
        : error instanceof TypeError
          ? "TypeError"
          : String(error);
      this.steps.push(`${words}: ${told}`);
      return { told };
    }
  }
}

/** A store that acts in a trial. */
export class Host {
  readonly name: string;
  readonly store: Store;
  dead = false;
  readonly #trial: Trial;

  constructor(trial: Trial, name: string, store: Store) {
    this.#trial = trial;
    this.name = name;
    this.store = store;
  }

  /** Opens a log. */
  async open(
    id: string,
    expect: "new" | "existing" | "any" = "any",
    space: Space = "sessions",
  ): Promise<Answer<Held>> {
    const answer = await this.#trial.act(`${this.name} opens ${id} (${expect})`, () =>
      this.store.open(space, id, { expect }),
    );
    this.#trial.count("opens");
    return answer.value === undefined
      ? { told: answer.told }
      : { told: answer.told, value: new Held(this.#trial, this.name, answer.value) };
  }

  /** Opens a log that it must get. */
  async take(
    id: string,
    expect: "new" | "existing" | "any" = "any",
    space: Space = "sessions",
  ): Promise<Held> {
    const answer = await this.open(id, expect, space);
    this.#trial.told(answer, "ok", `${this.name} does not get ${id}, which is free`);
    return answer.value!;
  }

  /** What a log has; that must not fail. */
  async read(id: string, space: Space = "sessions"): Promise<readonly EntryText[] | undefined> {
    const answer = await this.#trial.act(`${this.name} reads ${id}`, () => this.store.read(space, id));
    this.#trial.count("reads");
    this.#trial.told(answer, "ok", `${this.name} cannot read ${id}`);
    return answer.value;
  }

  /** How things stand with a log: what the store says, or the kind of its error. */
  async state(id: string, space: Space = "sessions"): Promise<string> {
    const answer = await this.#trial.act(`${this.name} looks at ${id}`, () => this.store.state(space, id));
    return answer.value ?? answer.told;
  }

  /** Takes a log away. */
  fence(id: string, space: Space = "sessions"): Promise<Answer<void>> {
    this.#trial.count("fences");
    return this.#trial.act(`${this.name} fences ${id}`, () => this.store.fence(space, id));
  }

  /** Its process ends. */
  async die(mortal: MortalStore): Promise<void> {
    this.dead = true;
    await mortal.kill();
    this.#trial.steps.push(`${this.name} dies`);
    this.#trial.count("deaths");
  }

  /** Closes its store. */
  close(): Promise<Answer<void>> {
    return this.#trial.act(`${this.name} closes its store`, () => this.store.close());
  }
}

/** A log that a host has opened. */
export class Held {
  readonly log: Log;
  readonly #trial: Trial;
  readonly #host: string;

  constructor(trial: Trial, host: string, log: Log) {
    this.#trial = trial;
    this.#host = host;
    this.log = log;
  }

  /** Writes entries in one. */
  async write(...entries: readonly EntryText[]): Promise<Answer<void>> {
    const words = `${this.#host} writes ${spelt(entries)} to ${this.log.id}`;
    const answer = await this.#trial.act(words, () => this.log.write(entries));
    this.#trial.count("writes");
    return answer;
  }

  /** Writes what must be taken. */
  async append(...entries: readonly EntryText[]): Promise<void> {
    this.#trial.told(await this.write(...entries), "ok", `${this.#host} cannot write to ${this.log.id}`);
  }

  /** Closes the log. */
  close(): Promise<Answer<void>> {
    return this.#trial.act(`${this.#host} closes ${this.log.id}`, () => this.log.close());
  }
}

/** Entries in words, cut short. */
function spelt(entries: readonly EntryText[] | undefined): string {
  if (entries === undefined) return "nothing";
  const shown = entries.slice(0, 6).map((entry) => (entry.length > 24 ? `${entry.slice(0, 24)}…` : entry));
  return `[${shown.join(" ")}${entries.length > 6 ? ` … ${entries.length} in all` : ""}]`;
}
