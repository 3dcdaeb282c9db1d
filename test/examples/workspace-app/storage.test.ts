/** The port of the application's stores, held to its laws: in memory, SQLite and PostgreSQL. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MemoryStorage } from "../../../examples/workspace-app/storage/memory.js";
import { openPostgres } from "../../../examples/workspace-app/storage/postgres.js";
import { openSqlite } from "../../../examples/workspace-app/storage/sqlite.js";
import type { Entry, Scope, Storage, Transaction } from "../../../examples/workspace-app/storage/storage.js";
import { hasPostgres, startPostgres, type TestPostgres } from "../../support/postgres.js";
import { scratchFolder } from "../../support/repo.js";

const W1: Scope = { tenant: "t", workspace: "w1" };
const entry = (more: Partial<Entry> = {}): Entry => ({
  group: "",
  state: "",
  due: null,
  body: { n: 1 },
  ...more,
});
const put =
  (id: string, more: Partial<Entry> = {}) =>
  (t: Transaction): Promise<boolean> =>
    t.insert("event", id, () => entry(more));

/** A place, and any number of stores on it: one for each process that there could be. */
interface Place {
  open(): Promise<Storage>;
  close(): Promise<void>;
}

function placeIn(make: () => Promise<Storage>, shared: boolean): Place {
  const stores: Storage[] = [];
  return {
    async open() {
      const first = stores[0];
      if (first !== undefined && !shared) return first;
      const made = await make();
      stores.push(made);
      return made;
    },
    close: async () => {
      for (const store of stores) await store.close();
    },
  };
}

const SUBJECTS: readonly (readonly [name: string, place: () => Promise<Place>])[] = [
  [
    "memory",
    async () => {
      const storage = new MemoryStorage();
      return placeIn(async () => storage, false);
    },
  ],
  [
    "sqlite",
    async () => {
      const path = join(scratchFolder(), "app.sqlite");
      return placeIn(() => openSqlite({ path }), true);
    },
  ],
  [
    "postgres",
    async () => {
      const url = await (postgres as TestPostgres).database();
      return placeIn(() => openPostgres({ url, connections: 4 }), true);
    },
  ],
];

let postgres: TestPostgres | undefined;
beforeAll(async () => {
  if (hasPostgres) postgres = await startPostgres();
});
afterAll(() => postgres?.remove());

/** What every store of workspaces holds to; each is given a place without anything. */
const LAWS: Readonly<Record<string, (place: Place) => Promise<void>>> = {
  "is made by whoever comes first, also where several come at once": async (place) => {
    const stores = await Promise.all(Array.from({ length: 8 }, () => place.open()));
    await Promise.all(stores.map((store, i) => store.write(W1, put(`e${i}`))));
    expect(await (stores[0] as Storage).revision(W1)).toBe(8);
  },

  "keeps one record of a kind and id, and says so": async (place) => {
    const [a, b] = [await place.open(), await place.open()];
    expect((await a.write(W1, put("e", { body: { by: "a" } }))).value).toBe(true);
    expect(await b.write(W1, put("e", { body: { by: "b" } }))).toEqual({
      value: false,
      before: 1,
      after: 1,
    });
    expect((await b.write(W1, (t) => t.insert("run", "e", () => entry()))).value).toBe(true);
    for (const store of [a, b]) {
      const kept = await store.read(W1, (reader) => reader.get("event", "e"));
      expect(kept).toMatchObject({ position: 1, revision: 1, body: { by: "a" } });
    }
  },

  "keeps all of a transaction or none of it, and gives no number twice": async (place) => {
    const store = await place.open();
    const broken = store.write(W1, async (t) => {
      await t.insert("event", "lost", () => entry());
      expect(await t.get("event", "lost")).toMatchObject({ position: 1 });
      expect((await t.list("event", { limit: 9 })).map(({ id }) => id)).toEqual(["lost"]);
      throw new RangeError("no");
    });
    await expect(broken).rejects.toThrow(RangeError);
    const stop = new AbortController();
    stop.abort(new TypeError("over"));
    await expect(store.write(W1, put("late"), { signal: stop.signal })).rejects.toThrow(TypeError);
    expect(await store.revision(W1)).toBe(0);
    expect(await store.write(W1, put("kept"))).toEqual({ value: true, before: 0, after: 1 });
    const all = await store.read(W1, (reader) => reader.list("event", { limit: 9 }));
    expect(all.map(({ id, position, revision }) => [id, position, revision])).toEqual([["kept", 1, 1]]);
  },

  "runs one transaction of a workspace after the other, whoever writes": async (place) => {
    const stores = [await place.open(), await place.open(), await place.open()];
    await stores[0]?.write(W1, (t) => t.insert("rule", "sum", () => entry({ body: { n: 0 } })));
    const add = async (t: Transaction): Promise<void> => {
      const n = (await t.get("rule", "sum"))?.body["n"] as number;
      await new Promise((resolve) => setTimeout(resolve, 1));
      await t.update("rule", "sum", entry({ body: { n: n + 1 } }));
    };
    await Promise.all(stores.flatMap((store) => Array.from({ length: 20 }, () => store.write(W1, add))));
    const sum = await stores[1]?.read(W1, (reader) => reader.get("rule", "sum"));
    expect(sum).toMatchObject({ body: { n: 60 }, revision: 61, position: 1 });
  },

  "appends what comes at once in one order without gaps": async (place) => {
    const stores = [await place.open(), await place.open()];
    const ids = Array.from({ length: 40 }, (_, i) => `e${i % 25}`);
    const answers = await Promise.all(ids.map((id, i) => (stores[i % 2] as Storage).write(W1, put(id))));
    expect(answers.filter(({ value }) => value)).toHaveLength(25);
    const all = await (stores[0] as Storage).read(W1, (reader) => reader.list("event", { limit: 100 }));
    expect(all.map(({ position }) => position)).toEqual(Array.from({ length: 25 }, (_, i) => i + 1));
    const changes = await (stores[1] as Storage).changes(W1, 0, 100);
    expect(changes.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  },

  "lists by group, state and position, a page at a time": async (place) => {
    const store = await place.open();
    for (let i = 1; i <= 6; i++)
      await store.write(W1, put(`e${i}`, { group: i % 2 ? "odd" : "even", state: i > 3 ? "b" : "a" }));
    const list = (selection: object): Promise<string[]> =>
      store.read(W1, async (r) => (await r.list("event", { limit: 9, ...selection })).map(({ id }) => id));
    expect(await list({})).toEqual(["e1", "e2", "e3", "e4", "e5", "e6"]);
    expect(await list({ group: "odd" })).toEqual(["e1", "e3", "e5"]);
    expect(await list({ group: "odd", state: "b" })).toEqual(["e5"]);
    expect(await list({ after: 2, limit: 2 })).toEqual(["e3", "e4"]);
    expect(await list({ after: 6 })).toEqual([]);
  },

  "tells what was changed after a revision, each as it is now": async (place) => {
    const store = await place.open();
    for (const id of ["a", "b", "c"]) await store.write(W1, put(id));
    await store.write(W1, (t) => t.update("event", "a", entry({ body: { n: 2 } })));
    await store.write(W1, (t) => t.postpone("event", "b", 7));
    const told = async (after: number, limit = 9): Promise<unknown[]> =>
      (await store.changes(W1, after, limit)).map(({ id, revision }) => [id, revision]);
    expect(await told(0)).toEqual([
      ["b", 2],
      ["c", 3],
      ["a", 4],
    ]);
    expect(await told(0, 1)).toEqual([["b", 2]]);
    expect(await told(3)).toEqual([["a", 4]]);
    expect(await told(4)).toEqual([]);
    expect(await store.revision(W1)).toBe(4);
  },

  "tells what is due, of all workspaces, by its own clock": async (place) => {
    const store = await place.open();
    const { value: now } = await store.write(W1, async (t) => t.now);
    expect(Math.abs(now - Date.now())).toBeLessThan(600_000);
    const other: Scope = { tenant: "u", workspace: "w1" };
    await store.write(W1, put("later", { due: now + 3_600_000 }));
    await store.write(W1, put("second", { due: now - 1 }));
    await store.write(other, put("first", { due: now - 2 }));
    await store.write(W1, put("never"));
    expect(await store.due(9)).toEqual([
      { scope: other, id: "first" },
      { scope: W1, id: "second" },
    ]);
    expect(await store.due(1)).toHaveLength(1);
    await store.write(W1, (t) => t.postpone("event", "second", now + 3_600_000));
    await store.write(other, (t) => t.update("event", "first", entry()));
    expect(await store.due(9)).toEqual([]);
  },

  "keeps workspaces and tenants apart, whatever they are called": async (place) => {
    const store = await place.open();
    const scopes: Scope[] = [
      { tenant: "a", workspace: "b" },
      { tenant: "b", workspace: "a" },
      { tenant: "a b", workspace: "" },
      { tenant: "", workspace: "a b" },
      { tenant: 'a","b', workspace: "c" },
      { tenant: "a", workspace: 'b","c' },
    ];
    for (const [i, scope] of scopes.entries())
      expect((await store.write(scope, put("e", { body: { i } }))).value).toBe(true);
    for (const [i, scope] of scopes.entries()) {
      const all = await store.read(scope, (reader) => reader.list("event", { limit: 9 }));
      expect(all.map(({ body }) => body)).toEqual([{ i }]);
      expect(await store.revision(scope)).toBe(1);
    }
  },

  "gives back what it was given, to the byte": async (place) => {
    const store = await place.open();
    const body = { z: 1, a: ["\u0000", "\ud800", "😀", 1e21, 0.1, -0.5, null, { __proto__x: {} }], "": "" };
    await store.write(W1, put("e", { body: JSON.parse(JSON.stringify(body)) }));
    const kept = await store.read(W1, (reader) => reader.get("event", "e"));
    expect(JSON.stringify(kept?.body)).toBe(JSON.stringify(body));
  },
};

describe.each(SUBJECTS)("a store of workspaces in %s", (name, make) => {
  it.skipIf(name === "postgres" && !hasPostgres).each(Object.entries(LAWS))("%s", async (_, law) => {
    const place = await make();
    try {
      await law(place);
    } finally {
      await place.close();
    }
  });
});

/** A store in memory in which something is wrong, and the first words of the law that it has to break. */
const FLAWED: readonly (readonly [flaw: string, law: string, bend: (storage: MemoryStorage) => void])[] = [
  [
    "that replaces a record where it should say that there is one",
    "keeps one record",
    bent((t) => {
      t.insert = async (kind, id, make) => {
        const there = await t.get(kind, id);
        if (there !== undefined) await t.update(kind, id, make(there.position));
        else await Object.getPrototypeOf(t).insert.call(t, kind, id, make);
        return true;
      };
    }),
  ],
  [
    "that lets two transactions in at once",
    "runs one transaction",
    (storage) => {
      const write = storage.write.bind(storage);
      storage.write = async (scope, work, options) => {
        // What the transaction sees was read before it had the workspace.
        const seen = await storage.read(scope, (reader) => reader.get("rule", "sum"));
        return write(
          scope,
          (t) => {
            if (seen !== undefined) t.get = async () => seen;
            return work(t);
          },
          options,
        );
      };
    },
  ],
  [
    "that keeps what a broken transaction did",
    "keeps all of a transaction",
    (storage) => {
      const write = storage.write.bind(storage);
      storage.write = async (scope, work, options) => {
        let failed: { readonly error: unknown } | undefined;
        const written = await write(
          scope,
          (t) =>
            work(t).catch((error: unknown) => {
              failed = { error };
              return undefined as never;
            }),
          options,
        );
        if (failed !== undefined) throw failed.error;
        return written;
      };
    },
  ],
  [
    "that takes every tenant for one",
    "keeps workspaces and tenants apart",
    (storage) => {
      const write = storage.write.bind(storage);
      storage.write = (scope, work, options) => write({ ...scope, tenant: "" }, work, options);
      const read = storage.read.bind(storage);
      storage.read = (scope, work) => read({ ...scope, tenant: "" }, work);
    },
  ],
  [
    "that tells of a postponement as of a change",
    "tells what was changed",
    bent((t) => {
      t.postpone = async (kind, id, due) => {
        const there = await t.get(kind, id);
        if (there !== undefined) await t.update(kind, id, { ...there, due });
      };
    }),
  ],
  [
    "that tells of everything as due",
    "tells what is due",
    (storage) => {
      const due = storage.due.bind(storage);
      storage.due = async (limit) => {
        const all = await due(limit);
        return all.length > 0 ? all : [{ scope: W1, id: "never" }];
      };
    },
  ],
];

function bent(bend: (t: Transaction) => void): (storage: MemoryStorage) => void {
  return (storage) => {
    const write = storage.write.bind(storage);
    storage.write = (scope, work, options) =>
      write(
        scope,
        (t) => {
          bend(t);
          return work(t);
        },
        options,
      );
  };
}

describe("the laws of a store", () => {
  it.each(FLAWED)("catch a store %s", async (_, words, bend) => {
    const law = Object.keys(LAWS).find((one) => one.startsWith(words)) as string;
    const place = (): Place => {
      const storage = new MemoryStorage();
      return placeIn(async () => storage, false);
    };
    await LAWS[law]?.(place());
    const storage = new MemoryStorage();
    bend(storage);
    await expect(LAWS[law]?.(placeIn(async () => storage, false))).rejects.toThrow(/expected/);
  });
});
