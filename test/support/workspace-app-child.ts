/** The application in a process of its own, which can be killed. */
import { onTestFinished } from "vitest";
import type { CommandResult } from "../../src/commands/app.js";
import { childProgram } from "./child-program.js";

/** A process with the application. */
export interface AppChild {
  /** Asks it; with a command id it is a command. Never ends where the process is dead. */
  ask(method: string, params: object, commandId?: string): Promise<CommandResult>;
  /** Ends it with SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

/** How it runs. */
export interface AppChildOptions {
  /** The most runs at once. Default: 16. */
  readonly concurrency?: number;
  /** How long it may be silent. Default: 60,000 ms, so that a slow machine is not taken for a dead one. */
  readonly leaseMs?: number;
}

/**
 * Starts a process on the store of a URL; it is killed after the test.
 * @param effects the file in which its function `record` writes the run and the attempt of each call
 */
export async function appChild(
  url: string,
  effects: string,
  { concurrency = 16, leaseMs = 60_000 }: AppChildOptions = {},
): Promise<AppChild> {
  const words = [url, effects, String(concurrency), String(leaseMs)];
  const { call, kill } = await childProgram("test/support/workspace-app-child-main.ts", words);
  onTestFinished(kill);
  const ask: AppChild["ask"] = (method, params, commandId) => call("ask", method, params, commandId);
  await ask("event/list", {});
  return { ask, kill };
}
