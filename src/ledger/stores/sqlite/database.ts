/**
 * The database of the SQLite store: its tables, its statements, and how it waits for others.
 *
 * The key of an entry is one number, the log's in the upper 32 bits and the seq in the lower ones: so a log grows at one
 * place of the tree, and SQLite's quick way of appending applies. Random keys would split pages all over it.
 */
import type { Database, Statement } from "better-sqlite3";
import { MissingPackageError } from "../../../wire/missing-package.js";
import { isStoreError, type Space, StoreError } from "../../store.js";
import { asStoreError } from "../failed.js";
import { type Form, hasForm, loadSqlite, makeForm } from "./form.js";

/** The version of the tables. A later one is refused. */
export const SCHEMA_VERSION = 1;

/** How long SQLite itself waits for a lock, in milliseconds: it blocks the loop. */
const BLOCKING_MS = 50;
/** How long it is waited in all before it counts as failed, in milliseconds. Nothing was written by then. */
const PATIENCE_MS = 60_000;

const TABLES = `
  create table form (version integer not null);
  create table logs (
    log integer primary key, space text not null, id text not null,
    epoch integer not null, owner text, at integer not null,
    unique (space, id)
  );
  create table entries (
    key integer primary key, at integer not null, crc integer not null, text text not null
  );
`;

const FORM: Form = { table: "form", version: SCHEMA_VERSION, tables: TABLES, what: "this store" };

/** A row of `logs`. */
export interface LogRow {
  readonly log: number;
  readonly epoch: number;
  /** The token of the holder; null for none. */
  readonly owner: string | null;
}

/** A row of `entries`. */
export interface EntryRow {
  readonly seq: number;
  readonly crc: number;
  readonly text: string;
}

/** What is asked of the database. */
export interface Statements {
  readonly find: Statement<[Space, string], LogRow>;
  readonly create: Statement<[Space, string, string, number]>;
  /** Takes the log where its epoch is still the one that was seen. */
  readonly take: Statement<[owner: string, log: number, epoch: number]>;
  readonly release: Statement<[log: number, epoch: number]>;
  readonly fence: Statement<[Space, string]>;
  readonly entries: Statement<[log: number, sameLog: number], EntryRow>;
  /** The epoch of a log. */
  readonly epoch: Statement<[log: number], { readonly epoch: number }>;
  readonly add: Statement<[log: number, seq: number, at: number, crc: number, text: string]>;
  /** Adds an entry where the epoch is still the holder's, all in one. */
  readonly addAlone: Statement<
    [log: number, seq: number, at: number, crc: number, text: string, sameLog: number, epoch: number]
  >;
  readonly list: Statement<[Space], { readonly id: string; readonly at: number }>;
}

/** Opens the database; makes its tables where there are none. */
export async function openDatabase(path: string, synchronous: string): Promise<Database> {
  const Sqlite = await loadSqlite();
  return patiently(() => {
    let db: Database | undefined;
    try {
      const made = new Sqlite(path, { timeout: BLOCKING_MS });
      db = made;
      hasForm(made, FORM, path);
      made.pragma("journal_mode = WAL");
      made.pragma(`synchronous = ${synchronous}`);
      makeForm(made, FORM);
      return made;
    } catch (error) {
      db?.close();
      throw error;
    }
  }, `opening ${path}`);
}

const OF_LOG = "key > (? << 32) and key < ((? + 1) << 32)";

/** The statements of an open database. */
export function prepareAll(db: Database): Statements {
  return {
    find: db.prepare("select log, epoch, owner from logs where space = ? and id = ?"),
    create: db.prepare("insert into logs (space, id, epoch, owner, at) values (?, ?, 1, ?, ?)"),
    take: db.prepare("update logs set epoch = epoch + 1, owner = ? where log = ? and epoch = ?"),
    release: db.prepare("update logs set owner = null where log = ? and epoch = ?"),
    fence: db.prepare("update logs set epoch = epoch + 1, owner = null where space = ? and id = ?"),
    entries: db.prepare(
      `select key & 4294967295 as seq, crc, text from entries where ${OF_LOG} order by key`,
    ),
    epoch: db.prepare("select epoch from logs where log = ?"),
    add: db.prepare("insert into entries values ((? << 32) | ?, ?, ?, ?)"),
    addAlone: db.prepare(
      "insert into entries select (? << 32) | ?, ?, ?, ? where (select epoch from logs where log = ?) = ?",
    ),
    list: db.prepare(
      `select id, coalesce((select at from entries where ${OF_LOG.replaceAll("?", "logs.log")} order by key desc limit 1), at) as at
       from logs where space = ?`,
    ),
  };
}

/** Does something as soon as no other connection is in its way. */
export async function patiently<T>(action: () => T, doing: string): Promise<T> {
  for (const start = performance.now(); ; ) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || performance.now() - start > PATIENCE_MS) throw told(error, doing);
    }
    await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 10));
  }
}

/** Whether another connection was in the way for longer than SQLite waits. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error)?.startsWith("SQLITE_BUSY") === true;
}

/** An error of SQLite as one of a store. */
export function told(error: unknown, doing: string): Error {
  if (error instanceof TypeError || error instanceof MissingPackageError || isStoreError(error)) return error;
  const code = sqliteCode(error);
  if (code?.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB")
    return new StoreError("damaged", `${doing}: ${(error as Error).message}`, { cause: error, place: doing });
  return asStoreError(error, doing);
}

function sqliteCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" && code.startsWith("SQLITE_") ? code : undefined;
}
