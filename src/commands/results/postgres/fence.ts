/** Effects that are kept in the same PostgreSQL as the results: they stand or fall with their claim. */
import { StoreError } from "../../../ledger/store.js";
import type { CommandResult, Fence } from "../../app.js";
import { carried } from "../../carried.js";
import { platformClock } from "../../clock.js";
import type { Claim } from "../../results.js";
import { fenced, inTime } from "../in-time.js";
import { resultText } from "../result-text.js";
import { storedKey } from "../stored-key.js";
import type { PgClient, PgPool } from "./pool.js";
import { told } from "./trouble.js";

const OWN = "key = $1 and claim = $2 and epoch = $3";
/**
 * Marks an effect on the row of the claim, where that stands, and holds the row until the transaction ends. Its
 * process ends the transaction at the deadline; where that is stopped, the server does a little later, so that the command
 * can be abandoned.
 */
const MARK = `update mspkit.command_results set effects = effects + 1
  where ${OWN} and result is null and deadline > clock_timestamp()
  returning effects, ceil(extract(epoch from deadline - clock_timestamp()) * 1000)::float8 as left_ms, set_config(
    'idle_in_transaction_session_timeout',
    least(greatest(ceil(extract(epoch from deadline - clock_timestamp()) * 1000), 0) + 200, 2147483647)::bigint::text,
    true), set_config('synchronous_commit', case when current_setting('synchronous_commit') in ('off', 'local')
    then 'on' else current_setting('synchronous_commit') end, true)`;
const SETTLE = `update mspkit.command_results set result = $4, settled_at = clock_timestamp() where ${OWN}`;
/** Waits for a transaction that may still be about to commit, and shows what it left. */
const LOOK = `select effects from mspkit.command_results where ${OWN} for update`;

/** The pause between asking what became of a COMMIT, in milliseconds. */
const PAUSE_MS = 50;

/** See {@link Fence}. */
export class PostgresFence implements Fence {
  readonly epoch: number;
  readonly #pool: () => Promise<PgPool>;
  readonly #row: readonly [key: string, claim: string, epoch: number];
  readonly #patienceMs: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(pool: () => Promise<PgPool>, { key, token, epoch }: Claim, patienceMs: number) {
    this.epoch = epoch;
    this.#pool = pool;
    this.#row = [storedKey(key), token, epoch];
    this.#patienceMs = patienceMs;
  }

  run<T>(effect: (handle: unknown) => Promise<T>, result?: (value: T) => CommandResult): Promise<T> {
    // One after the other: each counts on the mark that the last one left.
    const running = this.#last.then(() => this.#run(effect, result));
    this.#last = running.catch(() => undefined);
    return running;
  }

  async #run<T>(effect: (handle: unknown) => Promise<T>, result?: (value: T) => CommandResult): Promise<T> {
    let client: PgClient;
    try {
      client = await (await this.#pool()).connect();
    } catch (error) {
      throw told(error, "beginning an effect");
    }
    const ignore = (): void => undefined;
    client.on("error", ignore);
    let broken = true;
    let made: { readonly value: T; readonly mark: number } | undefined;
    try {
      await client.query("begin");
      const { rows } = await client.query(MARK, [...this.#row]);
      if (rows.length === 0) {
        await client.query("rollback");
        broken = false;
        throw fenced();
      }
      const value = await inTime(Number(rows[0]!["left_ms"]), () => effect(client));
      if (result !== undefined)
        await client.query(SETTLE, [...this.#row, resultText(carried(result(value)))]);
      made = { value, mark: Number(rows[0]!["effects"]) };
      const { command } = await client.query("commit");
      broken = false;
      // A transaction in which a statement failed is rolled back, and COMMIT is answered all the same.
      if (command !== "COMMIT")
        throw new StoreError("failed", "committing an effect: a statement in it had failed, nothing is kept");
      return value;
    } catch (error) {
      if (made === undefined || !broken) throw error;
      // There is no answer to COMMIT, and it is never sent again: the row says what became of it.
      if (await this.#isKept(made.mark)) return made.value;
      throw told(error, "committing an effect");
    } finally {
      client.off("error", ignore);
      client.release(broken);
    }
  }

  /** Whether the effect with a mark is kept. Where that cannot be learnt in time, it fails as `failed`. */
  async #isKept(mark: number): Promise<boolean> {
    const began = performance.now();
    for (;;) {
      try {
        const { rows } = await (await this.#pool()).query(LOOK, [...this.#row]);
        return Number(rows[0]?.["effects"] ?? 0) >= mark;
      } catch (error) {
        if (performance.now() - began > this.#patienceMs)
          throw new StoreError("failed", "an effect was made, and it cannot be learnt whether it is kept", {
            cause: error,
          });
      }
      await new Promise<void>((resolve) => void platformClock.after(PAUSE_MS, resolve));
    }
  }
}
