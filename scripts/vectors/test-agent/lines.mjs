// The lines of a play, and the steps of a script: see ../test-agent.mjs.

export const say = (text) => ({ step: "say", text });
export const malformed = (line, text) => ({ step: "malformed", line, text });

export const started = { host: "turn/started" };
export const completed = { host: "turn/completed", terminal: "completed" };
export const cancelled = { host: "turn/completed", terminal: "cancelled" };
export const failed = (kind, retryable) => ({
  host: "turn/completed",
  terminal: "failed",
  error: { kind, retryable },
});
export const interrupt = { client: "turn/interrupt" };
export const steer = (text) => ({ client: "turn/steer", text });
export const passes = (ms) => ({ passes: ms });
/** A message, from its start to its end. */
export const message = (number, text) => [
  {
    host: "item/started",
    item: { itemId: `${number}`, kind: "agentMessage", status: "inProgress", text: "" },
  },
  { host: "item/delta", item: `${number}`, delta: text },
  { host: "item/completed", item: { itemId: `${number}`, kind: "agentMessage", status: "completed", text } },
];
/** A tool call: the item that is started, with what is added. */
export const call = (number, tool, args, nth = number) => {
  const item = { kind: "toolCall", tool, callId: `call_${nth}`, args: JSON.stringify(args) };
  const line = (host, status, more) => ({ host, item: { itemId: `${number}`, ...item, status, ...more } });
  return {
    started: line("item/started", "inProgress"),
    updated: (more) => line("item/updated", "inProgress", more),
    completed: (more) => line("item/completed", "completed", more),
    ended: (status, more) => line("item/completed", status, more),
  };
};
export const availableChoices = [
  { choiceId: "allow", label: "Allow once", decision: "approved", scope: "once" },
  {
    choiceId: "allow_session",
    label: "Allow for this session",
    decision: "approvedForSession",
    scope: "session",
  },
  { choiceId: "deny", label: "Deny", decision: "denied", scope: "once", acceptsFeedback: true },
  { choiceId: "abort", label: "Abort", decision: "abort", scope: "once" },
];
export const approvalRequested = (number, stages = 1) => ({
  host: "approval/requested",
  item: `${number}`,
  toolName: "approve",
  rawArgs: JSON.stringify({ stages }),
  subject: { kind: "tool", toolName: "approve" },
  availableChoices,
});
export const approvalUpdated = (number) => ({
  host: "approval/updated",
  item: `${number}`,
  availableChoices,
});
export const approvalResolved = (number, decision) => ({
  host: "approval/resolved",
  item: `${number}`,
  decision,
});
export const decide = (choiceId, more = {}) => ({ client: "approval/decide", choiceId, ...more });
export const inputRequested = (number, more = {}) => ({
  host: "userInput/requested",
  item: `${number}`,
  toolName: "ask",
  questions: [
    {
      id: "choice",
      header: "Choice",
      question: "Which one?",
      options: [{ label: "first" }, { label: "second" }],
      selection: { mode: "single" },
    },
  ],
  ...more,
});
export const inputSettled = (number, outcome) => ({ host: "userInput/settled", item: `${number}`, outcome });
export const answer = (more) => ({
  client: "userInput/answer",
  answers: [{ questionId: "choice", ...more }],
});
