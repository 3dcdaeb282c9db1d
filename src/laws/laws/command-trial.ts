/** A command of some kind in a trial: it is arranged, sent once or again, and what it did is counted. */
import type { notifications } from "../../../generated/msp/experimental/tables.js";
import { CaseVoid } from "../broken.js";
import type { Sent } from "../client.js";
import { answerText } from "../model/answers.js";
import {
  errorKind,
  isAck,
  type JsonObject,
  type Outcome,
  rejectionReason,
  type Told,
} from "../model/history.js";
import type { Trial } from "../trial.js";
import type { Arranged, CommandKind } from "./command-kind.js";
import { commandKinds } from "./command-kinds.js";

/** What a kind must be like for a case. */
export interface KindWanted {
  /** A payload of it can differ, and the session is loaded afterwards. */
  readonly needsOther?: boolean;
  /** Its id is one of the session, and the session is loaded afterwards. */
  readonly inSession?: boolean;
  readonly fits?: (kind: CommandKind) => boolean;
}

/** The kinds that a host can be tried with. */
export function kindsOf(
  trial: Trial,
  { needsOther = false, inSession = false, fits = () => true }: KindWanted = {},
): CommandKind[] {
  return commandKinds.filter(
    (kind) =>
      trial.can(`serves:${kind.method}`) &&
      kind.needs.every((need) => trial.can(need)) &&
      !(needsOther && (kind.isAlone === true || kind.leaves === true)) &&
      !(inSession && (kind.method === "session/start" || kind.leaves === true)) &&
      fits(kind),
  );
}

/** How a command is sent. */
export interface Sending {
  readonly by?: number;
  readonly meaning?: string;
  readonly paramsText?: string;
}

/** See the top of the file. */
export class CommandTrial {
  readonly trial: Trial;
  readonly kind: CommandKind;
  readonly sessionId: string;
  readonly commandId: string;
  readonly arranged: Arranged;
  /** With the command id. */
  readonly params: JsonObject;
  #isRevealed = false;

  private constructor(
    trial: Trial,
    {
      kind,
      sessionId,
      commandId,
      arranged,
    }: { kind: CommandKind; sessionId: string; commandId: string; arranged: Arranged },
  ) {
    this.trial = trial;
    this.kind = kind;
    this.sessionId = sessionId;
    this.commandId = commandId;
    this.arranged = arranged;
    this.params = { ...arranged.params, commandId };
  }

  /**
   * Arranges a command of the n-th kind of those that the host can be tried with, counted round.
   * @throws {CaseVoid} where there is none
   */
  static async arrange(trial: Trial, n: number, wanted?: KindWanted): Promise<CommandTrial> {
    const kinds = kindsOf(trial, wanted);
    const kind = kinds[n % Math.max(1, kinds.length)];
    if (kind === undefined) throw new CaseVoid("the host serves no command that this could be tried with");
    const sessionId = await trial.session();
    const arranged = await kind.arrange({ trial, sessionId });
    trial.count(kind.name);
    return new CommandTrial(trial, { kind, sessionId, commandId: trial.mint(), arranged });
  }

  /** The same params with another payload; a case of a kind that has none is void. */
  get other(): JsonObject {
    const { other } = this.arranged;
    if (other === undefined) throw new CaseVoid(`a payload of ${this.kind.name} cannot differ`);
    return { ...other, commandId: this.commandId };
  }

  /** Sends the command, or something else under the same method. */
  send(params: JsonObject = this.params, how: Sending = {}): Promise<Sent> {
    return this.trial.send(this.kind.method, params, how);
  }

  /** Sends it and waits for the answer. */
  ask(params: JsonObject = this.params, how: Sending = {}): Promise<Outcome> {
    return this.trial.ask(this.kind.method, params, how);
  }

  /** Sends it for the first time; a case in which it is not accepted is void. */
  async first(params: JsonObject = this.params, how: Sending = {}): Promise<Outcome> {
    const outcome = await this.ask(params, how);
    if (!isAck(outcome))
      throw new CaseVoid(`${this.kind.name} was refused: ${JSON.stringify(outcome.error)}`);
    return outcome;
  }

  /** Whether two answers say the same. */
  same(one: Outcome, other: Outcome): boolean {
    return answerText(this.kind.method, one) === answerText(this.kind.method, other);
  }

  /** Makes the host show what was only taken in; once. */
  async reveal(): Promise<void> {
    if (this.#isRevealed) return;
    this.#isRevealed = true;
    await this.arranged.reveal?.();
    await this.trial.quiet();
  }

  /** What the command was seen to do, each once. */
  effects(): readonly string[] {
    const { told } = this.trial.history;
    return [...new Set(told.flatMap((one) => this.arranged.effect(one, this.commandId) ?? []))];
  }

  /** What has changed in the session so far, as far as only commands can change it. */
  changes(): readonly string[] {
    return changesOf(this.trial, this.sessionId);
  }

  /** Holds the host to one effect, where it can be seen at all. */
  async holdOneEffect(otherwise: string): Promise<void> {
    const { isSeen, effect } = this.arranged;
    if (isSeen) await this.trial.until((told) => effect(told, this.commandId) !== undefined);
    const effects = this.effects();
    this.trial.count("effects", effects.length);
    this.trial.hold(effects.length <= 1, otherwise, { command: this.params, effects });
    this.trial.hold(
      effects.length === 1 || !isSeen,
      `${this.kind.name} was accepted, and its effect was never told`,
      { command: this.params },
    );
  }

  /** Holds the host to a session that has not changed. */
  holdUnchanged(before: readonly string[], otherwise: string): void {
    const changes = this.changes().filter((change) => !before.includes(change));
    this.trial.hold(changes.length === 0, otherwise, { command: this.params, changes });
  }
}

/** Events that only a command brings about. The end of a turn comes by itself. */
const CHANGES: ReadonlySet<string> = new Set([
  "approval/resolved",
  "session/approvalModeChanged",
  "session/closed",
  "session/goalChanged",
  "session/modelChanged",
  "session/nameChanged",
  "session/reasoningEffortChanged",
  "session/started",
  "turn/retracted",
  "turn/started",
  "turn/unqueued",
  "userInput/settled",
] satisfies readonly (keyof typeof notifications)[]);

/** What has changed in a session so far, as far as only commands can change it, and sessions that were begun. */
export function changesOf({ history }: Trial, sessionId: string): readonly string[] {
  return [...new Set(history.told.flatMap((told) => changeOf(told, sessionId) ?? []))];
}

function changeOf({ method, params }: Told, sessionId: string): string | undefined {
  const session = (params["session"] ?? {}) as JsonObject;
  if (method === "session/started") return `${method} ${String(session["sessionId"])}`;
  if (params["sessionId"] !== sessionId) return undefined;
  if (method === "item/started" || method === "item/completed") {
    const { kind, itemId } = (params["item"] ?? {}) as JsonObject;
    return kind === "userMessage" ? `userMessage ${String(itemId)}` : undefined;
  }
  if (!CHANGES.has(method)) return undefined;
  // An agent tells how far it is with a goal.
  const goal = (params["goal"] ?? {}) as JsonObject;
  if ((goal["currentWork"] ?? goal["nextWork"]) !== undefined) return undefined;
  return `${method} ${String(params["viewCursor"])}`;
}

/** Holds the host to the refusal of another payload, or another method, under an id. */
export function holdConflict(trial: Trial, outcome: Outcome, commandId: string, otherwise: string): void {
  trial.count("conflicts");
  trial.hold(isConflict(outcome), otherwise, { commandId, answer: outcome });
  const { data } = (outcome as Extract<Outcome, { error: unknown }>).error;
  trial.hold(
    String(data["commandId"]).toLowerCase() === commandId.toLowerCase(),
    "a conflict names another command",
    { commandId, answer: outcome },
  );
}

/** Whether an answer says that an id stands for something else. */
export function isConflict(outcome: Outcome): boolean {
  return rejectionReason(outcome) === "command_id_conflict";
}

/** Whether an answer is an error of one of some kinds. */
export function isErrorOf(outcome: Outcome, ...kinds: readonly string[]): boolean {
  const kind = errorKind(outcome);
  return kind !== undefined && kinds.includes(kind);
}
