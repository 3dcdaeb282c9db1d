/** Workspaces in a process of their own, which can be stopped, woken and killed. */
import { once } from "node:events";
import type { CommandResult } from "../../src/commands/index.js";
import { type ChildProgram, childProgram, type Mutation } from "./child-program.js";

/** Workspaces that live in a child. */
export interface CommandsChild extends ChildProgram {
  /**
   * `line` writes to the file of effects; `row` and `settling` insert into the table `effects` by the fence. `ms` is the
   * pause before that, `inside` the one in the transaction after it.
   */
  execute(commandId: string, method: "line" | "row" | "settling", params?: object): Promise<CommandResult>;
  /**
   * Resolves when a command of it runs and has made no effect yet (`running`), or has made one that is not kept yet
   * (`made`). To be asked for before.
   */
  says(word: "running" | "made"): Promise<void>;
}

/** How one is started. */
export interface CommandsChildOptions {
  /** The file of effects. */
  readonly effects?: string;
  readonly deadlineMs?: number;
  readonly env?: Record<string, string>;
  readonly mutation?: Mutation | undefined;
}

/** Starts one. */
export async function commandsChild(
  url: string,
  { effects = "", deadlineMs = 60_000, ...how }: CommandsChildOptions = {},
): Promise<CommandsChild> {
  const words = [url, effects, String(deadlineMs)];
  const child = await childProgram("test/support/commands-child-main.ts", words, how);
  return {
    ...child,
    execute: (commandId, method, params = {}) => child.call("execute", commandId, method, params),
    async says(word) {
      for (;;) {
        const [chunk] = (await once(child.process.stdout, "data")) as [Buffer];
        if (chunk.includes(`"${word}"`)) return;
      }
    },
  };
}
