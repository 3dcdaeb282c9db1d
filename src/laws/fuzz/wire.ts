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
  #recent = new Set<string>();
  /** Above the strange ids of hostile frames. */
  #ids = 10_000;
  /** Keys of ids that more than one frame of the part has. */
  readonly #shared = new Set<string>();
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

  /** Sends frames, and waits for all that is due to them. Gives the first thing that is wrong. */
  async send(frames: readonly FuzzFrame[], seen: Seen | undefined): Promise<WireFault | undefined> {
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
    const due = { nulls: 0, may: 0, parseError: 0, invalidRequest: 0 };
    const either: Waiting[] = [];
    this.#recent = new Set();
    this.#shared.clear();
    this.#nulls = [];
    for (const text of texts) {
      const expected = expectedFor(text);
      const { method, params } = expected;
      if (method !== undefined) this.#options.coverage.noteRequest(method, params);
      if (expected.atNull === "must") due.nulls++;
      if (expected.atNull === "may") due.may++;
      if (expected.nullKind !== undefined) due[expected.nullKind]++;
      if (expected.ids.length === 0) continue;
      const waiting = { expected, text };
      if (expected.atNull === "instead") either.push(waiting);
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
    const eitherIds = either.reduce((sum, { expected }) => sum + expected.ids.length, 0);
    const complete = (): boolean => {
      if (this.#waiting.size === 0) return this.#nulls.length >= due.nulls;
      // Most of what waits can be answered under its id alone.
      if (this.#waiting.size > eitherIds) return false;
      const waits = this.#unanswered();
      const left = either.filter((waiting) => waits.has(waiting)).length;
      return waits.size <= left && this.#nulls.length >= due.nulls + left;
    };
    const inTime = await this.#until(complete);
    const missing = [...this.#unanswered()];
    this.#waiting.clear();
    const [fault] = this.#faults.splice(0);
    if (this.over && !this.#closing)
      return { kind: "crash", what: "the host ended, or ended the connection", details: missing.slice(0, 3) };
    if (fault !== undefined) return fault;
    if (!inTime) return this.#late(missing, due.nulls, ping);
    return this.#wrongNulls(due, missing.length);
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#transport.close();
  }

  #late(missing: readonly Waiting[], nulls: number, ping: string): WireFault {
    const stuck = missing.some(({ text }) => text === ping);
    const what = stuck ? "the host answers nothing any more" : "a frame was not answered, others were";
    return { kind: "hang", what, details: { missing: missing.slice(0, 3).map(shown), nullsDue: nulls } };
  }

  #wrongNulls(
    due: {
      readonly nulls: number;
      readonly may: number;
      readonly parseError: number;
      readonly invalidRequest: number;
    },
    instead: number,
  ): WireFault | undefined {
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
