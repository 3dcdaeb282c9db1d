/** Brings the tables of a database to the version that is known here. */
import { StoreError } from "../../../ledger/store.js";
import { MIGRATIONS, type Migration } from "./migrations.js";
import { openPool, type PgClient, type PgPool, type PgQueryable, withoutPassword } from "./pool.js";
import { sqlState, told, troubleOf } from "./trouble.js";

/** What a migration came to. */
export interface Migrated {
  /** The version before; 0 where there was nothing. */
  readonly from: number;
  readonly to: number;
}

/** How often a migration that met another is begun again. */
const TRIES = 5;
/** Two that make the schema at once: the one that lost finds it now. */
const MADE_MEANWHILE = new Set(["23505", "42P06", "42P07"]);

/**
 * Makes the tables for results of commands in the schema `mspkit` of a database, or brings them to the version that is
 * known here; where they are there already, nothing is changed. Several may do so at once. Fails with a StoreError:
 * `newerVersion` where a later version made them.
 * @param at an address, `postgres://...`, or a pool
 */
export async function migratePostgres(at: string | PgPool): Promise<Migrated> {
  return migrateTo(at, MIGRATIONS);
}

/** The same with other steps. */
export async function migrateTo(at: string | PgPool, steps: readonly Migration[]): Promise<Migrated> {
  const doing = typeof at === "string" ? `migrating ${withoutPassword(at)}` : "migrating the database";
  const pool = typeof at === "string" ? await openPool(at, 1) : at;
  try {
    for (let left = TRIES; ; ) {
      try {
        return await once(pool, steps);
      } catch (error) {
        const again = MADE_MEANWHILE.has(sqlState(error) ?? "") || troubleOf(error) !== "never";
        if (!again || --left === 0) throw told(error, doing);
      }
    }
  } finally {
    if (typeof at === "string") await pool.end().catch(() => undefined);
  }
}

async function once(pool: PgPool, steps: readonly Migration[]): Promise<Migrated> {
  const client = await pool.connect();
  const ignore = (): void => undefined;
  client.on("error", ignore);
  try {
    const made = await inside(client, steps);
    client.off("error", ignore);
    client.release();
    return made;
  } catch (error) {
    // Whatever it had begun ends with it.
    client.off("error", ignore);
    client.release(true);
    throw error;
  }
}

async function inside(client: PgClient, steps: readonly Migration[]): Promise<Migrated> {
  const to = steps.at(-1)?.version ?? 0;
  await client.query("begin");
  // Who may not make a schema, or a table in it, is only asked to where there is none.
  const { rows } = await client.query(
    "select to_regnamespace('mspkit') is not null as schema, to_regclass('mspkit.migrations') is not null as tables",
  );
  if (rows[0]!["schema"] !== true) await client.query("create schema if not exists mspkit");
  if (rows[0]!["tables"] !== true)
    await client.query(
      "create table if not exists mspkit.migrations (version integer primary key, what text not null, at timestamptz not null)",
    );
  let from = await versionOf(client);
  if (from < to) {
    // Of the transaction: it ends with it, whoever the backend belongs to next.
    await client.query("lock table mspkit.migrations in exclusive mode");
    from = await versionOf(client);
  }
  refuseNewer(from, to);
  for (const { version, what, sql } of steps) {
    if (version <= from) continue;
    await client.query(sql);
    await client.query("insert into mspkit.migrations values ($1, $2, now())", [version, what]);
  }
  await client.query("commit");
  return { from, to };
}

async function versionOf(client: PgQueryable): Promise<number> {
  const { rows } = await client.query("select coalesce(max(version), 0) as version from mspkit.migrations");
  return Number(rows[0]!["version"]);
}

function refuseNewer(found: number, known: number): void {
  if (found > known)
    throw new StoreError(
      "newerVersion",
      `the tables were made by a later version (${found}; this one knows ${known})`,
      { place: "mspkit.migrations" },
    );
}

/** Throws a StoreError where the tables are not those that are known here: `notFound`, `newerVersion`. */
export async function requireVersion(pool: PgQueryable): Promise<void> {
  const known = MIGRATIONS.at(-1)!.version;
  const found = await versionOf(pool);
  refuseNewer(found, known);
  if (found < known)
    throw new StoreError("notFound", `the tables have version ${found}, not ${known}: mspkit store migrate`, {
      place: "mspkit.migrations",
    });
}
