/**
 * What the agent did in a recorded session, turn by turn, as a script for a host that lets an agent be played. Taken
 * from the host's frames without what a host says by itself: that a turn begins and ends, what the user wrote, how a
 * question was settled, and the ends of what an interrupted turn left open.
 */
import { methods, type rejections } from "../../../generated/msp/experimental/tables.js";
import type {
  ErrorKind,
  ItemKind,
  ServerNotification,
  TurnErrorKind,
} from "../../../generated/msp/experimental/types.js";
import { type Frame, isObject } from "../differences.js";
import type { Transcript } from "../transcript.js";

/** One thing that an agent does. */
export type ScriptStep =
  /** It says something. Ids of items are labels. */
  | { readonly emit: Frame }
  /** It asks the user, and waits for the answer. */
  | { readonly ask: Frame }
  /** It waits until its session has taken in so many commands since the turn was asked for. */
  | { readonly untilCommands: number }
  /** It waits until the turn is stopped. */
  | { readonly hang: true }
  /** Its turn ends. */
  | { readonly end: Frame };

/** What an agent does in one turn. */
export interface ScriptTurn {
  /** The launch fails in these words, and nothing else happens. */
  readonly launch?: { readonly fail: Frame };
  readonly steps: readonly ScriptStep[];
}

/** What an agent does in the turns of a host, in their order. */
export interface AgentScript {
  readonly version: 1;
  readonly turns: readonly ScriptTurn[];
}

/** A script, and how much of the recording is not in it. */
export interface DerivedScript {
  readonly script: AgentScript;
  /** Frames of the host that tell of turns which began before the recording did. */
  readonly foreignFrames: number;
}

/** Items that a host makes by itself, from what a client sent. */
const HOSTS_ITEMS: ReadonlySet<string> = new Set<ItemKind>(["userMessage", "compaction", "userShell"]);

/** Further events that an agent may say. */
const EVENTS: ReadonlySet<string> = new Set<ServerNotification>([
  "session/todoListChanged",
  "session/branchChanged",
  "session/tokenUsage",
  "session/contextUsage",
  "turn/foregroundCompleted",
  "turn/retryScheduled",
  "turn/modelRetryScheduled",
]);

/** The rejection that admits nothing: the command is another one's. */
const CONFLICT: keyof typeof rejections = "command_id_conflict";
const REJECTED: ErrorKind = "commandRejected";
const LAUNCH_FAILED: TurnErrorKind = "launchError";

const STEP_OF: Readonly<Record<string, string>> = {
  "item/started": "itemStarted",
  "item/updated": "itemUpdated",
  "item/completed": "itemCompleted",
};

/** The script that makes an agent do what it did in a recording. */
export function deriveAgentScript({ lines }: Pick<Transcript, "lines">): DerivedScript {
  const frames = lines.map(({ dir, raw }) => ({ dir, frame: parsed(raw) }));
  const clients = frames.map(({ dir, frame }) => (dir === "client" ? frame : undefined));
  const commands = commandsOf(frames);
  const reader = new Reader(clients, commands);
  for (const [at, { dir, frame }] of frames.entries()) if (dir === "server") reader.take(frame, at);
  return reader.derived();
}

/** A command that a session took in. */
interface Admitted {
  /** Where its first request stands. */
  readonly at: number;
  readonly commandId: string;
  readonly sessionId: unknown;
}

interface Line {
  readonly dir: string;
  readonly frame: Frame;
}

/**
 * The commands that were taken in and that a session keeps a record of, each once. What begins or loads a session is
 * none of its commands; such acks do not name the command.
 */
function commandsOf(frames: readonly Line[]): Admitted[] {
  const out: Admitted[] = [];
  const seen = new Set<unknown>();
  for (const [at, { dir, frame }] of frames.entries()) {
    const { method, params } = frame;
    if (dir !== "client" || !keepsRecord(method) || !isObject(params)) continue;
    const { commandId, sessionId } = params;
    if (typeof commandId !== "string" || seen.has(commandId)) continue;
    const answer = frames
      .slice(at)
      .find((later) => later.dir === "server" && later.frame["id"] === frame["id"] && isAnswer(later.frame));
    if (answer === undefined || !wasAdmitted(answer.frame)) continue;
    seen.add(commandId);
    out.push({ at, commandId, sessionId });
  }
  return out;
}

function keepsRecord(method: unknown): boolean {
  const row = Object.entries(methods).find(([name]) => name === method)?.[1];
  return row !== undefined && "record" in row && row.record === "durable";
}

function isAnswer(frame: Frame): boolean {
  return !Object.hasOwn(frame, "method");
}

function wasAdmitted({ result, error }: Frame): boolean {
  if (isObject(result)) return typeof result["commandId"] === "string";
  const data = isObject(error) ? error["data"] : undefined;
  return isObject(data) && data["kind"] === REJECTED && data["reason"] !== CONFLICT;
}

/** A turn while it is read. */
interface Turn {
  readonly sessionId: unknown;
  /** Where it was asked for. */
  readonly asked: number;
  steps: { readonly at: number; readonly step: ScriptStep }[];
  /** The commands that its script has waited for. */
  waited: number;
  open: boolean;
  launch?: { readonly fail: Frame };
}

/** Reads the host's frames. */
class Reader {
  readonly #clients: readonly (Frame | undefined)[];
  readonly #commands: readonly Admitted[];
  readonly #turns = new Map<unknown, Turn>();
  readonly #turnOfItem = new Map<unknown, Turn>();
  readonly #stagesOf = new Map<unknown, unknown[]>();
  #foreign = 0;

  constructor(clients: readonly (Frame | undefined)[], commands: readonly Admitted[]) {
    this.#clients = clients;
    this.#commands = commands;
  }

  derived(): DerivedScript {
    const turns = [...this.#turns.values()].map(({ launch, steps, open }): ScriptTurn => {
      const all = steps.map(({ step }) => step);
      // What goes on when the recording ends must not come to an end by itself.
      if (open) all.push({ hang: true });
      return launch === undefined ? { steps: all } : { launch, steps: [] };
    });
    return { script: { version: 1, turns }, foreignFrames: this.#foreign };
  }

  take(frame: Frame, at: number): void {
    const { method, params } = frame;
    // A request of the host repeats what its notification said.
    if (typeof method !== "string" || !isObject(params) || Object.hasOwn(frame, "id")) return;
    switch (method as ServerNotification) {
      case "turn/started":
        this.#turns.set(params["turnId"], this.#begun(params, at));
        return;
      case "turn/completed":
        this.#ended(params, at);
        return;
      case "item/started":
      case "item/updated":
      case "item/completed":
        this.#item(method, params, at);
        return;
      case "item/delta":
        this.#delta(params, at);
        return;
      case "approval/requested":
      case "userInput/requested":
        this.#asks(method, params, at);
        return;
      case "approval/updated":
        this.#stage(params);
        return;
      case "approval/resolved":
      case "userInput/settled":
        this.#settled(params, at);
        return;
      default:
        if (EVENTS.has(method)) this.#event(method, params, at);
    }
  }

  #begun({ commandId, sessionId }: Frame, at: number): Turn {
    const asked = this.#clients.findIndex((frame) => {
      const params = frame?.["params"];
      return isObject(params) && params["commandId"] === commandId;
    });
    const turn: Turn = { sessionId, asked: asked < 0 ? at : asked, steps: [], waited: 0, open: true };
    turn.waited = this.#commandsSince(turn, at);
    return turn;
  }

  #ended(params: Frame, at: number): void {
    const { turnId, terminal, error } = params;
    const turn = this.#turns.get(turnId);
    if (turn === undefined) {
      // One that never started: its launch failed, or it began before the recording.
      if (isObject(error) && error["kind"] === LAUNCH_FAILED)
        this.#turns.set(turnId, { ...this.#begun(params, at), launch: { fail: error }, open: false });
      else this.#foreign++;
      return;
    }
    if (terminal === "cancelled") {
      // What came after the client's last word are the ends that a host makes of what was open.
      const last = this.#clients.findLastIndex((frame, i) => i < at && typeof frame?.["method"] === "string");
      turn.steps = turn.steps.filter((step) => step.at < last);
      return;
    }
    this.#say(
      turn,
      { end: terminal === "failed" && isObject(error) ? { terminal, error } : { terminal: "completed" } },
      at,
    );
    turn.open = false;
  }

  #item(method: string, { item }: Frame, at: number): void {
    if (!isObject(item) || HOSTS_ITEMS.has(String(item["kind"]))) return;
    const turn = this.#turns.get(item["turnId"]);
    if (turn === undefined) {
      this.#foreign++;
      return;
    }
    this.#turnOfItem.set(item["itemId"], turn);
    this.#say(turn, { emit: { type: STEP_OF[method], item: agentItem(item) } }, at);
  }

  #delta({ itemId, delta, field }: Frame, at: number): void {
    const turn = this.#turnOfItem.get(itemId);
    if (turn === undefined) {
      this.#foreign++;
      return;
    }
    const named = field === undefined || field === "text" ? {} : { field };
    this.#say(turn, { emit: { type: "itemDelta", itemId, delta, ...named } }, at);
  }

  #event(method: string, params: Frame, at: number): void {
    const { sessionId, viewCursor: _, sourceRange: __, turnId, ...own } = params;
    const turn =
      this.#turns.get(turnId) ??
      [...this.#turns.values()].findLast((one) => one.open && one.sessionId === sessionId);
    if (turn === undefined) this.#foreign++;
    else this.#say(turn, { emit: { type: "event", method, params: own } }, at);
  }

  #asks(method: string, params: Frame, at: number): void {
    const turn = this.#turns.get(params["turnId"]);
    if (turn === undefined) {
      this.#foreign++;
      return;
    }
    // The host opens the item of a question that is not open yet, and names the question in it.
    const item = takeBegun(turn, params["itemId"]) ?? { itemId: params["itemId"], kind: "toolCall" };
    const { toolName, rawArgs, subject, protectedWrite, questions, autoResolutionMs } = params;
    if (method === "userInput/requested") {
      const limit = autoResolutionMs === undefined ? {} : { autoResolutionMs };
      this.#say(turn, { ask: { type: "userInput", item, toolName, questions, ...limit } }, at);
      return;
    }
    const stages = [params["availableChoices"]];
    this.#stagesOf.set(params["approvalId"], stages);
    const guarded = protectedWrite === true ? { protectedWrite } : {};
    this.#say(turn, { ask: { type: "approval", item, toolName, rawArgs, subject, stages, ...guarded } }, at);
  }

  #stage({ approvalId, availableChoices, change }: Frame): void {
    if (isObject(change) && change["kind"] === "stageResolved")
      this.#stagesOf.get(approvalId)?.push(availableChoices);
  }

  /** The answer was the last command until now, so an agent that waited for it has waited for all before it. */
  #settled({ turnId, sessionId, decidedByCommandId }: Frame, at: number): void {
    const turn =
      this.#turns.get(turnId) ??
      [...this.#turns.values()].findLast((one) => one.open && one.sessionId === sessionId);
    if (turn === undefined) return;
    const decided = this.#commands.find(({ commandId }) => commandId === decidedByCommandId);
    if (decided !== undefined) turn.waited = this.#commandsSince(turn, decided.at + 1);
    else turn.waited = Math.max(turn.waited, this.#commandsSince(turn, at));
  }

  /** Adds a step, and before it the wait for what the client had sent by then. */
  #say(turn: Turn, step: ScriptStep, at: number): void {
    const commands = this.#commandsSince(turn, at);
    if (commands > turn.waited) {
      turn.steps.push({ at, step: { untilCommands: commands } });
      turn.waited = commands;
    }
    turn.steps.push({ at, step });
  }

  #commandsSince({ asked, sessionId }: Turn, before: number): number {
    return this.#commands.filter(
      (command) => command.at > asked && command.at < before && command.sessionId === sessionId,
    ).length;
  }
}

/** Takes the step with which an item began out of a script, where it is the last one; what it said of the item. */
function takeBegun(turn: Turn, itemId: unknown): Frame | undefined {
  const step = turn.steps.at(-1)?.step;
  if (step === undefined || !("emit" in step) || step.emit["type"] !== "itemStarted") return undefined;
  const { item } = step.emit;
  if (!isObject(item) || item["itemId"] !== itemId) return undefined;
  turn.steps.pop();
  return item;
}

/** An item without what a host adds to it. */
function agentItem(item: Frame): Frame {
  const { turnId: _, revision: __, recordedAt: ___, approvalId: ____, status, ...own } = item;
  return status === "inProgress" || status === "completed" ? own : { ...own, status };
}

function parsed(raw: string): Frame {
  try {
    const value = JSON.parse(raw) as unknown;
    return isObject(value) ? value : {};
  } catch {
    return {}; // no frame that says anything of a turn
  }
}
