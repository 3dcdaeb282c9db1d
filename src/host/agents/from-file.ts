/** The agent of `--agent-script`: does what a file says, turn by turn. For tests that need the same turns every time. */
import { readFileSync } from "node:fs";
import {
  type Agent,
  type AgentEvent,
  type AgentItem,
  type AgentTools,
  type TurnEnd,
  TurnFailure,
} from "./agent.js";
import { readAgentScript, type TurnStep } from "./agent-script.js";
import { realSleep, type ScriptedOptions, scriptedAgent, untilAborted } from "./scripted.js";

/**
 * An agent that does what a file says. The first turn that is launched, in whatever session, does what stands first;
 * turns beyond the list are those of the embedded agent, as are models and compaction.
 * @throws {AgentSetupError} `agentScript`, where the file is not of the form; what reading it throws
 */
export function agentFromFile(path: string, options: ScriptedOptions = {}): Agent {
  const { turns } = readAgentScript(readFileSync(path, "utf8"));
  const { sleep = realSleep } = options;
  const beyond = scriptedAgent(options);
  /** Which turn does what: the host may ask for a launch twice. */
  const places = new Map<string, number>();
  const open = new Map<string, string>();
  const place = (sessionId: string, turnId: string): number => {
    const key = JSON.stringify([sessionId, turnId]);
    const known = places.get(key) ?? places.size;
    places.set(key, known);
    return known;
  };
  return {
    ...beyond,
    async launch(turn): Promise<void> {
      const script = turns[place(turn.sessionId, turn.turnId)];
      if (script === undefined) return beyond.launch?.(turn);
      if (script.launch !== undefined) throw new TurnFailure(script.launch.fail);
    },
    async run(turn, tools): Promise<TurnEnd | undefined> {
      const script = turns[place(turn.sessionId, turn.turnId)];
      if (script === undefined) return beyond.run(turn, tools);
      const labels = new Labels(tools, open);
      try {
        return await play(script.steps, tools, labels, sleep);
      } catch (error) {
        // Whatever was waited for rejects when the turn is to stop; the host says how it ended.
        if (!tools.signal.aborted) throw error;
        return undefined;
      } finally {
        if (tools.signal.aborted) labels.forget();
      }
    },
  };
}

/** Does the steps of a turn. Rejects when it is to stop. */
async function play(
  steps: readonly TurnStep[],
  tools: AgentTools,
  labels: Labels,
  sleep: NonNullable<ScriptedOptions["sleep"]>,
): Promise<TurnEnd> {
  const { signal } = tools;
  let hung = false;
  for (const step of steps) {
    if (!hung) signal.throwIfAborted();
    if ("emit" in step) await tools.emit(labels.event(step.emit));
    else if ("ask" in step) {
      const item = labels.item(step.ask.item);
      await (step.ask.type === "approval"
        ? tools.ask({ ...step.ask, item })
        : tools.ask({ ...step.ask, item }));
    } else if ("untilCommands" in step) await tools.untilCommands(step.untilCommands);
    else if ("wait" in step) await sleep(step.wait, signal);
    else if ("end" in step) return step.end;
    else {
      await untilAborted(signal).catch(() => undefined); // that is what it waits for
      hung = true;
    }
  }
  return { terminal: "completed" };
}

/** The ids that stand for the labels of a turn. A label names an item of an earlier turn where that is open still. */
class Labels {
  readonly #tools: AgentTools;
  readonly #open: Map<string, string>;
  readonly #own = new Map<string, string>();

  constructor(tools: AgentTools, open: Map<string, string>) {
    this.#tools = tools;
    this.#open = open;
  }

  event(event: AgentEvent): AgentEvent {
    if (event.type === "event") return event;
    if (event.type === "itemDelta") return { ...event, itemId: this.#id(event.itemId) };
    const item = this.item(event.item);
    if (event.type === "itemCompleted") this.#open.delete(event.item.itemId);
    return { ...event, item };
  }

  item(item: AgentItem): AgentItem {
    return { ...item, itemId: this.#id(item.itemId) };
  }

  /** What an interrupted turn left open is over: the host has ended it. */
  forget(): void {
    for (const label of this.#own.keys()) this.#open.delete(label);
  }

  #id(label: string): string {
    const known = this.#own.get(label) ?? this.#open.get(label);
    const id = known ?? this.#tools.mintId();
    this.#own.set(label, id);
    if (known === undefined) this.#open.set(label, id);
    return id;
  }
}
