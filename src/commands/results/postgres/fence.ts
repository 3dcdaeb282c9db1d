/** Effects that are kept in the same PostgreSQL as the results: they stand or fall with their claim. */
import { StoreError } from "../../../ledger/store.js";
import type { CommandResult, Fence } from "../../app.js";
import { carried } from "../../carried.js";
import { rest } from "../../pause.js";
import type { Claim } from "../../results.js";
import { fenced, inTime } from "../in-time.js";
import { resultText } from "../result-text.js";
import { storedKey } from "../stored-key.js";
import type { Answers } from "./answers.js";
import type { PgAnswer, PgClient, PgPool } from "./pool.js";
import { sqlState, told } from "./trouble.js";

const OWN = "key = $1 and claim = $2 and epoch = $3";
/** How long after the deadline the server ends what the process did not. In milliseconds. */
const GRACE_MS = 200;
/** A limit of the server, until the transaction ends; one that is there already and is shorter stays. */
const limited = (setting: string): string => `set_config('${setting}', least(
    least(greatest(ceil(extract(epoch from deadline - clock_timestamp()) * 1000), 0) + ${GRACE_MS}, 2147483647),
    nullif(extract(epoch from current_setting('${setting}')::interval) * 1000, 0))::bigint::text, true)`;
/**
 * Marks an effect on the row of the claim, where that stands, and holds the row until the transaction ends. Its
 * process ends the transaction at the deadline; where that is stopped, or a statement is under way, the server does a
 * little later, so that the command can be abandoned.
 */
const MARK = `update mspkit.command_results set effects = effects + 1
  where ${OWN} and result is null and deadline > clock_timestamp()
  returning effects, ceil(extract(epoch from deadline - clock_timestamp()) * 1000)::float8 as left_ms,
    ${limited("idle_in_transaction_session_timeout")}, ${limited("statement_timeout")},
    set_config('synchronous_commit', case when current_setting('synchronous_commit') in ('off', 'local')
    then 'on' else current_setting('synchronous_commit') end, true)`;
/** Whether the row is as this transaction has marked it: an effect that ended its transaction is in another one. */
const MARKED = `${OWN} and result is null and xmin::text = (txid_current() % 4294967296)::text`;
const SETTLE = `update mspkit.command_results set result = $4, settled_at = clock_timestamp() where ${MARKED} returning 1`;
const CHECK = `select 1 from mspkit.command_results where ${MARKED}`;
/** What a statement is refused with after another one of its transaction had failed. */
const FAILED_BEFORE = "25P02";
/** Waits for a transaction that may still be about to commit, and shows what it left. */
const LOOK = `select effects from mspkit.command_results where ${OWN} for update`;

/** The pause between asking what became of a COMMIT, in milliseconds. */
const PAUSE_MS = 50;

/** See {@link Fence}. */
export class PostgresFence implements Fence {
  readonly epoch: number;
  readonly #pool: () => Promise<PgPool>;
  readonly #answers: Answers;
  readonly #row: readonly [key: string, claim: string, epoch: number];
  readonly #patienceMs: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    pool: () => Promise<PgPool>,
    answers: Answers,
    { key, token, epoch }: Claim,
    patienceMs: number,
  ) {
    this.epoch = epoch;
    this.#pool = pool;
    this.#answers = answers;
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
    const client = await this.#connect();
    const ask = (text: string, values?: unknown[]): Promise<PgAnswer> =>
      this.#answers.within(client.query(text, values));
    const ignore = (): void => undefined;
    client.on("error", ignore);
    let held = true;
    let broken = true;
    const release = (): void => {
      if (!held) return;
      held = false;
      client.off("error", ignore);
      client.release(broken);
    };
    let made: { readonly value: T; readonly mark: number } | undefined;
    try {
      await ask("begin");
      const { rows } = await ask(MARK, [...this.#row]);
      if (rows.length === 0) {
        await ask("rollback");
        broken = false;
        throw fenced();
      }
      const value = await inTime(Number(rows[0]!["left_ms"]), () => effect(client));
      const last = result === undefined ? [] : [resultText(carried(result(value)))];
      await whole(ask(result === undefined ? CHECK : SETTLE, [...this.#row, ...last]));
      made = { value, mark: Number(rows[0]!["effects"]) };
      await ask("commit");
      broken = false;
      return value;
    } catch (error) {
      if (made === undefined || !broken) throw error;
      // There is no answer to COMMIT, and it is never sent again: the row says what became of it. That is asked on
      // another connection, and this may have been the last one of the pool.
      release();
      if (await this.#isKept(made.mark)) return made.value;
      throw told(error, "committing an effect");
    } finally {
      release();
    }
  }

  async #connect(): Promise<PgClient> {
    try {
      const connecting = (await this.#pool()).connect();
      return await this.#answers.within(connecting).catch((error: unknown) => {
        // Where it comes after all, nobody wants it any more.
        void connecting.then(
          (late) => late.release(),
          () => undefined,
        );
        throw error;
      });
    } catch (error) {
      throw told(error, "beginning an effect");
    }
  }

  /** Whether the effect with a mark is kept. Where that cannot be learnt in time, it fails as `failed`. */
  async #isKept(mark: number): Promise<boolean> {
    const began = performance.now();
    for (;;) {
      try {
        const pool = await this.#pool();
        const { rows } = await this.#answers.within(pool.query(LOOK, [...this.#row]));
        return Number(rows[0]?.["effects"] ?? 0) >= mark;
      } catch (error) {
        if (performance.now() - began > this.#patienceMs)
          throw new StoreError("failed", "an effect was made, and it cannot be learnt whether it is kept", {
            cause: error,
          });
      }
      await rest(PAUSE_MS);
    }
  }
}

/** Fails where an effect is not whole: where its transaction would keep nothing of it, or kept a part already. */
async function whole(asked: Promise<PgAnswer>): Promise<void> {
  let found: PgAnswer;
  try {
    found = await asked;
  } catch (error) {
    if (sqlState(error) !== FAILED_BEFORE) throw error;
    throw new StoreError("failed", "an effect: a statement in it had failed, nothing is kept", {
      cause: error,
    });
  }
  if (found.rows.length === 0)
    throw new StoreError("failed", "an effect ended its transaction itself: its claim does not stand for it");
}
