/** What a law of a store is. */
import type { StorePlace } from "./subject.js";
import type { Trial } from "./trial.js";

/** A promise of every store, and how it is put to the test. */
export interface StoreLaw {
  readonly id: string;
  /** What is promised, in a sentence. */
  readonly promise: string;
  /** What the place must be able to do, beyond opening stores. */
  readonly needs?: "mortal" | "unplugged" | "failing";
  /** How often what must have been exercised; with less the run says nothing. */
  readonly least: Readonly<Record<string, number>>;
  /**
   * Tries it; throws where it is broken.
   * @param begin a trial on an empty place; what is reported is the last one that was begun
   * @param seed chooses, where there is a choice
   */
  run(begin: () => Promise<Trial>, seed: number): Promise<void>;
}

/** A law that is tried once, on one place. */
export interface SimpleStoreLaw extends Omit<StoreLaw, "run"> {
  run(trial: Trial): Promise<void>;
}

/** Makes laws of simple ones. */
export function simply(laws: readonly SimpleStoreLaw[]): readonly StoreLaw[] {
  return laws.map((law) => ({ ...law, run: async (begin) => law.run(await begin()) }));
}

/** A place, or what is missing from it. */
export function lacks(place: StorePlace, { needs }: StoreLaw): boolean {
  return needs !== undefined && place[needs] === undefined;
}
