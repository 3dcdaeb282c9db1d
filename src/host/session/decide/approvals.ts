/**
 * Approvals: asked by an agent, decided by a client, stage after stage.
 */
import { protocolError } from "../../../../generated/msp/experimental/server.js";
import type {
  ApprovalChoice,
  ApprovalMode,
  ApprovalRequirementRef,
  ApprovalStageEvidence,
  ApprovalSubject,
} from "../../../../generated/msp/experimental/types.js";
import type { ApprovalAnswer, ApprovalQuestion } from "../../agents/agent.js";
import type { Command, Decision, Draft } from "../decision.js";
import { cursorOf, type HeldApproval, keyOf } from "../state.js";
import { openItem } from "./items.js";

/** What an agent is told of an approval that nobody will decide: no choice was made. */
const ABORTED: ApprovalAnswer = { type: "approval", decision: "abort", choiceId: "", feedback: undefined };

/** Decisions that allow what was asked. Any other one ends the matter. */
const ALLOWS: ReadonlySet<string> = new Set(["approved", "approvedForSession", "approvedPolicyAmendment"]);

const streamOf = (approvalId: string) => ({ kind: "approval.review", id: approvalId }) as const;

/** Asks for an approval. */
export function askApproval(
  draft: Draft,
  turnId: string,
  approvalId: string,
  question: ApprovalQuestion,
): Decision {
  const { toolName, rawArgs, subject, stages, protectedWrite = false } = question;
  // A client has stopped the call meanwhile: there is nothing to allow any more.
  if (draft.state.finished.has(question.item.itemId)) {
    draft.effects.push({ type: "reply", id: approvalId, reply: ABORTED });
    return draft.done();
  }
  const decided = byMode(draft.state.approvalMode.mode, stages);
  if (decided !== undefined) {
    openItem(draft, turnId, question.item);
    draft.effects.push({ type: "reply", id: approvalId, reply: decided });
    return draft.done();
  }
  const item = openItem(draft, turnId, { ...question.item, approvalId });
  draft.event(
    "approval/requested",
    {
      approvalId,
      turnId,
      taskId: item.itemId,
      itemId: item.itemId,
      toolCallId: item.callId ?? item.itemId,
      toolName,
      rawArgs,
      subject: staged(approvalId, subject),
      currentRequirementId: { approvalId, sourceIndex: 0 },
      availableChoices: [...(stages[0] ?? [])],
      protectedWrite,
      judgeEscalated: false,
    },
    streamOf(approvalId),
    stages.slice(1),
  );
  return draft.done();
}

/** What the session's mode says without asking anybody; undefined where the user is asked. */
function byMode(mode: ApprovalMode, stages: ApprovalQuestion["stages"]): ApprovalAnswer | undefined {
  if (mode === "denyUnmatched")
    return { type: "approval", decision: "denied", choiceId: "", feedback: undefined };
  if (mode !== "allowAll") return undefined;
  const choiceId = stages.at(-1)?.find(({ decision }) => decision === "approved")?.choiceId ?? "";
  return { type: "approval", decision: "approved", choiceId, feedback: undefined };
}

/** Decides `approval/decide`. */
export function decideApproval(draft: Draft, command: Command): Decision {
  const { state } = draft;
  const { payload } = command;
  const approvalId = String(payload["approvalId"]);
  const choiceId = String(payload["choiceId"]);
  const held = state.approvals.get(keyOf(approvalId));
  if (held === undefined) return draft.refuse(protocolError("approvalNotFound", { approvalId }));
  if (held.resolved !== undefined) {
    const { decision, resolvedBy, ordinal } = held.resolved;
    const resolution = { decision, resolvedBy, viewCursor: cursorOf(state.sessionId, ordinal) };
    return draft.refuse(protocolError("approvalAlreadyResolved", { approvalId, resolution }));
  }
  const requirement = payload["requirementId"] as ApprovalRequirementRef;
  if (keyOf(requirement.approvalId) !== keyOf(approvalId) || requirement.sourceIndex !== held.sourceIndex) {
    const currentRequirementId = { approvalId: held.request.approvalId, sourceIndex: held.sourceIndex };
    return draft.refuse(protocolError("approvalRequirementStale", { approvalId, currentRequirementId }));
  }
  const choice = held.choices.find((offered) => offered.choiceId === choiceId);
  const feedback = payload["feedback"] as string | undefined;
  if (choice === undefined || (feedback !== undefined && choice.acceptsFeedback !== true))
    return draft.refuse(protocolError("approvalChoiceInvalid", { approvalId, choiceId }));
  const [next, ...later] = held.stages;
  const terminal = next === undefined || !ALLOWS.has(choice.decision);
  if (terminal) resolve(draft, held, choice, command.spelt, feedback);
  else advance(draft, held, choice, [next, ...later]);
  return draft.accept(command, { approvalId: held.request.approvalId, terminal });
}

/** A subject whose stages are those of this approval, and wait. */
function staged(approvalId: string, subject: ApprovalSubject): ApprovalSubject {
  if (subject.stages === undefined) return subject;
  const stages = subject.stages.map((stage, sourceIndex) => ({
    ...stage,
    requirementId: { approvalId, sourceIndex },
    resolution: { kind: "pending" },
  }));
  return { ...subject, stages };
}

/** A subject after the decision on one of its stages. */
function stageDecided(
  subject: ApprovalSubject,
  sourceIndex: number,
  { scope }: ApprovalChoice,
): ApprovalSubject {
  if (subject.stages === undefined) return subject;
  const kind = scope === "once" ? "allowedOnce" : "allowedForSession";
  const stages = subject.stages.map((stage, i) =>
    i === sourceIndex ? { ...stage, resolution: { kind } } : stage,
  );
  return { ...subject, stages };
}

function evidenceOf({ stages = [] }: ApprovalSubject): ApprovalStageEvidence[] {
  return stages.map(({ argv, position, totalStages, requirementId, resolution }) => ({
    argv,
    position,
    totalStages,
    requirementId,
    resolution,
  }));
}

function advance(
  draft: Draft,
  { request, subject, sourceIndex }: HeldApproval,
  choice: ApprovalChoice,
  [next, ...later]: readonly [readonly ApprovalChoice[], ...(readonly ApprovalChoice[])[]],
): void {
  const { approvalId } = request;
  draft.event(
    "approval/updated",
    {
      approvalId,
      subject: stageDecided(subject, sourceIndex, choice),
      change: {
        kind: "stageResolved",
        choiceId: choice.choiceId,
        decision: choice.decision,
        requirementId: { approvalId, sourceIndex },
      },
      currentRequirementId: { approvalId, sourceIndex: sourceIndex + 1 },
      availableChoices: [...next],
    },
    streamOf(approvalId),
    later,
  );
}

function resolve(
  draft: Draft,
  { request, subject, sourceIndex }: HeldApproval,
  choice: ApprovalChoice,
  commandId: string,
  feedback: string | undefined,
): void {
  const { approvalId, itemId, turnId } = request;
  const { choiceId, decision, scope, rulePreview } = choice;
  const allowed = ALLOWS.has(decision);
  const amends = allowed && rulePreview !== undefined && scope !== "once";
  draft.event(
    "approval/resolved",
    {
      approvalId,
      itemId,
      turnId,
      decision,
      policyResult: allowed ? "allow" : "deny",
      ...(amends ? { amendment: { durability: scope, rulePreview } } : {}),
      resolvedBy: "user",
      decidedByCommandId: commandId,
      decidedAt: draft.time,
      stageEvidence: allowed ? evidenceOf(stageDecided(subject, sourceIndex, choice)) : [],
    },
    streamOf(approvalId),
  );
  const reply: ApprovalAnswer = { type: "approval", decision, choiceId, feedback };
  draft.effects.push({ type: "reply", id: approvalId, reply });
}

/** Closes what nobody will decide any more, since its turn is over, or its tool call. */
export function abandonApprovals(draft: Draft, ofItem?: string): void {
  for (const held of draft.state.waiting) {
    if (!("choices" in held) || (ofItem !== undefined && held.request.itemId !== ofItem)) continue;
    const { approvalId, itemId, turnId } = held.request;
    draft.event(
      "approval/resolved",
      {
        approvalId,
        itemId,
        turnId,
        decision: "abort",
        policyResult: "deny",
        resolvedBy: "policy",
        decidedAt: draft.time,
        stageEvidence: [],
      },
      streamOf(approvalId),
    );
    draft.effects.push({ type: "reply", id: approvalId, reply: ABORTED });
  }
}
