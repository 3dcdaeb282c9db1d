/** The stores of the project as subjects of the laws. */
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { crashableDisk } from "../../src/laws/simulation/disk.js";
import type { PlaceReport, StoreSubject } from "../../src/laws/store/index.js";
import { MemoryPlace, memoryStore } from "../../src/ledger/index.js";
import {
  type FileStoreOptions,
  fileStore,
  type SqliteStoreOptions,
  sqliteStore,
} from "../../src/ledger/node.js";
import type { Store } from "../../src/ledger/store.js";
import { nodeFiles } from "../../src/ledger/stores/file/files.js";
import { filesWith, systemError, unpluggableFiles } from "./faulty-files.js";
import { type StoreChild, storeChild } from "./store-child.js";
import { syncShim } from "./sync-shim.js";

/** The memory store: several on one place. */
export const memorySubject: StoreSubject = {
  name: "memory",
  async makePlace() {
    const place = new MemoryPlace();
    return { store: async () => memoryStore({ place }), remove: async () => undefined };
  },
};

/** The disk in memory whose hosts die. */
export const crashableSubject: StoreSubject = {
  name: "a disk that crashes",
  async makePlace() {
    const disk = crashableDisk();
    return {
      store: async () => disk.store(),
      async mortal() {
        const store = disk.store();
        return { store, kill: async () => disk.crash(store) };
      },
      failing: async () => ({ store: disk.store(), failNext: () => disk.failAt(disk.writes + 1, "torn") }),
      remove: async () => undefined,
    };
  },
};

/** The file store. Its mortal stores are processes, and die by SIGKILL. */
export function fileSubject(options: Pick<FileStoreOptions, "sync"> = {}): StoreSubject {
  return {
    name: `file, sync ${options.sync ?? "data"}`,
    async makePlace() {
      const folder = mkdtempSync(join(tmpdir(), "mspkit-test-"));
      const dir = join(folder, "store");
      const children: StoreChild[] = [];
      return {
        store: async () => fileStore(dir, options),
        mortal: () => child(fileStore(dir, options), children),
        async unplugged() {
          const { files, cut } = unpluggableFiles();
          const store = fileStore(dir, { ...options, files });
          return {
            store,
            async kill() {
              cut();
              await store.close();
            },
          };
        },
        async failing() {
          let fails = false;
          const files = filesWith({
            append(fd, bytes) {
              if (!fails) return nodeFiles.append(fd, bytes);
              fails = false;
              nodeFiles.append(fd, bytes.subarray(0, bytes.length - 5));
              throw systemError("ENOSPC");
            },
          });
          return {
            store: fileStore(dir, { ...options, files }),
            failNext() {
              fails = true;
            },
          };
        },
        async remove() {
          for (const { kill } of children) await kill();
          rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
        },
      };
    },
  };
}

/** The SQLite store. Its mortal stores are processes, and die by SIGKILL. */
export function sqliteSubject(options: SqliteStoreOptions = {}): StoreSubject {
  return {
    name: `sqlite, synchronous ${options.synchronous ?? "full"}`,
    async makePlace() {
      const folder = mkdtempSync(join(tmpdir(), "mspkit-test-"));
      const path = join(folder, "store/db");
      const children: StoreChild[] = [];
      const shim = syncShim();
      return {
        store: async () => sqliteStore(path, options),
        mortal: () => child(sqliteStore(path, options), children),
        async failing() {
          const store = sqliteStore(path, options);
          return { store: forgivingOnce(store, path), failNext: () => refuse(path) };
        },
        ...(shim === undefined
          ? {}
          : {
              async unplugged() {
                const synced = mkdtempSync(join(folder, "synced-"));
                if (existsSync(path)) cpSync(path, join(synced, "db"));
                const env = {
                  LD_PRELOAD: shim,
                  SYNC_SHIM_FROM: path,
                  SYNC_SHIM_TO: synced,
                };
                const { store, kill } = await child(sqliteStore(path, options), children, env);
                return {
                  store,
                  async kill() {
                    await kill();
                    rmSync(join(folder, "store"), { recursive: true });
                    cpSync(synced, join(folder, "store"), { recursive: true });
                  },
                };
              },
            }),
        async remove() {
          for (const { kill } of children) await kill();
          rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
        },
      };
    },
  };
}

/** The laws that are not kept, by id. */
export function notKept(report: PlaceReport): Record<string, unknown> {
  return Object.fromEntries(
    report.laws
      .filter(({ verdict }) => verdict !== "holds")
      .map(({ law, verdict, broken }) => [law, broken ?? verdict]),
  );
}

async function child(
  { url }: Store,
  children: StoreChild[],
  env: Record<string, string> = {},
): Promise<StoreChild> {
  const started = await storeChild(url, env);
  children.push(started);
  return started;
}

/** From now on the database takes no entry. */
function refuse(path: string): void {
  const db = new Database(path);
  db.exec("create trigger full before insert on entries begin select raise(abort, 'no room'); end");
  db.close();
}

/** A store whose database takes entries again when it has refused one. */
function forgivingOnce(store: Store, path: string): Store {
  return {
    durability: store.durability,
    url: store.url,
    state: (space, id) => store.state(space, id),
    list: (space) => store.list(space),
    read: (space, id) => store.read(space, id),
    fence: (space, id) => store.fence(space, id),
    close: () => store.close(),
    async open(space, id, options) {
      const log = await store.open(space, id, options);
      return {
        id,
        epoch: log.epoch,
        location: log.location,
        entries: log.entries,
        torn: log.torn,
        close: () => log.close(),
        async write(entries) {
          try {
            await log.write(entries);
          } finally {
            const db = new Database(path);
            db.exec("drop trigger if exists full");
            db.close();
          }
        },
      };
    },
  };
}
