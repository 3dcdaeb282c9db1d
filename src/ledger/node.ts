/**
 * The stores that need Node.
 */
export { MissingPackageError } from "../wire/missing-package.js";
export { defaultStoreUrl } from "./stores/default-place.js";
export type { Files } from "./stores/file/files.js";
export { type FileStoreOptions, fileStore } from "./stores/file/store.js";
export { openStore, StoreUrlError } from "./stores/open.js";
export { type SqliteStoreOptions, sqliteStore } from "./stores/sqlite/store.js";
