/**
 * Results in one SQLite database on a local file system, shared by the processes of the machine. Changes that come
 * together share a transaction; its deadlines are in the clock of the machine.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Database } from "better-sqlite3";
import { isStoreError, StoreError } from "../../../ledger/store.js";
import { asking } from "../../../ledger/stores/failed.js";
import { patiently } from "../../../ledger/stores/sqlite/database.js";
import { storeUrl } from "../../../ledger/stores/url.js";
import type { CommandResult, Fence } from "../../app.js";
import type { CommandKey } from "../../key.js";
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
import { Batches } from "./batches.js";
import { Effects } from "./effects.js";
import { SqliteFence } from "./fence.js";
import { openResultsDatabase, prepareResults, type ResultRow, type ResultStatements } from "./tables.js";
import { Turns } from "./turns.js";

/** How results in SQLite are opened. */
export interface SqliteResultsOptions {
  /** Default: the newest 10,000, of all processes. What is older is forgotten from time to time, so there may be more. */
  readonly retention?: Retention;
}

/** The most that is forgotten in one transaction: the loop stands still for it. */
const MOST_AT_ONCE = 1_000;

/**
 * Results in an SQLite database. It is made when it is first needed; without better-sqlite3 that fails with a
 * MissingPackageError.
 */
export function sqliteResults(path: string, options: SqliteResultsOptions = {}): CommandResults {
  return new SqliteResults(resolve(path), options);
}

interface Ready {
  readonly db: Database;
  readonly statements: ResultStatements;
  readonly batches: Batches;
}

class SqliteResults implements CommandResults {
  readonly shared = true;
  readonly durability = "durable";
  readonly url: string;
  readonly #path: string;
  readonly #retention: Retention;
  readonly #pace: ForgetPace;
  readonly #poller: Poller;
  readonly #turns: Turns;
  readonly #effects: Effects;
  readonly #owner = randomUUID();
  #claims = 0;
  #ready: Promise<Ready> | undefined;
  #full = false;
  #closed: Promise<void> | undefined;

  constructor(path: string, { retention = { newest: DEFAULT_NEWEST } }: SqliteResultsOptions) {
    this.#path = path;
    this.url = storeUrl("sqlite", path, {});
    this.#retention = retentionOf(retention);
    this.#pace = new ForgetPace(retention);
    this.#poller = new Poller((texts) => this.#poll(texts));
    this.#turns = new Turns(path);
    this.#effects = new Effects(path, this.#turns, () => this.#prepare());
  }

  async claim(request: ClaimRequest): Promise<Claimed> {
    const text = storedKey(request.key);
    const { batches, statements } = await this.#prepare();
    if (this.#full) await this.forget();
    // What is settled never changes: it needs no transaction.
    const row = await this.#look(statements, text);
    if (row?.result != null) return standingOf(row);
    const token = `${this.#owner}/${++this.#claims}`;
    return batches.run(() => this.#claim(statements, text, token, request));
  }

  async settle({ key, token, epoch }: Claim, result: CommandResult): Promise<Settlement> {
    const text = storedKey(key);
    const kept = resultText(result);
    const { batches, statements } = await this.#prepare();
    const settlement = await batches.run((): Settlement => {
      const now = Date.now();
      if (statements.settle.run(kept, now, text, token, epoch, now).changes === 1)
        return { kind: "settled", result };
      const row = this.#current(statements, text, now);
      const ours = row?.claim === token && row.result !== null && row.result !== ABANDONED_TEXT;
      return {
        kind: ours ? "settled" : "fenced",
        result: row === undefined || row.result === null ? undefined : resultOf(row.result),
      };
    });
    if (this.#pace.settled()) {
      this.#pace.begin();
      // Nothing is lost by remembering more, where that fails.
      void this.forget().catch(() => undefined);
    }
    return settlement;
  }

  async release({ key, token, epoch }: Claim): Promise<boolean> {
    const text = storedKey(key);
    const { batches, statements } = await this.#prepare();
    return batches.run(() => statements.release.run(text, token, epoch, Date.now()).changes === 1);
  }

  async read(key: CommandKey): Promise<Standing> {
    return this.#read(storedKey(key));
  }

  async wait(key: CommandKey, waitMs: number): Promise<Standing> {
    this.#check();
    const text = storedKey(key);
    const standing = await this.#poller.wait(text, waitMs);
    return standing.kind === "absent" ? this.#read(text) : standing;
  }

  async forget(): Promise<Forgotten> {
    const { batches, statements } = await this.#prepare();
    const { newest, ageMs } = this.#retention;
    let forgotten = 0;
    for (;;) {
      const made = await batches.run(() => {
        const { settled, pending } = statements.count.get()!;
        const over = newest === undefined ? MOST_AT_ONCE : settled + pending - newest;
        const most = Math.max(0, Math.min(over, MOST_AT_ONCE));
        const old = statements.oldest.all(
          ageMs === undefined ? Number.MAX_SAFE_INTEGER : Date.now() - ageMs,
          most,
        );
        for (const { epoch, scope, id_time } of old) {
          if (id_time !== null) statements.raise.run(scope, id_time);
          statements.drop.run(epoch);
        }
        return { gone: old.length, settled: settled - old.length, pending };
      });
      forgotten += made.gone;
      if (made.gone === MOST_AT_ONCE) continue;
      this.#full = newest !== undefined && made.pending >= newest;
      this.#pace.left(made.settled + made.pending);
      return { forgotten, settled: made.settled, pending: made.pending };
    }
  }

  fence(claim: Claim): Fence {
    return new SqliteFence(claim, this.#effects);
  }

  close(): Promise<void> {
    return (this.#closed ??= (async () => {
      this.#poller.close();
      const ready = await this.#ready?.catch(() => undefined);
      await this.#effects.close();
      await ready?.batches.idle();
      ready?.db.close();
    })());
  }

  /** Inside a transaction. */
  #claim(
    statements: ResultStatements,
    text: string,
    token: string,
    { key, idTime, signature, deadlineMs }: ClaimRequest,
  ): Claimed {
    const now = Date.now();
    const row = this.#current(statements, text, now);
    if (row !== undefined) return standingOf(row);
    const scope = storedScope(key.tenant);
    if (idTime !== undefined && (statements.watermark.get(scope)?.id_time ?? -1) >= idTime)
      return { kind: "expired" };
    if (this.#full) return { kind: "full" };
    const deadline = Math.ceil(now + deadlineMs);
    const { lastInsertRowid } = statements.add.run(
      text,
      scope,
      idTime ?? null,
      token,
      signature ?? null,
      deadline,
    );
    return { kind: "claimed", claim: { key, epoch: Number(lastInsertRowid), token } };
  }

  /** A row as it is now, abandoned where it is late. Inside a transaction. */
  #current(statements: ResultStatements, text: string, now: number): ResultRow | undefined {
    const row = statements.find.get(text);
    if (row === undefined || row.result !== null || row.deadline > now) return row;
    statements.abandon.run(ABANDONED_TEXT, now, text, now);
    return statements.find.get(text);
  }

  async #read(text: string): Promise<Standing> {
    const { batches, statements } = await this.#prepare();
    let row = await this.#look(statements, text);
    if (row !== undefined && row.result === null && row.deadline <= Date.now())
      row = await batches.run(() => this.#current(statements, text, Date.now()));
    return row === undefined ? { kind: "absent" } : standingOf(row);
  }

  async #poll(texts: readonly string[]): Promise<Standing[]> {
    const standings: Standing[] = [];
    for (const text of texts) {
      try {
        standings.push(await this.#read(text));
      } catch (error) {
        if (!isStoreError(error) || error.kind !== "damaged") throw error;
        // The others shall not fail with it: who waits for an absent one reads it by himself.
        standings.push({ kind: "absent" });
      }
    }
    return standings;
  }

  /** A row as it is, with no transaction. */
  #look(statements: ResultStatements, text: string): Promise<ResultRow | undefined> {
    return patiently(() => statements.find.get(text), this.#path);
  }

  #prepare(): Promise<Ready> {
    this.#check();
    return (this.#ready ??= (async () => {
      asking(`making ${dirname(this.#path)}`, () =>
        mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 }),
      );
      const db = await openResultsDatabase(this.#path);
      return { db, statements: prepareResults(db), batches: new Batches(db, this.#path, this.#turns) };
    })().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    }));
  }

  #check(): void {
    if (this.#closed !== undefined) throw new StoreError("closed", "the results were closed");
  }
}

function standingOf({
  signature,
  result,
}: ResultRow): Extract<Standing, { readonly kind: "settled" | "pending" }> {
  return result === null
    ? { kind: "pending", signature: signature ?? undefined }
    : { kind: "settled", signature: signature ?? undefined, result: resultOf(result) };
}
