/** Runs that an interrupt ends in order. */
import { TroubleError } from "../../../codegen/diagnostics/finding.js";

/** Does something that an interrupt gives up: hosts must not outlive it. */
export async function interruptible<T>(action: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const onSignal = () => stop.abort(new TroubleError("the run", "was interrupted"));
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const name of names) process.on(name, onSignal);
  try {
    return await action(stop.signal);
  } finally {
    for (const name of names) process.off(name, onSignal);
  }
}
