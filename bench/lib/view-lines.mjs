// The lines of sessions as a host writes them, of the kinds that sessions are mostly made of.

const SESSION = "0192f5c8-7a1e-7c3d-9b2a-000000000001";
/** Streamed text comes in pieces of about this length. */
const PIECE = "and then the south pond, which is silted up; ";
const PIECES = 24;

/** The session of the lines. */
export const sessionId = SESSION;

/** Numbers events and writes them. */
class Writer {
  #durables = 0;
  #ephemerals = 0;
  #ids = 0;

  id() {
    return `0192f5c8-7a1e-7c3d-9b2a-${String(++this.#ids).padStart(12, "0")}`;
  }

  durable(method, members) {
    this.#ephemerals = 0;
    const n = ++this.#durables;
    const at = { id: `018f9008-71aa-7000-8000-${String(n).padStart(12, "0")}`, sequence: n };
    const sourceRange = { stream: { kind: "session", id: SESSION }, first: at, last: at };
    return this.#line(method, n, { sourceRange, ...members });
  }

  ephemeral(method, members) {
    return this.#line(method, `${this.#durables}.${++this.#ephemerals}`, members);
  }

  #line(method, n, members) {
    const params = { sessionId: SESSION, viewCursor: `v:${SESSION}:${n}`, ...members };
    return JSON.stringify({ jsonrpc: "2.0", method, params, emittedAtMs: 1793610000000 });
  }
}

/** A session of this many events: turns with streamed answers, tool calls, an approval, and what they used. */
export function* sessionLines(count) {
  let left = count;
  for (const line of endlessSession()) {
    if (left-- === 0) return;
    yield line;
  }
}

function* endlessSession() {
  const host = new Writer();
  for (let turn = 1; ; turn++) {
    const turnId = host.id();
    const item = (members) => ({
      itemId: host.id(),
      turnId,
      revision: 1,
      recordedAt: "2026-11-02T09:00:00.000Z",
      ...members,
    });
    yield host.durable("turn/started", { turnId, commandId: turnId });
    const text = "Survey the ponds and say which of them can feed the drip lines.";
    yield host.durable("item/completed", {
      item: item({ kind: "userMessage", status: "completed", text, commandId: turnId }),
    });

    const tool = item({
      kind: "toolCall",
      status: "inProgress",
      tool: "shell",
      callId: `call_${turn}`,
      args: '{"command":"survey ponds"}',
    });
    yield host.durable("item/started", { item: tool });
    for (let i = 0; i < 4; i++)
      yield host.ephemeral("item/delta", {
        itemId: tool.itemId,
        field: "output",
        delta: "pond 3: 2.1 m of water\n",
      });
    if (turn % 4 === 0) yield* approval(host, tool);
    yield host.durable("item/updated", { item: { ...tool, revision: 2, statusLine: "surveying" } });
    const visibleOutput = "pond 3: 2.1 m of water\n".repeat(4);
    yield host.durable("item/completed", {
      item: { ...tool, revision: 3, status: "completed", visibleOutput },
    });

    const answer = item({
      kind: "agentMessage",
      status: "inProgress",
      messagePhase: "finalAnswer",
      text: "",
    });
    yield host.ephemeral("item/started", { item: answer });
    for (let i = 0; i < PIECES; i++)
      yield host.ephemeral("item/delta", { itemId: answer.itemId, delta: PIECE });
    yield host.durable("item/completed", {
      item: { ...answer, revision: 2, status: "completed", text: PIECE.repeat(PIECES) },
    });
    yield tokenUsage(host, turnId, turn);
    yield host.durable("session/contextUsage", {
      usedTokens: 900 * turn,
      pressure: "normal",
      windowTokens: 200000,
    });
    const usage = { inputTokens: 1840, outputTokens: 126, cachedTokens: 1024, reasoningTokens: 32 };
    yield host.durable("turn/completed", { turnId, terminal: "completed", durationMs: 4200, usage });
  }
}

function* approval(host, { itemId, turnId, callId }) {
  const approvalId = host.id();
  const request = {
    approvalId,
    itemId,
    turnId,
    taskId: host.id(),
    toolCallId: callId,
    toolName: "shell",
    rawArgs: '{"command":"survey ponds"}',
    subject: { kind: "shell", toolName: "shell", command: "survey ponds" },
    currentRequirementId: { approvalId, sourceIndex: 0 },
    availableChoices: [{ choiceId: "allow_once", label: "Allow once", decision: "approved", scope: "once" }],
    protectedWrite: false,
    judgeEscalated: false,
  };
  yield host.durable("approval/requested", request);
  const verdict = { decision: "approved", policyResult: "allow", resolvedBy: "user", stageEvidence: [] };
  yield host.durable("approval/resolved", { approvalId, itemId, turnId, ...verdict });
}

function tokenUsage(host, turnId, n) {
  const usage = { inputTokens: 1840, outputTokens: 126, cachedTokens: 1024, reasoningTokens: 32 };
  const cumulative = { promptTokens: 1840 * n, outputTokens: 126 * n, totalTokens: 1966 * n };
  return host.durable("session/tokenUsage", {
    turnId,
    modelId: "m",
    usage,
    cumulative,
    promptTokens: 1840,
    totalTokens: 1966,
  });
}

/** This many items, each opened and revised so many times, with a state that is reported anew each time. */
export function* revisedLines(items, revisions) {
  const host = new Writer();
  const turnId = host.id();
  const open = Array.from({ length: items }, () => ({
    itemId: host.id(),
    turnId,
    kind: "toolCall",
    status: "inProgress",
    tool: "shell",
  }));
  for (const item of open) yield host.durable("item/started", { item: { ...item, revision: 1 } });
  for (let revision = 2; revision <= revisions; revision++) {
    for (const item of open)
      yield host.durable("item/updated", {
        item: { ...item, revision, statusLine: "surveying the ponds of the orchard" },
      });
    yield tokenUsage(host, turnId, revision);
  }
}
