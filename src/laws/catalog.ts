/** All laws of a host, in the order in which they are tried. */
import type { AnyLaw } from "./law.js";
import { replayIdentity } from "./laws/replay.js";

/** See the top of the file. */
export const catalog: readonly AnyLaw[] = [replayIdentity];
