/** Fuzzes a host: sends it frames of all kinds, makes what goes wrong small, and sees whether its laws hold afterwards. */
import { Coverage, type CoverageReport } from "../coverage/coverage.js";
import type { Driver } from "../driver/driver.js";
import type { Verdict } from "../law.js";
import { type LawTried, lawsAfterwards } from "./afterwards.js";
import type { Finding } from "./finding.js";
import { type FuzzCase, framesIn } from "./frame.js";
import { CASE_FRAMES, Generator } from "./generate.js";
import { servedAnyhow } from "./served.js";
import { type FoundAt, FuzzWorker, type TriedCase } from "./worker.js";

/** What is sent, and how much of it. */
export interface FuzzOptions {
  /** Chooses the cases. Default: 1. */
  readonly seed?: number;
  /** Frames to send, about. A whole number of cases. Default: 10,000. */
  readonly frames?: number;
  /** Milliseconds after which no further case is begun. Default: no end. */
  readonly timeMs?: number;
  /** Which numbers are taken of each `of`: `{ index: 1, of: 4 }` the first of four shards. Default: all. */
  readonly shard?: { readonly index: number; readonly of: number };
  /** Cases to be run before all others. */
  readonly first?: readonly FuzzCase[];
  /** Findings after which the run ends. Default: 10. */
  readonly maxFindings?: number;
  /** How often a finding is tried in a smaller form. Default: 150. */
  readonly maxShrinks?: number;
  /** Cases of each law that is tried at the end; 0 for none. Default: 3. */
  readonly lawCases?: number;
  /** Bytes of memory that the host may come to use beyond forty times what it is sent. Default: 192 MiB. */
  readonly freeBytes?: number;
  /**
   * Hosts that are fuzzed at once, as far as the driver has places. It changes no result: what a case is, which host
   * it comes to and what counts is given by its number. Default: 1.
   */
  readonly workers?: number;
  /**
   * Told of a host at which something was found, while it and its place are still there; for a finding that was made
   * smaller once more at the host that showed that. `id` is that of the finding.
   */
  readonly onFound?: (id: string, at: FoundAt) => Promise<void>;
  /** Gives the run up. */
  readonly signal?: AbortSignal;
  /** Told after each case. */
  readonly onProgress?: (progress: { readonly frames: number; readonly findings: number }) => void;
}

/** What a run came to. */
export interface FuzzReport {
  readonly driver: string;
  readonly seed: number;
  readonly cases: number;
  readonly frames: number;
  readonly answers: number;
  /** Frames that the transport cannot carry. */
  readonly skipped: number;
  readonly served: readonly string[];
  readonly findings: readonly Finding[];
  /** Of what was sent; without the laws. */
  readonly coverage: CoverageReport;
  /** Cases that reached what none before them did. */
  readonly interesting: readonly FuzzCase[];
  /** The laws that were tried at the end. */
  readonly laws: readonly { readonly id: string; readonly verdict: Verdict }[];
  readonly durationMs: number;
}

/** Cases that follow each other on one host. */
interface Life {
  readonly index: number;
  readonly numbers: readonly number[];
}

/** The life of cases that are given, not made. */
const GIVEN = -1;

/**
 * Fuzzes a host.
 * @throws {DriverError} where the surroundings fail: no verdict
 * @throws the reason of the signal, when it is aborted
 */
export async function fuzz(driver: Driver, options: FuzzOptions = {}): Promise<FuzzReport> {
  return new FuzzRun(driver, options).run();
}

class FuzzRun {
  readonly #driver: Driver;
  readonly #options: FuzzOptions;
  readonly #seed: number;
  readonly #maxFindings: number;
  readonly #begin = performance.now();
  readonly #workers: FuzzWorker[];
  readonly #coverage = new Coverage();
  /** What the cases that count have reached. */
  readonly #reached = new Set<string>();
  readonly #findings: Finding[] = [];
  readonly #interesting: FuzzCase[] = [];
  /** Lives that are over, and wait for those before them. */
  readonly #over = new Map<number, readonly TriedCase[]>();
  /** The lives that were begun, in order, and how many of them count already. */
  readonly #lives: number[] = [];
  #counted = 0;
  #cases = 0;
  #frames = 0;
  #answers = 0;
  #skipped = 0;
  #failed = false;
  #sent = 0;
  #seen = 0;

  constructor(driver: Driver, options: FuzzOptions) {
    const { seed = 1, maxFindings = 10, workers = 1 } = options;
    this.#driver = driver;
    this.#options = options;
    this.#seed = seed;
    this.#maxFindings = maxFindings;
    const count = Math.max(1, Math.min(workers, driver.maxPlaces));
    this.#workers = Array.from({ length: count }, () => new FuzzWorker(driver, options));
  }

  async run(): Promise<FuzzReport> {
    const { signal, first = [] } = this.#options;
    const giveUp = (): void => {
      this.#failed = true;
      for (const worker of this.#workers) void worker.clear().catch(() => undefined);
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    try {
      signal?.throwIfAborted();
      const served = await servedAnyhow(this.#driver);
      await this.#given(first);
      await this.#made(served, first);
      signal?.throwIfAborted();
      const laws = await this.#laws();
      signal?.throwIfAborted();
      return this.#report(served, laws);
    } catch (error) {
      // What fails since the run was given up is not why.
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener("abort", giveUp);
      await Promise.all(this.#workers.map((worker) => worker.clear()));
    }
  }

  /** Runs the cases that are given, one after the other. */
  async #given(first: readonly FuzzCase[]): Promise<void> {
    if (first.length === 0) return;
    const [worker] = this.#workers as [FuzzWorker];
    await worker.renew(GIVEN, []);
    const tried: TriedCase[] = [];
    for (const [at, of] of first.entries()) {
      if (this.#isOver || findingsIn(tried) >= this.#maxFindings) break;
      tried.push(await this.#try(worker, of, -1, `kept-${at + 1}`));
    }
    this.#lives.push(GIVEN);
    this.#count(GIVEN, tried);
  }

  /** Makes cases and runs them, several lives at once. */
  async #made(served: ReadonlySet<string>, first: readonly FuzzCase[]): Promise<void> {
    const lives = this.#plan(first.reduce((sum, of) => sum + framesIn(of), 0));
    const work = async (worker: FuzzWorker): Promise<void> => {
      const generator = new Generator({ seed: this.#seed, served, prompts: this.#driver.prompts });
      try {
        while (!this.#isOver && this.#findings.length < this.#maxFindings) {
          const { value: life, done } = lives.next();
          if (done === true) return;
          this.#lives.push(life.index);
          this.#count(life.index, await this.#live(worker, generator, life));
        }
      } catch (error) {
        this.#failed = true;
        throw error;
      }
    };
    const ends = await Promise.allSettled(this.#workers.map(work));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }

  /** The lives of the run, in order. What was sent already is sent no more. */
  *#plan(sent: number): IterableIterator<Life> {
    const { frames = 10_000, shard = { index: 1, of: 1 } } = this.#options;
    const count = Math.ceil(Math.max(0, frames - sent) / CASE_FRAMES);
    let numbers: number[] = [];
    let index = GIVEN;
    for (let i = 0; i < count; i++) {
      const number = shard.index - 1 + i * shard.of;
      const own = Generator.life(number);
      if (own !== index && numbers.length > 0) {
        yield { index, numbers };
        numbers = [];
      }
      index = own;
      numbers.push(number);
    }
    if (numbers.length > 0) yield { index, numbers };
  }

  async #live(worker: FuzzWorker, generator: Generator, { index, numbers }: Life): Promise<TriedCase[]> {
    await worker.renew(index, this.#reached);
    const room = this.#maxFindings - this.#findings.length;
    const tried: TriedCase[] = [];
    let next = generator.make(numbers[0] as number);
    for (const [at, number] of numbers.entries()) {
      if (this.#isOver || findingsIn(tried) >= room) break;
      const trying = this.#try(worker, next, number, `case-${number}`);
      // The next one is made while the host answers this one.
      const following = numbers[at + 1];
      if (following !== undefined) next = generator.make(following);
      tried.push(await trying);
    }
    return tried;
  }

  async #try(worker: FuzzWorker, of: FuzzCase, number: number, id: string): Promise<TriedCase> {
    const tried = await worker.try(of, number, id);
    this.#sent += framesIn(of);
    if (tried.finding !== undefined) this.#seen++;
    this.#options.onProgress?.({ frames: this.#sent, findings: this.#seen });
    return tried;
  }

  /** Whether no further case is begun. */
  get #isOver(): boolean {
    const { timeMs = Number.POSITIVE_INFINITY } = this.#options;
    return this.#failed || performance.now() - this.#begin > timeMs;
  }

  /** Takes a life in, and those that waited for it: in order, up to the last finding that is wanted. */
  #count(index: number, tried: readonly TriedCase[]): void {
    this.#over.set(index, tried);
    for (;;) {
      const life = this.#lives[this.#counted] ?? Number.NaN;
      const cases = this.#over.get(life);
      if (cases === undefined) return;
      this.#over.delete(life);
      this.#counted++;
      for (const one of cases) if (this.#findings.length < this.#maxFindings) this.#take(one);
    }
  }

  #take({ of, answers, skipped, news, finding }: TriedCase): void {
    this.#cases++;
    this.#frames += framesIn(of);
    this.#answers += answers;
    this.#skipped += skipped;
    if (finding !== undefined) this.#findings.push(finding);
    const before = this.#reached.size;
    for (const key of news) this.#reached.add(key);
    if (this.#reached.size > before) this.#interesting.push(of);
  }

  /** Tries a few laws on the host of the last life, where nothing was found. */
  async #laws(): Promise<readonly LawTried[]> {
    const { lawCases = 3, onFound } = this.#options;
    const last = this.#workers.reduce((one, other) => (other.life > one.life ? other : one));
    for (const worker of this.#workers) if (worker !== last) await worker.clear();
    if (this.#findings.length > 0 || lawCases === 0) return [];
    const { laws, findings } = await lawsAfterwards(this.#driver, last, {
      seed: this.#seed,
      cases: lawCases,
      onFound,
    });
    this.#findings.push(...findings);
    return laws;
  }

  #report(served: ReadonlySet<string>, laws: readonly LawTried[]): FuzzReport {
    this.#coverage.adopt(this.#reached);
    return {
      driver: this.#driver.name,
      seed: this.#seed,
      cases: this.#cases,
      frames: this.#frames,
      answers: this.#answers,
      skipped: this.#skipped,
      served: [...served].sort(),
      findings: this.#findings,
      coverage: this.#coverage.report(served),
      interesting: this.#interesting,
      laws,
      durationMs: Math.round(performance.now() - this.#begin),
    };
  }
}

function findingsIn(tried: readonly TriedCase[]): number {
  return tried.filter(({ finding }) => finding !== undefined).length;
}
