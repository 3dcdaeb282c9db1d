/** A small store in memory with one flaw of choice, so that each law can be seen to break. Without a flaw it is sound. */
import type { StoreSubject } from "../../../src/laws/store/index.js";
import {
  type EntryText,
  type Log,
  type OpenOptions,
  type Store,
  StoreError,
} from "../../../src/ledger/store.js";
import { checkEntries, checkId } from "../../../src/ledger/stores/ids.js";

/** What a flawed store does wrong. */
export type Flaw =
  | "forgets the last of a large group"
  | "keeps the entries in a pile"
  | "writes the JSON anew"
  | "reads what is live"
  | "reads late"
  | "makes what it looks for"
  | "has one space"
  | "lists without a time"
  | "takes any id"
  | "a claim is a set"
  | "looks, and then takes"
  | "counts its holders for an epoch"
  | "lets the fenced write"
  | "says nothing to the fenced"
  | "ignores what is closed"
  | "goes on after a failure"
  | "tells before it keeps"
  | "keeps half an entry"
  | "holds for the dead";

interface Kept {
  entries: EntryText[];
  epoch: number;
  holder: object | undefined;
}

interface Life {
  dead: boolean;
  closed: boolean;
  failNext: boolean;
  readonly unkept: (() => void)[];
}

/** A subject with a flaw; undefined for none. */
export function flawedSubject(flaw: Flaw | undefined): StoreSubject {
  return {
    name: flaw ?? "sound",
    async makePlace() {
      const place = new Map<string, Kept>();
      return {
        store: async () => flawedStore(place, flaw).store,
        async mortal() {
          const { store, life } = flawedStore(place, flaw);
          return {
            store,
            async kill() {
              life.dead = true;
              life.unkept.splice(0);
              if (flaw === "holds for the dead") return;
              for (const kept of place.values()) if (kept.holder === life) kept.holder = undefined;
            },
          };
        },
        async failing() {
          const { store, life } = flawedStore(place, flaw);
          return {
            store,
            failNext() {
              life.failNext = true;
            },
          };
        },
        remove: async () => undefined,
      };
    },
  };
}

function flawedStore(place: Map<string, Kept>, flaw: Flaw | undefined): { store: Store; life: Life } {
  const life: Life = { dead: false, closed: false, failNext: false, unkept: [] };
  const keyOf = (space: string, id: string): string => {
    if (life.closed) throw new StoreError("closed", "closed");
    if (flaw !== "takes any id") checkId(id);
    return flaw === "has one space" ? id : `${space}/${id}`;
  };
  const store: Store = {
    durability: "durable",
    url: "flawed",
    async state(space, id) {
      const kept = place.get(keyOf(space, id));
      if (kept === undefined) return "absent";
      return kept.holder === undefined ? "free" : "held";
    },
    async list(space) {
      keyOf(space, "a");
      const front = flaw === "has one space" ? "" : `${space}/`;
      const ids = [...place.keys()]
        .filter((key) => key.startsWith(front))
        .map((key) => key.slice(front.length));
      return ids.map((id) => ({ id, updatedAtMs: flaw === "lists without a time" ? Number.NaN : 0 }));
    },
    async open(space, id, { expect }: OpenOptions) {
      const key = keyOf(space, id);
      let kept = place.get(key);
      if (kept !== undefined && expect === "new") throw new StoreError("exists", id);
      if (kept?.holder !== undefined && flaw !== "a claim is a set") throw new StoreError("inUse", id);
      if (flaw === "looks, and then takes") await new Promise(setImmediate);
      if (kept === undefined) {
        if (expect === "existing" && flaw !== "makes what it looks for") throw new StoreError("notFound", id);
        place.set(key, (kept = { entries: [], epoch: 0, holder: undefined }));
      }
      if (flaw === "counts its holders for an epoch") kept.epoch = kept.holder === undefined ? 1 : 2;
      else kept.epoch++;
      kept.holder = life;
      return flawedLog(kept, id, life, flaw);
    },
    async read(space, id) {
      const kept = place.get(keyOf(space, id));
      if (flaw === "reads what is live") return kept?.entries;
      return flaw === "reads late" ? kept?.entries.slice(0, -1) : kept?.entries.slice();
    },
    async fence(space, id) {
      const kept = place.get(keyOf(space, id));
      if (kept === undefined) throw new StoreError("notFound", id);
      kept.epoch++;
      kept.holder = undefined;
    },
    async close() {
      life.closed = true;
      for (const kept of place.values()) if (kept.holder === life) kept.holder = undefined;
    },
  };
  return { store, life };
}

function flawedLog(kept: Kept, id: string, life: Life, flaw: Flaw | undefined): Log {
  const { epoch } = kept;
  let over = false;
  const add = (entries: readonly EntryText[]): void => {
    if (flaw === "keeps the entries in a pile") kept.entries.unshift(...entries);
    else kept.entries.push(...entries);
  };
  return {
    id,
    epoch,
    location: "",
    entries: kept.entries.slice(),
    torn: undefined,
    async write(entries) {
      if (over || life.closed) {
        if (flaw === "ignores what is closed") return;
        throw new StoreError("closed", id);
      }
      checkEntries(entries);
      if (life.failNext) {
        life.failNext = false;
        over = flaw !== "goes on after a failure";
        throw new StoreError("failed", id);
      }
      if (kept.epoch !== epoch && flaw !== "lets the fenced write") {
        if (flaw === "says nothing to the fenced") return;
        over = true;
        throw new StoreError("fenced", id);
      }
      if (flaw === "tells before it keeps") {
        life.unkept.splice(0).forEach((keep) => void keep());
        life.unkept.push(() => add(entries));
      } else if (flaw === "writes the JSON anew")
        add(entries.map((entry) => JSON.stringify(JSON.parse(entry))));
      else if (flaw === "forgets the last of a large group") add(entries.slice(0, 3));
      else if (flaw === "keeps half an entry" && entries.length > 100) {
        add([...entries.slice(0, 9), entries[9]!.slice(0, 99)]);
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (!life.dead) add(entries.slice(10));
      } else add(entries);
    },
    async close() {
      over = true;
      if (kept.holder === life && kept.epoch === epoch) kept.holder = undefined;
    },
  };
}
