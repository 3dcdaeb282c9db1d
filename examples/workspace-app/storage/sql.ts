/**
 * The port over one SQL database: two tables, and statements that both PostgreSQL and SQLite understand. A database says
 * how it is asked and how a transaction is made; see the modules beside this one.
 */
import type { JsonObject } from "../../../src/commands/app.js";
import type {
  Entry,
  Kind,
  Reader,
  Scope,
  Selection,
  Stored,
  Transaction,
  WriteOptions,
  Written,
} from "./storage.js";

/** Value of a parameter, or of a cell. */
export type Cell = string | number | null;
/** A row, by column. */
export type Row = Readonly<Record<string, Cell>>;

/** A connection. Parameters stand as `?`. */
export interface Sql {
  all(text: string, values: readonly Cell[]): Promise<readonly Row[]>;
  /** How many rows were changed. */
  run(text: string, values: readonly Cell[]): Promise<number>;
}

/** The tables. `counters`: the last revision, and the last position of each kind. `body` is JSON as text: all of it. */
export const TABLES: readonly string[] = [
  `create table if not exists app_workspaces (
     tenant text not null, workspace text not null, counters text not null, primary key (tenant, workspace))`,
  `create table if not exists app_records (
     tenant text not null, workspace text not null, kind text not null, id text not null,
     position bigint not null, revision bigint not null, grp text not null, state text not null,
     due bigint, body text not null, primary key (tenant, workspace, kind, id))`,
  `create unique index if not exists app_records_position on app_records (tenant, workspace, kind, position)`,
  `create index if not exists app_records_group on app_records (tenant, workspace, kind, grp, position)`,
  `create index if not exists app_records_state on app_records (tenant, workspace, kind, state, position)`,
  `create index if not exists app_records_revision on app_records (tenant, workspace, revision)`,
  `create index if not exists app_records_due on app_records (due) where due is not null`,
];

type Counters = { revision: number } & Partial<Record<Kind, number>>;

const COLUMNS = "kind, id, position, revision, grp, state, due, body";

function stored(row: Row): Stored {
  return {
    kind: row["kind"] as Kind,
    id: row["id"] as string,
    position: Number(row["position"]),
    revision: Number(row["revision"]),
    group: row["grp"] as string,
    state: row["state"] as string,
    due: row["due"] === null ? null : Number(row["due"]),
    body: JSON.parse(row["body"] as string) as JsonObject,
  };
}

/** Looks at a workspace. */
export class SqlReader implements Reader {
  protected readonly sql: Sql;
  protected readonly scope: readonly [string, string];

  constructor(sql: Sql, { tenant, workspace }: Scope) {
    this.sql = sql;
    this.scope = [tenant, workspace];
  }

  async get(kind: Kind, id: string): Promise<Stored | undefined> {
    const [row] = await this.sql.all(
      `select ${COLUMNS} from app_records where tenant = ? and workspace = ? and kind = ? and id = ?`,
      [...this.scope, kind, id],
    );
    return row === undefined ? undefined : stored(row);
  }

  async list(kind: Kind, { after = 0, group, state, limit }: Selection): Promise<readonly Stored[]> {
    const more = `${group === undefined ? "" : " and grp = ?"}${state === undefined ? "" : " and state = ?"}`;
    const values = [group, state].filter((value) => value !== undefined);
    const rows = await this.sql.all(
      `select ${COLUMNS} from app_records
       where tenant = ? and workspace = ? and kind = ? and position > ?${more} order by position limit ?`,
      [...this.scope, kind, after, ...values, limit],
    );
    return rows.map(stored);
  }
}

/** Does some work on a workspace, inside a transaction of the database. See `SqlTransaction.begin`. */
export async function written<T>(
  sql: Sql,
  scope: Scope,
  { lock, clock }: { readonly lock: string; readonly clock: string },
  work: (transaction: Transaction) => Promise<T>,
  signal: WriteOptions<T>["signal"],
): Promise<Written<T>> {
  const transaction = await SqlTransaction.begin(sql, scope, lock, clock);
  const value = await work(transaction);
  await transaction.end();
  signal?.throwIfAborted();
  return { value, before: transaction.before, after: transaction.after };
}

/** A transaction of a workspace, inside one of the database. */
class SqlTransaction extends SqlReader implements Transaction {
  readonly now: number;
  readonly before: number;
  readonly #counters: Counters;

  private constructor(sql: Sql, scope: Scope, now: number, counters: Counters) {
    super(sql, scope);
    this.now = now;
    this.before = counters.revision;
    this.#counters = counters;
  }

  /**
   * Takes the workspace for itself until the transaction ends.
   * @param lock what a row is locked by, in the words of the database
   * @param clock the time in milliseconds, in the words of the database
   */
  static async begin(sql: Sql, scope: Scope, lock: string, clock: string): Promise<SqlTransaction> {
    const { tenant, workspace } = scope;
    const take = (): Promise<readonly Row[]> =>
      sql.all(`select counters from app_workspaces where tenant = ? and workspace = ? ${lock}`, [
        tenant,
        workspace,
      ]);
    let [row] = await take();
    if (row === undefined) {
      await sql.run(
        `insert into app_workspaces (tenant, workspace, counters) values (?, ?, '{"revision":0}')
         on conflict (tenant, workspace) do nothing`,
        [tenant, workspace],
      );
      [row] = await take();
    }
    // The time is asked for when the workspace is held: later transactions have later times.
    const [time] = await sql.all(`select ${clock} as now`, []);
    const counters = JSON.parse(row?.["counters"] as string) as Counters;
    return new SqlTransaction(sql, scope, Number(time?.["now"]), counters);
  }

  /** The last revision that it gave. */
  get after(): number {
    return this.#counters.revision;
  }

  /** Keeps the counters; the last that a transaction does. */
  async end(): Promise<void> {
    if (this.after === this.before) return;
    await this.sql.run("update app_workspaces set counters = ? where tenant = ? and workspace = ?", [
      JSON.stringify(this.#counters),
      ...this.scope,
    ]);
  }

  async insert(kind: Kind, id: string, make: (position: number) => Entry): Promise<boolean> {
    const position = (this.#counters[kind] ?? 0) + 1;
    const revision = this.#counters.revision + 1;
    const { group, state, due, body } = make(position);
    const changed = await this.sql.run(
      `insert into app_records (tenant, workspace, ${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (tenant, workspace, kind, id) do nothing`,
      [...this.scope, kind, id, position, revision, group, state, due, JSON.stringify(body)],
    );
    if (changed === 0) return false;
    this.#counters[kind] = position;
    this.#counters.revision = revision;
    return true;
  }

  async update(kind: Kind, id: string, { group, state, due, body }: Entry): Promise<void> {
    this.#counters.revision += 1;
    const changed = await this.sql.run(
      `update app_records set revision = ?, grp = ?, state = ?, due = ?, body = ?
       where tenant = ? and workspace = ? and kind = ? and id = ?`,
      [this.#counters.revision, group, state, due, JSON.stringify(body), ...this.scope, kind, id],
    );
    if (changed !== 1) throw new Error(`there is no ${kind} ${id}`);
  }

  async postpone(kind: Kind, id: string, due: number): Promise<void> {
    await this.sql.run(
      "update app_records set due = ? where tenant = ? and workspace = ? and kind = ? and id = ?",
      [due, ...this.scope, kind, id],
    );
  }
}

/** The last revision of a workspace. */
export async function revisionOf(sql: Sql, { tenant, workspace }: Scope): Promise<number> {
  const [row] = await sql.all("select counters from app_workspaces where tenant = ? and workspace = ?", [
    tenant,
    workspace,
  ]);
  return row === undefined ? 0 : (JSON.parse(row["counters"] as string) as Counters).revision;
}

/** The records that were changed after a revision. */
export async function changesOf(
  sql: Sql,
  { tenant, workspace }: Scope,
  after: number,
  limit: number,
): Promise<readonly Stored[]> {
  const rows = await sql.all(
    `select ${COLUMNS} from app_records where tenant = ? and workspace = ? and revision > ?
     order by revision limit ?`,
    [tenant, workspace, after, limit],
  );
  return rows.map(stored);
}

/** The runs that are due. */
export async function dueOf(
  sql: Sql,
  clock: string,
  limit: number,
): Promise<readonly { readonly scope: Scope; readonly id: string }[]> {
  const rows = await sql.all(
    `select tenant, workspace, id from app_records where due <= ${clock} order by due limit ?`,
    [limit],
  );
  return rows.map((row) => ({
    scope: { tenant: row["tenant"] as string, workspace: row["workspace"] as string },
    id: row["id"] as string,
  }));
}
