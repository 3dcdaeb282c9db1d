// The peak resident memory of a process that runs, where the kernel tells it.
import { readFileSync } from "node:fs";

/** MiB; undefined where there is no /proc. */
export function peakOf(pid) {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
  } catch {
    return undefined;
  }
}
