/**
 * What a host may ask of params beyond their schema: ids that are live, texts that are not empty, members that go
 * together. Params that the schema allows are changed as little as possible, so that hosts have to take them.
 */
import type { MethodName } from "../../../generated/msp/experimental/types.js";
import { isAck, type JsonObject } from "../model/history.js";
import { type Trial, textInput } from "../trial.js";

/** What there is at a host. */
export interface Surroundings {
  /** A session that is loaded. */
  readonly sessionId: string;
  /** The folder that it works in, where it has one. */
  readonly workspaceRoot: string | undefined;
  /** A prompt of a turn that ends soon. */
  readonly prompt: string;
  /** A new UUID of version 7. */
  mint(): string;
}

/** What there is for a case: a session of its own. That it can be begun at all is part of the promise. */
export async function surroundings(trial: Trial): Promise<Surroundings> {
  const outcome = await trial.ask("session/start", { commandId: trial.mint() });
  trial.hold(isAck(outcome), "a session cannot be started", { outcome });
  const session = (isAck(outcome) ? outcome.result["session"] : {}) as JsonObject;
  const { sessionId, workspaceRoot } = session;
  trial.history.sessions.add(String(sessionId));
  return {
    sessionId: String(sessionId),
    workspaceRoot: typeof workspaceRoot === "string" ? workspaceRoot : undefined,
    prompt: trial.prompts.quick ?? "",
    mint: () => trial.mint(),
  };
}

/** Methods that change what is outside of sessions: no law asks for them by chance. */
export const OUTSIDE = [
  "computerUseSettings/update",
  "computerUseSetup/start",
  "feedback/submit",
  "plugin/install",
  "plugin/marketplaceAdd",
  "plugin/marketplaceRemove",
  "plugin/marketplaceUpdate",
  "session/userShell",
  "skill/import",
  "skill/setActivation",
] as const satisfies readonly MethodName[];

/** Methods that a host which serves them cannot refuse: nothing but what the rules ask for can be wrong. */
export const CERTAIN = [
  "goal/set",
  "session/list",
  "session/read",
  "session/rename",
  "session/setReasoningEffort",
  "session/start",
  "turn/start",
  "view/page",
  "view/subscribe",
  "view/unsubscribe",
] as const satisfies readonly MethodName[];

/** Whether a host that serves the method has to carry out the params that {@link byTheRules} gives. */
export function isCertain(method: string, params: JsonObject): boolean {
  if (!(CERTAIN as readonly string[]).includes(method)) return false;
  switch (method as (typeof CERTAIN)[number]) {
    case "session/start": {
      // A host may know neither the profile nor the model, or grant less.
      const free = ["permissionProfile", "modelId", "providerId", "approvalMode", "config", "recoveryMode"];
      return free.every((name) => params[name] === undefined);
    }
    case "turn/start":
      return (params["input"] as readonly JsonObject[]).every(({ type }) => type === "text");
    case "view/page":
      return params["anchor"] === undefined;
    default:
      return true;
  }
}

/** Params, and where else members can stand in them. */
export interface Plain {
  /** Puts members somewhere inside the params. */
  readonly nested?: (extra: JsonObject) => JsonObject;
  readonly [member: string]: unknown;
}

/** Params that nothing is wrong with; of a command that takes nothing but ids where nothing more is known of it. */
export function plainParams(method: MethodName, { sessionId, prompt, mint }: Surroundings): Plain {
  const command = { sessionId, commandId: mint() };
  switch (method) {
    case "session/start":
      return { commandId: mint(), nested: (extra) => ({ config: extra }) };
    case "turn/start":
      return {
        ...command,
        input: textInput(prompt),
        nested: (extra) => ({ input: [{ ...textInput(prompt)[0], ...extra }] }),
      };
    case "goal/set":
      return { ...command, objective: prompt };
    case "session/rename":
      return { ...command, name: "a name" };
    case "session/setReasoningEffort":
      return { ...command, reasoningEffort: "low" };
    case "session/list":
      return { limit: 1, nested: (extra) => ({ filter: extra }) };
    case "view/page":
      return { sessionId, limit: 1 };
    case "session/read":
    case "view/subscribe":
    case "view/unsubscribe":
      return { sessionId };
    default:
      return command;
  }
}

/**
 * Changes what is there to what the rules ask for; nothing is added.
 * @param keep a member that stays as it is, since something is wrong with it
 */
export function byTheRules(method: string, given: unknown, around: Surroundings, keep?: string): unknown {
  if (!isObject(given)) return given;
  const params: Record<string, unknown> = { ...given };
  for (const [name, value] of Object.entries(params)) {
    const fit = typeof value === "string" ? idFor(method, name, around) : undefined;
    if (fit !== undefined) params[name] = fit;
  }
  const drop = (...names: readonly string[]): void => {
    for (const name of names) delete params[name];
  };
  const text = (name: string, value: string): void => {
    if (typeof params[name] === "string") params[name] = value;
  };
  switch (method) {
    case "session/start":
      drop("sessionId", "modelId", "providerId");
      roots(params, around);
      break;
    case "session/resume":
      // What was chosen at the start cannot be chosen again.
      drop("recoveryMode", "cursor");
      break;
    case "session/list":
      drop("cursor");
      text("updatedAfter", "2026-01-01T00:00:00.000Z");
      break;
    case "session/rename":
      text("name", "a name");
      break;
    case "goal/set":
    case "goal/edit":
      text("objective", around.prompt);
      break;
    case "subagent/sendMessage":
    case "subagent/followupTask":
      text("body", around.prompt);
      break;
    case "view/page":
      drop("cursor", "anchor");
      break;
    case "view/subscribe":
      drop("after");
      break;
    case "userInput/answer":
    case "userInput/interrupt":
      params["answers"] = each(params["answers"], answer);
      break;
    case "userInput/clarify":
      if (isObject(params["clarification"])) {
        const { content } = params["clarification"];
        if (typeof content === "string")
          params["clarification"] = { ...params["clarification"], content: short(content) };
      }
      break;
    case "turn/start":
      drop("userShell");
      roots(params, around);
      if (params["ifBusy"] === "steer" && Array.isArray(params["workspaceRoots"]))
        delete params["workspaceRoots"];
      params["input"] = input(params["input"], around, true);
      break;
    case "turn/steer":
      params["input"] = input(params["input"], around, false);
      break;
    case "media/upload":
      Object.assign(params, onlyNumbers(params, { chunkCount: 1, chunkIndex: 0, totalBytes: 3 }));
      text("chunkBase64", "AAAA");
      break;
  }
  if (keep !== undefined && Object.hasOwn(given, keep)) params[keep] = given[keep];
  for (const name of Object.keys(params)) if (params[name] === undefined) delete params[name];
  return params;
}

function idFor(method: string, name: string, around: Surroundings): string | undefined {
  if (name === "commandId") return around.mint();
  if (name === "sessionId" && method !== "session/start") return around.sessionId;
  return name === "turnId" || name === "expectedTurnId" ? around.mint() : undefined;
}

/** Folders have to be there: the only one that is known to be is the session's own. */
function roots(params: Record<string, unknown>, { workspaceRoot }: Surroundings): void {
  const { workspaceRoots: given, workspaceRoot: one } = params;
  if (typeof one === "string") params["workspaceRoot"] = workspaceRoot;
  if (Array.isArray(given) && given.every((root) => typeof root === "string"))
    params["workspaceRoots"] = workspaceRoot === undefined ? undefined : [workspaceRoot];
}

/** Parts whose members go together; a skill stands alone, and is for the start of a turn. */
function input(given: unknown, { prompt, mint }: Surroundings, starts: boolean): unknown {
  if (!Array.isArray(given)) return given;
  const said = { type: "text", text: prompt };
  const parts = given.map((part: unknown) => {
    if (!isObject(part)) return part;
    const { type } = part;
    const at = (name: string, value: string): JsonObject =>
      part[name] === undefined || typeof part[name] === "string" ? { [name]: value } : {};
    switch (type) {
      case "text":
        return { ...part, ...at("text", prompt) };
      case "image":
        return { ...part, ...at("mediaType", "image/png"), ...at("base64Data", PIXEL) };
      case "video":
        return { ...part, ...at("uploadId", mint()) };
      case "skill":
        return { ...part, ...at("selector", "no-such-skill") };
      default:
        return part;
    }
  });
  const isSkill = (part: unknown): boolean => isObject(part) && part["type"] === "skill";
  const without = parts.filter((part) => !isSkill(part));
  if (without.length === parts.length || without.length > 0 || !starts)
    return without.length === 0 ? [said] : without;
  return parts.slice(0, 1);
}

/** A picture of one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Exactly one of the three ways to answer. */
function answer(given: unknown): unknown {
  if (!isObject(given)) return given;
  const { selectedLabel, selectedLabels, freeText, note, ...rest } = given;
  const ways = Object.entries({ selectedLabel, selectedLabels, freeText }).filter(
    ([, way]) => way !== undefined,
  );
  const [name, way] = ways[0] ?? ["freeText", "an answer"];
  return {
    ...rest,
    [name]: typeof way === "string" ? short(way) : way,
    ...(note === undefined ? {} : { note: typeof note === "string" ? short(note) : note }),
  };
}

/** At most 500 characters. */
function short(text: string): string {
  return [...text].slice(0, 500).join("");
}

function each(list: unknown, change: (item: unknown) => unknown): unknown {
  return Array.isArray(list) ? list.map(change) : list;
}

function onlyNumbers(params: JsonObject, values: Readonly<Record<string, number>>): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([name]) => typeof params[name] === "number"));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
