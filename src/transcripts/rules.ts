/**
 * The rules that every transcript is held to: one table, from which findings take their severity and words.
 */

/** One rule. */
export interface TranscriptRule {
  /** An error fails the check; a warning does not. */
  readonly severity: "error" | "warning";
  /** With `{named}` parameters. */
  readonly message: string;
  /** Why it is asked for. */
  readonly why: string;
  /** What to do about a finding. */
  readonly fix: string;
}

/** The rules, by id. */
export const transcriptRules = {
  "frame-not-text": {
    severity: "error",
    message: "the frame is not UTF-8",
    why: "A frame is one line of UTF-8; a reader answers anything else with an error.",
    fix: "Record the session again, or mend the host or client that sent it.",
  },
  "frame-not-object": {
    severity: "error",
    message: "the frame {problem}",
    why: "A frame is one JSON object; there are no batches.",
    fix: "Write the frame as one JSON object on one line.",
  },
  "frame-too-long": {
    severity: "error",
    message: "the frame has {bytes} bytes; the limit of this session is {limit}",
    why: "Both sides refuse frames over the limit.",
    fix: "Shorten the frame, or raise serverConfig.frameLimitBytes where the session really had that limit.",
  },
  "carriage-return": {
    severity: "error",
    message: "the host's frame ends in a carriage return",
    why: "A reader drops one from a client's line end; a host never sends one.",
    fix: "End the host's frames with a line feed alone.",
  },
  "bad-envelope": {
    severity: "error",
    message: "{problem} ({keyword})",
    why: "Every frame is a request, a notification, a result or an error in the form that the bundle declares.",
    fix: "Correct the member at the place that is named.",
  },
  "bad-params": {
    severity: "error",
    message: "the params of {method}: {problem} ({keyword})",
    why: "Params are what the bundle declares for their method.",
    fix: "Correct the member at the place that is named, or pin the transcript to the schema that has it.",
  },
  "bad-result": {
    severity: "error",
    message: "the result of {method}: {problem} ({keyword})",
    why: "A result is what the bundle declares for its method.",
    fix: "Correct the member at the place that is named, or pin the transcript to the schema that has it.",
  },
  "wrong-message": {
    severity: "error",
    message: "{method} is no {form} of the {side}",
    why: "The bundle says who sends a message, and whether it asks for an answer.",
    fix: "Send the message from the side, and in the form, that the bundle declares.",
  },
  "error-code": {
    severity: "error",
    message: "an error of kind {kind} has the code {expected}, not {code}",
    why: "Kind and code are one row of the error registry.",
    fix: "Use the code of the kind's row.",
  },
  "handshake-order": {
    severity: "error",
    message: "{problem}",
    why: "A connection begins with initialize, its answer and initialized; until then the host only answers.",
    fix: "Begin with initialize, its answer and initialized.",
  },
  "unmatched-answer": {
    severity: "error",
    message: "the {side} answers the id {id}, which no open request has",
    why: "Each answer belongs to one request that is still waiting.",
    fix: "Answer each request once, under the id that it came with.",
  },
  "unanswered-request": {
    severity: "error",
    message: "{method} is never answered",
    why: "Each request has exactly one answer.",
    fix: "Record until the answer has come.",
  },
  "request-id-in-use": {
    severity: "error",
    message: "the id {id} belongs to a request that still waits for its answer",
    why: "Two requests under one id could not be told apart by their answers.",
    fix: "Give each request that is under way an id of its own.",
  },
  "host-request-id": {
    severity: "error",
    message: "the id {id} {problem}",
    why: "The requests of a host are numbered by positive integers that only grow.",
    fix: "Number the host's requests 1, 2, 3 and on.",
  },
  "replay-differs": {
    severity: "error",
    message: "{method} with the command id {commandId} was answered otherwise in line {first}",
    why: "A command that is sent again with the same content is answered with the same value and has no second effect.",
    fix: "Answer a repeated command with what it was answered first.",
  },
  "unknown-word": {
    severity: "warning",
    message: "{def} has no word {value}; the enum is open, so a reader takes it",
    why: "An open enum may grow; a word that the pinned bundle lacks is either newer or misspelt.",
    fix: "Correct the word where it is a slip; leave it where it is newer than the bundle.",
  },
} as const satisfies Readonly<Record<string, TranscriptRule>>;

/** The id of a rule. */
export type TranscriptRuleId = keyof typeof transcriptRules;

/** A place in a transcript. */
export interface Place {
  /** The scenario. */
  readonly transcript: string;
  /** 1-based. */
  readonly line: number;
}

/** One thing that is wrong, or worth a look. */
export interface TranscriptFinding extends Place {
  readonly rule: TranscriptRuleId;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly params: Readonly<Record<string, string | number>>;
  /** JSON Pointer within the frame. */
  readonly instanceLocation: string;
}

/** A finding of a rule at a place. */
export function transcriptFinding(
  rule: TranscriptRuleId,
  { transcript, line }: Place,
  instanceLocation: string,
  params: Readonly<Record<string, string | number>> = {},
): TranscriptFinding {
  const { severity, message }: TranscriptRule = transcriptRules[rule];
  const words = message.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]));
  return { rule, severity, message: words, params, transcript, line, instanceLocation };
}
