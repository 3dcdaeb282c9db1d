/**
 * What a session has running: the agent of its turn, questions that may time out, compactions, the user's shell. It
 * begins what was decided, and says what came of it.
 */

import type { Item } from "../../generated/msp/experimental/types.js";
import { AgentRun } from "./agent-run.js";
import type { Agent, AgentEvent, AgentTurn } from "./agents/agent.js";
import { launchErrorOf, turnErrorOf } from "./failure.js";
import { askApproval } from "./session/decide/approvals.js";
import { agentSaid } from "./session/decide/items.js";
import { compacted, ended, launchFailed, shellEnded, started } from "./session/decide/lifecycle.js";
import { askUser, timeOut } from "./session/decide/user-inputs.js";
import { type Decision, type Draft, type Effect, promptOf } from "./session/decision.js";
import { keyOf, type SessionState, type Turn } from "./session/state.js";
import type { Surroundings } from "./surroundings.js";

/** What work needs of its session. */
export interface WorkOwner {
  readonly state: SessionState;
  readonly agent: Agent;
  readonly surroundings: Surroundings;
  /** Takes in what happened. */
  input(decider: (draft: Draft) => Decision): void;
  /** Tells something that is not kept. */
  passing(method: "item/started" | "item/delta", params: Readonly<Record<string, unknown>>): void;
  /** A promise where who says more should wait. */
  pressure(): void | Promise<void>;
}

/** The work of one session. */
export class SessionWork {
  readonly #owner: WorkOwner;
  #run: AgentRun | undefined;
  /** Runs whose turn is over and whose agent has not returned: tool calls of theirs may go on in the background. */
  readonly #lingering = new Set<AgentRun>();
  readonly #timers = new Map<string, () => void>();
  readonly #shells = new Map<string, AbortController>();

  constructor(owner: WorkOwner) {
    this.#owner = owner;
  }

  /** Whether anything runs that ends by itself or by being asked to. */
  get busy(): boolean {
    return this.#owner.state.active !== undefined || this.#shells.size > 0;
  }

  /** What the agent has begun to say and not completed. */
  get streaming(): readonly Item[] {
    return [...(this.#run?.streaming.values() ?? [])];
  }

  /** What open tool calls have put out so far, by item. */
  get outputs(): ReadonlyMap<string, string> {
    return this.#run?.outputs ?? NO_OUTPUTS;
  }

  /** The session has admitted commands: an agent may have waited for them. */
  admitted(): void {
    this.#run?.admitted();
  }

  /** Does what was decided. */
  act(effect: Exclude<Effect, { readonly type: "leave" }>): void {
    switch (effect.type) {
      case "launch":
        void this.#launch(effect.turnId);
        return;
      case "run":
        void this.#runAgent(effect.turnId);
        return;
      case "stop":
        this.#stop(effect.turnId);
        return;
      case "steer":
        if (this.#run?.turnId === effect.turnId) this.#run.steer(effect.steer);
        return;
      case "reply":
        this.disarm(effect.id);
        this.#run?.reply(effect.id, effect.reply);
        return;
      case "task": {
        const task = { taskId: effect.itemId, action: effect.action };
        for (const run of this.#lingering) run.task(task);
        this.#run?.task(task);
        return;
      }
      case "compact":
        void this.#compact(effect);
        return;
      case "shell":
        void this.#shell(effect.itemId, effect.commandText);
        return;
    }
  }

  /** A question does not time out any more. */
  disarm(userInputId: string): void {
    this.#cancel(keyOf(userInputId));
  }

  /** Stops the commands of the user's shell. */
  stopShells(): void {
    for (const shell of this.#shells.values()) shell.abort();
  }

  /** Ends everything at once; what comes of it is nobody's business any more. */
  end(): void {
    for (const run of [...this.#lingering, ...(this.#run === undefined ? [] : [this.#run])]) {
      run.stop();
      run.end();
    }
    this.stopShells();
    for (const name of [...this.#timers.keys()]) this.#cancel(name);
  }

  async #launch(turnId: string): Promise<void> {
    const { state, agent } = this.#owner;
    const turn = state.active;
    if (turn?.turnId !== turnId) return;
    const run = this.#newRun(turn);
    this.#run = run;
    try {
      await agent.launch?.(this.#agentTurn(turn));
    } catch (error) {
      if (this.#run === run) this.#over((draft) => launchFailed(draft, turnId, launchErrorOf(error)));
      return;
    }
    if (this.#run !== run) return;
    if (turn.phase === "stopping") this.#over((draft) => ended(draft, turnId, undefined));
    else this.#owner.input((draft) => started(draft, turnId));
  }

  async #runAgent(turnId: string): Promise<void> {
    const { state, agent, surroundings } = this.#owner;
    const turn = state.active;
    const run = this.#run;
    if (turn?.turnId !== turnId || run?.turnId !== turnId) return;
    this.#lingering.add(run);
    let end: Awaited<ReturnType<Agent["run"]>>;
    try {
      end = await agent.run(this.#agentTurn(turn), run.tools);
    } catch (error) {
      if (!run.stopped) surroundings.log("warn", "the agent failed", { turnId, error });
      end = { terminal: "failed", error: turnErrorOf(error) };
    }
    this.#lingering.delete(run);
    if (this.#run === run) this.#over((draft) => ended(draft, turnId, end));
  }

  /** The turn of the run is over. */
  #over(decider: (draft: Draft) => Decision): void {
    const run = this.#run;
    this.#owner.input(decider);
    run?.end();
    if (run !== undefined) this.#cancel(stopTimer(run.turnId));
    if (this.#run === run) this.#run = undefined;
  }

  #stop(turnId: string): void {
    const run = this.#run;
    if (run?.turnId !== turnId) return;
    run.stop();
    // It may not let go. The turn ends all the same; what it says later is dropped.
    this.#after(stopTimer(turnId), this.#owner.surroundings.agentGraceMs, () => {
      if (this.#run === run) this.#over((draft) => ended(draft, turnId, undefined));
    });
  }

  #newRun({ turnId, commandsBefore }: Turn): AgentRun {
    const { state, surroundings } = this.#owner;
    const run: AgentRun = new AgentRun(turnId, {
      mintId: surroundings.mintId,
      commands: () => state.commands - commandsBefore,
      passing: (method, params) => this.#owner.passing(method, params),
      said: (event, streamed) => this.#said(run, event, streamed),
      asked: (id, question) => {
        if (this.#run !== run) return;
        this.#owner.input((draft) =>
          question.type === "approval"
            ? askApproval(draft, turnId, id, question)
            : askUser(draft, turnId, id, question),
        );
        if (question.type === "userInput" && question.autoResolutionMs !== undefined)
          this.#after(keyOf(id), question.autoResolutionMs * question.questions.length, () =>
            this.#owner.input((draft) => timeOut(draft, id)),
          );
      },
    });
    return run;
  }

  #said(
    run: AgentRun,
    event: Exclude<AgentEvent, { readonly type: "itemDelta" }>,
    streamed: Item | undefined,
  ): void | Promise<void> {
    const isLate = this.#run !== run;
    // After its turn an agent may still speak of tool calls that went to the background.
    if (isLate && (event.type === "event" || !this.#owner.state.items.has(event.item.itemId)))
      return undefined;
    this.#owner.input((draft) => agentSaid(draft, run.turnId, event, streamed));
    return this.#owner.pressure();
  }

  #agentTurn(turn: Turn): AgentTurn {
    const { state } = this.#owner;
    const { turnId, commandId, kind, prompt, payload } = turn;
    const input = (payload?.["input"] ?? []) as AgentTurn["input"];
    return {
      sessionId: state.sessionId,
      turnId,
      commandId,
      kind,
      prompt: prompt ?? promptOf(input),
      input,
      workspaceRoot: turn.workspaceRoots?.[0] ?? state.workspaceRoots[0] ?? null,
      modelId: state.model?.modelId ?? null,
      providerId: state.model?.providerId ?? null,
      reasoningEffort: (payload?.["reasoningEffort"] as string | undefined) ?? state.effort?.reasoningEffort,
      tokenBudget: payload?.["tokenBudget"] as number | undefined,
    };
  }

  async #compact(of: { readonly itemId: string; readonly commandId: string }): Promise<void> {
    const { state, agent, surroundings } = this.#owner;
    const { sessionId, turnCount } = state;
    let result: Parameters<typeof compacted>[2];
    try {
      result = (await agent.compact?.({ sessionId, turnCount })) ?? "noop";
    } catch (error) {
      surroundings.log("warn", "the compaction failed", { sessionId, error });
      result = { failure: "summarizer_failed" };
    }
    this.#owner.input((draft) => compacted(draft, of, result));
  }

  async #shell(itemId: string, commandText: string): Promise<void> {
    const controller = new AbortController();
    this.#shells.set(itemId, controller);
    const { state, surroundings } = this.#owner;
    let result: Parameters<typeof shellEnded>[2];
    try {
      result = await surroundings.shell(commandText, state.workspaceRoots[0], controller.signal);
    } catch (error) {
      result = { exitCode: undefined, output: error instanceof Error ? error.message : String(error) };
    }
    this.#shells.delete(itemId);
    this.#owner.input((draft) => shellEnded(draft, itemId, result));
  }

  #after(name: string, milliseconds: number, run: () => void): void {
    this.#cancel(name);
    const cancel = this.#owner.surroundings.after(milliseconds, () => {
      this.#timers.delete(name);
      run();
    });
    this.#timers.set(name, cancel);
  }

  #cancel(name: string): void {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
  }
}

const NO_OUTPUTS: ReadonlyMap<string, string> = new Map();

const stopTimer = (turnId: string): string => `stop ${turnId}`;
