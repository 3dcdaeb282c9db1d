/** An agent that is a user's own program, run once a turn: the prompt on its input, what it says on its output. */
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { TurnError } from "../../../generated/msp/experimental/types.js";
import {
  type Agent,
  type AgentItem,
  type AgentTools,
  type AgentTurn,
  type TurnEnd,
  TurnFailure,
} from "./agent.js";
import { findProgram, splitCommand } from "./command-line.js";
import { Program, type ProgramExit } from "./program.js";

/** What a command agent may be given. */
export interface CommandAgentOptions {
  /** The folder from which a program with a relative path is found. Default: this process's. */
  readonly folder?: string;
  /** The environment of the programs, to which the turn's variables are added. Default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Gets each line that a program writes to standard error. */
  readonly onLog?: (line: string, turn: AgentTurn) => void;
  /** The most that a turn may say: bytes of its text as JSON, so that it fits a frame. Default: 8 MiB. */
  readonly maxOutputBytes?: number;
  /** Milliseconds from SIGTERM to SIGKILL. Default: 2,000. */
  readonly killTimeoutMs?: number;
  /** Milliseconds of waiting for output that others hold open when the program has ended. Default: 2,000. */
  readonly leftoverMs?: number;
}

/**
 * An agent that runs a program: a command line, or its words. The program is looked for before a turn counts as
 * started, and started after that, so that a crash between the two has run nothing.
 */
export function commandAgent(command: string | readonly string[], options: CommandAgentOptions = {}): Agent {
  const [program = "", ...args] = typeof command === "string" ? splitCommand(command) : command;
  const { env = process.env, onLog, maxOutputBytes = 8 * 1_024 * 1_024 } = options;
  const { folder = process.cwd(), killTimeoutMs = 2_000, leftoverMs = 2_000 } = options;
  const running = new Set<Program>();
  const modelId = basename(program);
  return {
    models: [{ modelId, providerId: "command", displayName: modelId }],
    async launch({ workspaceRoot }: AgentTurn): Promise<void> {
      if (workspaceRoot !== null && !(await isFolder(workspaceRoot)))
        throw launchFailure(`the working folder is not there: ${workspaceRoot}`);
      if ((await findProgram(program, folder, env)) === undefined)
        throw launchFailure(`the agent command cannot be run: ${program}`);
    },
    async run(turn: AgentTurn, tools: AgentTools): Promise<TurnEnd | undefined> {
      if (tools.signal.aborted) return undefined;
      const file = await findProgram(program, folder, env);
      let started: Program;
      try {
        started = await Program.start(
          {
            command: file ?? program,
            args,
            cwd: turn.workspaceRoot ?? folder,
            env: environment(env, turn),
            killTimeoutMs,
            leftoverMs,
            onLog: (line) => onLog?.(line, turn),
          },
          turn.prompt,
        );
      } catch (error) {
        return failed(`the agent command cannot be run: ${program}: ${(error as Error).message}`);
      }
      running.add(started);
      try {
        return await listen(started, tools, maxOutputBytes);
      } finally {
        running.delete(started);
        started.release();
      }
    },
    async close(): Promise<void> {
      await Promise.all([...running].map((started) => started.stop()));
    },
  };
}

/** Tells what a program says until it has ended, or is to. */
async function listen(program: Program, tools: AgentTools, most: number): Promise<TurnEnd | undefined> {
  const { signal } = tools;
  const interrupted = (): void => void program.stop();
  if (signal.aborted) interrupted();
  else signal.addEventListener("abort", interrupted, { once: true });
  const message = new Message(tools);
  let bytes = 0;
  try {
    // A character may be cut by the end of a chunk; what is none becomes U+FFFD.
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    let chunk: Uint8Array | undefined;
    do {
      chunk = await program.read(signal);
      const text = decoder.decode(chunk, { stream: chunk !== undefined });
      if (signal.aborted) break;
      bytes += jsonBytes(text);
      if (bytes > most) break;
      await message.say(text);
    } while (chunk !== undefined);
    if (signal.aborted) {
      await message.end("cancelled");
      await program.stop();
      return undefined;
    }
    if (bytes > most) {
      await message.end("failed");
      await program.stop();
      return failed(`the agent command said more than ${most} bytes and was ended`);
    }
    const exit = await program.exited;
    await program.errorsRead();
    // An interrupt may have ended it after its last word.
    await message.end(signal.aborted ? "cancelled" : "completed");
    if (signal.aborted) return undefined;
    if (exit.code === 0) return { terminal: "completed" };
    return failed(exitMessage(exit, program.lastError));
  } catch (error) {
    // The host takes nothing more: the program has nobody to work for.
    await program.stop();
    throw error;
  } finally {
    signal.removeEventListener("abort", interrupted);
  }
}

/** The one message of a turn. It begins with its first text; a program that says nothing has none. */
class Message {
  readonly #tools: AgentTools;
  readonly #text: string[] = [];
  #itemId: string | undefined;

  constructor(tools: AgentTools) {
    this.#tools = tools;
  }

  async say(delta: string): Promise<void> {
    if (delta === "") return;
    if (this.#itemId === undefined) {
      this.#itemId = this.#tools.mintId();
      await this.#tools.emit({ type: "itemStarted", item: { ...this.#item(this.#itemId), text: "" } });
    }
    this.#text.push(delta);
    await this.#tools.emit({ type: "itemDelta", itemId: this.#itemId, delta });
  }

  async end(status: "completed" | "cancelled" | "failed"): Promise<void> {
    if (this.#itemId === undefined) return;
    const item = { ...this.#item(this.#itemId), text: this.#text.join("") };
    await this.#tools.emit({
      type: "itemCompleted",
      item: status === "completed" ? item : { ...item, status, cutOff: true },
    });
  }

  #item(itemId: string): AgentItem {
    return { itemId, kind: "agentMessage" };
  }
}

function environment(
  env: Readonly<Record<string, string | undefined>>,
  { sessionId, turnId, commandId, modelId }: AgentTurn,
): Record<string, string | undefined> {
  return {
    ...env,
    MSPKIT_SESSION_ID: sessionId,
    MSPKIT_TURN_ID: turnId,
    MSPKIT_COMMAND_ID: commandId,
    MSPKIT_MODEL: modelId ?? undefined,
  };
}

function exitMessage({ code, signal }: ProgramExit, lastError: string): string {
  const how = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
  return `the agent command ${how}${lastError === "" ? "" : `: ${lastError}`}`;
}

function failed(message: string): TurnEnd {
  return { terminal: "failed", error: trouble("environmentError", message) };
}

function launchFailure(message: string): TurnFailure {
  return new TurnFailure(trouble("launchError", message));
}

function trouble(kind: TurnError["kind"], message: string): TurnError {
  return { kind, message, retryable: false };
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false; // whatever the reason, no program can work there
  }
}
