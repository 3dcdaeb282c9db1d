/** The disk in memory as a subject of the laws of a store. */
import type { Store } from "../../ledger/store.js";
import type { StoreSubject } from "../store/subject.js";
import { crashableDisk } from "./disk.js";

/**
 * Stores on a disk in memory, whose lives can end at once and whose writes can fail.
 * @param through stands between a store and whoever uses it
 */
export function diskSubject(through: (store: Store) => Store = (store) => store): StoreSubject {
  return {
    name: "the disk of the simulation",
    async makePlace() {
      const disk = crashableDisk();
      return {
        store: async () => through(disk.store()),
        async mortal() {
          const store = disk.store();
          return { store: through(store), kill: async () => disk.crash(store) };
        },
        failing: async () => ({
          store: through(disk.store()),
          failNext: () => disk.failAt(disk.writes + 1, "torn"),
        }),
        remove: async () => undefined,
      };
    },
  };
}
