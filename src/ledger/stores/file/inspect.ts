/** What a look at the files says beyond what a store does. */
import { join } from "node:path";
import type { Space, TornTail } from "../../store.js";
import { nodeFiles } from "./files.js";
import { epochsOf, readLog } from "./segments.js";

/** The tail of a log that the next holder will cut off; undefined for none. While its holder writes, it may be a write. */
export function fileLogTorn(dir: string, space: Space, id: string): TornTail | undefined {
  const folder = join(dir, space, id);
  return readLog(nodeFiles, folder, epochsOf(nodeFiles, folder)).torn;
}
