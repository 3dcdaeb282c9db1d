/** How far a run is, for a person who watches. */
import type { Progress } from "../../laws/run/run-options.js";
import type { Io } from "../command.js";

const WIDTH = 30;
/** No oftener than that is it drawn; milliseconds. */
const EVERY_MS = 100;

/** Draws a bar on standard error, over itself. */
export function progressBar(io: Pick<Io, "err">): (progress: Progress) => void {
  let last = Number.NEGATIVE_INFINITY;
  return ({ done, total, law, broken }) => {
    const now = performance.now();
    if (now - last < EVERY_MS && done < total) return;
    last = now;
    const part = total === 0 ? 1 : Math.min(1, done / total);
    const full = Math.round(part * WIDTH);
    const bar = `${"#".repeat(full)}${"-".repeat(WIDTH - full)}`;
    const found = broken === 0 ? "" : `, ${broken} broken`;
    io.err(`\r\u001b[K[${bar}] ${done}/${total} ${law}${found}`);
  };
}
