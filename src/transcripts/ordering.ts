/**
 * What frames owe to the ones before them: the handshake, one answer for each request, ids, and equal answers to
 * equal commands. It looks at envelopes only, so it holds for methods that the bundle lacks, too.
 */
import { isDeepStrictEqual } from "node:util";
import { type Frame, isObject } from "./differences.js";
import { type Place, type TranscriptFinding, transcriptFinding } from "./rules.js";
import type { Side } from "./transcript.js";

/** A request that waits for its answer. */
export interface OpenRequest {
  readonly method: string;
  readonly params: unknown;
  readonly place: Place;
}

interface Answered extends OpenRequest {
  readonly answer: Frame;
}

/** Keeps the order of one transcript. */
export class Ordering {
  readonly findings: TranscriptFinding[] = [];
  readonly #isRejection: (reason: string) => boolean;
  readonly #open = { client: new Map<unknown, OpenRequest>(), server: new Map<unknown, OpenRequest>() };
  /** Answered commands by method and command id. */
  readonly #answered = new Map<string, Answered[]>();
  #begun = false;
  #ready = false;
  #lastHostId = 0;

  /** @param isRejection whether a reason says that a command was durably rejected */
  constructor(isRejection: (reason: string) => boolean) {
    this.#isRejection = isRejection;
  }

  /** Takes a request or a notification. */
  message(side: Side, frame: Frame, place: Place): void {
    const method = String(frame["method"]);
    const isRequest = Object.hasOwn(frame, "id");
    this.#handshake(side, method, isRequest, place);
    if (!isRequest) return;
    const id = frame["id"];
    if (this.#open[side].has(id)) this.#find("request-id-in-use", place, "/id", { id: show(id) });
    this.#open[side].set(id, { method, params: frame["params"], place });
    if (side === "server") this.#hostId(id, place);
  }

  /** Takes an answer; the request that it belongs to. */
  answer(side: Side, frame: Frame, place: Place): OpenRequest | undefined {
    const id = frame["id"];
    const asker = side === "client" ? "server" : "client";
    const request = this.#open[asker].get(id);
    if (request === undefined) {
      // What could not be read is answered under no id.
      if (id !== null) this.#find("unmatched-answer", place, "/id", { side: name(side), id: show(id) });
      return undefined;
    }
    this.#open[asker].delete(id);
    if (side === "server") this.#replay(request, frame, place);
    return request;
  }

  /** Takes the end of the transcript. */
  end(): void {
    for (const side of ["client", "server"] as const) {
      for (const { method, place } of this.#open[side].values())
        this.#find("unanswered-request", place, "", { method });
    }
  }

  #handshake(side: Side, method: string, isRequest: boolean, place: Place): void {
    const out = (problem: string): void => this.#find("handshake-order", place, "/method", { problem });
    if (side === "server") {
      if (!this.#ready) out(`the host sends ${method} before it got initialized`);
      return;
    }
    if (!this.#begun) {
      if (method !== "initialize" || !isRequest) out(`the client begins with ${method}`);
      this.#begun = true;
    } else if (method === "initialized" && !isRequest) {
      if ([...this.#open.client.values()].some((request) => request.method === "initialize"))
        out("initialized comes before initialize is answered");
      this.#ready = true;
    }
  }

  #hostId(id: unknown, place: Place): void {
    const params = { id: show(id) };
    if (!Number.isSafeInteger(id) || (id as number) < 1)
      this.#find("host-request-id", place, "/id", { ...params, problem: "is no positive integer" });
    else if ((id as number) <= this.#lastHostId)
      this.#find("host-request-id", place, "/id", {
        ...params,
        problem: `does not come after ${this.#lastHostId}`,
      });
    else this.#lastHostId = id as number;
  }

  #replay(request: OpenRequest, answer: Frame, place: Place): void {
    const { method, params } = request;
    const commandId = isObject(params) ? params["commandId"] : undefined;
    if (typeof commandId !== "string") return;
    const key = JSON.stringify([method, commandId]);
    const before = this.#answered.get(key) ?? [];
    const other = before.find(
      (one) => isDeepStrictEqual(one.params, params) && !this.#mayFollow(one.answer, answer),
    );
    if (other !== undefined)
      this.#find("replay-differs", place, "", { method, commandId, first: other.place.line });
    this.#answered.set(key, [...before, { ...request, answer }]);
  }

  /** Whether a command may be answered this way after it was answered that way. */
  #mayFollow(first: Frame, second: Frame): boolean {
    if (Object.hasOwn(first, "result"))
      // What was admitted may have failed since.
      return !Object.hasOwn(second, "result") || isDeepStrictEqual(first["result"], second["result"]);
    const rejection = this.#rejectionOf(first);
    // An error that settled nothing leaves the command free.
    return rejection === undefined || isDeepStrictEqual(rejection, this.#rejectionOf(second));
  }

  #rejectionOf({ error }: Frame): Frame | undefined {
    const data = isObject(error) ? error["data"] : undefined;
    if (!isObject(data) || typeof data["reason"] !== "string") return undefined;
    return this.#isRejection(data["reason"]) ? data : undefined;
  }

  #find(
    rule: TranscriptFinding["rule"],
    place: Place,
    instanceLocation: string,
    params: Readonly<Record<string, string | number>>,
  ): void {
    this.findings.push(transcriptFinding(rule, place, instanceLocation, params));
  }
}

function name(side: Side): string {
  return side === "server" ? "host" : "client";
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? "undefined";
}
