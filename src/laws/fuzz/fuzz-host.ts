/** A host that is being fuzzed: its place, its life, the connection, and how much memory it has come to use. */
import { setTimeout as after } from "node:timers/promises";
import { commandIdMinter } from "../../client/command-id.js";
import type { Coverage } from "../coverage/coverage.js";
import type { Driver, HostPlace, RunningHost } from "../driver/driver.js";
import { Random } from "../random.js";
import type { FuzzCase, Opening } from "./frame.js";
import { Seen } from "./seen.js";
import { FuzzWire, type KeptLine, type WireFault } from "./wire.js";

/** What is wrong with a host that runs cases. */
export interface HostFault {
  readonly kind: WireFault["kind"] | "leak";
  readonly what: string;
  readonly details?: unknown;
}

/** How a host is fuzzed. */
export interface FuzzHostOptions {
  readonly driver: Driver;
  readonly coverage: Coverage;
  /** Milliseconds to wait for what is due. */
  readonly timeoutMs: number;
  /** Bytes that it may come to use beyond what it is sent. */
  readonly freeBytes: number;
  /** Gets every line. */
  readonly onLine?: (line: KeptLine) => void;
}

/** What a host may use more than it was sent, where nothing else is said: working memory, caches, compiled code. */
export const FREE_BYTES = 192 * 1024 * 1024;
/** What it may keep for each byte that it was sent: records, views, answers to be told again. */
const PER_BYTE = 40;

/** Parts after which its memory is looked at, and after the last: looking costs as much as a hundred frames. */
const LOOKS_EVERY = 16;

/** What a host needs to begin a turn and to tell of it. */
const CALM_MS = 8;

/** See the top of the file. One place and life for each of these. */
export class FuzzHost {
  readonly #options: FuzzHostOptions;
  #place: HostPlace | undefined;
  #host: RunningHost | undefined;
  #wire: FuzzWire | undefined;
  #opening = "";
  #baseBytes: number | undefined;
  #sent = 0;
  #cases = 0;
  /** Frames that could not be sent, and answers that came. */
  skipped = 0;
  answered = 0;

  constructor(options: FuzzHostOptions) {
    this.#options = options;
  }

  get host(): RunningHost | undefined {
    return this.#host;
  }

  get place(): HostPlace | undefined {
    return this.#place;
  }

  /** Runs a case, from its handshake where the connection is new. Gives the first thing that is wrong. */
  async run(of: FuzzCase, seed: number): Promise<HostFault | undefined> {
    const begun = await this.#open(of.opening);
    if (begun !== undefined) return begun;
    const wire = this.#wire as FuzzWire;
    const seen = new Seen(mintOf(seed));
    const [sentBefore, skipped, answered] = [wire.sentBytes, wire.skipped, wire.answered];
    let fault: HostFault | undefined;
    for (const [at, batch] of of.batches.entries()) {
      if (at > 0 && at <= of.calm) await this.#calm();
      if (at <= of.calm) fault = await wire.send(batch, seen);
      else {
        wire.post(batch, seen);
        // Who waits for nothing goes on at once: the host is to have its work before the next case is made.
        if (!wire.isAhead) fault = await wire.ahead();
      }
      const looks = (at + 1) % LOOKS_EVERY === 0 || at === of.batches.length - 1;
      if (fault === undefined && looks) fault = this.#grown(wire.sentBytes - sentBefore);
      if (fault !== undefined) break;
    }
    fault ??= await wire.drain();
    this.#sent += wire.sentBytes - sentBefore;
    this.skipped += wire.skipped - skipped;
    this.answered += wire.answered - answered;
    this.#cases++;
    // The first case is what a host needs to be warm.
    if (this.#cases === 1) this.#rebase();
    return fault;
  }

  /** Ends the connection; the host lives on. */
  async disconnect(): Promise<void> {
    const wire = this.#wire;
    this.#wire = undefined;
    if (wire !== undefined && !wire.over) await within(this.#options.timeoutMs, wire.close());
  }

  /** Ends the host and takes its place away. */
  async clear(): Promise<void> {
    this.#wire = undefined;
    try {
      await this.#host?.crash();
    } finally {
      const place = this.#place;
      this.#host = undefined;
      this.#place = undefined;
      await place?.remove();
    }
  }

  async #open(opening: Opening): Promise<HostFault | undefined> {
    const key = JSON.stringify(opening);
    if (this.#wire !== undefined && !this.#wire.over && this.#opening === key) return undefined;
    const { driver, coverage, onLine } = this.#options;
    if (this.#wire !== undefined && !driver.abilities.has("connections")) await this.clear();
    await this.disconnect();
    this.#place ??= await driver.place();
    this.#host ??= await this.#place.start();
    const host = this.#host;
    this.#wire = new FuzzWire(await host.connect(), {
      coverage,
      patience: (over) => this.#patience(host, over),
      ...(onLine === undefined ? {} : { onLine }),
    });
    this.#opening = key;
    return this.#wire.begin(opening);
  }

  /** Leaves the host alone until it has nothing more to do; where that cannot be known, for a moment. */
  #calm(): Promise<void> {
    return this.#host?.idle?.() ?? after(CALM_MS);
  }

  async #patience(host: RunningHost, over: Promise<void>): Promise<boolean> {
    const stop = new AbortController();
    const { signal } = stop;
    const late =
      host.idle?.() ?? after(this.#options.timeoutMs, undefined, { signal }).catch(() => undefined);
    try {
      return await Promise.race([over.then(() => true), late.then(() => false)]);
    } finally {
      stop.abort();
    }
  }

  #rebase(): void {
    this.#baseBytes = this.#host?.memoryBytes?.();
    this.#sent = 0;
  }

  #grown(sentNow: number): HostFault | undefined {
    if (this.#baseBytes === undefined) return undefined;
    const now = this.#host?.memoryBytes?.();
    const sent = this.#sent + sentNow;
    const allowed = this.#baseBytes + this.#options.freeBytes + PER_BYTE * sent;
    if (now === undefined || now <= allowed) return undefined;
    const mib = (bytes: number): number => Math.round(bytes / 1024 / 1024);
    const details = {
      mib: mib(now),
      mibBefore: mib(this.#baseBytes),
      mibAllowed: mib(allowed),
      sentMib: mib(sent),
    };
    return { kind: "leak", what: "its memory grows beyond all that it was sent", details };
  }
}

function mintOf(seed: number): () => string {
  const random = new Random(seed);
  return commandIdMinter({
    fill: (bytes) => {
      for (let i = 0; i < bytes.length; i++) bytes[i] = random.int(0, 255);
    },
  });
}

/** Waits for something, so many milliseconds at most. */
export async function within(ms: number, done: Promise<unknown>): Promise<void> {
  const stop = new AbortController();
  const late = after(ms, undefined, { signal: stop.signal }).catch(() => undefined);
  await Promise.race([done, late]);
  stop.abort();
}
