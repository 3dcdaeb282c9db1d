/**
 * The laws of a store, for whoever writes one. They need no test runner.
 */
export {
  type CheckStoreOptions,
  checkStore,
  type StoreLawReport,
  type StoreReport,
  storeLaws,
} from "./check.js";
export type { StoreLaw } from "./law.js";
export type { FailingStore, MortalStore, StorePlace, StoreSubject } from "./subject.js";
export type { Answer, Held, Host, Told, Trial } from "./trial.js";
