/**
 * Answers the approvals of a session through a handler: once for each stage of each approval, however often and in
 * whatever order the host asks.
 */

import type {
  ApprovalChoice,
  ApprovalRequestParams,
  ApprovalUpdatedParams,
  MethodResults,
} from "../../generated/msp/experimental/types.js";
import { isUnknown } from "./errors.js";
import { laterTurn } from "./waits.js";

/** A choice that was offered, as a handler answers it. */
export interface ApprovalAnswer {
  readonly choiceId: string;
  /** Words for the agent; only where the choice takes them. */
  readonly feedback?: string;
}

/**
 * Decides one stage of an approval. Undefined leaves it open: it stays in the view, for somebody else or for
 * `decide`. What it throws goes to `onError`, and leaves it open.
 */
export type ApprovalHandler = (
  approval: ApprovalRequestParams,
) => ApprovalAnswer | undefined | Promise<ApprovalAnswer | undefined>;

/** Why an answer of a handler was not sent as it was given. */
export class ApprovalAnswerError extends Error {
  readonly kind: "choiceNotOffered" | "feedbackNotAccepted";
  readonly approvalId: string;

  constructor(kind: ApprovalAnswerError["kind"], approvalId: string, message: string) {
    super(message);
    this.name = "ApprovalAnswerError";
    this.kind = kind;
    this.approvalId = approvalId;
  }
}

/** The params of a decision, without what the session adds. */
export interface Decision {
  readonly approvalId: string;
  readonly requirementId: ApprovalRequestParams["currentRequirementId"];
  readonly choiceId: string;
  readonly feedback?: string;
}

/** Sends a decision under a command id. */
export type Decide = (decision: Decision, commandId: string) => Promise<MethodResults["approval/decide"]>;

/** One approval that is open. */
interface Open {
  request: ApprovalRequestParams;
  /** The stages that were handed to a handler. */
  readonly asked: Set<string>;
  /** The decision under way; the next stage waits for it. */
  deciding: Promise<void>;
  /** A decision of which nobody here knows whether it arrived. It is sent again, under its id, when the host asks again. */
  lost: { readonly decision: Decision; readonly commandId: string } | undefined;
}

/** The open approvals of a session, and who answers them. */
export class Approvals {
  readonly #open = new Map<string, Open>();
  readonly #decide: Decide;
  readonly #mint: () => string;
  readonly #onError: (error: unknown) => void;
  #handler: ApprovalHandler | undefined;

  constructor(decide: Decide, mint: () => string, onError: (error: unknown) => void) {
    this.#decide = decide;
    this.#mint = mint;
    this.#onError = onError;
  }

  /** Sets who answers; what is open and was not answered is asked now. */
  handle(handler: ApprovalHandler | undefined): void {
    this.#handler = handler;
    for (const open of this.#open.values()) this.#ask(open);
  }

  /** The host asks: as a notification, as a request, or both, in either order. */
  requested(request: ApprovalRequestParams): void {
    const known = this.#open.get(request.approvalId);
    if (known === undefined) {
      const open = { request, asked: new Set<string>(), deciding: Promise.resolve(), lost: undefined };
      this.#open.set(request.approvalId, open);
      this.#ask(open);
      return;
    }
    if (known.lost !== undefined) {
      const { decision, commandId } = known.lost;
      known.lost = undefined;
      known.deciding = known.deciding.then(() => this.#send(known, decision, commandId));
    }
    this.#ask(known);
  }

  /** A stage was decided or something else changed; a new stage is asked. */
  updated(update: ApprovalUpdatedParams): void {
    const open = this.#open.get(update.approvalId);
    if (open === undefined) return;
    const { availableChoices, currentRequirementId, subject } = update;
    open.request = { ...open.request, availableChoices, currentRequirementId, subject };
    this.#ask(open);
  }

  /** It is decided, by whomever. */
  resolved(approvalId: string): void {
    this.#open.delete(approvalId);
  }

  /** Nothing can be decided any more. */
  clear(): void {
    this.#open.clear();
  }

  #ask(open: Open): void {
    const handler = this.#handler;
    const stage = JSON.stringify(open.request.currentRequirementId);
    if (handler === undefined || open.asked.has(stage)) return;
    open.asked.add(stage);
    open.deciding = open.deciding.then(async () => {
      // A request that came along is receipted first: that it was shown, then what was decided.
      await laterTurn();
      // Resolved while an earlier stage was being decided.
      if (!this.#open.has(open.request.approvalId)) return;
      const { request } = open;
      try {
        const answer = await handler(request);
        if (answer === undefined || !this.#open.has(request.approvalId)) return;
        const { decision, error } = decisionOf(request, answer);
        if (error !== undefined) this.#onError(error);
        if (decision !== undefined) await this.#send(open, decision, this.#mint());
      } catch (error) {
        this.#onError(error);
      }
    });
  }

  async #send(open: Open, decision: Decision, commandId: string): Promise<void> {
    try {
      await this.#decide(decision, commandId);
    } catch (error) {
      if (isUnknown(error)) open.lost = { decision, commandId };
      this.#onError(error);
    }
  }
}

/**
 * What is sent for an answer. A choice that was not offered is not sent. Feedback for a choice that takes none is not
 * dropped in silence: the refusal that was offered is sent instead, so that what the user objected to does not happen.
 */
function decisionOf(
  request: ApprovalRequestParams,
  { choiceId, feedback }: ApprovalAnswer,
): { readonly decision?: Decision; readonly error?: ApprovalAnswerError } {
  const { approvalId, availableChoices, currentRequirementId: requirementId } = request;
  const choice = availableChoices.find((offered) => offered.choiceId === choiceId);
  if (choice === undefined) {
    const message = `the choice ${choiceId} was not offered for the approval ${approvalId}`;
    return { error: new ApprovalAnswerError("choiceNotOffered", approvalId, message) };
  }
  if (feedback === undefined) return { decision: { approvalId, requirementId, choiceId } };
  if (choice.acceptsFeedback === true) return { decision: { approvalId, requirementId, choiceId, feedback } };
  const message = `the choice ${choiceId} of the approval ${approvalId} takes no feedback`;
  const error = new ApprovalAnswerError("feedbackNotAccepted", approvalId, message);
  const offered = (decision: ApprovalChoice["decision"]): ApprovalChoice | undefined =>
    availableChoices.find((one) => one.decision === decision);
  const instead = offered("denied") ?? offered("abort");
  return instead === undefined
    ? { error }
    : { error, decision: { approvalId, requirementId, choiceId: instead.choiceId } };
}
