/** What a store's author gives, so that its store can be held to the laws. */
import type { Store } from "../../ledger/store.js";

/** A store as a subject of the laws. */
export interface StoreSubject {
  /** Its name in reports. */
  readonly name: string;
  /** Makes an empty place: a folder, a database, a map. */
  makePlace(): Promise<StorePlace>;
}

/** A place where stores of the subject keep their logs. */
export interface StorePlace {
  /** Opens a store on it. Those that are open at once are as those of several processes. */
  store(): Promise<Store>;
  /**
   * Opens a store that can be made to die as a process does that is killed: nothing is closed in order, and what the
   * kernel releases is released. Left out where that cannot be done: the laws of a crash then do not apply.
   */
  mortal?(): Promise<MortalStore>;
  /**
   * Opens a store whose machine can lose its power: it dies, and what was not synced by then is lost. Left out where
   * that cannot be done.
   */
  unplugged?(): Promise<MortalStore>;
  /** Opens a store whose next write can be made to fail, as by a full disk. Left out where that cannot be done. */
  failing?(): Promise<FailingStore>;
  /** Takes the place away. Stores on it are closed before, or dead. */
  remove(): Promise<void>;
}

/** A store that can die. */
export interface MortalStore {
  readonly store: Store;
  /** Ends it; resolves when it is dead. Its calls may then never end, or fail. */
  kill(): Promise<void>;
}

/** A store that can be made to fail. */
export interface FailingStore {
  readonly store: Store;
  /** The next write fails. */
  failNext(): void;
}
