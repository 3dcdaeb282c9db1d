/** The tables and statements for results in SQLite. */
import type { Database, Statement } from "better-sqlite3";
import { patiently, told } from "../../../ledger/stores/sqlite/database.js";
import { type Form, hasForm, loadSqlite, makeForm } from "../../../ledger/stores/sqlite/form.js";

/** The version of the tables. A later one is refused. */
export const RESULTS_VERSION = 1;

/**
 * How long SQLite itself waits for a lock, in milliseconds. That would stop the loop, and with it who holds the lock,
 * where that is an effect of this process; so it is waited outside.
 */
const BLOCKING_MS = 0;

// The epoch of a row is never given again, also when the row is gone.
const TABLES = `
  create table command_form (version integer not null);
  create table command_results (
    epoch integer primary key autoincrement,
    key text not null unique, scope text not null, id_time integer,
    claim text not null, signature text, deadline integer not null,
    effects integer not null default 0, result text, settled_at integer
  );
  create index command_settlements on command_results (settled_at, epoch) where settled_at is not null;
  create table command_watermarks (scope text primary key, id_time integer not null) without rowid;
`;

const FORM: Form = {
  table: "command_form",
  version: RESULTS_VERSION,
  tables: TABLES,
  what: "these results",
};

/** A row of results. */
export interface ResultRow {
  readonly epoch: number;
  readonly claim: string;
  readonly signature: string | null;
  readonly deadline: number;
  readonly result: string | null;
}

/** What is asked of the database. */
export interface ResultStatements {
  readonly find: Statement<[key: string], ResultRow>;
  readonly watermark: Statement<[scope: string], { readonly id_time: number }>;
  readonly add: Statement<
    [
      key: string,
      scope: string,
      idTime: number | null,
      claim: string,
      signature: string | null,
      deadline: number,
    ]
  >;
  readonly settle: Statement<
    [result: string, at: number, key: string, claim: string, epoch: number, now: number]
  >;
  readonly abandon: Statement<[result: string, at: number, key: string, now: number]>;
  readonly release: Statement<[key: string, claim: string, epoch: number, now: number]>;
  readonly count: Statement<[], { readonly settled: number; readonly pending: number }>;
  readonly oldest: Statement<
    [before: number, most: number],
    { readonly epoch: number; readonly scope: string; readonly id_time: number | null }
  >;
  readonly drop: Statement<[epoch: number]>;
  readonly raise: Statement<[scope: string, idTime: number]>;
}

/** What is asked for an effect. */
export interface EffectStatements {
  /** Marks an effect on the row of a claim that stands. */
  readonly mark: Statement<
    [key: string, claim: string, epoch: number, now: number],
    { readonly deadline: number }
  >;
  readonly settle: ResultStatements["settle"];
}

/** Opens the database at a path; makes the tables where there are none. */
export async function openResultsDatabase(path: string): Promise<Database> {
  const Sqlite = await loadSqlite();
  return patiently(() => {
    let db: Database | undefined;
    try {
      const made = new Sqlite(path, { timeout: BLOCKING_MS });
      db = made;
      const has = hasForm(made, FORM, path);
      made.pragma("journal_mode = WAL");
      made.pragma("synchronous = full");
      // Where there are tables nothing is written: who writes just now is not waited for.
      if (!has) makeForm(made, FORM);
      return made;
    } catch (error) {
      db?.close();
      throw error;
    }
  }, `opening ${path}`).catch((error: unknown) => {
    throw told(error, `opening ${path}`);
  });
}

/** Opens one more connection to a database that has its tables, for effects. */
export async function openEffectsDatabase(path: string): Promise<Database> {
  const Sqlite = await loadSqlite();
  try {
    const db = new Sqlite(path, { timeout: BLOCKING_MS, fileMustExist: true });
    db.pragma("synchronous = full");
    return db;
  } catch (error) {
    throw told(error, `opening ${path}`);
  }
}

/** The statements for effects. */
export function prepareEffects(db: Database): EffectStatements {
  return {
    mark: db.prepare(
      `update command_results set effects = effects + 1
       where key = ? and claim = ? and epoch = ? and result is null and deadline > ? returning deadline`,
    ),
    settle: db.prepare(SETTLE),
  };
}

const SETTLE = `update command_results set result = ?, settled_at = ?
  where key = ? and claim = ? and epoch = ? and result is null and deadline > ?`;

/** The statements of an open database. */
export function prepareResults(db: Database): ResultStatements {
  return {
    find: db.prepare("select epoch, claim, signature, deadline, result from command_results where key = ?"),
    watermark: db.prepare("select id_time from command_watermarks where scope = ?"),
    add: db.prepare(
      "insert into command_results (key, scope, id_time, claim, signature, deadline) values (?, ?, ?, ?, ?, ?)",
    ),
    settle: db.prepare(SETTLE),
    abandon: db.prepare(
      "update command_results set result = ?, settled_at = ? where key = ? and result is null and deadline <= ?",
    ),
    release: db.prepare(
      `delete from command_results
       where key = ? and claim = ? and epoch = ? and result is null and effects = 0 and deadline > ?`,
    ),
    count: db.prepare(
      "select count(result) as settled, count(*) - count(result) as pending from command_results",
    ),
    oldest: db.prepare(
      `select epoch, scope, id_time from command_results
       where settled_at <= ? order by settled_at, epoch limit ?`,
    ),
    drop: db.prepare("delete from command_results where epoch = ?"),
    raise: db.prepare(
      `insert into command_watermarks values (?, ?)
       on conflict (scope) do update set id_time = max(id_time, excluded.id_time)`,
    ),
  };
}
