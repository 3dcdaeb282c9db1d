// Writes records, and waits until they are on the disk: by hand, or through a store of ours with its group commit.
import { fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { LogWriter } from "../../dist/src/ledger/index.js";
import { openStore } from "../../dist/src/ledger/node.js";
import { canPin, pinClient } from "../lib/pinning.mjs";

/** One entry: JSON, 300 bytes. */
const RECORD = JSON.stringify([{ type: "record", words: "w".repeat(270) }]);
if (RECORD.length !== 300) throw new Error(`a record has ${RECORD.length} bytes`);

export default async function prepare({ writer, together, calls, dir }) {
  if (canPin()) pinClient();
  const { write, count } = await WRITERS[writer](dir);
  const sample = async () => {
    const start = performance.now();
    for (let done = 0; done < calls; done += together) await write(together);
    return (calls / (performance.now() - start)) * 1000;
  };
  await sample();
  const found = await count();
  if (found !== calls) throw new Error(`${writer}: ${found} of ${calls} records are there`);
  return sample;
}

/** By name: what writes so many records, and tells how many are there. */
const WRITERS = {
  "append + fdatasync"(dir) {
    const path = join(dir, "bare");
    const fd = openSync(path, "a");
    const line = Buffer.from(`${RECORD.slice(0, 299)}\n`);
    return {
      write: () => {
        writeSync(fd, line);
        fdatasyncSync(fd);
      },
      count: () => readFileSync(path).length / line.length,
    };
  },

  "better-sqlite3"(dir) {
    const db = new Database(join(dir, "bare.db"));
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = FULL");
    db.exec("create table entries (key integer primary key, at integer not null, text text not null)");
    const insert = db.prepare("insert into entries (at, text) values (?, ?)");
    const count = db.prepare("select count(*) as n from entries");
    return { write: () => void insert.run(Date.now(), RECORD), count: () => count.get().n };
  },

  file: (dir) => ours(`file:${join(dir, "store")}`),
  sqlite: (dir) => ours(`sqlite:${join(dir, "store.db")}`),
};

async function ours(url) {
  const store = openStore(url);
  const log = await store.open("sessions", "bench", { expect: "new" });
  const writer = new LogWriter(
    log,
    () => {},
    (error) => {
      throw error;
    },
  );
  return {
    write: (together) => {
      for (let i = 0; i < together; i++) writer.append(RECORD);
      return writer.settled();
    },
    count: async () => (await store.read("sessions", "bench")).length,
  };
}
