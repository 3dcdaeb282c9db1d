/**
 * What agents do in schedules: what they should, and what they should not.
 */
import type { AgentItem, ApprovalQuestion, UserInputQuestions } from "../../../src/host/agents/agent.js";
import type { Random } from "../../../src/laws/random.js";
import type { Simulation } from "./simulation.js";

/** A step of an agent. It gives false where it cannot be taken now. */
interface AgentStep {
  readonly weight: number;
  act(random: Random, simulation: Simulation): boolean;
}

const CHOICES = [
  { choiceId: "once", decision: "approved", label: "Once", scope: "once" },
  {
    choiceId: "always",
    decision: "approvedForSession",
    label: "Always",
    scope: "session",
    rulePreview: "date",
  },
  { choiceId: "deny", decision: "denied", label: "No", scope: "once", acceptsFeedback: true },
] satisfies ApprovalQuestion["stages"][number];

const QUESTIONS = [
  {
    id: "q",
    header: "Frost",
    question: "Will it freeze?",
    options: [{ label: "yes" }, { label: "no" }],
    selection: { mode: "single" },
  },
] satisfies UserInputQuestions["questions"];

const ERROR = { kind: "modelError", message: "the model is away", retryable: true };

const running = (simulation: Simulation) => (simulation.running ? simulation.run : undefined);

/** An open tool call of the session, or one that is over. */
function callOf(random: Random, { state }: Simulation): string | undefined {
  const open = [...state.items.values()].filter((item) => item.kind === "toolCall");
  if (random.chance(0.8) && open.length > 0) return random.pick(open).itemId;
  return [...state.finished].at(-1);
}

function call(itemId: string): AgentItem {
  return { itemId, kind: "toolCall", tool: "look", callId: `call-${itemId}`, args: "{}" };
}

const message = (itemId: string): AgentItem => ({ itemId, kind: "agentMessage" });

/** The steps of agents, and how often each is tried. */
export const AGENT_STEPS = {
  launch: {
    weight: 30,
    act(random, simulation) {
      const { launching: turnId, state } = simulation;
      if (turnId === undefined) return false;
      // It was asked to stop before its launch was over: its host may notice now or when it starts it.
      if (random.chance(0.15)) {
        const error = { ...ERROR, kind: "launchError" };
        simulation.over("launchFailed", (core, draft) => core.launchFailed(draft, turnId, error));
      } else if (state.active?.phase === "stopping")
        simulation.over("ended", (core, draft) =>
          random.chance(0.5) ? core.ended(draft, turnId, undefined) : core.started(draft, turnId),
        );
      else simulation.input("started", (core, draft) => core.started(draft, turnId));
      simulation.launching = undefined;
      return true;
    },
  },
  end: {
    weight: 9,
    act(random, simulation) {
      const turnId = running(simulation)?.turnId;
      if (turnId === undefined) return false;
      simulation.over("ended", (core, draft) =>
        core.ended(
          draft,
          turnId,
          random.pick([undefined, { terminal: "completed" }, { terminal: "failed", error: ERROR }] as const),
        ),
      );
      return true;
    },
  },
  say: {
    weight: 6,
    act(_, simulation) {
      const run = running(simulation);
      if (run === undefined) return false;
      void run.tools.emit({ type: "itemStarted", item: message(simulation.mintId()) });
      return true;
    },
  },
  delta: {
    weight: 6,
    act(_, simulation) {
      const run = running(simulation);
      const [itemId] = run?.streaming.keys() ?? [];
      if (run === undefined || itemId === undefined) return false;
      void run.tools.emit({ type: "itemDelta", itemId, delta: "word " });
      return true;
    },
  },
  rephrase: {
    weight: 2,
    act(_, simulation) {
      const run = running(simulation);
      const [itemId] = run?.streaming.keys() ?? [];
      if (run === undefined || itemId === undefined) return false;
      void run.tools.emit({ type: "itemUpdated", item: { ...message(itemId), text: "in other words" } });
      return true;
    },
  },
  said: {
    weight: 8,
    act(random, simulation) {
      const run = running(simulation);
      if (run === undefined) return false;
      const [itemId = simulation.mintId()] = run.streaming.keys();
      const item = { ...message(itemId), text: "all said" };
      void run.tools.emit({ type: "itemCompleted", item });
      // An agent may say twice what it should say once.
      if (random.chance(0.1)) void run.tools.emit({ type: "itemCompleted", item });
      return true;
    },
  },
  callTool: {
    weight: 8,
    act(_, simulation) {
      const run = running(simulation);
      if (run === undefined) return false;
      void run.tools.emit({ type: "itemStarted", item: call(simulation.mintId()) });
      return true;
    },
  },
  callAgain: {
    weight: 1,
    act(random, simulation) {
      const itemId = callOf(random, simulation);
      const run = running(simulation);
      if (run === undefined || itemId === undefined) return false;
      void run.tools.emit({ type: "itemStarted", item: call(itemId) });
      return true;
    },
  },
  progress: {
    weight: 4,
    act(random, simulation) {
      const itemId = callOf(random, simulation);
      const run = running(simulation) ?? simulation.lingering.at(-1);
      if (run === undefined || itemId === undefined) return false;
      const status = random.chance(0.1) ? { status: "failed" as const } : {};
      void run.tools.emit({
        type: "itemUpdated",
        item: { ...call(itemId), ...status, visibleOutput: "half" },
      });
      return true;
    },
  },
  callEnded: {
    weight: 6,
    act(random, simulation) {
      const itemId = callOf(random, simulation) ?? simulation.mintId();
      const run =
        random.chance(0.3) || !simulation.running ? simulation.lingering.at(-1) : running(simulation);
      if (run === undefined) return false;
      const status = random.chance(0.3) ? { status: "failed" as const } : {};
      void run.tools.emit({ type: "itemCompleted", item: { ...call(itemId), ...status } });
      return true;
    },
  },
  tell: {
    weight: 3,
    act(random, simulation) {
      const run = running(simulation) ?? simulation.lingering.at(-1);
      if (run === undefined) return false;
      void run.tools.emit(
        random.pick([
          {
            type: "event",
            method: "session/todoListChanged",
            params: { items: [], revision: 1, sourceTool: "todo" },
          },
          {
            type: "event",
            method: "turn/retryScheduled",
            params: { attempt: 1, maxAttempts: 3, nextAttempt: 2, reason: "busy", retryDelayMs: 5 },
          },
        ] as const),
      );
      return true;
    },
  },
  askToAllow: {
    weight: 8,
    act(random, simulation) {
      const run = running(simulation);
      if (run === undefined) return false;
      const item = call((random.chance(0.2) ? callOf(random, simulation) : undefined) ?? simulation.mintId());
      const asked = run.tools.ask({
        type: "approval",
        item,
        toolName: "look",
        rawArgs: "{}",
        subject: { kind: "tool", toolName: "look" },
        stages: random.chance(0.4) ? [CHOICES, CHOICES] : [CHOICES],
      });
      asked.catch(() => undefined);
      return true;
    },
  },
  askUser: {
    weight: 8,
    act(random, simulation) {
      const run = running(simulation);
      if (run === undefined) return false;
      const item = call((random.chance(0.2) ? callOf(random, simulation) : undefined) ?? simulation.mintId());
      const asked = run.tools.ask({ type: "userInput", item, toolName: "look", questions: QUESTIONS });
      asked.catch(() => undefined);
      return true;
    },
  },
  timeOut: {
    weight: 2,
    act(random, simulation) {
      const held = [...simulation.state.userInputs.values()].slice(-3);
      if (held.length === 0) return false;
      const { userInputId } = random.pick(held).request;
      simulation.input("timeOut", (core, draft) => core.timeOut(draft, userInputId));
      return true;
    },
  },
  compaction: {
    weight: 8,
    act(random, simulation) {
      const of = simulation.compactions.shift();
      if (of === undefined) return false;
      const result = random.pick([
        { tokensBefore: 10, tokensAfter: 2 },
        { tokensBefore: 10, tokensAfter: 2 },
        "noop",
        { failure: "summarizer_failed" },
      ] as const);
      simulation.input("compacted", (core, draft) => core.compacted(draft, of, result));
      return true;
    },
  },
  shell: {
    weight: 8,
    act(random, simulation) {
      const itemId = simulation.shells.shift();
      if (itemId === undefined) return false;
      const exitCode = random.pick([0, 1, undefined]);
      simulation.input("shellEnded", (core, draft) =>
        core.shellEnded(draft, itemId, { exitCode, output: "today" }),
      );
      return true;
    },
  },
} as const satisfies Readonly<Record<string, AgentStep>>;
