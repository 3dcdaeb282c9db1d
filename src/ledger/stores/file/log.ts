/** A log of the file store that is held: its segment, and how a write becomes durable. */
import { type EntryText, type Log, StoreError, type TornTail } from "../../store.js";
import { asking, asStoreError } from "../failed.js";
import { checkEntries } from "../ids.js";
import type { Files } from "./files.js";
import { closedLine, entryLines } from "./lines.js";
import { segmentPath } from "./segments.js";
import type { SyncPace } from "./sync-pace.js";

/** What a log is made from. */
export interface FileLogParts {
  readonly files: Files;
  readonly id: string;
  readonly epoch: number;
  readonly folder: string;
  readonly entries: readonly EntryText[];
  readonly torn: TornTail | undefined;
  /** The descriptor of its segment, behind the first two lines. */
  readonly fd: number;
  /** Undefined where nothing is synced. */
  readonly pace: SyncPace | undefined;
  /** Called once, when the log is given up. */
  readonly onClose: () => void;
}

/** See {@link Log}. */
export class FileLog implements Log {
  readonly id: string;
  readonly epoch: number;
  readonly location: string;
  readonly entries: readonly EntryText[];
  readonly torn: TornTail | undefined;
  readonly #files: Files;
  readonly #fd: number;
  readonly #pace: SyncPace | undefined;
  readonly #onClose: () => void;
  /** There as soon as another has taken the log: an epoch follows the one before without a hole. */
  readonly #next: string;
  #seq: number;
  #state: "open" | "failed" | "closing" = "open";
  #writing: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor({ files, id, epoch, folder, entries, torn, fd, pace, onClose }: FileLogParts) {
    this.id = id;
    this.epoch = epoch;
    this.location = folder;
    this.entries = entries;
    this.torn = torn;
    this.#files = files;
    this.#fd = fd;
    this.#pace = pace;
    this.#onClose = onClose;
    this.#next = segmentPath(folder, epoch + 1);
    this.#seq = entries.length;
  }

  write(entries: readonly EntryText[]): void | Promise<void> {
    if (this.#state !== "open")
      throw new StoreError("closed", `the log ${this.id} was closed, or failed before`);
    checkEntries(entries);
    if (entries.length === 0) return;
    const bytes = Buffer.from(entryLines(this.#seq + 1, entries));
    try {
      asking(`writing to ${this.location}`, () => this.#files.append(this.#fd, bytes));
      this.#seq += entries.length;
      if (this.#pace === undefined) return this.#checkHeld();
      if (!this.#pace.inPlace(bytes.length)) return (this.#writing = this.#syncLater());
      this.#pace.measure(() => asking(`syncing ${this.location}`, () => this.#files.syncData(this.#fd)));
      this.#checkHeld();
    } catch (error) {
      this.#state = "failed";
      throw error;
    }
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #syncLater(): Promise<void> {
    try {
      await this.#files.syncDataLater(this.#fd);
      this.#checkHeld();
    } catch (error) {
      // A sync that failed may have thrown away what it could not write, and the next one would not say so.
      this.#state = "failed";
      throw asStoreError(error, `syncing ${this.location}`);
    } finally {
      this.#writing = undefined;
    }
  }

  /**
   * Looks for a newer segment, after the sync. Another holder makes its segment first and then reads: so either it has
   * read what we wrote, or we see it here.
   */
  #checkHeld(): void {
    if (asking(`looking at ${this.location}`, () => this.#files.exists(this.#next)))
      throw new StoreError("fenced", `the log ${this.id} was taken by another`);
  }

  async #close(): Promise<void> {
    const sound = this.#state === "open";
    this.#state = "closing";
    try {
      await this.#writing?.catch(() => undefined);
      // Only for speed: without this line the next one asks whether we live. So it is not synced, and may fail.
      if (sound) this.#files.append(this.#fd, Buffer.from(closedLine(this.#seq)));
    } catch {
      // As if it had not been tried.
    } finally {
      this.#onClose();
      this.#files.close(this.#fd);
    }
  }
}
