/** Turns whose agent is a program: what the tests of the command agent share. */
import { existsSync, readFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import type { AgentEvent } from "../../../src/host/agents/agent.js";
import { type CommandAgentOptions, commandAgent } from "../../../src/host/agents/command-agent.js";
import { RecordedTurn } from "../../support/agent-tools.js";

/** A turn of a program of Node. Whatever runs at the end of the test is ended. */
export function run(
  script: string,
  { prompt = "", turn = {}, onEmit, ...options }: RunOptions = {},
  command: readonly string[] = [process.execPath, "-e", script],
): RecordedTurn {
  const agent = commandAgent(command, options);
  onTestFinished(async () => agent.close?.());
  return new RecordedTurn(agent, prompt, { turn, ...(onEmit === undefined ? {} : { onEmit }) });
}

/** What a turn of a program may be given. */
export interface RunOptions extends CommandAgentOptions {
  readonly prompt?: string;
  readonly turn?: RecordedTurn["turn"] | object;
  readonly onEmit?: (event: AgentEvent) => void | Promise<void>;
}

/** A turn of a script of the shell. */
export const shell = (script: string, options: RunOptions = {}): RecordedTurn =>
  run("", options, ["sh", "-c", script]);

/** Whether a process has ended, buried or not. */
export function gone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return existsSync(`/proc/${pid}/stat`) && /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}

/** Ends what a program left behind. */
export function endAfterTest(pid: number): void {
  onTestFinished(() => {
    process.kill(pid, "SIGKILL");
  });
}

/** What was said so far, of a message that need not be over. */
export const heard = ({ events }: RecordedTurn): string =>
  events.map((event) => (event.type === "itemDelta" ? event.delta : "")).join("");

/** What the last item came to. */
export const last = ({ events }: RecordedTurn): unknown => {
  const event = events.at(-1);
  return event?.type === "itemCompleted" ? event.item : undefined;
};

/** The end of a turn whose program failed. */
export const failure = (message: unknown): object => ({
  terminal: "failed",
  error: { kind: "environmentError", message, retryable: false },
});
