// What waits for a person: approvals of tool calls, and questions. Each stands on a tool call, is told as an event and
// asked as a request of the host with the same members, and is decided by a command, not by the answer to the request.

const ONCE = { choiceId: "allow_once", label: "Allow once", decision: "approved", scope: "once" };

/** The choices of a command that may run once, or not at all with a word about why. */
export const ONCE_OR_ABORT = [
  ONCE,
  { choiceId: "abort", label: "Do not run", decision: "abort", scope: "once", acceptsFeedback: true },
];

/** The choices of a write that may be allowed for the rest of the session. */
export const WRITE_CHOICES = (path) => [
  ONCE,
  {
    choiceId: "allow_session",
    label: "Allow in this session",
    decision: "approvedForSession",
    scope: "session",
    rulePreview: `write ${path}`,
  },
  { choiceId: "deny", label: "Deny", decision: "denied", scope: "once" },
];

/** The approval of a tool call. */
export class Approval {
  /** Opens the tool call that needs it. */
  constructor(turn, { tool, args, subject, choices }) {
    this.turn = turn;
    this.recording = turn.recording;
    this.session = turn.session;
    this.approvalId = this.recording.id();
    this.taskId = this.recording.id();
    this.stream = ["approval.review", this.recording.id()];
    this.tool = tool;
    this.rawArgs = JSON.stringify(args);
    this.subject = subject;
    this.choices = choices;
    this.stage = 0;
    this.item = turn.tool(tool, args, { approvalId: this.approvalId });
  }

  /** The requirement that a decision has to name. */
  requirement(sourceIndex = this.stage) {
    return { approvalId: this.approvalId, sourceIndex };
  }

  /** The members that event and request share. */
  #params(base) {
    return {
      ...base,
      approvalId: this.approvalId,
      turnId: this.turn.turnId,
      taskId: this.taskId,
      itemId: this.item.itemId,
      toolCallId: this.item.callId,
      toolName: this.tool,
      rawArgs: this.rawArgs,
      subject: this.subject,
      currentRequirementId: this.requirement(),
      availableChoices: this.choices,
      protectedWrite: false,
      judgeEscalated: false,
    };
  }

  /** It is told as an event. */
  tell() {
    this.params = this.#params(this.session.stored(this.stream));
    this.recording.emit("approval/requested", this.params);
  }

  /** It is asked as a request of the host, with the members of the event, its cursor too. */
  ask() {
    this.asked = this.recording.ask("approval/request", this.params);
  }

  /** The client says that it shows the request, which decides nothing. */
  receipt() {
    this.recording.receipt(this.asked);
  }

  /** The client picks one of the choices, and the host admits it. */
  decide(choiceId, { feedback, terminal = true } = {}) {
    const decided = this.session.command("approval/decide", {
      approvalId: this.approvalId,
      requirementId: this.requirement(),
      choiceId,
      ...(feedback === undefined ? {} : { feedback }),
    });
    this.session.ack(decided, { approvalId: this.approvalId, terminal });
    this.decidedBy = decided.params.commandId;
    this.choice = this.choices.find((choice) => choice.choiceId === choiceId);
  }

  /** One stage is decided and the next one asked for: told by an event alone. */
  advance(subject) {
    const before = this.requirement();
    this.subject = subject;
    this.stage++;
    this.recording.emit("approval/updated", {
      ...this.session.stored(this.stream),
      approvalId: this.approvalId,
      subject,
      currentRequirementId: this.requirement(),
      availableChoices: this.choices,
      change: {
        kind: "stageResolved",
        requirementId: before,
        choiceId: this.choice.choiceId,
        decision: this.choice.decision,
      },
    });
  }

  /** The verdict. */
  resolve({ stageEvidence = [] } = {}) {
    const { decision, rulePreview, scope } = this.choice;
    const base = this.session.stored(this.stream);
    this.recording.emit("approval/resolved", {
      ...base,
      approvalId: this.approvalId,
      itemId: this.item.itemId,
      turnId: this.turn.turnId,
      decision,
      policyResult: decision.startsWith("approved") ? "allow" : "deny",
      resolvedBy: "user",
      decidedByCommandId: this.decidedBy,
      decidedAt: this.recording.time(),
      ...(rulePreview === undefined ? {} : { amendment: { durability: scope, rulePreview } }),
      stageEvidence,
    });
  }
}

/** A question to the user, asked by a tool call. */
export class Question {
  /** Opens the tool call that asks. */
  constructor(turn, question) {
    this.turn = turn;
    this.recording = turn.recording;
    this.session = turn.session;
    this.userInputId = this.recording.id();
    this.question = question;
    this.item = turn.tool("ask_user", { question: question.question });
  }

  /** It is told, and asked. */
  tellAndAsk() {
    const params = {
      ...this.session.stored(this.turn.stream),
      userInputId: this.userInputId,
      turnId: this.turn.turnId,
      itemId: this.item.itemId,
      toolCallId: this.item.callId,
      toolName: "ask_user",
      questions: [this.question],
      autoResolutionMs: 600_000,
    };
    this.recording.emit("userInput/requested", params);
    this.asked = this.recording.ask("userInput/request", params);
  }

  /** The client says that it shows the question. */
  receipt() {
    this.recording.receipt(this.asked);
  }

  /** The client settles the question with one of the four commands. */
  command(method, params) {
    const settled = this.session.command(method, { userInputId: this.userInputId, ...params });
    this.session.ack(settled, { userInputId: this.userInputId });
    this.settledBy = settled.params.commandId;
  }

  /** How it ended. */
  settle(outcome, { answers = [], reason = null } = {}) {
    this.recording.emit("userInput/settled", {
      ...this.session.stored(this.turn.stream),
      userInputId: this.userInputId,
      outcome,
      answers,
      clarification: null,
      reason,
      decidedByCommandId: this.settledBy,
      decidedAt: this.recording.time(),
    });
  }
}
