/**
 * A conversation of a client with a session: the steps that a case lists, each with its end, so that nothing is left
 * running. In the place of what a host cannot do stands a turn that ends soon.
 */
import fc from "fast-check";
import { enums } from "../../../generated/msp/stable/tables.js";
import type { Ability } from "../driver/driver.js";
import { isAck, type JsonObject, type Outcome, type Told } from "../model/history.js";
import { completed, type Trial, textInput } from "../trial.js";

/** What a step does; the first are the simplest. */
const STEPS = [
  "quick",
  "effort",
  "rename",
  "ask",
  "busy",
  "steer",
  "queue",
  "failing",
  "failingLaunch",
  "approval",
  "question",
  "goal",
  "compact",
  "mode",
] as const;

/** One step, and which of its forms. */
export interface Step {
  readonly what: (typeof STEPS)[number];
  /** From 0 to 3. */
  readonly form: number;
}

const NEEDS: Readonly<Record<Step["what"], readonly Ability[]>> = {
  quick: ["quick"],
  effort: ["serves:session/setReasoningEffort"],
  rename: ["serves:session/rename"],
  ask: [],
  busy: ["busy"],
  steer: ["busy", "serves:turn/steer"],
  queue: ["busy", "quick"],
  failing: ["failing"],
  failingLaunch: ["failingLaunch"],
  approval: ["approval"],
  question: ["question"],
  goal: ["quick", "serves:goal/set"],
  compact: ["serves:session/compact"],
  mode: ["serves:session/setApprovalMode"],
};

const QUESTIONS = ["session/list", "approval/listPending", "task/list", "model/list"] as const;

/** Lists of steps. */
export function conversations(maxLength: number): fc.Arbitrary<readonly Step[]> {
  const step = fc.record({ what: fc.constantFrom(...STEPS), form: fc.nat({ max: 3 }) });
  return fc.array(step, { minLength: 1, maxLength });
}

/** See the top of the file. */
export class Conversation {
  readonly #trial: Trial;
  readonly #by: number;
  readonly sessionId: string;

  constructor(trial: Trial, sessionId: string, by = 0) {
    this.#trial = trial;
    this.#by = by;
    this.sessionId = sessionId;
  }

  /** Does steps, one after the other; counts them as `steps`. */
  async play(steps: readonly Step[]): Promise<void> {
    for (const { what, form } of steps) {
      const can = NEEDS[what].every((ability) => this.#trial.can(ability));
      await this.#step(can ? what : "quick", form);
      this.#trial.count("steps");
    }
  }

  #step(what: Step["what"], form: number): Promise<unknown> {
    const trial = this.#trial;
    const { prompts } = trial;
    switch (what) {
      case "quick":
      case "failing":
      case "failingLaunch":
        return this.#whole(prompts[what] ?? "");
      case "effort":
        return this.#command("session/setReasoningEffort", {
          reasoningEffort: enums.ReasoningEffort.values[form],
        });
      case "rename":
        return this.#command("session/rename", { name: `name ${form}` });
      case "ask":
        return trial.ask(QUESTIONS[form] as string, { sessionId: this.sessionId }, { by: this.#by });
      case "mode":
        return this.#command("session/setApprovalMode", {
          mode: enums.ApprovalMode.values[form % enums.ApprovalMode.values.length],
        });
      case "busy":
        return this.#busy(() => Promise.resolve());
      case "steer":
        return this.#busy((turnId) =>
          this.#command("turn/steer", { expectedTurnId: turnId, input: textInput(prompts.quick ?? "more") }),
        );
      case "queue":
        return this.#queue(form);
      case "approval":
        return this.#approval(form);
      case "question":
        return this.#question(form);
      case "goal":
        return this.#goal();
      case "compact":
        return this.#compact();
    }
  }

  #command(method: string, params: JsonObject): Promise<Outcome> {
    const commandId = this.#trial.mint();
    const { sessionId } = this;
    return this.#trial.ask(method, { sessionId, commandId, ...params }, { by: this.#by });
  }

  async #start(prompt: string): Promise<string | undefined> {
    const outcome = await this.#command("turn/start", { input: textInput(prompt) });
    return isAck(outcome) ? String(outcome.result["turnId"]) : undefined;
  }

  async #whole(prompt: string): Promise<void> {
    const turnId = await this.#start(prompt);
    if (turnId !== undefined) await this.#trial.until(completed(turnId));
  }

  async #stop(turnId: string): Promise<void> {
    await this.#command("turn/interrupt", { turnId });
    await this.#trial.until(completed(turnId));
  }

  async #busy(meanwhile: (turnId: string) => Promise<unknown>): Promise<void> {
    const turnId = await this.#start(this.#trial.prompts.busy ?? "");
    if (turnId === undefined) return;
    await this.#trial.until(told("turn/started", { turnId }));
    await meanwhile(turnId);
    await this.#stop(turnId);
  }

  async #queue(form: number): Promise<void> {
    let queued: string | undefined;
    await this.#busy(async () => {
      queued = await this.#start(this.#trial.prompts.quick ?? "");
      if (form % 2 === 0 || queued === undefined) return;
      const outcome = await this.#command("turn/unqueue", { turnId: queued });
      if (isAck(outcome)) queued = undefined;
    });
    if (queued !== undefined) await this.#trial.until(completed(queued));
  }

  async #approval(form: number): Promise<void> {
    const trial = this.#trial;
    const turnId = await this.#start(trial.prompts.approval ?? "");
    if (turnId === undefined) return;
    const asked = await trial.until(told("approval/requested", { turnId }));
    if (asked === undefined) return this.#stop(turnId);
    const { approvalId, availableChoices, currentRequirementId: requirementId } = asked.params;
    const choices = availableChoices as readonly { readonly choiceId: string }[];
    const choice = choices[form % choices.length];
    const params = { approvalId, requirementId, choiceId: choice?.choiceId };
    if (!isAck(await this.#command("approval/decide", params))) return this.#stop(turnId);
    await trial.until(completed(turnId));
  }

  async #question(form: number): Promise<void> {
    const trial = this.#trial;
    const turnId = await this.#start(trial.prompts.question ?? "");
    if (turnId === undefined) return;
    const asked = await trial.until(told("userInput/requested", { turnId }));
    if (asked === undefined) return this.#stop(turnId);
    const { userInputId, questions } = asked.params;
    const [question] = questions as readonly {
      readonly id: string;
      readonly options: readonly JsonObject[];
    }[];
    const answers = [{ questionId: question?.id, selectedLabel: question?.options[0]?.["label"] }];
    const [method, more] = [
      ["userInput/answer", { answers }],
      ["userInput/cancel", {}],
      ["userInput/clarify", { clarification: { format: "text", content: "which one" } }],
      ["userInput/interrupt", {}],
    ][form] as [string, JsonObject];
    if (!isAck(await this.#command(method, { userInputId, ...more }))) return this.#stop(turnId);
    await trial.until(completed(turnId));
  }

  async #goal(): Promise<void> {
    const outcome = await this.#command("goal/set", { objective: this.#trial.prompts.quick });
    const turnId = isAck(outcome) ? outcome.result["turnId"] : undefined;
    if (typeof turnId === "string") await this.#trial.until(completed(turnId));
    await this.#command("goal/clear", {});
  }

  async #compact(): Promise<void> {
    const from = this.#trial.history.told.length;
    const outcome = await this.#command("session/compact", {});
    if (!isAck(outcome) || outcome.result["status"] !== "accepted") return;
    await this.#trial.until(
      (message) =>
        this.#trial.history.told.indexOf(message) >= from &&
        message.method === "item/completed" &&
        (message.params["item"] as JsonObject | undefined)?.["kind"] === "compaction",
    );
  }
}

/** Whether a message is of a method, with some members. */
export function told(method: string, members: JsonObject): (message: Told) => boolean {
  return (message) =>
    message.method === method &&
    Object.entries(members).every(([name, value]) => message.params[name] === value);
}
