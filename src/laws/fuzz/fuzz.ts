/** Fuzzes a host: sends it frames of all kinds, makes what goes wrong small, and sees whether its laws hold afterwards. */
import { catalog } from "../catalog.js";
import { Coverage, type CoverageReport } from "../coverage/coverage.js";
import type { Driver, HostPlace } from "../driver/driver.js";
import type { Verdict } from "../law.js";
import { runLaw, verdictOf } from "../run/run-law.js";
import { Stand } from "../stand.js";
import type { Finding } from "./finding.js";
import { type FuzzCase, framesIn } from "./frame.js";
import { FREE_BYTES, FuzzHost, type HostFault } from "./fuzz-host.js";
import { Generator } from "./generate.js";
import { servedAnyhow } from "./served.js";
import { smallest } from "./shrink.js";
import type { KeptLine } from "./wire.js";

/** What is sent, and how much of it. */
export interface FuzzOptions {
  /** Chooses the cases. Default: 1. */
  readonly seed?: number;
  /** Frames to send, about. Default: 10,000. */
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

/** Laws that are cheap and touch everything; those of them that the catalog has. */
const AFTERWARDS: readonly string[] = ["replay-identity", "conflict-payload", "one-end", "page-equals-push"];
/** Cases before one that are tried with it, where it shows nothing by itself. */
const BEFORE = 10;

/** See the top of the file. */
export async function fuzz(driver: Driver, options: FuzzOptions = {}): Promise<FuzzReport> {
  const run = new FuzzRun(driver, options);
  try {
    return await run.run();
  } finally {
    await run.clear();
  }
}

class FuzzRun {
  readonly #driver: Driver;
  readonly #options: FuzzOptions;
  readonly #seed: number;
  readonly #coverage = new Coverage();
  readonly #findings: Finding[] = [];
  readonly #interesting: FuzzCase[] = [];
  readonly #laws: { id: string; verdict: Verdict }[] = [];
  #host: FuzzHost;
  /** The cases of the host that lives now. */
  #past: FuzzCase[] = [];
  #cases = 0;
  #frames = 0;
  #answers = 0;
  #skipped = 0;

  constructor(driver: Driver, options: FuzzOptions) {
    this.#driver = driver;
    this.#options = options;
    this.#seed = options.seed ?? 1;
    this.#host = this.#fresh(driver.timeoutMs);
  }

  async run(): Promise<FuzzReport> {
    const {
      frames = 10_000,
      timeMs = Number.POSITIVE_INFINITY,
      shard,
      first = [],
      maxFindings = 10,
    } = this.#options;
    const begin = performance.now();
    const served = await servedAnyhow(this.#driver);
    const generator = new Generator({ seed: this.#seed, served, prompts: this.#driver.prompts });
    for (const of of first) if (this.#findings.length < maxFindings) await this.#try(of, -1);
    const { index, of: shards } = shard ?? { index: 1, of: 1 };
    let next = generator.make(index - 1);
    let life = -1;
    for (let number = index - 1; this.#frames < frames; number += shards) {
      if (performance.now() - begin > timeMs || this.#findings.length >= maxFindings) break;
      if (Generator.life(number) !== life) {
        life = Generator.life(number);
        await this.#renew();
      }
      const tried = this.#try(next, number);
      // The next one is made while the host answers this one.
      next = generator.make(number + shards);
      await tried;
      this.#options.onProgress?.({ frames: this.#frames, findings: this.#findings.length });
    }
    if (this.#findings.length === 0) await this.#tryLaws();
    await this.#renew();
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
      laws: this.#laws,
      durationMs: Math.round(performance.now() - begin),
    };
  }

  async clear(): Promise<void> {
    await this.#host.clear();
  }

  /** A new host on a new place for what comes next. */
  async #renew(): Promise<void> {
    this.#answers += this.#host.answered;
    this.#skipped += this.#host.skipped;
    await this.#host.clear();
    this.#host = this.#fresh(this.#driver.timeoutMs);
    this.#past = [];
  }

  #fresh(timeoutMs: number, coverage = this.#coverage, onLine?: (line: KeptLine) => void): FuzzHost {
    const driver = this.#driver;
    const { freeBytes = FREE_BYTES } = this.#options;
    return new FuzzHost({
      driver,
      coverage,
      timeoutMs,
      freeBytes,
      ...(onLine === undefined ? {} : { onLine }),
    });
  }

  async #try(of: FuzzCase, number: number): Promise<void> {
    const before = this.#coverage.reached;
    const fault = await this.#host.run(of, this.#seed + number);
    this.#cases++;
    this.#frames += framesIn(of);
    if (this.#coverage.reached > before) this.#interesting.push(of);
    this.#past.push(of);
    if (fault === undefined) return;
    const past = this.#past;
    const { stderrTail = "" } = this.#host.host ?? {};
    await this.#renew();
    this.#findings.push(await this.#small(fault, past, number, stderrTail));
  }

  /** Makes a finding small: of the case itself, or of it and those before it where it alone shows nothing. */
  async #small(
    fault: HostFault,
    past: readonly FuzzCase[],
    number: number,
    stderrTail: string,
  ): Promise<Finding> {
    const { maxShrinks = 150 } = this.#options;
    const last = past.at(-1) as FuzzCase;
    let seen = fault;
    let lines: KeptLine[] = [];
    let told = stderrTail;
    const until = performance.now() + SHRINK_MS;
    const shows = async (of: FuzzCase): Promise<boolean> => {
      const passed: KeptLine[] = [];
      // What was not answered in time at first need not be waited for so long again.
      const patience = Math.max(1_000, this.#driver.timeoutMs / 5);
      const host = this.#fresh(patience, new Coverage(), (line) => passed.push(line));
      try {
        const found = await this.#again(host, of, fault.kind, number);
        if (found?.kind !== fault.kind) return false;
        [seen, lines, told] = [found, passed, host.host?.stderrTail ?? ""];
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
      await shows(least);
      return findingOf(seen, least, number, true, lines, told);
    }
    return findingOf(fault, last, number, false, lines, stderrTail);
  }

  /** Runs a case on a new host; for a leak, over and over, since few frames leave little behind. */
  async #again(
    host: FuzzHost,
    of: FuzzCase,
    kind: HostFault["kind"],
    number: number,
  ): Promise<HostFault | undefined> {
    const times = kind === "leak" ? Math.ceil(LEAK_FRAMES / framesIn(of)) : 1;
    for (let i = 0; i < times; i++) {
      const found = await host.run(of, this.#seed + number + i);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Tries a few laws on the place, and where that can be on the very host, that was fuzzed. */
  async #tryLaws(): Promise<void> {
    const { lawCases = 3 } = this.#options;
    const { place, host } = this.#host;
    if (lawCases === 0 || place === undefined || host === undefined) return;
    const connections = this.#driver.abilities.has("connections");
    if (connections) await this.#host.disconnect();
    else await host.stop();
    let handed = false;
    const used: HostPlace = {
      start: async () => {
        if (handed || !connections) return place.start();
        handed = true;
        return host;
      },
      // The place is taken away when the run is over.
      remove: async () => undefined,
    };
    const driver: Driver = { ...this.#driver, place: async () => used };
    for (const law of catalog) {
      if (!AFTERWARDS.includes(law.id) || law.needs.some((need) => !driver.abilities.has(need))) continue;
      const stand = new Stand(driver);
      const cases = Array.from({ length: lawCases }, (_, i) => i);
      const found = await runLaw(law, stand, { seed: this.#seed, cases });
      await stand.stop();
      const { broken } = found;
      this.#laws.push({ id: law.id, verdict: broken === undefined ? "holds" : verdictOf(law, found) });
      if (broken === undefined) continue;
      const lines = broken.history.lines.map(({ dir, raw }) => ({ dir, raw }));
      const fault = { kind: "lawBroken" as const, what: broken.what, details: broken.details };
      const last = this.#past.at(-1) as FuzzCase;
      this.#findings.push({ ...findingOf(fault, last, -1, true, lines, host.stderrTail), law: broken.law });
    }
  }
}

/** No finding is made smaller for longer than that: one that hangs takes its time in each try. */
const SHRINK_MS = 60_000;
/** Frames in which what is kept of each adds up to something that is seen. */
const LEAK_FRAMES = 2_000;

function findingOf(
  {
    kind,
    what,
    details,
  }: { readonly kind: Finding["kind"]; readonly what: string; readonly details?: unknown },
  of: FuzzCase,
  number: number,
  again: boolean,
  lines: readonly KeptLine[],
  stderrTail: string,
): Finding {
  return { kind, what, details: details ?? null, number, case: of, again, lines, stderrTail };
}
