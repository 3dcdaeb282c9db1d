/** The file of `--agent-script`: what each turn of a host does, in order. Read strictly: a mistake in it is no play. */
import { notifications } from "../../../generated/msp/experimental/tables.js";
import type { TurnError } from "../../../generated/msp/experimental/types.js";
import { definitions, type Validate } from "../../../generated/msp/experimental/validators.js";
import type { AgentEvent, ApprovalQuestion, TurnEnd, UserInputQuestions } from "./agent.js";
import { LONGEST_WAIT_MS } from "./script.js";
import { AgentSetupError } from "./setup-error.js";

/** The version of the form of the file. */
export const AGENT_SCRIPT_VERSION = 1;

/** What the turns of a host do. */
export interface AgentScript {
  readonly version: typeof AGENT_SCRIPT_VERSION;
  /** In the order in which they are launched. */
  readonly turns: readonly TurnScript[];
}

/** What one turn does. */
export interface TurnScript {
  /** The turn is not launched, for this reason. It has no steps then. */
  readonly launch?: { readonly fail: TurnError };
  /** A turn whose steps are done is completed. */
  readonly steps: readonly TurnStep[];
}

/** One step of a turn. The id of an item is a label, for which an id is minted where it is first used. */
export type TurnStep =
  | { readonly emit: AgentEvent }
  | { readonly ask: ApprovalQuestion | UserInputQuestions }
  /** Waits until the session has admitted so many commands since the turn was asked for. */
  | { readonly untilCommands: number }
  /** Waits so many milliseconds. */
  | { readonly wait: number }
  /** Ends the turn. The last step. */
  | { readonly end: TurnEnd }
  /** Waits until the turn is interrupted. What is emitted after it is said then. */
  | { readonly hang: true };

type Members = Readonly<Record<string, unknown>>;

/** The events that an agent may say by their method. */
const EVENT_METHODS: Readonly<Record<Extract<AgentEvent, { type: "event" }>["method"], true>> = {
  "session/todoListChanged": true,
  "session/branchChanged": true,
  "session/tokenUsage": true,
  "session/contextUsage": true,
  "turn/foregroundCompleted": true,
  "turn/retryScheduled": true,
  "turn/modelRetryScheduled": true,
};

/** Members that the host adds: to an item, and to an event. */
const HOSTS_ITEM_MEMBERS = { turnId: null, revision: 1 };
const HOSTS_EVENT_MEMBERS = {
  sessionId: "s",
  turnId: "t",
  viewCursor: "c",
  sourceRange: {
    stream: { kind: "run", id: "t" },
    first: { id: "r", sequence: 1 },
    last: { id: "r", sequence: 1 },
  },
};

/**
 * Reads the text of an agent script.
 * @throws {AgentSetupError} `agentScript`, with the place
 */
export function readAgentScript(json: string): AgentScript {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new AgentSetupError("agentScript", `no JSON: ${(error as Error).message}`, {
      place: "",
      cause: error,
    });
  }
  return new Reading().script(value);
}

/** One reading of a file: knows which items have begun. */
class Reading {
  readonly #begun = new Set<string>();

  script(value: unknown): AgentScript {
    const { version, turns } = members(value, "", ["version", "turns"]);
    if (version !== AGENT_SCRIPT_VERSION) wrong("/version", `must be ${AGENT_SCRIPT_VERSION}`);
    list(turns, "/turns").forEach((turn, index) => this.#turn(turn, `/turns/${index}`));
    // Turns that are not launched may leave their steps out.
    const script = value as { readonly turns: readonly Partial<TurnScript>[] };
    return {
      version: AGENT_SCRIPT_VERSION,
      turns: script.turns.map((turn) => ({ steps: [], ...turn })),
    };
  }

  #turn(value: unknown, place: string): void {
    const { launch, steps } = members(value, place, [], ["launch", "steps"]);
    if (launch !== undefined) {
      const { fail } = members(launch, `${place}/launch`, ["fail"]);
      valid(definitions.TurnError, fail, `${place}/launch/fail`);
      if (steps !== undefined && list(steps, `${place}/steps`).length > 0)
        wrong(`${place}/steps`, "must be empty where the turn is not launched");
      return;
    }
    let kinds: readonly string[] = ["emit", "ask", "untilCommands", "wait", "end", "hang"];
    list(steps, `${place}/steps`).forEach((step, index) => {
      const kind = this.#step(step, `${place}/steps/${index}`, kinds);
      if (kind === "hang") kinds = ["emit", "end"];
      if (kind === "end") kinds = [];
    });
  }

  /** Checks a step, which is one of these; which. */
  #step(value: unknown, place: string, kinds: readonly string[]): string {
    const step = members(value, place, [], "any");
    const [kind = "", ...more] = Object.keys(step);
    if (more.length > 0 || !kinds.includes(kind))
      wrong(place, kinds.length === 0 ? "follows the end" : `must have one member of ${kinds.join(", ")}`);
    const at = `${place}/${kind}`;
    const content = step[kind];
    if (kind === "emit") this.#event(content, at);
    else if (kind === "ask") this.#question(content, at);
    else if (kind === "untilCommands") whole(content, at, 1, Number.MAX_SAFE_INTEGER);
    else if (kind === "wait") whole(content, at, 0, LONGEST_WAIT_MS);
    else if (kind === "end") end(content, at);
    else if (content !== true) wrong(at, "must be true");
    return kind;
  }

  #event(value: unknown, place: string): void {
    const { type } = members(value, place, ["type"], "any");
    if (type === "itemDelta") {
      const { itemId, delta, field } = members(value, place, ["type", "itemId", "delta"], ["field"]);
      this.#known(string(itemId, `${place}/itemId`), `${place}/itemId`);
      text(delta, `${place}/delta`);
      if (field !== undefined) string(field, `${place}/field`);
    } else if (type === "event") {
      const { method, params } = members(value, place, ["type", "method", "params"]);
      if (typeof method !== "string" || !Object.hasOwn(EVENT_METHODS, method))
        wrong(`${place}/method`, `must be one of ${Object.keys(EVENT_METHODS).join(", ")}`);
      const given = members(params, `${place}/params`, [], "any");
      const { params: definition } = notifications[method as keyof typeof EVENT_METHODS];
      valid(
        definitions[definition] as Validate<unknown>,
        { ...HOSTS_EVENT_MEMBERS, ...given },
        `${place}/params`,
      );
    } else if (type === "itemStarted" || type === "itemUpdated" || type === "itemCompleted") {
      const { item } = members(value, place, ["type", "item"]);
      const itemId = this.#item(item, `${place}/item`);
      if (type === "itemUpdated") this.#known(itemId, `${place}/item/itemId`);
      this.#begun.add(itemId);
    } else wrong(`${place}/type`, "must be an event of an agent");
  }

  #question(value: unknown, place: string): void {
    const { type } = members(value, place, ["type"], "any");
    const shared = ["type", "item", "toolName"];
    let given: Members;
    if (type === "approval") {
      given = members(value, place, [...shared, "rawArgs", "subject", "stages"], ["protectedWrite"]);
      text(given["rawArgs"], `${place}/rawArgs`);
      valid(definitions.ApprovalSubject, given["subject"], `${place}/subject`);
      filled(given["stages"], `${place}/stages`).forEach((stage, index) =>
        filled(stage, `${place}/stages/${index}`).forEach((choice, nth) =>
          valid(definitions.ApprovalChoice, choice, `${place}/stages/${index}/${nth}`),
        ),
      );
      if (given["protectedWrite"] !== undefined && typeof given["protectedWrite"] !== "boolean")
        wrong(`${place}/protectedWrite`, "must be true or false");
    } else if (type === "userInput") {
      given = members(value, place, [...shared, "questions"], ["autoResolutionMs"]);
      filled(given["questions"], `${place}/questions`).forEach((question, index) =>
        valid(definitions.UserInputQuestion, question, `${place}/questions/${index}`),
      );
      if (given["autoResolutionMs"] !== undefined)
        whole(given["autoResolutionMs"], `${place}/autoResolutionMs`, 1, LONGEST_WAIT_MS);
    } else throw fault(`${place}/type`, "must be approval or userInput");
    string(given["toolName"], `${place}/toolName`);
    this.#begun.add(this.#item(given["item"], `${place}/item`));
  }

  /** Checks an item; its label. */
  #item(value: unknown, place: string): string {
    const item = members(value, place, ["itemId", "kind"], "any");
    for (const name of [...Object.keys(HOSTS_ITEM_MEMBERS), "recordedAt"])
      if (item[name] !== undefined) wrong(`${place}/${name}`, "is the host's to say");
    valid(definitions.Item, { status: "completed", ...item, ...HOSTS_ITEM_MEMBERS }, place);
    return string(item["itemId"], `${place}/itemId`);
  }

  #known(label: string, place: string): void {
    if (!this.#begun.has(label)) wrong(place, `names an item that has not begun: ${label}`);
  }
}

function end(value: unknown, place: string): void {
  const { terminal } = members(value, place, ["terminal"], "any");
  if (terminal === "failed")
    valid(definitions.TurnError, members(value, place, ["terminal", "error"])["error"], `${place}/error`);
  else if (terminal === "completed") members(value, place, ["terminal"]);
  else wrong(`${place}/terminal`, "must be completed or failed");
}

/** An object that has these members, and of others only the ones named, or any. */
function members(
  value: unknown,
  place: string,
  required: readonly string[],
  optional: readonly string[] | "any" = [],
): Members {
  if (typeof value !== "object" || value === null || Array.isArray(value)) wrong(place, "must be an object");
  const object = value as Members;
  for (const name of required) if (!Object.hasOwn(object, name)) wrong(place, `has no ${name}`);
  if (optional !== "any")
    for (const name of Object.keys(object))
      if (!required.includes(name) && !optional.includes(name))
        wrong(`${place}/${escaped(name)}`, "is not known");
  return object;
}

function list(value: unknown, place: string): readonly unknown[] {
  if (!Array.isArray(value)) wrong(place, "must be an array");
  return value as readonly unknown[];
}

function filled(value: unknown, place: string): readonly unknown[] {
  const entries = list(value, place);
  if (entries.length === 0) wrong(place, "must not be empty");
  return entries;
}

function text(value: unknown, place: string): void {
  if (typeof value !== "string") wrong(place, "must be a string");
}

function string(value: unknown, place: string): string {
  if (typeof value !== "string" || value === "") wrong(place, "must be a string, and not empty");
  return value as string;
}

function whole(value: unknown, place: string, least: number, most: number): void {
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > most)
    wrong(place, `must be an integer from ${least} to ${most}`);
}

/** Checks against a definition of the protocol. */
function valid<T>(validate: Validate<T>, value: unknown, place: string): void {
  const [violation] = validate(value) ?? [];
  if (violation !== undefined) wrong(place + violation.instanceLocation, violation.message);
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function wrong(place: string, what: string): never {
  throw fault(place, what);
}

function fault(place: string, what: string): AgentSetupError {
  return new AgentSetupError("agentScript", `${place === "" ? "the file" : place} ${what}`, { place });
}
