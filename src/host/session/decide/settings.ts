/**
 * Settings of a session: model, approval mode, effort, name. Each is told as an event where it changed.
 */
import type {
  ApprovalMode,
  EffectiveApprovalModeState,
  ModelSelection,
  ReasoningEffort,
} from "../../../../generated/msp/experimental/types.js";
import type { Command, Decision, Draft } from "../decision.js";

/** Decides `session/setModel`. It counts from the next call of the model on. */
export function setModel(draft: Draft, command: Command): Decision {
  const { models } = draft.context;
  const { modelId, providerId } = command.payload["model"] as ModelSelection;
  if (modelId.trim() === "") return draft.reject(command, "invalid_target");
  const known = models?.find(
    (model) => model.modelId === modelId && (providerId === undefined || model.providerId === providerId),
  );
  if (models !== undefined && known === undefined) return draft.reject(command, "unsupported_route");
  const next = { modelId, providerId: known?.providerId ?? providerId ?? null, source: "user" };
  const { model } = draft.state;
  if (model?.modelId !== next.modelId || model.providerId !== next.providerId)
    draft.event("session/modelChanged", next);
  return draft.accept(command);
}

/** Decides `session/setApprovalMode`. One that is in force already leaves no trace but the command's own. */
export function setApprovalMode(draft: Draft, command: Command): Decision {
  const mode = command.payload["mode"] as ApprovalMode;
  if (!draft.context.approvalModes.includes(mode)) return draft.reject(command, "approval-mode-ceiling");
  const changes = draft.state.approvalMode.mode !== mode;
  if (changes)
    draft.event("session/approvalModeChanged", {
      mode,
      source: "approvalReconfigure",
      commandId: command.spelt,
      clientName: command.clientName,
    });
  const effectiveMode: EffectiveApprovalModeState = changes
    ? { mode, source: "approvalReconfigure", lastCommandId: command.spelt }
    : draft.state.approvalMode;
  return draft.accept(command, { applyOutcome: changes ? "completed" : "noop", effectiveMode });
}

/** Decides `session/setReasoningEffort`, for turns that are launched later. */
export function setReasoningEffort(draft: Draft, command: Command): Decision {
  const reasoningEffort = command.payload["reasoningEffort"] as ReasoningEffort;
  if (draft.state.effort?.reasoningEffort !== reasoningEffort)
    draft.event("session/reasoningEffortChanged", { reasoningEffort, source: "user" });
  return draft.accept(command);
}

/** Decides `session/rename`. */
export function rename(draft: Draft, command: Command): Decision {
  const name = String(command.payload["name"]);
  if (draft.state.name !== name) draft.event("session/nameChanged", { name, nameOrigin: "custom" });
  return draft.accept(command, { name });
}
