/**
 * Tells what changes, whichever process changed it: each workspace that somebody listens to is read on from the last
 * revision that was told. What this process changes is told at once, what others change within the time between looks.
 */
import type { JsonObject, Notice } from "../../../src/commands/app.js";
import type { Kind, Scope, Storage, Stored, Written } from "../storage/storage.js";

/** The notification of each kind of record, and the member that has it; a version is nobody's business. */
const NOTICES: { readonly [K in Kind]?: string } = {
  event: "event/published",
  feedback: "feedback/given",
  rule: "rule/changed",
  run: "run/changed",
};
/** How many changes are read at once. */
const PAGE = 500;

interface Listener {
  readonly tell: (notice: Notice) => void;
  /** Hears of what is later than this. */
  since: number;
}

interface Followed {
  readonly scope: Scope;
  readonly listeners: Set<Listener>;
  /** The last revision that was read; nothing until the first look. */
  read: number | undefined;
  /** The least revision before what was written here since then. */
  floor: number;
  reading: Promise<void> | undefined;
  again: boolean;
}

/** What a feed is made of. */
export interface FeedOptions {
  readonly storage: Storage;
  /** The time between looks, in milliseconds. Default: 250. */
  readonly pollMs?: number;
  /** Gets what the store or a listener threw. */
  readonly onError: (error: unknown) => void;
}

/** The changes of all workspaces, for those who listen in this process. */
export class Feed {
  readonly #options: Required<FeedOptions>;
  readonly #followed = new Map<string, Followed>();
  readonly #timer: NodeJS.Timeout;
  #closed = false;

  constructor(options: FeedOptions) {
    this.#options = { pollMs: 250, ...options };
    this.#timer = setInterval(() => {
      for (const one of this.#followed.values()) this.#look(one);
    }, this.#options.pollMs);
    this.#timer.unref();
  }

  /** Tells a listener of what changes from now on; what is given back ends it. */
  subscribe(scope: Scope, tell: (notice: Notice) => void): () => void {
    const key = keyOf(scope);
    let followed = this.#followed.get(key);
    if (followed === undefined) {
      const floor = Number.POSITIVE_INFINITY;
      followed = { scope, listeners: new Set(), read: undefined, floor, reading: undefined, again: false };
      this.#followed.set(key, followed);
    }
    const listener = { tell, since: followed.read ?? 0 };
    followed.listeners.add(listener);
    this.#look(followed);
    return () => {
      followed.listeners.delete(listener);
      if (followed.listeners.size === 0 && this.#followed.get(key) === followed) this.#followed.delete(key);
    };
  }

  /** Says that something was written here. */
  written(scope: Scope, { before, after }: Written<unknown>): void {
    const followed = before === after ? undefined : this.#followed.get(keyOf(scope));
    if (followed === undefined) return;
    followed.floor = Math.min(followed.floor, before);
    this.#look(followed);
  }

  /** Tells nothing more. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await Promise.all([...this.#followed.values()].map(({ reading }) => reading));
    this.#followed.clear();
  }

  #look(followed: Followed): void {
    followed.again = true;
    followed.reading ??= this.#read(followed)
      .catch((error: unknown) => {
        followed.again = false;
        this.#options.onError(error);
      })
      .finally(() => {
        followed.reading = undefined;
        if (followed.again && !this.#closed) this.#look(followed);
      });
  }

  async #read(followed: Followed): Promise<void> {
    const { storage } = this.#options;
    // What was written here after somebody began to listen is told, even if it was written before the first look.
    followed.read ??= Math.min(await storage.revision(followed.scope), followed.floor);
    while (followed.again && !this.#closed) {
      followed.again = false;
      const changes = await storage.changes(followed.scope, followed.read, PAGE);
      for (const stored of changes) this.#tell(followed, stored);
      followed.read = changes.at(-1)?.revision ?? followed.read;
      if (changes.length === PAGE) followed.again = true;
    }
  }

  #tell({ scope, listeners }: Followed, stored: Stored): void {
    const method = NOTICES[stored.kind];
    if (method === undefined) return;
    const about = { [stored.kind]: stored.body[stored.kind] as JsonObject };
    const params: JsonObject = { workspaceId: scope.workspace, revision: stored.revision, ...about };
    for (const listener of [...listeners]) {
      if (listener.since >= stored.revision || !listeners.has(listener)) continue;
      try {
        listener.tell({ method, params });
      } catch (error) {
        this.#options.onError(error);
      }
    }
  }
}

function keyOf({ tenant, workspace }: Scope): string {
  return JSON.stringify([tenant, workspace]);
}
