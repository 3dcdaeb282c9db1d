/**
 * Results of commands that need Node: in SQLite, and in PostgreSQL.
 */
export { MissingPackageError } from "../wire/missing-package.js";
export { openResults } from "./results/open.js";
export { type Migrated, migratePostgres } from "./results/postgres/migrate.js";
export type { PgClient, PgPool, PgQueryable, PgRow } from "./results/postgres/pool.js";
export { type PostgresResultsOptions, postgresResults } from "./results/postgres/results.js";
export { type SqliteResultsOptions, sqliteResults } from "./results/sqlite/results.js";
