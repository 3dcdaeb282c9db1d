/** `run/retry`, `run/skip` and `run/cancel`. */
import type { Run, RunStatus } from "../../../generated/workspace/stable/types.js";
import { type RunState, runEntry, runStateOf } from "../records.js";
import { rejected } from "../rejections.js";
import type { Transaction } from "../storage/storage.js";
import { type CommandHandler, statusOf } from "./command.js";

/** Queues a failed or skipped run for another attempt. */
export const retryRun: CommandHandler<"run/retry"> = async ({ transaction, params }) => {
  const { run } = await found(transaction, params.runId);
  if (run.status === "queued" || run.status === "running")
    throw rejected("run_not_ended", `the run is ${run.status}`, { status: run.status });
  if (run.status !== "failed" && run.status !== "skipped") throw ended(run);
  const next: Run = { ...begun(run), status: "queued", attempt: run.attempt + 1, queuedAt: transaction.now };
  await transaction.update("run", run.runId, runEntry({ run: next, owner: null, taken: 0 }, transaction.now));
  return { status: statusOf(false), run: next };
};

/** Says that a run is not to be run. */
export const skipRun: CommandHandler<"run/skip"> = async ({ transaction, params }) => {
  const { run } = await found(transaction, params.runId);
  if (run.status === "skipped") return { status: statusOf(true), run };
  if (run.status === "running") throw rejected("run_running", "the run is running; it can be cancelled");
  if (run.status !== "queued" && run.status !== "failed") throw ended(run);
  return { status: statusOf(false), run: await end(transaction, run, "skipped") };
};

/** Stops a run for good. Whoever runs it hears of it, and can settle it no more. */
export const cancelRun: CommandHandler<"run/cancel"> = async ({ transaction, params }) => {
  const { run } = await found(transaction, params.runId);
  if (run.status === "cancelled") return { status: statusOf(true), run };
  if (run.status !== "queued" && run.status !== "running") throw ended(run);
  return { status: statusOf(false), run: await end(transaction, run, "cancelled") };
};

async function end(transaction: Transaction, run: Run, status: RunStatus): Promise<Run> {
  const { reason: _, message: __, ...rest } = run;
  const next: Run = { ...rest, status, endedAt: transaction.now };
  await transaction.update("run", run.runId, runEntry({ run: next, owner: null, taken: 0 }, null));
  return next;
}

/** A run without what its last attempt came to. */
function begun(run: Run): Run {
  const { reason: _, message: __, startedAt: ___, endedAt: ____, ...rest } = run;
  return rest;
}

async function found(transaction: Transaction, runId: string): Promise<RunState> {
  const stored = await transaction.get("run", runId);
  if (stored === undefined) throw rejected("run_not_found", `there is no run ${runId}`);
  return runStateOf(stored);
}

function ended(run: Run): Error {
  return rejected("run_ended", `the run is ${run.status}`, { status: run.status });
}
