/** Workspaces in the memory of one process. */
import type {
  Due,
  Entry,
  Kind,
  Reader,
  Scope,
  Selection,
  Storage,
  Stored,
  Transaction,
  WriteOptions,
  Written,
} from "./storage.js";

interface Space {
  readonly scope: Scope;
  readonly records: Map<string, Stored>;
  /** By kind: the keys in the order of their positions. */
  readonly order: Map<Kind, string[]>;
  /** The key that each revision changed: revision 1 stands first. */
  readonly changed: string[];
  revision: number;
  /** The end of the last transaction. */
  last: Promise<unknown>;
}

const keyOf = (kind: Kind, id: string): string => `${kind} ${id}`;

function nameOf({ tenant, workspace }: Scope): string {
  return JSON.stringify([tenant, workspace]);
}

function emptySpace(scope: Scope): Space {
  return {
    scope,
    records: new Map(),
    order: new Map(),
    changed: [],
    revision: 0,
    last: Promise.resolve(),
  };
}

/** A store that is gone with its process. */
export class MemoryStorage implements Storage {
  readonly #spaces = new Map<string, Space>();
  readonly #due = new Map<string, { readonly due: number; readonly of: Due }>();
  readonly #now: () => number;

  /** `now`: the time in milliseconds. Default: that of the system. */
  constructor({ now = Date.now }: { readonly now?: () => number } = {}) {
    this.#now = now;
  }

  read<T>(scope: Scope, work: (reader: Reader) => Promise<T>): Promise<T> {
    return work(readerOf(this.#found(scope), new Map()));
  }

  async write<T>(
    scope: Scope,
    work: (transaction: Transaction) => Promise<T>,
    { signal }: WriteOptions<T> = {},
  ): Promise<Written<T>> {
    const space = this.#space(scope);
    const run = space.last.then(async () => {
      const staged = new Staged(space, this.#now());
      const value = await work(staged);
      signal?.throwIfAborted();
      const before = space.revision;
      this.#keep(space, staged.changes);
      return { value, before, after: space.revision };
    });
    space.last = run.catch(() => undefined);
    return run;
  }

  async revision(scope: Scope): Promise<number> {
    return this.#found(scope).revision;
  }

  async changes(scope: Scope, after: number, limit: number): Promise<readonly Stored[]> {
    const { changed, records } = this.#found(scope);
    const found: Stored[] = [];
    for (let i = after; i < changed.length && found.length < limit; i++) {
      const stored = records.get(changed[i] as string);
      // What was changed again stands where it was changed last.
      if (stored?.revision === i + 1) found.push(stored);
    }
    return found;
  }

  async due(limit: number): Promise<readonly Due[]> {
    const now = this.#now();
    return [...this.#due.values()]
      .filter(({ due }) => due <= now)
      .sort((a, b) => a.due - b.due)
      .slice(0, limit)
      .map(({ of }) => of);
  }

  async close(): Promise<void> {
    this.#spaces.clear();
    this.#due.clear();
  }

  /** A workspace to be read: an empty one where there is none, which is not kept. */
  #found(scope: Scope): Space {
    return this.#spaces.get(nameOf(scope)) ?? emptySpace(scope);
  }

  #space(scope: Scope): Space {
    const name = nameOf(scope);
    let space = this.#spaces.get(name);
    if (space === undefined) {
      space = emptySpace(scope);
      this.#spaces.set(name, space);
    }
    return space;
  }

  #keep(space: Space, changes: ReadonlyMap<string, Stored>): void {
    for (const [key, stored] of [...changes].sort(([, a], [, b]) => a.revision - b.revision)) {
      if (!space.records.has(key)) {
        const order = space.order.get(stored.kind) ?? [];
        order.push(key);
        space.order.set(stored.kind, order);
      }
      space.records.set(key, stored);
      space.changed[stored.revision - 1] = key;
      space.revision = Math.max(space.revision, stored.revision);
      const name = JSON.stringify([space.scope.tenant, space.scope.workspace, key]);
      if (stored.due === null) this.#due.delete(name);
      else this.#due.set(name, { due: stored.due, of: { scope: space.scope, id: stored.id } });
    }
  }
}

/** A transaction: what it changed stands beside the space until it is kept. */
class Staged implements Transaction {
  readonly changes = new Map<string, Stored>();
  readonly #space: Space;
  readonly #reader: Reader;
  readonly #inserted = new Map<Kind, number>();
  readonly now: number;
  #revision: number;

  constructor(space: Space, now: number) {
    this.#space = space;
    this.#revision = space.revision;
    this.#reader = readerOf(space, this.changes);
    this.now = now;
  }

  get(kind: Kind, id: string): Promise<Stored | undefined> {
    return this.#reader.get(kind, id);
  }

  list(kind: Kind, selection: Selection): Promise<readonly Stored[]> {
    return this.#reader.list(kind, selection);
  }

  async insert(kind: Kind, id: string, make: (position: number) => Entry): Promise<boolean> {
    const key = keyOf(kind, id);
    if (this.changes.has(key) || this.#space.records.has(key)) return false;
    const inserted = (this.#inserted.get(kind) ?? 0) + 1;
    this.#inserted.set(kind, inserted);
    const position = (this.#space.order.get(kind)?.length ?? 0) + inserted;
    this.changes.set(key, { ...make(position), kind, id, position, revision: ++this.#revision });
    return true;
  }

  async update(kind: Kind, id: string, entry: Entry): Promise<void> {
    const { position } = await this.#present(kind, id);
    this.changes.set(keyOf(kind, id), { ...entry, kind, id, position, revision: ++this.#revision });
  }

  async postpone(kind: Kind, id: string, due: number): Promise<void> {
    this.changes.set(keyOf(kind, id), { ...(await this.#present(kind, id)), due });
  }

  async #present(kind: Kind, id: string): Promise<Stored> {
    const stored = await this.get(kind, id);
    if (stored === undefined) throw new Error(`there is no ${kind} ${id}`);
    return stored;
  }
}

function readerOf(space: Space, changes: ReadonlyMap<string, Stored>): Reader {
  const at = (key: string): Stored | undefined => changes.get(key) ?? space.records.get(key);
  return {
    get: async (kind, id) => at(keyOf(kind, id)),
    list: async (kind, { after = 0, group, state, limit }) => {
      const kept = space.order.get(kind) ?? [];
      const fresh = [...changes].filter(([key, one]) => one.kind === kind && !space.records.has(key));
      const found: Stored[] = [];
      // Positions have no gaps: that of a key is its place in the order.
      for (const key of [...kept.slice(after), ...fresh.map(([name]) => name)]) {
        const one = at(key) as Stored;
        if (one.position <= after) continue;
        if (group !== undefined && one.group !== group) continue;
        if (state !== undefined && one.state !== state) continue;
        found.push(one);
        if (found.length === limit) break;
      }
      return found;
    },
  };
}
