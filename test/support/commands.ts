/** Workspaces for tests of commands: handles whose commands do what the test says, and ids. */
import type {
  Command,
  CommandContext,
  CommandResult,
  JsonValue,
  WorkspaceHandle,
} from "../../src/commands/index.js";

/** What a handler does with a command. */
export type Handler = (command: Command, context: CommandContext) => Promise<CommandResult> | CommandResult;

/** A handle that carries out by a handler, and counts. */
export interface CountingHandle extends WorkspaceHandle {
  /** How often commands were carried out, by their id. */
  readonly effects: Map<string, number>;
}

/** A handle of a workspace. */
export function handleOf(
  handler: Handler,
  {
    tenant = "t",
    workspace = "w",
    participant = "p",
  }: Partial<Record<"tenant" | "workspace" | "participant", string>> = {},
): CountingHandle {
  const effects = new Map<string, number>();
  return {
    tenant,
    workspace,
    participant,
    effects,
    async carryOut(command, context) {
      effects.set(context.commandId, (effects.get(context.commandId) ?? 0) + 1);
      return handler(command, context);
    },
    query: async () => accepted(null),
    subscribe: () => () => undefined,
  };
}

/** An outcome. */
export function accepted(result: JsonValue): CommandResult {
  return { status: "accepted", result };
}

/** A command of a method. */
export function command(method = "event/publish", params: Command["params"] = {}): Command {
  return { method, params };
}

/** A UUID of version 7 with a time. */
export function idAt(time: number, tail = 0): string {
  const at = Math.floor(time).toString(16).padStart(12, "0");
  return `${at.slice(0, 8)}-${at.slice(8)}-7000-8000-${tail.toString(16).padStart(12, "0")}`;
}

/** The reason of a rejection; `accepted` of an outcome. */
export function reasonOf(result: CommandResult): string {
  return result.status === "accepted" ? "accepted" : result.rejection.reason;
}
