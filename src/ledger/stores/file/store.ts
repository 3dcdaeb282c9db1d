/**
 * The store in files, which needs no native code:
 *
 *     DIR/format.json
 *     DIR/owners/<token>.sock
 *     DIR/<space>/<id>/<epoch>.ndjson
 *
 * A log is a folder of segments, one for each holder. Whoever makes the next segment has the log: a name is made by
 * `link`, which fails where it is taken, and the file has its first line by then, so that nobody ever finds a segment
 * that does not say whose it is.
 */
import { dirname, join, resolve } from "node:path";
import {
  type EntryText,
  type Log,
  type LogInfo,
  type OpenOptions,
  type Space,
  type Store,
  StoreError,
} from "../../store.js";
import { asking } from "../failed.js";
import { checkId, isId } from "../ids.js";
import { InTurn } from "../in-turn.js";
import { makeOwner, type Owner, ownerLives } from "../owner.js";
import { storeUrl } from "../url.js";
import { type Files, nodeFiles, systemCode } from "./files.js";
import { checkForm, makePlace } from "./form.js";
import { beforeLine, claimLine, FORM_VERSION } from "./lines.js";
import { FileLog } from "./log.js";
import { epochsOf, type LogState, type NewestSegment, readLog, readNewest, segmentPath } from "./segments.js";
import { SyncPace } from "./sync-pace.js";

/** How a file store is opened. */
export interface FileStoreOptions {
  /**
   * `data`, the default: a write is done when it is on the disk. `none`: when the system has it; a power cut may lose
   * what was written last, or damage it.
   */
  readonly sync?: "data" | "none";
  /** The file system, for tests. The sockets of owners are in the real one all the same. */
  readonly files?: Files;
}

/** Keeps logs in a folder of a local file system. It is made when it is first needed. */
export function fileStore(dir: string, options: FileStoreOptions = {}): Store {
  return new FileStore(resolve(dir), options);
}

class FileStore implements Store {
  readonly durability = "durable";
  readonly url: string;
  readonly #dir: string;
  readonly #owners: string;
  readonly #files: Files;
  readonly #pace: SyncPace | undefined;
  readonly #turns = new InTurn();
  readonly #open = new Map<string, FileLog>();
  readonly #dead = new Set<string>();
  #formChecked = false;
  #owner: Promise<Owner> | undefined;
  #closed: Promise<void> | undefined;

  constructor(dir: string, { sync = "data", files = nodeFiles }: FileStoreOptions) {
    this.#dir = dir;
    this.#owners = join(dir, "owners");
    this.#files = files;
    this.#pace = sync === "data" ? new SyncPace() : undefined;
    this.url = storeUrl("file", dir, sync === "data" ? {} : { sync });
  }

  async state(space: Space, id: string): Promise<"absent" | "free" | "held"> {
    this.#check();
    const folder = this.#folder(space, id);
    const newest = asking(`reading ${folder}`, () => {
      const epoch = epochsOf(this.#files, folder).at(-1);
      return epoch === undefined ? undefined : readNewest(this.#files, folder, epoch);
    });
    if (newest === undefined) return "absent";
    return this.#holds(folder) || (await this.#isHeld(newest)) ? "held" : "free";
  }

  async list(space: Space): Promise<readonly LogInfo[]> {
    this.#check();
    const folder = join(this.#dir, space);
    const out: LogInfo[] = [];
    const names = asking(`listing ${folder}`, () => this.#files.names(folder)).filter(isId);
    for (const [i, id] of names.entries()) {
      // Ten thousand logs take a while; others want the loop meanwhile.
      if (i % 256 === 255) await new Promise(setImmediate);
      const info = asking(`listing ${folder}`, () => this.#info(folder, id));
      if (info !== undefined) out.push(info);
    }
    return out;
  }

  open(space: Space, id: string, { expect }: OpenOptions): Promise<Log> {
    return this.#inTurn(space, id, async (folder) => {
      if (this.#holds(folder)) throw inUse(id, expect);
      const owner = await this.#makeOwner();
      const log = await this.#take(folder, id, expect, owner);
      this.#open.set(folder, log);
      return log;
    });
  }

  async read(space: Space, id: string): Promise<readonly EntryText[] | undefined> {
    this.#check();
    const folder = this.#folder(space, id);
    return asking(`reading ${folder}`, () => {
      for (let epochs = epochsOf(this.#files, folder); epochs.length > 0; ) {
        const { entries } = readLog(this.#files, folder, epochs);
        const since = epochsOf(this.#files, folder);
        // Where another took it meanwhile, some of what was read may not count.
        if (since.at(-1) === epochs.at(-1)) return entries;
        epochs = since;
      }
      return undefined;
    });
  }

  fence(space: Space, id: string): Promise<void> {
    return this.#inTurn(space, id, async (folder) => {
      const owner = await this.#makeOwner();
      asking(`fencing ${folder}`, () => {
        for (;;) {
          const epochs = epochsOf(this.#files, folder);
          if (epochs.length === 0) throw new StoreError("notFound", `there is no log ${id}`);
          const taken = this.#claim(folder, epochs, null, owner, readLog(this.#files, folder, epochs));
          if (taken === undefined) continue;
          this.#files.close(taken.fd);
          return;
        }
      });
    });
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#turns.idle();
    await Promise.all([...this.#open.values()].map((log) => log.close()));
    await (await this.#owner?.catch(() => undefined))?.close();
  }

  /** Takes a log, or says who has it. */
  async #take(folder: string, id: string, expect: OpenOptions["expect"], owner: Owner): Promise<FileLog> {
    for (;;) {
      const epochs = asking(`opening ${folder}`, () => epochsOf(this.#files, folder));
      if (epochs.length > 0 && expect === "new")
        throw new StoreError("exists", `the log ${id} is there already`);
      if (epochs.length === 0 && expect === "existing")
        throw new StoreError("notFound", `there is no log ${id}`);
      const state = asking(`opening ${folder}`, () => readLog(this.#files, folder, epochs));
      if (state.newest !== undefined && (await this.#isHeld(state.newest, owner))) throw inUse(id, expect);
      const taken = asking(`opening ${folder}`, () => this.#claim(folder, epochs, owner.token, owner, state));
      // Another was faster, or has taken it away already: see who has it now.
      if (taken === undefined) continue;
      const { fd, epoch } = taken;
      return new FileLog({
        files: this.#files,
        id,
        epoch,
        folder,
        entries: taken.state.entries,
        torn: taken.state.torn,
        fd,
        pace: this.#pace,
        onClose: () => {
          // Where it was fenced, a later one may stand there.
          if (this.#open.get(folder)?.epoch === epoch) this.#open.delete(folder);
        },
      });
    }
  }

  /** Whether a log is open here, and was not fenced since. */
  #holds(folder: string): boolean {
    const log = this.#open.get(folder);
    return log !== undefined && !this.#files.exists(segmentPath(folder, log.epoch + 1));
  }

  /**
   * Makes the next segment of a log; undefined where another did. First its name, then what is before it is read:
   * what its holder writes afterwards does not count, and it will see the name after its sync.
   */
  #claim(
    folder: string,
    epochs: readonly number[],
    token: string | null,
    owner: Owner,
    known: LogState,
  ): { readonly fd: number; readonly epoch: number; readonly state: LogState } | undefined {
    const files = this.#files;
    const epoch = (epochs.at(-1) ?? 0) + 1;
    // A folder that was found may have been made by one who died before it was on the disk.
    files.makeFolder(folder);
    if (epoch === 1) files.syncFolder(dirname(folder));
    const draft = join(this.#owners, `${owner.token}.claim`);
    files.unlink(draft);
    const fd = files.create(draft);
    try {
      files.append(fd, Buffer.from(claimLine({ version: FORM_VERSION, epoch, owner: token })));
      if (!this.#link(draft, segmentPath(folder, epoch))) {
        files.close(fd);
        return undefined;
      }
      files.syncFolder(folder);
      const fresh = sizeOf(files, folder, epochs) === known.newest?.bytes;
      const state = fresh ? known : readLog(files, folder, epochs);
      // What counts must outlast what says so: the one before may have died between a write and its sync.
      if (state.counts.epoch > 0) files.syncFile(segmentPath(folder, state.counts.epoch));
      files.append(fd, Buffer.from(beforeLine(state.counts)));
      // Before any entry: so a bad line here with an entry behind it is damage and no torn write.
      files.syncData(fd);
      if (!files.exists(segmentPath(folder, epoch + 1))) return { fd, epoch, state };
    } catch (error) {
      files.close(fd);
      throw error;
    }
    files.close(fd);
    return undefined;
  }

  #link(draft: string, path: string): boolean {
    try {
      this.#files.link(draft, path);
      return true;
    } catch (error) {
      if (systemCode(error) === "EEXIST") return false;
      throw error;
    } finally {
      this.#files.unlink(draft);
    }
  }

  async #isHeld({ released, claim }: NewestSegment, us?: Owner): Promise<boolean> {
    const token = claim?.owner;
    if (released || token === undefined || token === null) return false;
    // Ours, and not open: it failed, and was given up without its last line.
    const owner = us ?? (await this.#owner?.catch(() => undefined));
    if (token === owner?.token || this.#dead.has(token)) return false;
    const lives = await ownerLives(this.#owners, token);
    if (!lives) this.#dead.add(token);
    return lives;
  }

  #info(folder: string, id: string): LogInfo | undefined {
    const path = join(folder, id);
    const newest = epochsOf(this.#files, path).at(-1);
    const stat = newest === undefined ? undefined : this.#files.stat(segmentPath(path, newest));
    return stat === undefined ? undefined : { id, updatedAtMs: stat.updatedAtMs };
  }

  async #inTurn<T>(space: Space, id: string, action: (folder: string) => Promise<T>): Promise<T> {
    this.#check();
    const folder = this.#folder(space, id);
    return this.#turns.run(folder, () => action(folder));
  }

  #makeOwner(): Promise<Owner> {
    return (this.#owner ??= (async () => {
      asking(`making ${this.#dir}`, () =>
        makePlace(this.#files, this.#dir, ["owners", "sessions", "commands"]),
      );
      return makeOwner(this.#owners);
    })().catch((error: unknown) => {
      // A place that could not be made is tried again by the next who asks.
      this.#owner = undefined;
      throw error;
    }));
  }

  #folder(space: Space, id: string): string {
    checkId(id);
    return join(this.#dir, space, id);
  }

  #check(): void {
    if (this.#closed !== undefined) throw new StoreError("closed", "the store was closed");
    if (this.#formChecked) return;
    asking(`reading ${this.#dir}`, () => checkForm(this.#files, this.#dir));
    this.#formChecked = true;
  }
}

function sizeOf(files: Files, folder: string, epochs: readonly number[]): number | undefined {
  const newest = epochs.at(-1);
  return newest === undefined ? undefined : files.stat(segmentPath(folder, newest))?.bytes;
}

function inUse(id: string, expect: OpenOptions["expect"]): StoreError {
  return expect === "new"
    ? new StoreError("exists", `the log ${id} is there already`)
    : new StoreError("inUse", `the log ${id} is held by another`);
}
