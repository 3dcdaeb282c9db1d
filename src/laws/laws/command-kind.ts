/** What a kind of command is, and how kinds that are alike are made. */
import type { MethodName } from "../../../generated/msp/experimental/types.js";
import type { Ability } from "../driver/driver.js";
import type { JsonObject, Told } from "../model/history.js";
import { completed, type Trial, textInput } from "../trial.js";
import { isOf } from "./command-arrangements.js";

/** A session that a command is for. */
export interface Scene {
  readonly trial: Trial;
  readonly sessionId: string;
}

/** A command that the host is in a state to accept. */
export interface Arranged {
  /** Without the command id. */
  readonly params: JsonObject;
  /** Other params of the same method that are valid too; absent where there is nothing to differ in. */
  readonly other?: JsonObject;
  /** A command after which the first one would do its work anew, if it were carried out again. */
  readonly between?: { readonly method: MethodName; readonly params: JsonObject };
  /** Whether a message tells of what the command did. What tells of the same has the same text. */
  effect(told: Told, commandId: string): string | undefined;
  /** Whether it must have been told when the host is quiet and `reveal` is done. */
  readonly isSeen: boolean;
  /** Makes the host show what was only taken in. */
  reveal?(): Promise<unknown>;
}

/** A kind of command, and how one is arranged. */
export interface CommandKind {
  readonly name: string;
  readonly method: MethodName;
  /** Beside serving the method. */
  readonly needs: readonly Ability[];
  /** Whether the session is not loaded any more afterwards. */
  readonly leaves?: true;
  /** Whether all its payloads are one. */
  readonly isAlone?: true;
  /** Whether there is a command that it could come after. */
  readonly hasBetween?: true;
  arrange(scene: Scene): Promise<Arranged>;
}

/** The place of an event; what has none is told by its whole text. */
const placeOf = ({ params }: Told): string => String(params["viewCursor"] ?? JSON.stringify(params));
/** Events of a method that fit. */
export const event =
  (method: string, fits: (params: JsonObject, commandId: string) => boolean = () => true) =>
  (told: Told, commandId: string): string | undefined =>
    told.method === method && fits(told.params, commandId) ? placeOf(told) : undefined;
/** Messages of the user that came by a command. */
export const message = ({ method, params }: Told, commandId: string): string | undefined => {
  if (method !== "item/started" && method !== "item/completed") return undefined;
  const item = (params["item"] ?? {}) as JsonObject;
  return item["kind"] === "userMessage" && item["commandId"] === commandId
    ? `message ${String(item["itemId"])}`
    : undefined;
};
/** The goal that an event tells. */
const goalOf = (params: JsonObject): JsonObject | null => (params["goal"] ?? null) as JsonObject | null;
/** Whether an event names a command as its cause. */
export const byCommand = (params: JsonObject, commandId: string) => params["commandId"] === commandId;

/** What tells the first payload of a case from all others. */
export const MARK = "the first payload of this case";
/** The text of payloads that are not the first. */
export const OTHER = "another payload";

/** A setting of the session: it is there as soon as it is acked. */
export function setting(
  method: MethodName,
  changed: string,
  isSeen: boolean,
  make: (scene: Scene) => Promise<{
    readonly params: JsonObject;
    readonly other: JsonObject;
    /** What undoes it; the other params where left out. */
    readonly back?: JsonObject | undefined;
    /** What the event has that tells of it. */
    readonly told: JsonObject;
  }>,
): CommandKind {
  return {
    name: method,
    method,
    hasBetween: true,
    needs: [],
    async arrange(scene) {
      const { params, other, back = other, told } = await make(scene);
      const { sessionId } = scene;
      return {
        params: { sessionId, ...params },
        other: { sessionId, ...other },
        between: { method, params: { sessionId, ...back } },
        effect: event(changed, (found) =>
          Object.entries(told).every(([name, value]) => found[name] === value),
        ),
        isSeen,
      };
    },
  };
}

/** A command on a goal that is there, while its turn runs. */
export function onGoal(
  method: MethodName,
  fits: (goal: JsonObject | null) => boolean,
  back: (objective: string) => { readonly method: MethodName; readonly params: JsonObject } | undefined,
  how: { readonly paused?: true; readonly objective?: string } = {},
): CommandKind {
  return {
    name: method,
    method,
    hasBetween: true,
    ...(how.objective === undefined ? { isAlone: true } : {}),
    needs: ["busy", "serves:goal/set", ...(how.paused ? (["serves:goal/pause"] as const) : [])],
    async arrange({ trial, sessionId }) {
      const objective = trial.prompts.busy ?? "";
      await trial.command("goal/set", { sessionId, objective });
      if (how.paused) await trial.command("goal/pause", { sessionId });
      await trial.quiet();
      const own = how.objective;
      const between = back(objective);
      const since = trial.history.next();
      const changed = event("session/goalChanged", (params) => fits(goalOf(params)));
      return {
        params: { sessionId, ...(own === undefined ? {} : { objective: own }) },
        ...(own === undefined ? {} : { other: { sessionId, objective: OTHER } }),
        ...(between === undefined
          ? {}
          : { between: { method: between.method, params: { sessionId, ...between.params } } }),
        effect: (told, commandId) => (told.moment < since ? undefined : changed(told, commandId)),
        isSeen: true,
      };
    },
  };
}

/** A command that stops a turn. */
export const stops = (method: MethodName): CommandKind => ({
  name: method,
  method,
  needs: ["busy"],
  async arrange({ trial, sessionId }) {
    const turnId = await trial.busy(sessionId);
    return {
      params: { sessionId, turnId },
      other: { sessionId, turnId: trial.mint() },
      effect: event("turn/completed", (params) => params["turnId"] === turnId),
      isSeen: true,
      reveal: () => trial.need(completed(turnId), "a turn that was stopped did not end"),
    };
  },
});

/** A command that settles a question of the agent. */
export const settles = (
  method: MethodName,
  own: (asked: JsonObject) => JsonObject,
  other: JsonObject,
): CommandKind => ({
  name: method,
  method,
  needs: ["question"],
  async arrange({ trial, sessionId }) {
    await trial.turn(sessionId, trial.prompts.question ?? "");
    const { params } = await trial.need(isOf("userInput/requested", sessionId), "no question was asked");
    const userInputId = params["userInputId"];
    return {
      params: { sessionId, userInputId, ...own(params) },
      other: { sessionId, userInputId, ...own(params), ...other },
      effect: event("userInput/settled", (told) => told["userInputId"] === userInputId),
      isSeen: true,
    };
  },
});

/** A message for the turn that runs. */
export const steered = (
  name: string,
  method: MethodName,
  make: (running: string) => JsonObject,
): CommandKind => ({
  name,
  method,
  hasBetween: true,
  needs: ["busy"],
  async arrange({ trial, sessionId }) {
    const more = make(await trial.busy(sessionId));
    const other = { sessionId, ...more, input: textInput(OTHER) };
    return {
      params: { sessionId, ...more, input: textInput(MARK) },
      other,
      between: { method, params: other },
      effect: message,
      // A model hears it when it is called next.
      isSeen: trial.can("echo"),
    };
  },
});
