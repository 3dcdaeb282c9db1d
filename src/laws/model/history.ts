/** What happened in a trial, in one order of moments: what was asked and answered, what was told, how hosts ended. */

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The error of an answer. */
export interface AnswerError {
  readonly code: number;
  readonly message: string;
  /** Empty where there was none. */
  readonly data: JsonObject;
}

/** What a request was answered. */
export type Outcome = { readonly result: JsonObject } | { readonly error: AnswerError };

/** A request. It is partial where it has no outcome: its host died, or its connection ended, before the answer. */
export interface Operation {
  /** 0-based, in the order of sending. */
  readonly index: number;
  /** Which connection of the trial, and which life of the host, both from 0. */
  readonly connection: number;
  readonly life: number;
  readonly method: string;
  /** As they were sent. */
  readonly params: JsonObject;
  /**
   * What the client means by it. Requests of one method with the same meaning are the same payload, however they are
   * written; by default what was sent is what was meant.
   */
  readonly meaning: string;
  /** The moment of sending. */
  readonly sent: number;
  /** The moment of the answer. */
  answered?: number;
  outcome?: Outcome;
}

/** A notification of the host, or a request of it. */
export interface Told {
  readonly moment: number;
  readonly connection: number;
  readonly life: number;
  readonly kind: "notification" | "request";
  readonly method: string;
  readonly params: JsonObject;
}

/** A change of the surroundings. */
export interface Happening {
  readonly moment: number;
  readonly life: number;
  readonly what: "started" | "crashed" | "stopped" | "connected" | "disconnected";
  readonly connection?: number;
}

/** A line that passed. */
export interface Line {
  readonly moment: number;
  readonly connection: number;
  readonly life: number;
  readonly dir: "client" | "server";
  /** Without its line end. */
  readonly raw: string;
  /** Whether it belongs to a handshake. */
  readonly handshake: boolean;
}

/** What a host did against the protocol, whatever law is being tried. */
export interface Fault {
  readonly law: string;
  readonly what: string;
  readonly details?: unknown;
}

/** See the top of the file. */
export class History {
  /** Whether what the host has acked is promised to outlive it. Default: true. */
  durable = true;
  readonly operations: Operation[] = [];
  readonly told: Told[] = [];
  readonly happenings: Happening[] = [];
  readonly lines: Line[] = [];
  readonly faults: Fault[] = [];
  /** Errors that were answered under no id: what was sent was no message. */
  readonly unasked: JsonObject[] = [];
  /** Sessions that were made or loaded in the trial, by id. */
  readonly sessions = new Set<string>();
  /** Whether all work was over at the end, and the views were paged to their ends: what has not come will not come. */
  settled = false;
  #moment = 0;

  /** The next moment. */
  next(): number {
    return ++this.#moment;
  }
}

/** The key of a command: one letter case, as ids are compared. `host` stands for commands of no session. */
export function commandKey({ method, params }: Pick<Operation, "method" | "params">): string | undefined {
  const { sessionId, commandId } = params;
  if (typeof commandId !== "string") return undefined;
  const of = method === "session/start" || typeof sessionId !== "string" ? "host" : sessionId;
  return `${of} ${commandId}`.toLowerCase();
}

/** Whether an outcome is an ack, and so a result. */
export function isAck(outcome: Outcome | undefined): outcome is { readonly result: JsonObject } {
  return outcome !== undefined && "result" in outcome;
}

/** The kind of the error of an outcome; undefined for a result, and where none is said. */
export function errorKind(outcome: Outcome | undefined): string | undefined {
  if (outcome === undefined || "result" in outcome) return undefined;
  const { kind } = outcome.error.data;
  return typeof kind === "string" ? kind : undefined;
}

/** The reason of a durable rejection; undefined for everything else. */
export function rejectionReason(outcome: Outcome | undefined): string | undefined {
  if (outcome === undefined || "result" in outcome || errorKind(outcome) !== "commandRejected")
    return undefined;
  const { reason } = outcome.error.data;
  return typeof reason === "string" ? reason : "";
}
