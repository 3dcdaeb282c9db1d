/**
 * A child process and all that it started.
 */
import type { ChildProcess } from "node:child_process";

/** Sends a signal to a child that leads a group of its own, and to the group. One that is gone is no error. */
export function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === "win32") {
    child.kill(signal);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // all of them are gone
  }
}
