/**
 * Questions to the user: asked by an agent, settled once.
 */
import { protocolError } from "../../../../generated/msp/experimental/server.js";
import type {
  UserInputAnswer,
  UserInputClarification,
  UserInputOutcome,
  UserInputQuestion,
} from "../../../../generated/msp/experimental/types.js";
import type { UserInputQuestions, UserInputReply } from "../../agents/agent.js";
import type { Command, Decision, Draft } from "../decision.js";
import { cursorOf, type HeldUserInput, keyOf } from "../state.js";
import { openItem } from "./items.js";
import { stop } from "./turns.js";

/** What an agent is told of questions that nobody will answer. */
const ABORTED: UserInputReply = {
  type: "userInput",
  outcome: "aborted",
  answers: [],
  clarification: null,
  reason: null,
};

/** Characters that free texts, notes and clarifications may have. */
const LONGEST = 500;

/** Asks the user. */
export function askUser(
  draft: Draft,
  turnId: string,
  userInputId: string,
  { item, toolName, questions, autoResolutionMs }: UserInputQuestions,
): Decision {
  // A client has stopped the call meanwhile: there is nobody to ask any more.
  if (draft.state.finished.has(item.itemId)) {
    draft.effects.push({ type: "reply", id: userInputId, reply: ABORTED });
    return draft.done();
  }
  const { itemId, callId } = openItem(draft, turnId, item);
  draft.event("userInput/requested", {
    userInputId,
    turnId,
    itemId,
    toolCallId: callId ?? itemId,
    toolName,
    questions: [...questions],
    ...(autoResolutionMs === undefined ? {} : { autoResolutionMs }),
  });
  return draft.done();
}

/** Decides `userInput/answer`. */
export function answer(draft: Draft, command: Command): Decision {
  const answers = (command.payload["answers"] ?? []) as readonly UserInputAnswer[];
  return settling(draft, command, (held) =>
    answersFit(held.request.questions, answers, true) ? { outcome: "answered", answers } : undefined,
  );
}

/** Decides `userInput/cancel`. */
export function cancel(draft: Draft, command: Command): Decision {
  const reason = (command.payload["reason"] ?? null) as string | null;
  return settling(draft, command, () => ({ outcome: "cancelled", reason }));
}

/** Decides `userInput/clarify`. */
export function clarify(draft: Draft, command: Command): Decision {
  const clarification = command.payload["clarification"] as UserInputClarification;
  return settling(draft, command, () =>
    [...clarification.content].length > LONGEST ? undefined : { outcome: "clarified", clarification },
  );
}

/** Decides `userInput/interrupt`: what was answered so far is kept, and the turn is stopped. */
export function interrupt(draft: Draft, command: Command): Decision {
  const answers = (command.payload["answers"] ?? []) as readonly UserInputAnswer[];
  const decision = settling(draft, command, (held) => {
    if (!answersFit(held.request.questions, answers, false)) return undefined;
    return { outcome: "interrupted", answers, stops: true };
  });
  return decision;
}

/** Settles questions that the user took too long over. Nothing where they are settled. */
export function timeOut(draft: Draft, userInputId: string): Decision {
  const held = draft.state.userInputs.get(keyOf(userInputId));
  if (held !== undefined && held.settled === undefined) settle(draft, held, { outcome: "timedOut" }, null);
  return draft.done();
}

/** Closes what nobody will answer any more, since its turn is over, or its tool call. */
export function abandonUserInputs(draft: Draft, ofItem?: string): void {
  for (const held of draft.state.waiting)
    if ("settled" in held && (ofItem === undefined || held.request.itemId === ofItem))
      settle(draft, held, { outcome: "aborted" }, null);
}

interface Settlement {
  readonly outcome: UserInputOutcome;
  readonly answers?: readonly UserInputAnswer[];
  readonly clarification?: UserInputClarification | null;
  readonly reason?: string | null;
  readonly stops?: boolean;
}

function settling(
  draft: Draft,
  command: Command,
  outcome: (held: HeldUserInput) => Settlement | undefined,
): Decision {
  const { state } = draft;
  const userInputId = String(command.payload["userInputId"]);
  const held = state.userInputs.get(keyOf(userInputId));
  if (held === undefined) return draft.refuse(protocolError("userInputNotFound", { userInputId }));
  if (held.settled !== undefined) {
    const { outcome: how, ordinal } = held.settled;
    const settlement = { outcome: how, viewCursor: cursorOf(state.sessionId, ordinal) };
    return draft.refuse(protocolError("userInputAlreadySettled", { userInputId, settlement }));
  }
  const settlement = outcome(held);
  if (settlement === undefined) return draft.refuse(protocolError("userInputAnswerInvalid", { userInputId }));
  settle(draft, held, settlement, command.spelt);
  const { turnId } = held.request;
  if (settlement.stops === true && state.active?.turnId === turnId)
    stop(draft, state.active, "interrupted by the client");
  return draft.accept(command, { userInputId: held.request.userInputId });
}

function settle(
  draft: Draft,
  { request }: HeldUserInput,
  { outcome, answers = [], clarification = null, reason = null }: Settlement,
  decidedByCommandId: string | null,
): void {
  const { userInputId } = request;
  draft.event("userInput/settled", {
    userInputId,
    outcome,
    answers: [...answers],
    clarification,
    reason,
    decidedAt: draft.time,
    decidedByCommandId,
  });
  const reply = { type: "userInput", outcome, answers, clarification, reason } as const;
  draft.effects.push({ type: "reply", id: userInputId, reply });
}

/** Whether each answer is one to a question, and each question has at most one; exactly one where `all`. */
function answersFit(
  questions: readonly UserInputQuestion[],
  answers: readonly UserInputAnswer[],
  all: boolean,
): boolean {
  const asked = new Map(questions.map((question) => [question.id, question]));
  for (const given of answers) {
    const question = asked.get(given.questionId);
    if (question === undefined || !answerFits(question, given)) return false;
    asked.delete(given.questionId);
  }
  return !all || asked.size === 0;
}

function answerFits(question: UserInputQuestion, given: UserInputAnswer): boolean {
  const { selectedLabel, selectedLabels, freeText, note = "" } = given;
  const ways = [selectedLabel, selectedLabels, freeText].filter((way) => way !== undefined);
  if (ways.length !== 1 || [...note].length > LONGEST || [...(freeText ?? "")].length > LONGEST) return false;
  const labels = new Set(question.options.map(({ label }) => label));
  const { mode, minSelections = 0, maxSelections = labels.size } = question.selection;
  if (selectedLabel !== undefined) return labels.has(selectedLabel);
  if (selectedLabels === undefined) return true;
  const chosen = new Set(selectedLabels);
  return (
    mode !== "single" &&
    chosen.size === selectedLabels.length &&
    chosen.size >= minSelections &&
    chosen.size <= maxSelections &&
    selectedLabels.every((label) => labels.has(label))
  );
}
