/**
 * The ledger, for any platform: the port of a store, group commit in front of it, and the store in memory. What needs
 * Node is in `mspkit/ledger/node`.
 */
export { LogWriter } from "./log-writer.js";
export {
  type EntryText,
  isStoreError,
  type Log,
  type LogInfo,
  type OpenOptions,
  type Space,
  type Store,
  StoreError,
  type StoreErrorKind,
  type TornTail,
} from "./store.js";
export { MemoryPlace, type MemoryStoreOptions, memoryStore } from "./stores/memory.js";
