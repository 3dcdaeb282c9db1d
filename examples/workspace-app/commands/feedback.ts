/** `feedback/give`. */
import type { Feedback } from "../../../generated/workspace/stable/types.js";
import { feedbackEntry, feedbackOf } from "../records.js";
import { rejected } from "../rejections.js";
import { type CommandHandler, statusOf } from "./command.js";

/** Keeps feedback on a run, once under each id. */
export const giveFeedback: CommandHandler<"feedback/give"> = async (call) => {
  const { transaction, params, participant, newId } = call;
  const { runId, score, comment } = params;
  if ((await transaction.get("run", runId)) === undefined)
    throw rejected("run_not_found", `there is no run ${runId}`);
  const feedbackId = params.feedbackId ?? `feedback-${newId()}`;
  let feedback: Feedback | undefined;
  const kept = await transaction.insert("feedback", feedbackId, (position) => {
    feedback = {
      feedbackId,
      runId,
      score,
      ...(comment === undefined ? {} : { comment }),
      position,
      givenAt: transaction.now,
      givenBy: participant,
    };
    return feedbackEntry(feedback);
  });
  if (feedback !== undefined && kept) return { status: statusOf(false), feedback };
  const stored = await transaction.get("feedback", feedbackId);
  if (stored === undefined) throw new Error(`the store refuses the feedback ${feedbackId}`);
  return { status: statusOf(true), feedback: feedbackOf(stored) };
};
