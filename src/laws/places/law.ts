/** What a law of something that is kept in places is: of a store, of the results of commands. */

/** A promise, and how it is put to the test. `T` is a trial on one place, `N` what the place may have to be able to do. */
export interface PlaceLaw<T, N extends string = string> {
  readonly id: string;
  /** What is promised, in a sentence. */
  readonly promise: string;
  /** What the place must be able to do, beyond opening what is tried. */
  readonly needs?: N;
  /** How often what must have been exercised; with less the run says nothing. */
  readonly least: Readonly<Record<string, number>>;
  /**
   * Tries it; throws where it is broken.
   * @param begin a trial on an empty place; what is reported is the last one that was begun
   * @param seed chooses, where there is a choice
   */
  run(begin: () => Promise<T>, seed: number): Promise<void>;
}

/** A law that is tried once, on one place. */
export interface SimplePlaceLaw<T, N extends string> extends Omit<PlaceLaw<T, N>, "run"> {
  run(trial: T): Promise<void>;
}

/** Makes laws of simple ones. */
export function simply<T, N extends string>(
  laws: readonly SimplePlaceLaw<T, N>[],
): readonly PlaceLaw<T, N>[] {
  return laws.map((law) => ({ ...law, run: async (begin) => law.run(await begin()) }));
}
