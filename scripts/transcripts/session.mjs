// The words in which golden sessions are written: a session with its view, turns, and their items. They keep what a
// host must keep: one cursor an event, records counted by stream, revisions that rise.
import { HOME } from "./recording.mjs";

/** The folder that the sessions work in; it need not exist. */
export const WORKSPACE = "/home/user/orchard";

const ENDED = { inputTokens: 1_840, outputTokens: 126, cachedTokens: 1_024, reasoningTokens: 32 };

/** A session and its view, as the host sees it. */
export class Session {
  #ordinal;
  #fragment = 0;
  #sequences = new Map();

  constructor(recording, { sessionId = recording.id(), head = 1, records = head } = {}) {
    this.recording = recording;
    this.sessionId = sessionId;
    this.createdAt = recording.time();
    this.#ordinal = head;
    this.#sequences.set(`session ${sessionId}`, records);
  }

  /** Starts a session, by the client's wish under an id of its choice; `row` is what its row has of its own. */
  static start(recording, { sessionId, row, ...more } = {}) {
    const commandId = recording.id();
    const session = new Session(recording, { sessionId });
    const request = recording.request("session/start", {
      commandId,
      workspaceRoot: WORKSPACE,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...more,
    });
    recording.emit("session/started", { session: session.row(row) });
    recording.result(request, { session: session.row(row), viewCursor: session.head() });
    return session;
  }

  /** Goes on in another recording, some time later. */
  moveTo(recording, later) {
    recording.wait(this.recording.now + later - recording.now);
    this.recording = recording;
  }

  /** The session's row. */
  row(more = {}) {
    const day = this.createdAt.slice(0, 10).replaceAll("-", "/");
    return {
      sessionId: this.sessionId,
      status: "idle",
      turnCount: 0,
      path: `${HOME}/sessions/${day}/${this.sessionId}/session.jsonl`,
      createdAt: this.createdAt,
      updatedAt: this.createdAt,
      workspaceRoot: WORKSPACE,
      providerId: "muse",
      modelId: "muse-canned-1",
      approvalMode: { mode: "promptUnmatched", source: "startup", lastCommandId: null },
      forkedFrom: null,
      activeTurnId: null,
      ...more,
    };
  }

  /** The cursor of the newest event that is stored. */
  head() {
    return this.cursor(this.#ordinal);
  }

  /** The cursor that the next stored event will have. */
  following() {
    return this.cursor(this.#ordinal + 1);
  }

  /** The cursor with a number. */
  cursor(number) {
    return `v:${this.sessionId}:${number}`;
  }

  /** A record of a stream: the session's own, or one that is named. */
  record(kind = "session", id = this.sessionId) {
    const key = `${kind} ${id}`;
    const sequence = (this.#sequences.get(key) ?? 0) + 1;
    this.#sequences.set(key, sequence);
    return { stream: { kind, id }, record: { id: this.recording.id(), sequence } };
  }

  /** The range from a first record, if one was made before, to one that is made now. */
  range(stream, first) {
    const made = this.record(...stream);
    return { stream: made.stream, first: first ?? made.record, last: made.record };
  }

  /** The members that each stored event has; the cursor moves on. */
  stored(stream = [], first = undefined) {
    this.#fragment = 0;
    const viewCursor = this.cursor(++this.#ordinal);
    return { sessionId: this.sessionId, viewCursor, sourceRange: this.range(stream, first) };
  }

  /** The members of an event that is not stored: a fragment behind the newest stored one, and no records. */
  passing() {
    return { sessionId: this.sessionId, viewCursor: this.cursor(`${this.#ordinal}.${++this.#fragment}`) };
  }

  /** A command of the client on this session, under a new id unless one is given; `more` goes beside the params. */
  command(method, params, { commandId = this.recording.id(), more } = {}) {
    return this.recording.request(method, { sessionId: this.sessionId, commandId, ...params }, more);
  }

  /** The ack of a command. */
  ack(request, more = {}) {
    return this.recording.result(request, {
      commandId: request.params.commandId,
      status: "accepted",
      ...more,
    });
  }

  /** A durable rejection of a command. */
  reject(request, reason) {
    const { commandId } = request.params;
    const message = `${request.method} command ${commandId} rejected: ${reason}`;
    this.recording.error(request, "commandRejected", message, { commandId, reason, retryable: false });
  }

  /** `turn/start` with one text. */
  submit(text, params = {}, options = {}) {
    return this.command("turn/start", { input: [{ type: "text", text }], ...params }, options);
  }

  /** The same request once more, under a new request id. */
  again({ method, params }) {
    return this.recording.request(method, params);
  }

  /** Acks a `turn/start` whose turn runs at once: the turn has the id of its command. */
  ackStarted(request) {
    const turnId = request.params.commandId;
    return this.ack(request, { turnId, startedNewTurn: true, disposition: "started" });
  }

  /** Acks a `turn/start` that waits for the running turn to end. */
  ackQueued(request) {
    const turnId = request.params.commandId;
    return this.ack(request, { turnId, startedNewTurn: false, disposition: "queued" });
  }

  /** The turn of an admitted command begins: under the command's id, unless the host has given it another. */
  launch(request, turnId) {
    const turn = new Turn(this, request, turnId);
    turn.started();
    return turn;
  }

  /** The turn of a queued `turn/start`, of which nothing is told yet. */
  queued(request) {
    return new Turn(this, request);
  }

  /** Submits a text that runs at once: the request, its ack, and the beginning of the turn. */
  run(text, params = {}, options = {}) {
    const request = this.submit(text, params, options);
    this.ackStarted(request);
    const turn = this.launch(request);
    turn.input();
    return turn;
  }
}

/** A turn of a session. */
export class Turn {
  constructor(session, request, turnId = request.params.commandId) {
    this.session = session;
    this.recording = session.recording;
    this.request = request;
    this.turnId = turnId;
    this.stream = ["run", this.turnId];
    this.startedAt = this.recording.now;
  }

  /** Tells that the turn runs. */
  started() {
    this.recording.emit("turn/started", {
      ...this.session.stored(this.stream),
      turnId: this.turnId,
      commandId: this.request.params.commandId,
    });
  }

  /** The input as an item, complete at once; for a steer the request that steered. */
  input(request = this.request, more = {}) {
    const { commandId, input } = request.params;
    const item = new Item(this, { kind: "userMessage" });
    item.members = { text: input.map(({ text }) => text).join(""), commandId, ...more };
    item.finish("completed");
    return item;
  }

  /** An answer of the agent that is complete at once. */
  message(text, messagePhase = "finalAnswer") {
    const item = new Item(this, { kind: "agentMessage" });
    item.members = { text, messagePhase };
    item.finish("completed");
    return item;
  }

  /** An answer of the agent that streams: opened without a record, so not stored until it is complete. */
  opened(messagePhase = "finalAnswer") {
    const item = new Item(this, { kind: "agentMessage" });
    item.members = { text: "", messagePhase };
    item.open({ stored: false });
    return item;
  }

  /** A streamed answer from its parts. */
  streamed(parts, messagePhase) {
    const item = this.opened(messagePhase);
    for (const part of parts) item.delta(part);
    item.finish("completed");
    return item;
  }

  /** A tool call that begins. */
  tool(tool, args, more = {}) {
    const item = new Item(this, { kind: "toolCall" });
    item.callId = `call_${item.itemId.slice(-6)}`;
    item.members = { tool, callId: item.callId, args: JSON.stringify(args), ...more };
    item.open();
    return item;
  }

  /** The turn ends. */
  completed(terminal = "completed", more = {}) {
    const base = this.session.stored(this.stream);
    const durationMs = this.recording.now - this.startedAt;
    this.recording.emit("turn/completed", {
      ...base,
      turnId: this.turnId,
      terminal,
      durationMs,
      ...(terminal === "completed" ? { usage: ENDED } : {}),
      ...more,
    });
  }

  /** The queued turn could not be launched: its only event. */
  launchFailed(message) {
    this.recording.emit("turn/completed", {
      ...this.session.stored(this.stream),
      turnId: this.turnId,
      terminal: "failed",
      reason: message,
      error: { kind: "launchError", message, retryable: true },
    });
  }
}

/** An item of a turn. */
export class Item {
  #revision = 0;
  #first;

  constructor(turn, { kind, itemId = turn.recording.id() }) {
    this.turn = turn;
    this.recording = turn.recording;
    this.kind = kind;
    this.itemId = itemId;
    this.members = {};
    this.pieces = {};
  }

  /** The item as it stands. */
  value(status, recorded = true) {
    return {
      itemId: this.itemId,
      kind: this.kind,
      turnId: this.turn.turnId,
      revision: ++this.#revision,
      status,
      ...(recorded ? { recordedAt: this.recording.time() } : {}),
      ...this.members,
    };
  }

  /** The members of the next stored event; the range grows from the item's first record. */
  #stored() {
    const base = this.turn.session.stored(this.turn.stream, this.#first);
    this.#first = base.sourceRange.first;
    return base;
  }

  /** The item begins. */
  open({ stored = true } = {}) {
    const base = stored ? this.#stored() : this.turn.session.passing();
    this.event = this.recording.emit("item/started", { ...base, item: this.value("inProgress", stored) });
  }

  /** Text is appended to a field; what it is at the end goes to `target`. */
  delta(text, { field = "text", target = field } = {}) {
    this.pieces[target] = (this.pieces[target] ?? "") + text;
    this.recording.emit("item/delta", {
      ...this.turn.session.passing(),
      itemId: this.itemId,
      field,
      delta: text,
    });
  }

  /** The item changes and stays what it is otherwise. */
  update(status, more) {
    Object.assign(this.members, more);
    this.recording.emit("item/updated", { ...this.#stored(), item: this.value(status) });
  }

  /** The item ends, with what was appended to it. */
  finish(status, more = {}) {
    Object.assign(this.members, this.pieces, more);
    this.event = this.recording.emit("item/completed", { ...this.#stored(), item: this.value(status) });
  }
}
