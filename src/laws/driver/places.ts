/** Keeps an eye on places and the hosts on them, so that all of it can be taken away at the end. */
import type { HostPlace, RunningHost } from "./driver.js";

/** Places that are known. */
export interface TrackedPlaces {
  /** A new place. */
  place(): Promise<HostPlace>;
  /** Kills what lives, and takes away the places that are still there. */
  close(): Promise<void>;
}

/** Makes places that are known. */
export function tracked(make: () => Promise<HostPlace>): TrackedPlaces {
  const places = new Set<HostPlace>();
  const hosts = new Set<RunningHost>();
  return {
    place: async () => {
      const place = await make();
      places.add(place);
      return {
        ...place,
        start: async () => {
          const host = await place.start();
          hosts.add(host);
          const over = () => hosts.delete(host);
          void host.ended.then(over, over);
          return host;
        },
        remove: async () => {
          places.delete(place);
          await place.remove();
        },
      };
    },
    close: async () => {
      await Promise.all([...hosts].map((host) => host.crash()));
      hosts.clear();
      await Promise.all([...places].map((place) => place.remove()));
      places.clear();
    },
  };
}
