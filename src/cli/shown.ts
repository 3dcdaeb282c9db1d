/** Paths as messages name them. */
import { relative, sep } from "node:path";
import type { Io } from "./command.js";

/** A path from the working folder where it is below it, else as it is. */
export function shown(path: string, { cwd }: Pick<Io, "cwd">): string {
  const near = relative(cwd, path);
  return near === "" || near === ".." || near.startsWith(`..${sep}`) ? path : near;
}
