/**
 * The embedded agent: does what the script in its prompt says. Invents nothing and needs nothing, so that every turn
 * can be foretold.
 */
import { setTimeout as after, setImmediate as nextTurn } from "node:timers/promises";
import type { ApprovalChoice, TurnError } from "../../../generated/msp/experimental/types.js";
import {
  type Agent,
  type AgentItem,
  type AgentModel,
  type AgentTools,
  type AgentTurn,
  type Compacted,
  type Steer,
  type TurnEnd,
  TurnFailure,
  type UserInputReply,
} from "./agent.js";
import { DIRECTIVES, parseScript, type Step } from "./script.js";

/** Waits so many milliseconds. Rejects when the signal is aborted; without one it waits in any case. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** What a scripted agent may be given. */
export interface ScriptedOptions {
  /** Default: the timers of this process. */
  readonly sleep?: Sleep;
}

/** A text is said in at most so many pieces: a long one is no flood of events. */
const MOST_DELTAS = 64;

const MODELS: readonly AgentModel[] = [
  { modelId: "echo-small", providerId: "mspkit", displayName: "Echo (small)" },
  { modelId: "echo-large", providerId: "mspkit", displayName: "Echo (large)" },
];

const CHOICES: readonly ApprovalChoice[] = [
  { choiceId: "allow", label: "Allow once", decision: "approved", scope: "once" },
  {
    choiceId: "allow_session",
    label: "Allow for this session",
    decision: "approvedForSession",
    scope: "session",
  },
  { choiceId: "deny", label: "Deny", decision: "denied", scope: "once", acceptsFeedback: true },
  { choiceId: "abort", label: "Abort", decision: "abort", scope: "once" },
];

/** The decisions after which the tool of `/approve` runs. */
const ALLOWED: readonly string[] = ["approved", "approvedForSession"];

/** The agent of `mspkit serve` where no other is named: docs/test-agent.md. */
export function scriptedAgent(options: ScriptedOptions = {}): Agent {
  const { sleep = realSleep } = options;
  return {
    models: MODELS,
    launch({ prompt }: AgentTurn): void {
      if (parseScript(prompt)[0]?.step === "failLaunch")
        throw new TurnFailure({
          kind: "launchError",
          message: "the script says /fail-launch",
          retryable: false,
        });
    },
    async run({ prompt }: AgentTurn, tools: AgentTools): Promise<TurnEnd | undefined> {
      const run = new ScriptRun(tools, sleep);
      try {
        return await run.run(parseScript(prompt));
      } catch (error) {
        // Whatever was waited for rejects when the turn is to stop; the host says how it ended.
        if (!tools.signal.aborted) throw error;
        await run.cancelOpen();
        return undefined;
      }
    },
    // Invented numbers: what counts is that there is something to compact, and then less of it.
    compact: async ({ turnCount }): Promise<Compacted | undefined> =>
      turnCount < 2 ? undefined : { tokensBefore: turnCount * 1_000, tokensAfter: 1_000 },
  };
}

/** One turn of a scripted agent. */
class ScriptRun {
  readonly #tools: AgentTools;
  readonly #sleep: Sleep;
  readonly #steers: Steer[] = [];
  /** What is open, by id, as it would be told if the turn were interrupted now. */
  readonly #open = new Map<string, AgentItem>();
  /** Tools that go on in the background. */
  readonly #background: Promise<void>[] = [];
  /** What to do when a client asks something of a tool call. */
  readonly #onTask = new Map<string, (action: "stop" | "background") => void>();
  /** Aborted when the turn is over: what goes on in the background ends with it. */
  readonly #over = new AbortController();
  #steered: () => void = () => undefined;
  #calls = 0;

  constructor(tools: AgentTools, sleep: Sleep) {
    this.#tools = tools;
    this.#sleep = sleep;
    tools.onSteer((steer) => {
      this.#steers.push(steer);
      this.#steered();
    });
    tools.onTask(({ taskId, action }) => this.#onTask.get(taskId)?.(action));
  }

  /** Carries out the steps. Rejects when the turn is to stop. */
  async run(steps: readonly Step[]): Promise<TurnEnd | undefined> {
    for (const step of steps) {
      await this.#boundary();
      const error = await this.#carryOut(step);
      if (error !== undefined) {
        await this.cancelOpen();
        return { terminal: "failed", error };
      }
    }
    await this.#boundary();
    await this.#during(Promise.all(this.#background).then(() => undefined));
    await this.#echoSteers();
    return { terminal: "completed" };
  }

  /** Completes what is open as cancelled. */
  async cancelOpen(): Promise<void> {
    this.#over.abort();
    for (const item of [...this.#open.values()])
      await this.#complete({
        ...item,
        status: "cancelled",
        ...(item.kind === "agentMessage" ? { cutOff: true } : {}),
      });
  }

  /** Between two steps. Lets others run too: a script of a million steps can be interrupted. */
  async #boundary(): Promise<void> {
    await this.#sleep(0, this.#tools.signal);
    await this.#echoSteers();
  }

  async #echoSteers(): Promise<void> {
    for (let steer = this.#steers.shift(); steer !== undefined; steer = this.#steers.shift())
      if (steer.text.trim() !== "") await this.#say(steer.text);
  }

  /** Waits for something, and echoes steers meanwhile. Rejects when the turn is to stop. */
  async #during(what: Promise<void>): Promise<void> {
    let over = false;
    const done = what.finally(() => {
      over = true;
    });
    done.catch(() => undefined); // it may reject while a steer is echoed; the loop hears of it then
    while (!over) {
      const steered = new Promise<void>((resolve) => {
        this.#steered = resolve;
      });
      await this.#echoSteers();
      await Promise.race([done, steered]);
    }
    await done;
  }

  async #carryOut(step: Step): Promise<TurnError | undefined> {
    const { signal } = this.#tools;
    switch (step.step) {
      case "say":
        await this.#say(step.text);
        return undefined;
      case "wait":
        await this.#during(this.#sleep(step.ms, signal));
        return undefined;
      case "tool":
        await this.#tool(step.name, step.ms);
        return undefined;
      case "approve":
        await this.#approve(step.stages);
        return undefined;
      case "ask":
        await this.#ask(step.timeoutMs);
        return undefined;
      case "hang":
        await this.#during(untilAborted(signal));
        return undefined;
      case "deaf":
        await this.#sleep(step.ms);
        return undefined;
      case "fail":
        return { kind: "modelError", message: "the script says /fail", retryable: true };
      case "failLaunch": // a host that launched nothing, or without asking
        return { kind: "launchError", message: "the script says /fail-launch", retryable: false };
      case "malformed":
        return { kind: "configError", message: malformedMessage(step), retryable: false };
    }
  }

  async #say(text: string): Promise<void> {
    let said = "";
    const item = (more: Partial<AgentItem>): AgentItem => ({ itemId, kind: "agentMessage", ...more });
    const itemId = this.#tools.mintId();
    await this.#start(item({ text: "" }));
    for (const delta of pieces(text)) {
      this.#tools.signal.throwIfAborted();
      await this.#tools.emit({ type: "itemDelta", itemId, delta });
      said += delta;
      this.#open.set(itemId, item({ text: said }));
    }
    this.#tools.signal.throwIfAborted();
    await this.#complete(item({ text }));
  }

  async #tool(name: string, ms: number): Promise<void> {
    const { signal } = this.#tools;
    const item = this.#call(name, {});
    await this.#start(item);
    const stop = new AbortController();
    let foreground: () => void = () => undefined;
    const moved = new Promise<void>((resolve) => {
      foreground = resolve;
    });
    this.#onTask.set(item.itemId, (action) => (action === "stop" ? stop.abort() : foreground()));
    let over = false;
    const work = this.#sleep(ms, AbortSignal.any([signal, stop.signal, this.#over.signal]))
      .then(
        () => this.#finish(item, { visibleOutput: `${name} done`, truncated: false }),
        (error: unknown) => {
          if (signal.aborted || this.#over.signal.aborted || !stop.signal.aborted) throw error;
          return this.#finish(item, { status: "cancelled" });
        },
      )
      .finally(() => {
        over = true;
      });
    await this.#during(Promise.race([work, moved]));
    if (over) return;
    work.catch(() => undefined); // the turn's end waits for it, where it comes to that
    this.#background.push(work);
    this.#open.set(item.itemId, { ...item, background: true }); // the host has told that
  }

  async #approve(stages: number): Promise<void> {
    const toolName = "approve";
    const item = this.#call(toolName, { stages });
    this.#begin(item);
    const answer = await this.#orStopped(
      item,
      this.#tools.ask({
        type: "approval",
        item,
        toolName,
        rawArgs: item.args,
        subject: { kind: "tool", toolName },
        stages: Array.from({ length: stages }, () => CHOICES),
      }),
    );
    if (answer === undefined) return this.#finish(item, { status: "cancelled" });
    const { decision, feedback } = answer;
    await this.#finish(
      item,
      ALLOWED.includes(decision)
        ? { visibleOutput: decision, truncated: false }
        : { status: "rejected", failureReason: feedback ?? decision },
    );
  }

  async #ask(timeoutMs: number | undefined): Promise<void> {
    const toolName = "ask";
    const item = this.#call(toolName, {});
    this.#begin(item);
    const reply = await this.#orStopped(
      item,
      this.#tools.ask({
        type: "userInput",
        item,
        toolName,
        questions: [
          {
            id: "choice",
            header: "Choice",
            question: "Which one?",
            options: [{ label: "first" }, { label: "second" }],
            selection: { mode: "single" },
          },
        ],
        ...(timeoutMs === undefined ? {} : { autoResolutionMs: timeoutMs }),
      }),
    );
    await this.#finish(item, reply === undefined ? { status: "cancelled" } : outcomeOf(reply));
  }

  /** The answer to a question of a tool call; undefined where a client stops the call before. */
  #orStopped<T>({ itemId }: AgentItem, answer: Promise<T>): Promise<T | undefined> {
    return Promise.race([
      answer,
      new Promise<undefined>((resolve) => {
        this.#onTask.set(itemId, (action) => (action === "stop" ? resolve(undefined) : undefined));
      }),
    ]);
  }

  /** A tool call of this turn, numbered from 1. */
  #call(tool: string, args: object): AgentItem & { readonly args: string } {
    const itemId = this.#tools.mintId();
    return { itemId, kind: "toolCall", tool, callId: `call_${++this.#calls}`, args: JSON.stringify(args) };
  }

  /** From here on an interrupt completes the item. That of a question is told by the host, with what it asks. */
  #begin(item: AgentItem): void {
    this.#tools.signal.throwIfAborted();
    this.#open.set(item.itemId, item);
  }

  async #start(item: AgentItem): Promise<void> {
    this.#begin(item);
    await this.#tools.emit({ type: "itemStarted", item });
  }

  /** Completes a tool call, where it has not ended already. */
  async #finish(item: AgentItem, more: Partial<AgentItem>): Promise<void> {
    this.#tools.signal.throwIfAborted();
    await this.#complete({ ...(this.#open.get(item.itemId) ?? item), ...more });
  }

  async #complete(item: AgentItem): Promise<void> {
    this.#onTask.delete(item.itemId);
    this.#open.delete(item.itemId);
    await this.#tools.emit({ type: "itemCompleted", item });
  }
}

/** What the tool call of a question shows of its reply. */
function outcomeOf({ outcome, answers, clarification, reason }: UserInputReply): Partial<AgentItem> {
  if (outcome === "answered") {
    const shown = answers.map(
      ({ freeText, selectedLabel, selectedLabels }) =>
        freeText ?? selectedLabel ?? (selectedLabels ?? []).join(", "),
    );
    return { visibleOutput: shown.join("\n"), truncated: false };
  }
  if (outcome === "clarified") return { visibleOutput: clarification?.content ?? "", truncated: false };
  return { status: outcome === "timedOut" ? "timedOut" : "cancelled", failureReason: reason ?? outcome };
}

/** A text in pieces, each a word or several with the space after them; never cut within a character. */
function pieces(text: string): readonly string[] {
  const words = text.match(/\s*\S+\s*|\s+/g) ?? [];
  const each = Math.ceil(words.length / MOST_DELTAS);
  const out: string[] = [];
  for (let index = 0; index < words.length; index += each)
    out.push(words.slice(index, index + each).join(""));
  return out;
}

function malformedMessage({ line, text }: Extract<Step, { step: "malformed" }>): string {
  const name = Object.keys(DIRECTIVES)
    .filter((directive) => text.startsWith(`/${directive}`))
    .sort((a, b) => b.length - a.length)[0] as keyof typeof DIRECTIVES;
  return `line ${line} of the script is not of the form ${DIRECTIVES[name].form}`;
}

/** Rejects when a signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** The timers of this process. No time at all is the next round of its events. */
export async function realSleep(ms: number, signal?: AbortSignal): Promise<void> {
  const options = signal === undefined ? {} : { signal };
  await (ms === 0 ? nextTurn(undefined, options) : after(ms, undefined, options));
}
