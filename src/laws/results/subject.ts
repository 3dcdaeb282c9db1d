/** What an author of command results gives, so that they can be held to the laws. */
import type { CommandResults, Retention } from "../../commands/results.js";

/** Results as a subject of the laws. */
export interface ResultsSubject {
  /** Their name in reports. */
  readonly name: string;
  /** Makes an empty place: a folder, a database, a map. */
  makePlace(): Promise<ResultsPlace>;
}

/** A place where results of the subject are kept. */
export interface ResultsPlace {
  /**
   * Opens results on it. Those that are open at once are as those of several processes; what cannot be shared between
   * processes gives the same ones again. All of one place are opened with the same retention; without one, nothing that
   * a law does may be forgotten.
   */
  results(retention?: Retention): Promise<CommandResults>;
  /**
   * Opens results that can be made to die as a process does that is killed: nothing is closed in order. Left out where
   * that cannot be done: the laws of a crash then do not apply.
   */
  mortal?(): Promise<MortalResults>;
  /**
   * Effects that are kept in the same store as the results. Left out where the results offer no fence: the laws of
   * effects then do not apply.
   */
  readonly effects?: PlaceEffects;
  /** Takes the place away. Results on it are closed before, or dead. */
  remove(): Promise<void>;
}

/** Something that can be seen to be kept in the store of results, or not. */
export interface PlaceEffects {
  /** Makes one under a name, in the transaction that a handle of `Fence.run` is in. Names may come twice. */
  make(handle: unknown, name: string): Promise<void>;
  /** The names of all that are kept, for whoever comes from outside, in any order. */
  kept(): Promise<readonly string[]>;
}

/** Results that can die. */
export interface MortalResults {
  readonly results: CommandResults;
  /** Ends them; resolves when they are dead. Their calls may then never end, or fail. */
  kill(): Promise<void>;
}
