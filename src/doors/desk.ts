/**
 * Behind every door: a method and its params become a command that is carried out once for its id, or a query. Here all
 * doors meet, so that one id is one command whatever door it comes in by.
 */
import { mintCommandId } from "../client/command-id.js";
import type {
  Actor,
  App,
  CommandResult,
  JsonObject,
  JsonValue,
  Rejection,
  WorkspaceHandle,
} from "../commands/app.js";
import { isPlain, takenFrom } from "../commands/carried.js";
import { readCommandId } from "../commands/ids.js";
import type { Workspaces } from "../commands/workspaces.js";
import { refused } from "./reasons.js";
import { isJsonObject } from "./schema.js";
import { COMMAND_ID, type DoorMethod, type Surface, surfaceOf } from "./surface.js";

/** How many violations are told at the most. */
const TOLD_VIOLATIONS = 20;

/** How long an application may take to open a workspace, or to answer a query, in milliseconds. */
const ANSWER_MS = 30_000;

/** What a desk is made of. */
export interface DeskOptions {
  readonly app: App;
  /** The one of the process. */
  readonly workspaces: Workspaces;
  /** Gets what goes wrong behind an answer; clients are not told. Must not throw. Default: dropped. */
  readonly onError?: (error: unknown) => void;
  /**
   * How long the application may take to open a workspace, or to answer a query; then the answer is `answer_timeout`. In
   * milliseconds. Default: 30,000. How long commands may take is said to the workspaces.
   */
  readonly answerMs?: number;
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
  readonly #answerMs: number;

  /** @throws {DoorError} where the bundle of the application is none */
  constructor({ app, workspaces, onError = () => undefined, answerMs = ANSWER_MS }: DeskOptions) {
    this.surface = surfaceOf(app);
    this.#app = app;
    this.#workspaces = workspaces;
    this.#onError = onError;
    this.#answerMs = answerMs;
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
  async ask({ actor, method, params, mint = false, reading }: Ask): Promise<Asked> {
    let commandId: string | undefined;
    try {
      if (!isJsonObject(params)) return { result: invalid([NO_OBJECT]), commandId };
      const { kind, name } = method;
      let given: unknown = params[COMMAND_ID];
      let whole = params;
      if (kind !== "query") {
        if (given === undefined && (mint || kind === "action")) given = mintCommandId();
        if (given === undefined) return { result: refused("command_id_missing"), commandId };
        if (kind === "command" && params[COMMAND_ID] === undefined)
          whole = { ...params, [COMMAND_ID]: given as string };
      }
      const wrong = violations(method, whole);
      if (wrong !== undefined) {
        // What is wrong with the id is told first, and by its own reason.
        const { fault } = kind === "query" ? {} : readCommandId(given, Number.POSITIVE_INFINITY);
        if (fault !== undefined) return { result: refused("command_id_malformed", { fault }), commandId };
        if (kind !== "query") commandId = given as string;
        return { result: wrong, commandId };
      }
      if (kind !== "query") commandId = given as string;
      const opened = await this.#inTime(this.#open(actor, params));
      if (opened === LATE) return { result: refused("answer_timeout"), commandId };
      if ("reason" in opened) return { result: taken({ status: "rejected", rejection: opened }), commandId };
      if (kind === "query") {
        const rejection = reading?.(opened);
        if (rejection !== undefined) return { result: { status: "rejected", rejection }, commandId };
        const came = await this.#inTime(opened.query(name, params));
        return { result: came === LATE ? refused("answer_timeout") : taken(came), commandId };
      }
      const command = { method: name, params: withoutId(params) };
      const result = await this.#workspaces.execute(opened, command, { commandId: given });
      // An id that is none is not told again.
      if (result.status === "rejected" && result.rejection.reason === "command_id_malformed")
        commandId = undefined;
      return { result, commandId };
    } catch (error) {
      this.#onError(error);
      return { result: refused("internal_error"), commandId };
    }
  }

  /** The workspace that params name; the empty name where they name none. */
  #open(actor: Actor, params: JsonObject): Promise<WorkspaceHandle | Rejection> {
    const { workspaceMember } = this.surface;
    const named = Object.hasOwn(params, workspaceMember) ? params[workspaceMember] : "";
    return this.#app.open(actor, typeof named === "string" ? named : "");
  }

  /** What the application answers, or that it does not in time; what it answers later is dropped. */
  #inTime<T>(answer: Promise<T>): Promise<T | typeof LATE> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#onError(new Error(`the application did not answer within ${this.#answerMs} ms`));
        resolve(LATE);
      }, this.#answerMs);
      Promise.resolve(answer).then(
        (came) => {
          clearTimeout(late);
          resolve(came);
        },
        (error: unknown) => {
          clearTimeout(late);
          reject(error);
        },
      );
    });
  }
}

const LATE = Symbol("late");

/** What the application gave, as JSON carries it. Throws where it is no result: that is told like what it throws itself. */
function taken(given: unknown): CommandResult {
  // It is told at once, and nobody keeps it: most results of queries need no copy.
  const { status, result: plain } = (given ?? {}) as { readonly status?: unknown; readonly result?: unknown };
  if (status === "accepted" && isPlain(plain)) return { status, result: plain };
  const result = takenFrom(given);
  if (typeof result === "string") throw new TypeError(`the application gave no result: ${result}`);
  return result;
}

/** Params without the id, which is no part of the command. */
function withoutId(params: JsonObject): JsonObject {
  const rest: Record<string, JsonValue> = {};
  for (const name of Object.keys(params)) {
    if (name === COMMAND_ID) continue;
    const value = params[name] as JsonValue;
    if (name !== "__proto__") rest[name] = value;
    else Object.defineProperty(rest, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return rest;
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
