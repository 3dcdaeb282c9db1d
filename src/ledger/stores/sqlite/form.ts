/** The package that has SQLite, and the versions of the tables in a database. */
import type { Database } from "better-sqlite3";
import { MissingPackageError } from "../../../wire/missing-package.js";
import { StoreError } from "../../store.js";

/** better-sqlite3. Fails with a MissingPackageError where it is not installed. */
export async function loadSqlite(): Promise<typeof import("better-sqlite3")> {
  try {
    return (await import("better-sqlite3")).default;
  } catch (error) {
    throw new MissingPackageError("better-sqlite3", error);
  }
}

/** Tables of one kind, with the table that has their version. */
export interface Form {
  /** Of the table with the version: a word of SQL. */
  readonly table: string;
  /** The version that is known here. */
  readonly version: number;
  /** What makes all of them. */
  readonly tables: string;
  /** What they are for, in messages: `this store`. */
  readonly what: string;
}

/** Whether a database has the tables. Throws a StoreError, `newerVersion`, where a later version made them. */
export function hasForm(db: Database, { table, version, what }: Form, path: string): boolean {
  const found = versionOf(db, table);
  if (found !== undefined && found > version)
    throw new StoreError(
      "newerVersion",
      `${path} was written by a later version of ${what} (form ${found}; this one knows ${version})`,
      { place: path },
    );
  return found !== undefined;
}

/** Makes the tables, unless another process has just done so. */
export function makeForm(db: Database, { table, version, tables }: Form): void {
  db.transaction(() => {
    if (versionOf(db, table) !== undefined) return;
    db.exec(tables);
    db.prepare(`insert into ${table} values (?)`).run(version);
  }).immediate();
}

function versionOf(db: Database, table: string): number | undefined {
  const made = db.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(table);
  if (made === undefined) return undefined;
  return db.prepare<[], { version: number }>(`select version from ${table}`).get()?.version;
}
