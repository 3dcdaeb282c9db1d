/**
 * The rejections that are not the application's: each has its reason, and says whether the same command may be tried
 * again under the same id. What may be tried again admitted nothing, and is not remembered.
 */
import type { CommandResult, JsonObject } from "./app.js";

/** Reasons of rejections that are made here, with what they mean. */
export const REJECTIONS = {
  command_id_missing: {
    message: "the command has no id",
    retryable: false,
    remembered: false,
  },
  command_id_malformed: {
    message: "the id of the command is not 1 to 128 printable characters, or its time lies ahead",
    retryable: false,
    remembered: false,
  },
  command_id_conflict: {
    message: "the id stands for another command",
    retryable: false,
    remembered: false,
  },
  command_id_expired: {
    message: "the id is older than what is remembered: it cannot be told whether it was carried out",
    retryable: false,
    remembered: false,
  },
  invalid_params: {
    message:
      "the params hold a value that has no identity: an integer beyond 2^53-1, or half of a surrogate pair",
    retryable: false,
    remembered: false,
  },
  still_running: {
    message: "the first attempt under this id still runs: ask again",
    retryable: true,
    remembered: false,
  },
  overloaded: {
    message: "as many commands run as can be remembered: try again",
    retryable: true,
    remembered: false,
  },
  results_unavailable: {
    message: "what was carried out cannot be looked up now: nothing was carried out, try again",
    retryable: true,
    remembered: false,
  },
  shutting_down: {
    message: "the process ends: nothing was carried out, try again",
    retryable: true,
    remembered: false,
  },
  internal_error: {
    message: "the server failed: it is not known whether the command was carried out",
    retryable: false,
    remembered: false,
  },
  handler_failed: {
    message: "the command failed while it was carried out",
    retryable: false,
    remembered: true,
  },
  abandoned: {
    message: "the command was not done at its deadline: it may have been carried out, in part or not at all",
    retryable: false,
    remembered: true,
  },
  result_not_serialisable: {
    message: "the command was carried out, and JSON cannot carry what came of it",
    retryable: false,
    remembered: true,
  },
} as const satisfies Readonly<
  Record<string, { readonly message: string; readonly retryable: boolean; readonly remembered: boolean }>
>;

/** A reason of a rejection that is made here. */
export type RejectionReason = keyof typeof REJECTIONS;

/** The rejection of a reason, as a result that never changes. */
export function rejected(reason: RejectionReason, data?: JsonObject): CommandResult {
  const { message, retryable } = REJECTIONS[reason];
  return Object.freeze({
    status: "rejected",
    rejection: Object.freeze({ reason, message, retryable, ...(data === undefined ? {} : { data }) }),
  });
}

/** What a claim becomes that nobody settled before its deadline. */
export const ABANDONED: CommandResult = rejected("abandoned");
