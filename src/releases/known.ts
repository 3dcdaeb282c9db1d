/**
 * The releases that this package knows. Needs Node.
 */
import { readFileSync } from "node:fs";
import type { Releases } from "./releases.js";

/** The table of releases of the protocol that this package carries, to name the schema that a host serves. */
export function knownReleases(): Releases {
  for (let folder = new URL(".", import.meta.url); ; folder = new URL("..", folder)) {
    try {
      return JSON.parse(readFileSync(new URL("schema/msp/releases.json", folder), "utf8")) as Releases;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || folder.pathname === "/") throw error;
    }
  }
}
