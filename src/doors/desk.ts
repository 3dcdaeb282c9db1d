/**
 * Behind every door: a method and its params become a command that is carried out once for its id, or a query. Here all
 * doors meet, so that one id is one command whatever door it comes in by.
 */
import { mintCommandId } from "../client/command-id.js";
import type { Actor, App, CommandResult, JsonObject, Rejection, WorkspaceHandle } from "../commands/app.js";
import { readCommandId } from "../commands/ids.js";
import type { Workspaces } from "../commands/workspaces.js";
import { refused } from "./reasons.js";
import { isJsonObject } from "./schema.js";
import { COMMAND_ID, type DoorMethod, type Surface, surfaceOf } from "./surface.js";

/** How many violations are told at the most. */
const TOLD_VIOLATIONS = 20;

/** What a desk is made of. */
export interface DeskOptions {
  readonly app: App;
  /** The one of the process. */
  readonly workspaces: Workspaces;
  /** Gets what goes wrong behind an answer; clients are not told. Must not throw. Default: dropped. */
  readonly onError?: (error: unknown) => void;
}

/** Something that is asked for. */
export interface Ask {
  readonly actor: Actor;
  readonly method: DoorMethod;
  /** As they came. */
  readonly params: unknown;
  /** Whether a command without an id gets a new one, and so is carried out every time. Default: it is refused. */
  readonly mint?: boolean;
  /** Is told of the workspace before a query reads it; a rejection is the answer. */
  readonly reading?: (handle: WorkspaceHandle) => Rejection | undefined;
}

/** What came of it. */
export interface Asked {
  readonly result: CommandResult;
  /** The id under which it was carried out, or would have been; undefined where there is none. */
  readonly commandId: string | undefined;
}

/** See above. */
export class Desk {
  readonly surface: Surface;
  readonly #app: App;
  readonly #workspaces: Workspaces;
  readonly #onError: (error: unknown) => void;

  /** @throws {DoorError} where the bundle of the application is none */
  constructor({ app, workspaces, onError = () => undefined }: DeskOptions) {
    this.surface = surfaceOf(app);
    this.#app = app;
    this.#workspaces = workspaces;
    this.#onError = onError;
  }

  /** Whether a repeated id is answered the first result, be it another command's. */
  get firstResult(): boolean {
    return this.#workspaces.identity === "first-result";
  }

  /** Tells of an error that no client is told. */
  report(error: unknown): void {
    this.#onError(error);
  }

  /** Does what is asked for. Never rejects: whatever goes wrong is a rejection. */
  async ask(ask: Ask): Promise<Asked> {
    let commandId: string | undefined;
    try {
      const { method, params, mint = false } = ask;
      if (!isJsonObject(params)) return { result: invalid([NO_OBJECT]), commandId };
      if (method.kind === "query") return { result: await this.#query(ask, params), commandId };
      let given: unknown = Object.hasOwn(params, COMMAND_ID) ? params[COMMAND_ID] : undefined;
      if (given === undefined && (mint || method.kind === "action")) given = mintCommandId();
      if (given === undefined) return { result: refused("command_id_missing"), commandId };
      const { fault } = readCommandId(given, Number.POSITIVE_INFINITY);
      if (fault !== undefined) return { result: refused("command_id_malformed", { fault }), commandId };
      commandId = given as string;
      return { result: await this.#command(ask, params, commandId), commandId };
    } catch (error) {
      this.#onError(error);
      return { result: refused("internal_error"), commandId };
    }
  }

  async #command({ actor, method }: Ask, params: JsonObject, commandId: string): Promise<CommandResult> {
    const whole =
      method.kind === "action" || params[COMMAND_ID] === commandId
        ? params
        : { ...params, [COMMAND_ID]: commandId };
    const wrong = violations(method, whole);
    if (wrong !== undefined) return wrong;
    const handle = await this.#open(actor, params);
    if ("reason" in handle) return { status: "rejected", rejection: handle };
    const { [COMMAND_ID]: _, ...rest } = params;
    return this.#workspaces.execute(handle, { method: method.name, params: rest }, { commandId });
  }

  async #query({ actor, method, reading }: Ask, params: JsonObject): Promise<CommandResult> {
    const wrong = violations(method, params);
    if (wrong !== undefined) return wrong;
    const handle = await this.#open(actor, params);
    if ("reason" in handle) return { status: "rejected", rejection: handle };
    const rejection = reading?.(handle);
    if (rejection !== undefined) return { status: "rejected", rejection };
    return handle.query(method.name, params);
  }

  /** The workspace that params name; the empty name where they name none. */
  async #open(actor: Actor, params: JsonObject): Promise<WorkspaceHandle | Rejection> {
    const { workspaceMember } = this.surface;
    const named = Object.hasOwn(params, workspaceMember) ? params[workspaceMember] : "";
    return this.#app.open(actor, typeof named === "string" ? named : "");
  }
}

const NO_OBJECT = { instanceLocation: "", keyword: "type", message: "must be object" };

function invalid(
  found: readonly { readonly instanceLocation: string; readonly keyword: string; readonly message: string }[],
) {
  return refused("invalid_params", {
    violations: found
      .slice(0, TOLD_VIOLATIONS)
      .map(({ instanceLocation, keyword, message }) => ({ instanceLocation, keyword, message })),
  });
}

function violations({ check }: DoorMethod, params: JsonObject): CommandResult | undefined {
  // All of them are looked for only where there is one.
  return check(params) === null ? undefined : invalid(check(params, { all: true }) ?? []);
}
