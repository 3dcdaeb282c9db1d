/**
 * A connection that sends frames of any kind, many at once, and holds each answer against what may be answered. It keeps
 * no history: that would cost more than all the rest.
 */
import { FrameReader } from "../../wire/frames.js";
import type { Transport } from "../../wire/transport.js";
import { wrongInTold } from "../conformance.js";
import type { Coverage } from "../coverage/coverage.js";
import type { JsonObject } from "../model/history.js";
import type { FuzzFrame, Opening } from "./frame.js";
import { type Expected, expectedFor, keyOf, kindOf, wrongInReply } from "./oracle.js";
import type { Seen } from "./seen.js";

/** What was seen wrong on a connection. */
export interface WireFault {
  readonly kind: "badAnswer" | "hang" | "crash";
  readonly what: string;
  readonly details?: unknown;
}

/** A line that passed, where lines are kept. */
export interface KeptLine {
  readonly dir: "client" | "server";
  readonly raw: string;
}

/** What a connection needs. */
export interface FuzzWireOptions {
  readonly coverage: Coverage;
  /** Waits: resolves true when something is over, false when there is no use in waiting any more. */
  readonly patience: (over: Promise<void>) => Promise<boolean>;
  /** Gets every line. */
  readonly onLine?: (line: KeptLine) => void;
}

interface Waiting {
  readonly expected: Expected;
  readonly text: string;
}

interface Due {
  nulls: number;
  may: number;
  parseError: number;
  invalidRequest: number;
}

function noneDue(): Due {
  return { nulls: 0, may: 0, parseError: 0, invalidRequest: 0 };
}

/** Parts that may be under way while the next one is sent. */
const AHEAD = 1;

const ANY_REQUEST: Expected = { ids: [], atNull: "never", request: "odd" };
/** Beyond this a text in a report says nothing more. */
const SHOWN = 400;

/** See the top of the file. */
export class FuzzWire {
  /** Bytes that were sent, and frames that could not be since they are no text. */
  sentBytes = 0;
  skipped = 0;
  answered = 0;
  /** Whether the connection is over. */
  over = false;
  readonly #transport: Transport;
  readonly #options: FuzzWireOptions;
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #faults: WireFault[] = [];
  readonly #recent = new Set<string>();
  /** Above the strange ids of hostile frames. */
  #ids = 10_000;
  /** Keys of ids that more than one frame has of those that are waited for together. */
  readonly #shared = new Set<string>();
  /** What is due under the id null, and what may come there. */
  #due: Due = noneDue();
  /** Frames that may be answered under null instead, and how many ids they have together. */
  #either: Waiting[] = [];
  #eitherIds = 0;
  /** The question behind each part that is waited for. */
  #pings: Waiting[] = [];
  #seen: Seen | undefined;
  #nulls: JsonObject[] = [];
  #held: string[] | undefined;
  #wake: () => void = () => undefined;
  #closing = false;

  constructor(transport: Transport, options: FuzzWireOptions) {
    this.#transport = transport;
    this.#options = options;
    const reader = new FrameReader({
      onFrame: (raw) => (this.#held === undefined ? this.#take(raw) : this.#held.push(raw)),
      onFault: ({ kind }) => this.#fault(`the host wrote a line that is no frame: ${kind}`),
    });
    transport.open({
      bytes: (chunk) => reader.push(chunk),
      drained: () => undefined,
      ended: () => {
        reader.end();
        this.over = true;
        this.#wake();
      },
    });
  }

  /** The handshake, after one request that comes too early. Gives what is wrong with it. */
  async begin({ experimental, capabilities }: Opening): Promise<WireFault | undefined> {
    const wishes = {
      ...(experimental ? { experimentalApi: true } : {}),
      ...(capabilities.length === 0 ? {} : { requestedCapabilities: capabilities }),
    };
    const params = { clientInfo: { name: "mspkit_fuzz", version: "1.0.0" }, capabilities: wishes };
    const text = (method: string, of: object): string =>
      `{"jsonrpc":"2.0","id":{{id}},"method":"${method}","params":${JSON.stringify(of)}}`;
    const why = "the handshake";
    const early = await this.send([{ kind: "script", text: text("session/list", {}), why }], undefined);
    if (early !== undefined) return early;
    const wrong = await this.send([{ kind: "script", text: text("initialize", params), why }], undefined);
    this.#say('{"jsonrpc":"2.0","method":"initialized"}');
    return wrong;
  }

  /** Sends frames, and waits for all that is due. Gives the first thing that is wrong. */
  send(frames: readonly FuzzFrame[], seen: Seen | undefined): Promise<WireFault | undefined> {
    this.post(frames, seen);
    return this.drain();
  }

  /** Sends frames, with a question behind them. What is due to them is waited for later. */
  post(frames: readonly FuzzFrame[], seen: Seen | undefined): void {
    this.#seen = seen;
    const nextId = (): number => ++this.#ids;
    const texts: string[] = [];
    for (const { text } of frames) {
      const resolved =
        seen === undefined ? text.replace("{{id}}", () => `${nextId()}`) : seen.resolve(text, nextId);
      if (resolved.includes("{{bytes:")) this.skipped++;
      else texts.push(resolved);
    }
    const ping = `{"jsonrpc":"2.0","id":${nextId()},"method":"session/list","params":{"limit":1}}`;
    texts.push(ping);
    // Whatever comes while it is worked out what may come is looked at afterwards.
    this.#held = [];
    this.#say(texts.join("\n"));
    const due = this.#due;
    for (const text of texts) {
      const expected = expectedFor(text);
      const { method, params } = expected;
      if (method !== undefined) this.#options.coverage.noteRequest(method, params);
      if (expected.atNull === "must") due.nulls++;
      if (expected.atNull === "may") due.may++;
      if (expected.nullKind !== undefined) due[expected.nullKind]++;
      if (expected.ids.length === 0) continue;
      const waiting = { expected, text };
      if (text === ping) this.#pings.push(waiting);
      if (expected.atNull === "instead") {
        this.#either.push(waiting);
        this.#eitherIds += expected.ids.length;
      }
      for (const id of expected.ids) {
        const others = this.#waiting.get(id);
        if (others === undefined) this.#waiting.set(id, [waiting]);
        else {
          others.push(waiting);
          this.#shared.add(id);
        }
      }
    }
    const held = this.#held;
    this.#held = undefined;
    for (const raw of held) this.#take(raw);
  }

  /** Whether all parts but the last ones are answered, and nothing was seen wrong. */
  get isAhead(): boolean {
    return this.#pings.length <= AHEAD && this.#faults.length === 0 && !this.over;
  }

  /**
   * Waits until the questions behind all parts but the last ones are answered, so that the host has something to do
   * while the next part is sent. Gives the first thing that is wrong so far.
   */
  async ahead(): Promise<WireFault | undefined> {
    const inTime = await this.#until(() => this.#pings.length <= AHEAD);
    const missing = [...this.#unanswered()];
    const fault = this.#first(missing);
    if (fault !== undefined || inTime) return fault;
    return this.#late(missing);
  }

  /** Waits for all that is due. Gives the first thing that is wrong. */
  async drain(): Promise<WireFault | undefined> {
    const inTime = await this.#until(() => this.#isComplete);
    const missing = [...this.#unanswered()];
    const fault =
      this.#first(missing) ?? (inTime ? this.#wrongNulls(this.#due, missing.length) : this.#late(missing));
    this.#waiting.clear();
    this.#shared.clear();
    this.#recent.clear();
    [this.#nulls, this.#pings, this.#either, this.#eitherIds] = [[], [], [], 0];
    this.#due = noneDue();
    return fault;
  }

  get #isComplete(): boolean {
    const due = this.#due.nulls;
    if (this.#waiting.size === 0) return this.#nulls.length >= due;
    // Most of what waits can be answered under its id alone.
    if (this.#waiting.size > this.#eitherIds) return false;
    const waits = this.#unanswered();
    const left = this.#either.filter((waiting) => waits.has(waiting)).length;
    return waits.size <= left && this.#nulls.length >= due + left;
  }

  /** What was seen wrong already. */
  #first(missing: readonly Waiting[]): WireFault | undefined {
    const [fault] = this.#faults.splice(0);
    if (this.over && !this.#closing)
      return { kind: "crash", what: "the host ended, or ended the connection", details: missing.slice(0, 3) };
    return fault;
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#transport.close();
  }

  #late(missing: readonly Waiting[]): WireFault {
    const { nulls } = this.#due;
    const stuck = this.#pings.length > 0;
    const what = stuck ? "the host answers nothing any more" : "a frame was not answered, others were";
    return { kind: "hang", what, details: { missing: missing.slice(0, 3).map(shown), nullsDue: nulls } };
  }

  #wrongNulls(due: Due, instead: number): WireFault | undefined {
    const nulls = this.#nulls;
    if (nulls.length > due.nulls + due.may + instead)
      return { kind: "badAnswer", what: "more was answered than was asked", details: nulls.slice(-2) };
    for (const kind of ["parseError", "invalidRequest"] as const) {
      const found = nulls.filter((error) => kindOf(error) === kind).length;
      if (found < due[kind] && nulls.every((error) => kindOf(error) !== "inputTooLarge"))
        return {
          kind: "badAnswer",
          what: `${kind} was due, and something else came`,
          details: nulls.slice(0, 3),
        };
    }
    return undefined;
  }

  /** The frames that wait: some may be answered under more than one id. */
  #unanswered(): ReadonlySet<Waiting> {
    return new Set([...this.#waiting.values()].flat());
  }

  #settle(waiting: Waiting): void {
    for (const id of waiting.expected.ids) {
      if (this.#waiting.get(id)?.length === 1) {
        this.#waiting.delete(id);
        continue;
      }
      const left = this.#waiting.get(id)?.filter((other) => other !== waiting) ?? [];
      if (left.length === 0) this.#waiting.delete(id);
      else this.#waiting.set(id, left);
    }
  }

  #say(lines: string): void {
    const { onLine } = this.#options;
    if (onLine !== undefined) for (const raw of lines.split("\n")) onLine({ dir: "client", raw });
    this.sentBytes += lines.length + 1;
    this.#transport.write(`${lines}\n`);
  }

  #take(raw: string): void {
    this.#options.onLine?.({ dir: "server", raw });
    let frame: unknown;
    try {
      frame = JSON.parse(raw);
    } catch {
      frame = undefined;
    }
    if (typeof frame !== "object" || frame === null || Array.isArray(frame))
      this.#fault("the host wrote a line that is no object of JSON", raw);
    else this.#frame(frame as JsonObject, raw);
    this.#wake();
  }

  #frame(frame: JsonObject, raw: string): void {
    if (frame["jsonrpc"] !== "2.0") this.#fault('a frame has no "jsonrpc":"2.0"', raw);
    else if (typeof frame["method"] === "string") this.#told(frame, frame["method"], raw);
    else this.#answer(frame, raw);
  }

  #told(frame: JsonObject, method: string, raw: string): void {
    const kind = "id" in frame ? "request" : "notification";
    const wrong = wrongInTold(kind, method, (frame["params"] ?? {}) as JsonObject);
    if (wrong !== undefined) this.#fault(`${method}: ${wrong}`, raw);
    this.#seen?.note(raw);
    if (kind === "request") this.#say(JSON.stringify({ jsonrpc: "2.0", id: frame["id"], result: {} }));
  }

  #answer(frame: JsonObject, raw: string): void {
    const { id, error } = frame;
    this.answered++;
    if (error !== undefined) this.#options.coverage.noteError(error);
    else this.#seen?.note(raw);
    if (id === null) {
      if (typeof error !== "object" || error === null) this.#fault("a result has no id", raw);
      else this.#nulls.push(error as JsonObject);
      return;
    }
    const key = keyOf(id);
    const all = this.#waiting.get(key);
    if (all === undefined) {
      const what = this.#recent.has(key)
        ? "a frame was answered twice"
        : "an answer has the id of no request";
      this.#fault(what, raw);
      return;
    }
    const [waiting] = all as [Waiting];
    this.#settle(waiting);
    if (this.#pings.includes(waiting)) this.#pings = this.#pings.filter((ping) => ping !== waiting);
    this.#recent.add(key);
    // Of frames with one and the same strange id nobody can say whose answer it is.
    const expected = this.#shared.has(key) ? ANY_REQUEST : waiting.expected;
    const wrong = wrongInReply(expected, frame);
    if (wrong !== undefined) this.#fault(wrong, raw, waiting.text);
  }

  #fault(what: string, raw?: string, asked?: string): void {
    const details = {
      ...(raw === undefined ? {} : { answer: raw.slice(0, SHOWN) }),
      ...(asked === undefined ? {} : { asked: asked.slice(0, SHOWN) }),
    };
    this.#faults.push({ kind: "badAnswer", what, details });
    this.#wake();
  }

  async #until(holds: () => boolean): Promise<boolean> {
    if (holds() || this.over) return holds();
    const done = new Promise<void>((resolve) => {
      this.#wake = () => {
        if (holds() || this.over || this.#faults.length > 0) resolve();
      };
    });
    await this.#options.patience(done);
    this.#wake = () => undefined;
    return holds();
  }
}

function shown({ text, expected }: Waiting): object {
  return { asked: text.slice(0, SHOWN), under: expected.ids };
}
