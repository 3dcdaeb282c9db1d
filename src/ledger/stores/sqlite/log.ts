/** A log of the SQLite store that is held. */
import { crc32 } from "node:zlib";
import type { Database } from "better-sqlite3";
import { type EntryText, type Log, StoreError, type TornTail } from "../../store.js";
import { checkEntries } from "../ids.js";
import { isBusy, patiently, type Statements, told } from "./database.js";

/** What the log asks of its store. */
export interface SqliteParts {
  readonly db: Database;
  readonly statements: Statements;
  readonly path: string;
  /** Throws where an earlier error of the disk has stopped the whole store. */
  check(): void;
  /** Notes an error of the disk. */
  note(error: unknown): void;
}

/** Which log it is, and what was in it. */
export interface SqliteLogParts {
  readonly id: string;
  readonly log: number;
  readonly epoch: number;
  readonly entries: readonly EntryText[];
  readonly onClose: () => void;
}

/** See {@link Log}. */
export class SqliteLog implements Log {
  readonly id: string;
  readonly epoch: number;
  readonly location: string;
  readonly entries: readonly EntryText[];
  /** SQLite leaves out by itself what was never committed. */
  readonly torn: TornTail | undefined = undefined;
  readonly #parts: SqliteParts;
  readonly #log: number;
  readonly #onClose: () => void;
  #seq: number;
  #state: "open" | "failed" | "closing" = "open";
  #writing: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(parts: SqliteParts, { id, log, epoch, entries, onClose }: SqliteLogParts) {
    this.id = id;
    this.epoch = epoch;
    this.location = parts.path;
    this.entries = entries;
    this.#parts = parts;
    this.#log = log;
    this.#onClose = onClose;
    this.#seq = entries.length;
  }

  write(entries: readonly EntryText[]): void | Promise<void> {
    if (this.#state !== "open")
      throw new StoreError("closed", `the log ${this.id} was closed, or failed before`);
    checkEntries(entries);
    if (entries.length === 0) return;
    try {
      this.#add(entries);
    } catch (error) {
      if (isBusy(error)) return (this.#writing = this.#addLater(entries));
      throw this.#fail(error);
    }
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  #add(entries: readonly EntryText[]): void {
    const { db, statements, check } = this.#parts;
    check();
    const at = Date.now();
    const log = this.#log;
    if (entries.length === 1) {
      const text = entries[0]!;
      const { changes } = statements.addAlone.run(log, this.#seq + 1, at, crc32(text), text, log, this.epoch);
      if (changes !== 1) throw this.#fenced();
    } else {
      // Writing from the start: a transaction that begins by reading cannot wait for another writer.
      db.exec("begin immediate");
      try {
        if (statements.epoch.get(log)?.epoch !== this.epoch) throw this.#fenced();
        for (let i = 0; i < entries.length; i++)
          statements.add.run(log, this.#seq + 1 + i, at, crc32(entries[i]!), entries[i]!);
        db.exec("commit");
      } catch (error) {
        if (db.inTransaction) db.exec("rollback");
        throw error;
      }
    }
    this.#seq += entries.length;
  }

  #fenced(): StoreError {
    return new StoreError("fenced", `the log ${this.id} was taken by another`);
  }

  async #addLater(entries: readonly EntryText[]): Promise<void> {
    try {
      await patiently(() => this.#add(entries), `writing to ${this.location}`);
    } catch (error) {
      throw this.#fail(error);
    } finally {
      this.#writing = undefined;
    }
  }

  #fail(error: unknown): Error {
    if (this.#state === "open") this.#state = "failed";
    this.#parts.note(error);
    return told(error, `writing to ${this.location}`);
  }

  async #close(): Promise<void> {
    this.#state = "closing";
    try {
      await this.#writing?.catch(() => undefined);
      // Only for speed: without it the next one asks whether we live. So it may fail.
      await patiently(() => {
        this.#parts.check();
        this.#parts.statements.release.run(this.#log, this.epoch);
      }, `closing the log ${this.id}`);
    } catch {
      // As if it had not been tried.
    } finally {
      this.#onClose();
    }
  }
}
