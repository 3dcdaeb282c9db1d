/**
 * A session as an application uses it: turns, goals, approvals and questions on one side, the folded view and what is
 * in flight on the other.
 */
import type {
  ApprovalRequestParams,
  ApprovalUpdatedParams,
  Item,
  MethodParams,
  MethodResults,
  ServerNotification,
  ServerRequestName,
  SessionResumeResult,
  TurnInputPart,
  UserInputRequestParams,
} from "../../generated/msp/experimental/types.js";
import { type ApprovalHandler, Approvals } from "./approvals.js";
import type { CommandName, CommandOptions, Connection, WithoutId } from "./connection.js";
import { ConnectionError, HostDiedError, SessionDiscardedError } from "./errors.js";
import {
  type FollowOutcome,
  type GapError,
  joinSession,
  SessionFold,
  type SessionView,
  ViewFollower,
} from "./fold/index.js";
import { type GoalCommands, goalCommands } from "./goal-commands.js";
import { PendingCommandSet, type PendingCommandView, type PendingRetirement } from "./pending/index.js";
import { type QuestionAnswer, type QuestionHandler, Questions } from "./questions.js";
import type { SavedSession } from "./saved-session.js";
import type { Frame, SessionCommand, SessionEvent, SessionHost, SessionOptions } from "./session-types.js";
import { Submissions, type TurnInput } from "./submissions.js";
import { Turn, type TurnOutcome } from "./turn.js";
import { Waits } from "./waits.js";

/** One session of a host. */
export class Session {
  readonly sessionId: string;
  /** Goal commands. The goal itself is in the view. */
  readonly goal: GoalCommands;
  readonly #host: SessionHost;
  readonly #fold: SessionFold;
  readonly #follower: ViewFollower;
  readonly #submissions: Submissions;
  readonly #approvals: Approvals;
  readonly #questions: Questions;
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Set<(event: SessionEvent) => void>();
  readonly #waits = new Waits();
  #lost: Error | undefined;

  constructor(
    host: SessionHost,
    sessionId: string,
    { recovery = "splice", onError = () => undefined }: SessionOptions = {},
    pending?: PendingCommandSet<TurnInput>,
  ) {
    this.sessionId = sessionId;
    this.#host = host;
    this.#onError = onError;
    this.#fold = new SessionFold(sessionId);
    this.#follower = new ViewFollower(this.#fold, {
      recovery,
      onFolded: (method, params, outcome) => this.#folded(method, params, outcome),
      onGapError: (error) => this.tell({ kind: "gapError", error }),
    });
    this.#submissions = new Submissions(pending ?? new PendingCommandSet(host), {
      send: (input, how) => this.#command("turn/start", input, how),
      view: () => this.view,
      onRetired: (retirement) => this.tell({ kind: "retired", retirement }),
      onError,
    });
    const mint = host.mintCommandId;
    this.#approvals = new Approvals(
      (decision, commandId) => this.#command("approval/decide", decision, { commandId }),
      mint,
      onError,
    );
    this.#questions = new Questions(
      (id, answer, commandId) => this.answer(id, answer, { commandId }),
      mint,
      onError,
    );
    this.goal = goalCommands((method, params, options) => this.#command(method, params, options));
  }

  /** The folded view: items, turns, approvals, questions, states. It is the session's own, and changes. */
  get view(): SessionView {
    return this.#fold.state;
  }

  /** What was submitted and is not on the view yet. */
  get pending(): PendingCommandView<TurnInput> {
    return this.#submissions.pending;
  }

  /** Tells what happens to the session; the function that is returned ends it. A listener must not throw. */
  on(listener: (event: SessionEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Starts a turn, or queues, steers or replaces as `ifBusy` says. The words are pending from before they are sent
   * until they are on the view, are rejected or are handed back. Rejects as a command does; with `sessionDiscarded`,
   * and nothing sent, after the death of an ephemeral host.
   */
  send(
    input: string | readonly TurnInputPart[],
    options: Omit<TurnInput, "input"> & CommandOptions = {},
  ): Promise<Turn> {
    const {
      commandId = this.#host.mintCommandId(),
      maxAttempts,
      retryDelay,
      signal,
      trace,
      ...members
    } = options;
    return this.#submit(
      commandId,
      { ...members, input: partsOf(input) },
      { maxAttempts, retryDelay, signal, trace },
    );
  }

  async #submit(commandId: string, input: TurnInput, how: CommandOptions): Promise<Turn> {
    const { turnId, disposition } = await this.#submissions.submit(commandId, input, how);
    return new Turn(this, turnId, { commandId, disposition });
  }

  /** A turn by its id: of an ack, of the view, or from before a restart. */
  turn(turnId: string): Turn {
    const commandId = this.view.turns.get(turnId)?.commandId;
    return new Turn(this, turnId, commandId === undefined ? {} : { commandId });
  }

  /** Adds to the turn that runs. Rejected when another one does: what was said is never moved to another turn. */
  steer(
    expectedTurnId: string,
    input: string | readonly TurnInputPart[],
    options?: CommandOptions & Pick<TurnInput, "reasoningEffort">,
  ): Promise<MethodResults["turn/steer"]> {
    const { reasoningEffort, ...how } = options ?? {};
    const effort = reasoningEffort === undefined ? {} : { reasoningEffort };
    return this.#command("turn/steer", { expectedTurnId, input: partsOf(input), ...effort }, how);
  }

  /** Stops a turn, ahead of other commands; with `retract`, its message is withdrawn if nothing was said yet. */
  interrupt(
    turnId: string,
    options?: CommandOptions & { readonly retract?: boolean },
  ): Promise<MethodResults["turn/interrupt"]> {
    const { retract, ...how } = options ?? {};
    return this.#command("turn/interrupt", retract === undefined ? { turnId } : { turnId, retract }, how);
  }

  /** Stops a turn, in the order of commands. */
  cancel(turnId: string, options?: CommandOptions): Promise<MethodResults["turn/cancel"]> {
    return this.#command("turn/cancel", { turnId }, options);
  }

  /** Takes a turn back from the queue. Rejected once it runs; it is never stopped by this. */
  unqueue(turnId: string, options?: CommandOptions): Promise<MethodResults["turn/unqueue"]> {
    return this.#command("turn/unqueue", { turnId }, options);
  }

  /** Sets who answers approvals. */
  onApproval(handler: ApprovalHandler | undefined): void {
    this.#approvals.handle(handler);
  }

  /** Sets who answers questions. */
  onQuestion(handler: QuestionHandler | undefined): void {
    this.#questions.handle(handler);
  }

  /** Answers a question, without a handler. */
  answer(userInputId: string, answer: QuestionAnswer, options?: CommandOptions): Promise<unknown> {
    if ("clarification" in answer)
      return this.#command(
        "userInput/clarify",
        { userInputId, clarification: answer.clarification },
        options,
      );
    if ("cancel" in answer) {
      const reason = answer.reason === undefined ? {} : { reason: answer.reason };
      return this.#command("userInput/cancel", { userInputId, ...reason }, options);
    }
    if ("interrupt" in answer) {
      const answers = answer.answers === undefined ? {} : { answers: [...answer.answers] };
      return this.#command("userInput/interrupt", { userInputId, ...answers }, options);
    }
    return this.#command("userInput/answer", { userInputId, answers: [...answer.answers] }, options);
  }

  /** Gives up a submit that was not answered. The words are handed back; whether they arrived is not known. */
  stopRetrying(commandId: string): PendingRetirement<TurnInput> | undefined {
    return this.#submissions.stopRetrying(commandId);
  }

  /** Tries again to have what is missing. What went wrong this time; undefined when nothing is missing now. */
  refill(): Promise<GapError | undefined> {
    return this.#follower.retry();
  }

  /** What a program needs to go on after its own restart: a JSON value, for `resumeSession`. */
  save(): SavedSession {
    const cursor = this.#fold.resumeCursor;
    return {
      format: 1,
      sessionId: this.sessionId,
      ...(cursor === undefined ? {} : { cursor }),
      pending: this.#submissions.save(),
    };
  }

  /** How a turn ended; undefined while nobody knows. */
  outcomeOf(turnId: string): TurnOutcome | undefined {
    const turn = this.view.turns.get(turnId);
    if (turn?.retraction !== undefined && turn.state === "retracted")
      return { kind: "retracted", params: turn.retraction };
    if (turn?.completed !== undefined)
      return { kind: "completed", params: turn.completed, started: turn.commandId !== undefined };
    if (turn?.unqueued !== undefined) return { kind: "unqueued", params: turn.unqueued };
    const reason = this.#submissions.rejectionOf(turnId);
    if (reason !== undefined) return { kind: "rejected", reason };
    return this.view.discarded ? { kind: "terminalUnknown" } : undefined;
  }

  /** Resolves when a turn has ended. Rejects with `hostDied` when a durable host dies first. */
  async untilTurnEnds(turnId: string): Promise<TurnOutcome> {
    for await (const _ of this.changesUntilTurnEnds(turnId));
    return this.outcomeOf(turnId)!;
  }

  /** Goes round once at first and then at every change of the session, until a turn has ended. */
  async *changesUntilTurnEnds(turnId: string): AsyncGenerator<void, void, undefined> {
    for (;;) {
      const change = this.#waits.next();
      const over = this.outcomeOf(turnId) !== undefined;
      yield;
      if (over) return;
      if (this.#lost !== undefined) throw this.#lost;
      await change;
    }
  }

  /** Takes a frame of the host. The client's part. */
  receive(method: string, params: unknown): void {
    const outcome = this.#follower.receive(method, params);
    if (outcome.kind === "held") this.tell({ kind: "frame", method, params, outcome });
    else this.#folded(method, params, outcome);
  }

  /** The session was just started. The client's part. */
  started({ session, viewCursor }: MethodResults["session/start"]): void {
    const { approvalMode, turnCount } = session;
    this.#fold.seed({ viewCursor, turnCount, ...(approvalMode === undefined ? {} : { approvalMode }) });
    this.#connected();
  }

  /** What to ask a host for, to go on after what is known. The client's part. */
  get resumeCursor(): string | undefined {
    return this.#fold.resumeCursor;
  }

  /**
   * Takes the reply to a resume, then the frames that came with it, and sends again what has no answer: first what was
   * never answered, then what was, each under its id. The client's part.
   */
  async joined(
    result: SessionResumeResult,
    cursor: string | undefined,
    frames: readonly Frame[],
  ): Promise<void> {
    if (cursor !== undefined && this.#fold.state.head === undefined) this.#fold.seed({ viewCursor: cursor });
    const join = joinSession(this.#fold, result);
    this.#connected();
    if (join.kind === "pageYourself") await this.#follower.pageFromStart();
    const resend = this.#submissions.rejoined(join.kind === "seeded");
    for (const [method, params] of frames) this.receive(method, params);
    this.tell({ kind: "rejoined", join });
    await resend();
  }

  /** The connection is gone. The client's part. */
  lost(error: Error | undefined, reason: "closed" | "died" | "discarded", exit: HostDiedError["exit"]): void {
    this.#follower.disconnected();
    if (reason === "discarded") {
      this.#fold.discard();
      this.#approvals.clear();
      this.#questions.clear();
      this.#submissions.discard();
    } else {
      const what = reason === "died" ? "the host died" : "the connection was closed";
      this.#lost =
        reason === "died"
          ? new HostDiedError(`${what}; reconnect, and what is pending is sent again`, exit, error)
          : new ConnectionError("outcomeUnknown", `${what} before the turn ended`, error);
    }
    this.tell({ kind: "disconnected", error });
  }

  #connected(): void {
    this.#lost = undefined;
    this.#follower.connected((params) => this.#connection().methods.view.page(params));
  }

  #connection(): Connection {
    if (this.view.discarded)
      throw new SessionDiscardedError(`the session ${this.sessionId} is gone with its host`);
    const { connection } = this.#host;
    if (connection === undefined)
      throw new ConnectionError("notSent", "there is no connection", undefined, "nothingAdmitted");
    return connection;
  }

  async #command<M extends CommandName>(
    method: M,
    params: SessionCommand<M>,
    options?: CommandOptions,
  ): Promise<MethodResults[M]> {
    // Every command that is sent here has a session.
    const whole = { ...params, sessionId: this.sessionId } as unknown as WithoutId<MethodParams[M]>;
    return this.#connection().command(method, whole, options);
  }

  #folded(method: string, params: unknown, outcome: FollowOutcome): void {
    // What the fold could not use means nothing here either.
    if (NOTICED.has(outcome.kind)) this.#noticed(method, params);
    this.tell({ kind: "frame", method, params, outcome });
  }

  /** What a frame means for what is in flight and for what is asked. */
  #noticed(method: string, params: unknown): void {
    switch (method as ServerFrame) {
      case "item/started":
      case "item/updated":
      case "item/completed": {
        const { item } = params as { readonly item?: Partial<Item> };
        if (item?.kind === "userMessage" && item.commandId !== undefined && item.itemId !== undefined)
          this.#submissions.shown(item.commandId, item.itemId);
        return;
      }
      case "turn/started":
      case "turn/completed":
        this.#submissions.moved((params as { readonly turnId: string }).turnId);
        return;
      case "turn/unqueued":
        this.#submissions.reclaimed((params as { readonly commandId: string }).commandId);
        return;
      case "approval/requested":
      case "approval/request": {
        const request = params as ApprovalRequestParams;
        if (this.view.approvals.get(request.approvalId)?.state === "pending")
          this.#approvals.requested(request);
        return;
      }
      case "approval/updated":
        this.#approvals.updated(params as ApprovalUpdatedParams);
        return;
      case "approval/resolved":
        this.#approvals.resolved((params as { readonly approvalId: string }).approvalId);
        return;
      case "userInput/requested":
      case "userInput/request": {
        const question = params as UserInputRequestParams;
        if (this.view.userInputs.get(question.userInputId)?.state === "pending")
          this.#questions.requested(question);
        return;
      }
      case "userInput/settled":
        this.#questions.settled((params as { readonly userInputId: string }).userInputId);
        return;
      default: // means nothing for either
    }
  }

  /** Tells those who listen. The client's part, and its own. */
  tell(event: SessionEvent): void {
    this.#waits.changed();
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}

function partsOf(input: string | readonly TurnInputPart[]): TurnInputPart[] {
  return typeof input === "string" ? [{ type: "text", text: input }] : [...input];
}

const NOTICED: ReadonlySet<FollowOutcome["kind"]> = new Set(["applied", "ignoredStale", "ignoredDuplicate"]);

type ServerFrame = ServerNotification | ServerRequestName;
