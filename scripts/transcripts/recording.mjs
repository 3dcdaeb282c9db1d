// What a golden session is written with: frames in both directions, ids and a clock that are the same each time, and
// the manifest that goes with them. session.mjs has the words for sessions, turns and items.
import { errors, protocol } from "../../generated/msp/stable/tables.js";

/** Ten mebibytes: the frame limit of the protocol. */
const FRAME_LIMIT = 10_485_760;
/** Milliseconds between two frames that nothing else is said about. */
const STEP = 20;
/** 2 November 2026, nine o'clock UTC. */
const CLOCK_START = Date.UTC(2026, 10, 2, 9);

/** The paths at which a live host or client may differ from a recording: ids that each run makes anew. */
const NORMALIZE = ["id", "params.commandId", "params.turnId", "params.itemId", "result.session.sessionId"];

/** The canned host's home. */
export const HOME = "/home/user/.muse";

/** A number for a scenario, so that no two of them share an id. */
function seedOf(scenario) {
  let seed = 0x811c9dc5;
  for (const character of scenario) seed = Math.imul(seed ^ character.codePointAt(0), 0x01000193) >>> 0;
  return seed & 0xffff;
}

const hex = (value, digits) => value.toString(16).padStart(digits, "0");

/** One scenario while it is being written. */
export class Recording {
  #lines = [];
  #source = [];
  #cited = 0;
  #minted = 0;
  #withheld;
  #requests = { client: 0, server: 0 };

  constructor(scenario, { provenance = "hand-authored" } = {}) {
    this.scenario = scenario;
    this.provenance = provenance;
    this.seed = seedOf(scenario);
    this.now = CLOCK_START;
    /** Ends each frame of the client; a carriage return where framing is what the scenario is about. */
    this.clientTail = "";
  }

  /** Lets time pass. */
  wait(milliseconds) {
    this.now += milliseconds;
    return this.now;
  }

  /** The time as text. */
  time() {
    return new Date(this.now).toISOString();
  }

  /** A UUIDv7: the clock, then the scenario's seed and a running number in place of chance. */
  id() {
    const ms = hex(this.now, 12);
    const random = `${hex(this.seed, 4)}${hex(++this.#minted, 8)}`;
    return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-${random}`;
  }

  /** Whatever was written since the last call shows this promise. */
  shows(cite) {
    const [from, to] = [this.#cited + 1, this.#lines.length];
    if (to < from) throw new Error(`${this.scenario}: nothing was written that shows: ${cite}`);
    this.#source.push({ lines: from === to ? `${from}` : `${from}-${to}`, cite });
    this.#cited = to;
  }

  #write(dir, frame, tail = "") {
    this.wait(STEP);
    this.#lines.push(JSON.stringify({ dir, raw: JSON.stringify({ jsonrpc: "2.0", ...frame }) + tail }));
  }

  /** A request of the client; what is returned is handed to `result` or `error`. */
  request(method, params, more = {}) {
    const id = ++this.#requests.client;
    this.#write("client", { id, method, params, ...more }, this.clientTail);
    return { id, method, params };
  }

  /** A notification of the client. */
  notify(method) {
    this.#write("client", { method }, this.clientTail);
  }

  /** The client's answer to a request of the host. */
  receipt(request, result = {}) {
    this.#write("client", { id: request.id, result }, this.clientTail);
  }

  /** The host's answer to a request. */
  result(request, result) {
    this.#write("server", { id: request.id, result });
    return result;
  }

  /** The host refuses a request: a row of the protocol's error table, a text, and data, whose kind may be an override. */
  error(request, row, message, data = {}) {
    const error = { code: errors[row].code, message, data: { kind: row, ...data } };
    this.#write("server", { id: request.id, error });
  }

  /** A notification of the host, stamped when it was sent. Returns the event without its frame. */
  emit(method, params) {
    const event = { method, params };
    if (this.#withheld === undefined) this.#write("server", { ...event, emittedAtMs: this.now + STEP });
    else {
      this.wait(STEP);
      this.#withheld.push(event);
    }
    return event;
  }

  /** What `happens` meanwhile is not delivered. Returns the events that a page would serve: those that are stored. */
  lose(happens) {
    this.#withheld = [];
    happens();
    const lost = this.#withheld;
    this.#withheld = undefined;
    return lost.filter(({ params }) => params.sourceRange !== undefined);
  }

  /** A request of the host. */
  ask(method, params) {
    const id = ++this.#requests.server;
    this.#write("server", { id, method, params });
    return { id, method, params };
  }

  /** The handshake, from `initialize` to `initialized`. */
  handshake({ requested, granted = [], durability = "durable", more = {} } = {}) {
    const request = this.request("initialize", {
      clientInfo: { name: "mspkit_golden", version: "0.0.0" },
      ...(requested === undefined ? {} : { capabilities: { requestedCapabilities: requested } }),
      ...more,
    });
    this.result(request, {
      serverInfo: { name: "mspkit-canned-host", version: "0.0.0" },
      userAgent: "mspkit-canned-host/0.0.0 (linux)",
      museHome: HOME,
      platformFamily: "unix",
      platformOs: "linux",
      schema: { version: protocol.version, fingerprint: protocol.fingerprints.stable },
      grantedCapabilities: granted,
      experimentalApi: false,
      sessionDurability: durability,
    });
    this.notify("initialized");
  }

  /** The texts of the two files. */
  files() {
    if (this.#cited !== this.#lines.length) {
      throw new Error(`${this.scenario}: nothing is said about the lines after ${this.#cited}`);
    }
    const manifest = {
      kind: "mspTranscript",
      schemaVersion: 1,
      scenario: this.scenario,
      provenance: this.provenance,
      fingerprint: protocol.fingerprints.stable,
      viewSchemaVersion: 1,
      serverConfig: { frameLimitBytes: FRAME_LIMIT },
      transports: ["stdio", "in-process"],
      normalize: NORMALIZE,
      seeds: { idSeed: this.seed, clockStartMs: CLOCK_START },
      source: this.#source,
    };
    return {
      "transcript.ndjson": `${this.#lines.join("\n")}\n`,
      "manifest.json": `${JSON.stringify(manifest, null, 2)}\n`,
    };
  }
}
