/** Workspaces in a process of their own, which can be stopped, woken and killed. */
import { once } from "node:events";
import type { CommandResult } from "../../src/commands/index.js";
import { type ChildProgram, childProgram } from "./child-program.js";

/** Workspaces that live in a child. */
export interface CommandsChild extends ChildProgram {
  /** `line` writes to the file of effects; `row` and `settling` insert into the table `effects` by the fence. */
  execute(commandId: string, method: "line" | "row" | "settling", params?: object): Promise<CommandResult>;
  /** Resolves when a command of it runs and has made no effect yet. */
  running(): Promise<void>;
}

/** Starts one. */
export async function commandsChild(
  url: string,
  { effects = "", deadlineMs = 60_000 }: { effects?: string; deadlineMs?: number } = {},
): Promise<CommandsChild> {
  const child = await childProgram("test/support/commands-child-main.ts", [url, effects, String(deadlineMs)]);
  return {
    ...child,
    execute: (commandId, method, params = {}) => child.call("execute", commandId, method, params),
    async running() {
      for (;;) {
        const [chunk] = (await once(child.process.stdout, "data")) as [Buffer];
        if (chunk.includes('"running"')) return;
      }
    },
  };
}
