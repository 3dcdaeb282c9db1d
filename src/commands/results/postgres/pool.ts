/** What is used of the package pg: a pool of connections, the user's own or one that is made here. */
import { MissingPackageError } from "../../../wire/missing-package.js";

/** A row, by column. */
export type PgRow = Readonly<Record<string, unknown>>;

/** What a statement is answered. */
export interface PgAnswer {
  readonly rows: PgRow[];
  readonly rowCount: number | null;
  /** The word that the server answered: `COMMIT`. */
  readonly command: string;
}

/** What takes statements. */
export interface PgQueryable {
  query(text: string, values?: unknown[]): Promise<PgAnswer>;
}

/** One connection, as it is lent. */
export interface PgClient extends PgQueryable {
  /** Gives it back; with an error, or true, it is closed. */
  release(broken?: Error | boolean): void;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
}

/** A pool of connections: that of the package pg is one. */
export interface PgPool extends PgQueryable {
  connect(): Promise<PgClient>;
  end(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** How long a connection is waited for, in milliseconds. */
const CONNECT_MS = 5_000;
/** How long an answer is waited for, in milliseconds. */
export const ANSWER_MS = 15_000;

/** A pool for an address. Fails with a MissingPackageError without pg. */
export async function openPool(url: string, connections: number): Promise<PgPool> {
  let pg: typeof import("pg").default;
  try {
    pg = (await import("pg")).default;
  } catch (error) {
    throw new MissingPackageError("pg", error);
  }
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    application_name: "mspkit",
  });
  // Of a connection that nobody uses just now: the next statement gets another one.
  pool.on("error", () => undefined);
  return pool;
}

/** An address without what is secret in it. */
export function withoutPassword(url: string): string {
  try {
    const read = new URL(url);
    read.password = "";
    read.searchParams.delete("password");
    return read.href;
  } catch {
    return "postgres:";
  }
}
