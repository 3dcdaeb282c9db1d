/**
 * Results in PostgreSQL, shared by all processes that have its address. All that is asked is single statements; each may
 * be sent again, since a claim is told by its token, and a settlement by its claim. So an answer that is lost is not
 * guessed at: the statement is sent again on another connection, and says how the row stands.
 */
import { randomUUID } from "node:crypto";
import { StoreError } from "../../../ledger/store.js";
import type { CommandResult, Fence } from "../../app.js";
import type { CommandKey } from "../../key.js";
import { rest } from "../../pause.js";
import {
  type Claim,
  type Claimed,
  type ClaimRequest,
  type CommandResults,
  DEFAULT_NEWEST,
  type Forgotten,
  type Retention,
  type Settlement,
  type Standing,
} from "../../results.js";
import { ForgetPace } from "../forget-pace.js";
import { Poller } from "../poller.js";
import { ABANDONED_TEXT, resultOf, resultText } from "../result-text.js";
import { retentionOf } from "../retention.js";
import { storedKey, storedScope } from "../stored-key.js";
import { Answers } from "./answers.js";
import { PostgresFence } from "./fence.js";
import { requireVersion } from "./migrate.js";
import { ANSWER_MS, openPool, type PgAnswer, type PgPool, type PgRow, withoutPassword } from "./pool.js";
import { told, troubleOf } from "./trouble.js";

/** How results in PostgreSQL are opened. */
export interface PostgresResultsOptions {
  /** Default: the newest 10,000, of all processes. What is older is forgotten from time to time, so there may be more. */
  readonly retention?: Retention;
  /** The most connections of a pool that is made here. Default: 10. */
  readonly connections?: number;
  /** How long a statement without an answer is sent again, in milliseconds. Default: 3,000. */
  readonly patienceMs?: number;
}

/** The most that is forgotten in one statement. */
const MOST_AT_ONCE = 10_000;
/** The pauses between sending a statement again, in milliseconds. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 300;
/** Claims without an answer whose tokens are kept. */
const MAX_DOUBTFUL = 10_000;

/**
 * Results in PostgreSQL. The tables are made by `mspkit store migrate`, or `migratePostgres`.
 * @param at an address, `postgres://...`, or a pool of the package pg, which is not closed with the results
 */
export function postgresResults(at: string | PgPool, options: PostgresResultsOptions = {}): CommandResults {
  return new PostgresResults(at, options);
}

/** The same, with how long an answer is waited for, in milliseconds. */
export class PostgresResults implements CommandResults {
  readonly shared = true;
  readonly durability = "durable";
  readonly url: string;
  readonly #own: boolean;
  readonly #retention: Retention;
  readonly #patienceMs: number;
  readonly #pace: ForgetPace;
  readonly #open: () => Promise<PgPool>;
  readonly #poller: Poller;
  readonly #answers: Answers;
  // A random word for this start, and a number for each claim: a process id may be another's tomorrow.
  readonly #owner = randomUUID();
  #claims = 0;
  readonly #doubtful = new Map<string, string>();
  #ready: Promise<PgPool> | undefined;
  #pool: PgPool | undefined;
  #forgetting: Promise<unknown> | undefined;
  #full = false;
  #closed: Promise<void> | undefined;

  constructor(at: string | PgPool, options: PostgresResultsOptions, answerMs: number = ANSWER_MS) {
    const { retention = { newest: DEFAULT_NEWEST }, connections = 10, patienceMs = 3_000 } = options;
    this.#retention = retentionOf(retention);
    this.#patienceMs = patienceMs;
    this.#pace = new ForgetPace(retention);
    this.#answers = new Answers(answerMs);
    this.#own = typeof at === "string";
    this.url = typeof at === "string" ? withoutPassword(at) : "postgres:";
    this.#open = async () => (typeof at === "string" ? openPool(at, connections) : at);
    this.#poller = new Poller((texts) => this.#readAll(texts));
  }

  async claim({ key, idTime, signature, deadlineMs }: ClaimRequest): Promise<Claimed> {
    const text = storedKey(key);
    if (this.#full) await this.forget();
    // Taken out while it is used: of two claims at once only one is the one that may stand.
    const doubtful = this.#doubtful.get(text);
    const token = doubtful ?? `${this.#owner}/${++this.#claims}`;
    if (doubtful !== undefined) this.#doubtful.delete(text);
    let row: PgRow;
    try {
      row = await this.#one(
        "claiming a command",
        "select mspkit.claim_command($1,$2,$3,$4,$5,$6,$7,$8) as answer",
        [
          text,
          storedScope(key.tenant),
          idTime ?? null,
          token,
          signature ?? null,
          deadlineMs,
          ABANDONED_TEXT,
          this.#full,
        ],
      );
    } catch (error) {
      // The claim may stand. It is this one's, whenever it is asked for again.
      const known = this.#doubtful.has(text);
      if (known ? doubtful !== undefined : this.#doubtful.size < MAX_DOUBTFUL)
        this.#doubtful.set(text, token);
      throw error;
    }
    const answer = row["answer"] as string;
    if (answer === "expired" || answer === "full") return { kind: answer };
    if (answer.startsWith("{")) return standingOf(JSON.parse(answer) as PgRow);
    return { kind: "claimed", claim: { key, epoch: Number(answer), token } };
  }

  async settle({ key, token, epoch }: Claim, result: CommandResult): Promise<Settlement> {
    const row = await this.#one(
      "settling a command",
      "select mspkit.settle_command($1,$2,$3,$4,$5) as answer",
      [storedKey(key), token, epoch, resultText(result), ABANDONED_TEXT],
    );
    if (this.#pace.settled()) this.#forgetSoon();
    const answer = row["answer"] as string | null;
    if (answer === null) return { kind: "settled", result };
    const { ours, result: text } = JSON.parse(answer) as {
      readonly ours: boolean | null;
      readonly result: string | null;
    };
    return { kind: ours === true ? "settled" : "fenced", result: text === null ? undefined : resultOf(text) };
  }

  async release({ key, token, epoch }: Claim): Promise<boolean> {
    const row = await this.#one(
      "releasing a command",
      "select mspkit.release_command($1,$2,$3) as released",
      [storedKey(key), token, epoch],
    );
    return row["released"] === true;
  }

  async read(key: CommandKey): Promise<Standing> {
    return (await this.#readAll([storedKey(key)]))[0]!;
  }

  async wait(key: CommandKey, waitMs: number): Promise<Standing> {
    this.#check();
    return this.#poller.wait(storedKey(key), waitMs);
  }

  async forget(): Promise<Forgotten> {
    // It would find itself in its way.
    await this.#forgetting;
    return this.#forget();
  }

  async #forget(): Promise<Forgotten> {
    const { newest, ageMs } = this.#retention;
    let forgotten = 0;
    for (;;) {
      const row = await this.#one("forgetting commands", "select * from mspkit.forget_commands($1,$2,$3)", [
        newest ?? null,
        ageMs ?? null,
        MOST_AT_ONCE,
      ]);
      const gone = Number(row["forgotten"]);
      forgotten += gone;
      if (gone === MOST_AT_ONCE) continue;
      const pending = Number(row["pending"]);
      const settled = Number(row["settled"]);
      this.#full = newest !== undefined && pending >= newest;
      this.#pace.begin();
      this.#pace.left(settled + pending);
      return { forgotten, settled, pending };
    }
  }

  fence(claim: Claim): Fence {
    return new PostgresFence(() => this.#prepare(), this.#answers, claim, this.#patienceMs);
  }

  close(): Promise<void> {
    return (this.#closed ??= (async () => {
      this.#poller.close();
      await this.#forgetting;
      const pool = await this.#ready?.catch(() => undefined);
      if (this.#own) await pool?.end();
    })());
  }

  async #readAll(texts: readonly string[]): Promise<Standing[]> {
    const { rows } = await this.#send("reading commands", "select * from mspkit.read_commands($1,$2)", [
      texts,
      ABANDONED_TEXT,
    ]);
    const byKey = new Map(rows.map((row) => [row["key"], standingOf(row)]));
    return texts.map((text) => byKey.get(text) ?? { kind: "absent" });
  }

  #forgetSoon(): void {
    if (this.#forgetting !== undefined) return;
    this.#forgetting = this.#forget()
      // The next time, then: nothing is lost by remembering more.
      .catch(() => this.#pace.begin())
      .then(() => {
        this.#forgetting = undefined;
      });
  }

  async #one(doing: string, text: string, values: unknown[]): Promise<PgRow> {
    return (await this.#send(doing, text, values)).rows[0] as PgRow;
  }

  /** Sends a statement, which may be sent again, until there is an answer or patience ends. */
  #send(doing: string, text: string, values: unknown[]): Promise<PgAnswer> {
    this.#check();
    const began = performance.now();
    // Most have an answer at once.
    return this.#query(text, values).catch((error: unknown) =>
      this.#again(error, began, doing, text, values),
    );
  }

  async #again(
    error: unknown,
    began: number,
    doing: string,
    text: string,
    values: unknown[],
  ): Promise<PgAnswer> {
    let last = error;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      if (troubleOf(last) === "never" || performance.now() - began > this.#patienceMs)
        throw told(last, doing);
      await rest(pause * (0.5 + Math.random()));
      try {
        return await this.#query(text, values);
      } catch (failure) {
        last = failure;
      }
    }
  }

  #query(text: string, values: unknown[]): Promise<PgAnswer> {
    if (this.#pool !== undefined) return this.#answers.within(this.#pool.query(text, values));
    return this.#prepare().then((pool) => this.#answers.within(pool.query(text, values)));
  }

  #prepare(): Promise<PgPool> {
    return (this.#ready ??= (async () => {
      const pool = await this.#open();
      try {
        await this.#answers.within(requireVersion(pool));
        this.#pool = pool;
        return pool;
      } catch (error) {
        if (this.#own) await pool.end();
        throw error;
      }
    })().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    }));
  }

  #check(): void {
    if (this.#closed !== undefined) throw new StoreError("closed", "the results were closed");
  }
}

function standingOf(row: PgRow): Extract<Standing, { readonly kind: "settled" | "pending" }> {
  const signature = (row["signature"] as string | null) ?? undefined;
  const text = row["result"] as string | null;
  return text === null
    ? { kind: "pending", signature }
    : { kind: "settled", signature, result: resultOf(text) };
}
