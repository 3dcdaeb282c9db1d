/** A host at a time that is sent cases one after the other, and what goes wrong with it made small. */
import { Coverage } from "../coverage/coverage.js";
import type { Driver, HostPlace, RunningHost } from "../driver/driver.js";
import type { Finding } from "./finding.js";
import { type FuzzCase, framesIn } from "./frame.js";
import { FREE_BYTES, FuzzHost, type HostFault, within } from "./fuzz-host.js";
import { smallest } from "./shrink.js";
import type { KeptLine } from "./wire.js";

/** A host at which something was found, and its place. */
export interface FoundAt {
  readonly host: RunningHost | undefined;
  readonly place: HostPlace | undefined;
}

/** How cases are tried. */
export interface WorkerOptions {
  readonly seed?: number;
  readonly maxShrinks?: number;
  readonly freeBytes?: number;
  readonly onFound?: (id: string, at: FoundAt) => Promise<void>;
  readonly signal?: AbortSignal;
}

/** A case that was tried. */
export interface TriedCase {
  readonly of: FuzzCase;
  readonly answers: number;
  /** Frames that the transport cannot carry. */
  readonly skipped: number;
  /** What it reached and none before it in its life, nor what the life began with. */
  readonly news: readonly string[];
  readonly finding?: Finding;
}

/** Cases before one that are tried with it, where it shows nothing by itself. */
const BEFORE = 10;
/** No finding is made smaller for longer than that: one that hangs takes its time in each try. */
const SHRINK_MS = 60_000;
/** Frames in which what is kept of some of them adds up to something that is seen. */
const LEAK_FRAMES = 10_000;

/** How long it is waited for how a host ends that ended its connection. */
const END_MS = 1_000;

/** See the top of the file. */
export class FuzzWorker {
  readonly #driver: Driver;
  readonly #options: WorkerOptions;
  readonly #seed: number;
  #coverage = new Coverage();
  #keys = new Set<string>();
  #host: FuzzHost;
  /** The cases of the host that lives now. */
  #past: FuzzCase[] = [];
  /** The life whose cases are tried. */
  life = Number.NEGATIVE_INFINITY;

  constructor(driver: Driver, options: WorkerOptions) {
    this.#driver = driver;
    this.#options = options;
    this.#seed = options.seed ?? 1;
    this.#host = this.#fresh({});
  }

  /** The host that is sent cases. */
  get host(): FuzzHost {
    return this.#host;
  }

  /** The case that was tried last on the host. */
  get last(): FuzzCase | undefined {
    return this.#past.at(-1);
  }

  /** Begins a life, on a new host and a new place. What is reached already is no news. */
  async renew(life: number, reached: Iterable<string>): Promise<void> {
    await this.clear();
    this.life = life;
    this.#coverage = new Coverage();
    this.#coverage.adopt(reached);
    this.#keys = new Set(reached);
    this.#host = this.#fresh({});
    this.#past = [];
  }

  /** Ends the host and takes its place away. */
  async clear(): Promise<void> {
    await this.#host.clear();
  }

  /** Runs a case; what is found is made small, and the next case comes to a new host. */
  async try(of: FuzzCase, number: number, id: string): Promise<TriedCase> {
    const host = this.#host;
    const { answered, skipped } = host;
    const before = this.#coverage.reached;
    const fault = await host.run(of, this.#seed + number);
    this.#past.push(of);
    const tried = {
      of,
      answers: host.answered - answered,
      skipped: host.skipped - skipped,
      news: this.#coverage.reached > before ? this.#news() : [],
    };
    // Who gives a run up ends its hosts.
    if (fault === undefined || this.#options.signal?.aborted === true) return tried;
    const past = this.#past;
    const { stderrTail = "" } = host.host ?? {};
    await this.#tell(id, host, fault);
    await this.clear();
    try {
      return { ...tried, finding: await this.#small(fault, past, { number, id }, stderrTail) };
    } finally {
      this.#host = this.#fresh({});
      this.#past = [];
    }
  }

  async #tell(id: string, host: FuzzHost, { kind }: HostFault): Promise<void> {
    const { onFound } = this.#options;
    if (onFound === undefined) return;
    // The connection ends a little before the process does.
    if (kind === "crash" && host.host !== undefined) await within(END_MS, host.host.ended);
    await onFound(id, host);
  }

  #news(): string[] {
    const now = this.#coverage.keys();
    const news = [...now].filter((key) => !this.#keys.has(key));
    this.#keys = now;
    return news;
  }

  #fresh({
    patience = this.#driver.timeoutMs,
    coverage = this.#coverage,
    onLine,
  }: {
    readonly patience?: number;
    readonly coverage?: Coverage;
    readonly onLine?: (line: KeptLine) => void;
  }): FuzzHost {
    const { freeBytes = FREE_BYTES } = this.#options;
    const options = { driver: this.#driver, coverage, timeoutMs: patience, freeBytes };
    return new FuzzHost(onLine === undefined ? options : { ...options, onLine });
  }

  /** Makes a finding small: of the case itself, or of it and those before it where it alone shows nothing. */
  async #small(
    fault: HostFault,
    past: readonly FuzzCase[],
    { number, id }: Pick<Finding, "number" | "id">,
    stderrTail: string,
  ): Promise<Finding> {
    const { maxShrinks = 150, signal } = this.#options;
    const told = (of: FuzzCase, again: boolean): Finding => ({
      id,
      kind: seen.kind,
      what: seen.what,
      details: seen.details ?? null,
      number,
      case: of,
      again,
      lines,
      stderrTail: stderr,
    });
    const last = past.at(-1) as FuzzCase;
    let seen = fault;
    let lines: KeptLine[] = [];
    let stderr = stderrTail;
    const until = performance.now() + SHRINK_MS;
    const shows = async (of: FuzzCase, final = false): Promise<boolean> => {
      if (signal?.aborted === true) return false;
      const passed: KeptLine[] = [];
      // What was not answered in time at first need not be waited for so long again.
      const patience = Math.max(1_000, this.#driver.timeoutMs / 5);
      const host = this.#fresh({ patience, coverage: new Coverage(), onLine: (line) => passed.push(line) });
      this.#host = host;
      try {
        const found = await this.#again(host, of, fault.kind, number);
        if (found?.kind !== fault.kind) return false;
        [seen, lines, stderr] = [found, passed, host.host?.stderrTail ?? ""];
        if (final) await this.#tell(id, host, found);
        return true;
      } finally {
        await host.clear();
      }
    };
    for (const cases of [[last], past.slice(-BEFORE), past]) {
      const batches = cases.flatMap(({ batches: own }) => own);
      const calm = cases.length === 1 ? last.calm : 0;
      const together = { opening: last.opening, calm, batches };
      if (!(await shows(together))) continue;
      const least = await smallest(
        together,
        async (smaller) => performance.now() < until && (await shows(smaller)),
        maxShrinks,
      );
      // What passed in the smallest form, not in the last one that was tried.
      await shows(least, true);
      return told(least, true);
    }
    return told(last, false);
  }

  /** Runs a case on a new host; for a leak, over and over, since few frames leave little behind. */
  async #again(
    host: FuzzHost,
    of: FuzzCase,
    kind: HostFault["kind"],
    number: number,
  ): Promise<HostFault | undefined> {
    // The first time only warms the host: memory is compared with what it was after it.
    const times = kind === "leak" ? 1 + Math.ceil(LEAK_FRAMES / framesIn(of)) : 1;
    for (let i = 0; i < times; i++) {
      const found = await host.run(of, this.#seed + number + i);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
