/** The application on the workspace bundle, and what it is made with. */
export { createWorkspaceApp, type WorkspaceAppOptions } from "./app.js";
export type { AppFunction } from "./engine/steps.js";
export { exampleFunctions } from "./functions.js";
export { MemoryStorage } from "./storage/memory.js";
export { openStorage } from "./storage/open.js";
export { openPostgres, type PostgresOptions } from "./storage/postgres.js";
export { openSqlite, type SqliteOptions } from "./storage/sqlite.js";
export type { Storage } from "./storage/storage.js";
