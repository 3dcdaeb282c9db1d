/**
 * A client of a host under trial. It writes frames as text, so that it can also send what no client would, and notes in
 * the history of the trial all that passes. What a host does against the protocol is noted as a fault and no more.
 */
import { FrameReader } from "../wire/frames.js";
import { parseFrame } from "../wire/parse.js";
import type { Transport } from "../wire/transport.js";
import { wrongInAnswer, wrongInTold } from "./conformance.js";
import type { History, JsonObject, Operation, Outcome, Told } from "./model/history.js";

/** How a client begins. */
export interface ClientOptions {
  /** Whether it asks for what is experimental. Default: false. */
  readonly experimental?: boolean;
  /** Capabilities that it asks for. Default: none. */
  readonly capabilities?: readonly string[];
  /** Whether it begins with the handshake. Default: true. */
  readonly handshake?: boolean;
}

/** A request on its way. */
export interface Sent {
  readonly operation: Operation;
  /** Resolves when it was answered; with undefined where it never will be, since the connection is over. */
  readonly answer: Promise<Outcome | undefined>;
}

/** How a request is written. */
export interface Writing {
  /** What it means; see {@link Operation.meaning}. */
  readonly meaning?: string;
  /** The text of the params, where it is not that of `JSON.stringify`. */
  readonly paramsText?: string;
  /** The id of the request, any value of JSON; each one once. Default: a number that no request has had. */
  readonly id?: unknown;
  /** Makes the line that is written, of the texts of its parts. Default: the plainest frame. */
  readonly frame?: (parts: FrameParts) => string;
}

/** What a request is made of, as JSON. */
export interface FrameParts {
  readonly id: string;
  readonly method: string;
  readonly params: string;
}

const plainFrame = ({ id, method, params }: FrameParts): string =>
  `{"jsonrpc":"2.0","id":${id},"method":${method},"params":${params}}`;

interface Waiting {
  readonly operation: Operation;
  readonly settle: (outcome: Outcome | undefined) => void;
}

/** A connection of a trial. */
export class LawClient {
  readonly connection: number;
  readonly life: number;
  readonly #transport: Transport;
  #wake: () => void;
  /** By the JSON of their ids: 1 and "1" are two. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #answered = new Set<string>();
  /** Ids of requests that were asked for by name. */
  readonly #named = new Set<string>();
  #history: History;
  #ids = 0;
  #handshake = true;
  /** The frames of the handshake, for what is told of a trial. */
  readonly handshake: { readonly dir: "client" | "server"; readonly raw: string }[] = [];
  /** What the host said of itself. */
  welcome: JsonObject = {};
  /** Whether the connection is over. */
  over = false;
  readonly #ended: Promise<void>;
  #resolveEnded!: () => void;

  /** @param wake called whenever something has come */
  constructor(
    transport: Transport,
    {
      history,
      connection,
      life,
      wake,
    }: { history: History; connection: number; life: number; wake: () => void },
  ) {
    this.#transport = transport;
    this.#history = history;
    this.connection = connection;
    this.life = life;
    this.#wake = wake;
    this.#ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    const reader = new FrameReader({
      onFrame: (raw) => this.#take(raw),
      onFault: (fault) => this.#fault("frames", `the host wrote a line that is no frame: ${fault.kind}`),
    });
    transport.open({
      bytes: (chunk) => reader.push(chunk),
      drained: () => undefined,
      ended: () => {
        reader.end();
        this.#end();
        void transport.close();
      },
    });
  }

  /** Goes on in another trial: what comes from now on is noted there. Requests without an answer are left behind. */
  adopt(history: History, wake: () => void): void {
    this.#history = history;
    this.#wake = wake;
    this.#waiting.clear();
    this.#handshake = false;
    const { connection, life } = this;
    // So that what is told of the trial begins as the connection did.
    for (const { dir, raw } of this.handshake)
      history.lines.push({ moment: history.next(), connection, life, dir, raw, handshake: true });
  }

  /** Resolves when the connection is over. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Sends a request. */
  send(method: string, params: JsonObject, writing: Writing = {}): Sent {
    const { meaning, paramsText, frame = plainFrame } = writing;
    const id = JSON.stringify(writing.id ?? ++this.#ids);
    if (writing.id !== undefined) this.#named.add(id);
    const text = paramsText ?? JSON.stringify(params);
    const operation: Operation = {
      index: this.#history.operations.length,
      connection: this.connection,
      life: this.life,
      method,
      params,
      meaning: meaning ?? text,
      sent: this.#history.next(),
    };
    if (!this.#handshake) this.#history.operations.push(operation);
    const answer = new Promise<Outcome | undefined>((settle) => {
      if (this.over) return settle(undefined);
      this.#waiting.set(id, { operation, settle });
    });
    this.say(frame({ id, method: JSON.stringify(method), params: text }));
    return { operation, answer };
  }

  /** Begins without a handshake: what is sent from now on is the trial's. */
  bare(): void {
    this.#handshake = false;
  }

  /** Writes a line, whatever it is. */
  say(raw: string): void {
    this.#note("client", raw);
    this.#transport.write(`${raw}\n`);
  }

  /** The handshake; its outcome. */
  async initialize({
    experimental = false,
    capabilities = [],
  }: ClientOptions = {}): Promise<Outcome | undefined> {
    this.#handshake = true;
    const outcome = await this.send("initialize", {
      clientInfo: { name: "mspkit_laws", version: "1.0.0" },
      capabilities: {
        ...(experimental ? { experimentalApi: true } : {}),
        ...(capabilities.length === 0 ? {} : { requestedCapabilities: [...capabilities] }),
      },
    }).answer;
    if (outcome !== undefined && "result" in outcome) {
      this.welcome = outcome.result;
      this.say('{"jsonrpc":"2.0","method":"initialized"}');
    }
    this.#handshake = false;
    return outcome;
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    this.#end();
    await this.#transport.close();
  }

  #take(raw: string): void {
    this.#note("server", raw);
    const parsed = parseFrame(raw);
    if (
      "fault" in parsed ||
      typeof parsed.value !== "object" ||
      parsed.value === null ||
      Array.isArray(parsed.value)
    )
      this.#fault("frames", "the host wrote a frame that is no object of JSON", { raw: raw.slice(0, 500) });
    else this.#frame(parsed.value as JsonObject);
    this.#wake();
  }

  #frame(frame: JsonObject): void {
    if (frame["jsonrpc"] !== "2.0") this.#fault("frames", "a frame has no jsonrpc of 2.0", { frame });
    else if (typeof frame["method"] === "string") this.#told(frame, frame["method"]);
    // What is no message has no id to be answered under.
    else if (frame["id"] === null && "error" in frame)
      this.#history.unasked.push(frame["error"] as JsonObject);
    else this.#answer(frame);
  }

  #told(frame: JsonObject, method: string): void {
    const { id } = frame;
    const params = (frame["params"] ?? {}) as JsonObject;
    const kind = "id" in frame ? "request" : "notification";
    const wrong = wrongInTold(kind, method, params);
    if (wrong !== undefined) this.#fault("valid-messages", `${method}: ${wrong}`, { params });
    const { connection, life } = this;
    const told: Told = { moment: this.#history.next(), connection, life, kind, method, params };
    this.#history.told.push(told);
    if (kind === "request") this.say(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
  }

  #answer(frame: JsonObject): void {
    const id = JSON.stringify(frame["id"]) ?? "";
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) {
      if (this.#answered.has(id)) this.#fault("answered-once", "a request was answered twice", { frame });
      // Others are of a trial before.
      else if (!this.#named.has(id) && !(/^[1-9]\d*$/.test(id) && Number(id) <= this.#ids))
        this.#fault("answered-once", "an answer has the id of no request", { frame });
      return;
    }
    const { operation, settle } = waiting;
    this.#waiting.delete(id);
    this.#answered.add(id);
    const wrong = wrongInAnswer(operation.method, frame);
    if (wrong !== undefined)
      this.#fault("valid-messages", `the answer to ${operation.method}: ${wrong}`, { frame });
    const outcome = outcomeOf(frame);
    operation.answered = this.#history.next();
    operation.outcome = outcome;
    settle(outcome);
  }

  #note(dir: "client" | "server", raw: string): void {
    const handshake = this.#handshake;
    if (handshake) this.handshake.push({ dir, raw });
    const { connection, life } = this;
    this.#history.lines.push({ moment: this.#history.next(), connection, life, dir, raw, handshake });
  }

  #fault(law: string, what: string, details?: unknown): void {
    this.#history.faults.push({ law, what, details });
    this.#wake();
  }

  #end(): void {
    if (this.over) return;
    this.over = true;
    const { connection, life } = this;
    this.#history.happenings.push({ moment: this.#history.next(), life, what: "disconnected", connection });
    for (const { settle } of this.#waiting.values()) settle(undefined);
    this.#waiting.clear();
    this.#resolveEnded();
    this.#wake();
  }
}

function outcomeOf(frame: JsonObject): Outcome {
  const { error, result } = frame as { error?: JsonObject; result?: JsonObject };
  if (typeof error !== "object" || error === null)
    return { result: typeof result === "object" && result !== null ? result : {} };
  const { code, message, data } = error;
  return {
    error: {
      code: typeof code === "number" ? code : 0,
      message: typeof message === "string" ? message : "",
      data: typeof data === "object" && data !== null ? (data as JsonObject) : {},
    },
  };
}
