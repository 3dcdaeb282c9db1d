import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DriverError, isDriverError } from "../../../src/laws/driver/driver.js";
import type { AnyLaw } from "../../../src/laws/law.js";
import { law } from "../../../src/laws/law.js";
import { runLaws } from "../../../src/laws/run/run-laws.js";
import type { RunLawsOptions } from "../../../src/laws/run/run-options.js";
import { toyDriver, toyLaw } from "../../support/toy-laws.js";

const run = async (laws: readonly AnyLaw[], options: Partial<RunLawsOptions> = {}) =>
  runLaws(toyDriver(), { laws, ...options });
const verdicts = async (laws: readonly AnyLaw[], options: Partial<RunLawsOptions> = {}) => {
  const { report } = await run(laws, options);
  return [report.verdict, Object.fromEntries(report.laws.map(({ id, verdict }) => [id, verdict]))];
};

describe("a run of laws", () => {
  it("holds where every law holds, and says how much was tried", async () => {
    const { report } = await run([toyLaw("one"), toyLaw("two", { least: { numbers: 12 }, runs: 12 })]);
    expect(report.verdict).toBe("holds");
    expect(report.laws.map(({ cases, counts }) => [cases, counts])).toEqual([
      [12, { numbers: 12 }],
      [12, { numbers: 12 }],
    ]);
  });

  it("says with the smallest case what is broken, and how often it broke again", async () => {
    const { report, findings } = await run([toyLaw("one"), toyLaw("big", { breaks: (n) => n >= 100 })]);
    expect(report.verdict).toBe("broken");
    expect(report.laws[1]?.broken).toMatchObject({
      of: "big",
      case: 100,
      what: "a number broke it",
      again: { tries: 3, broke: 3 },
      kept: false,
      repeat: expect.stringMatching(/^mspkit laws run --law big --seed 1 --case \d+$/),
    });
    expect(findings.map((found) => found.law)).toEqual(["big"]);
  });

  it("tries the case of a repeat line, and finds it broken in the same way", async () => {
    const big = toyLaw("big", { breaks: (n) => n >= 400 });
    const { report } = await run([big], { seed: 7 });
    const { number, case: smallest, seed } = report.laws[0]?.broken ?? { number: -1 };
    const tried: number[] = [];
    const again = await run([toyLaw("big", { breaks: (n) => n >= 400, tried: (n) => tried.push(n) })], {
      seed: 7,
      case: number,
    });
    expect(again.report.laws[0]?.broken).toMatchObject({ case: smallest, seed, number });
    expect(again.report.laws[0]?.cases).toBe(1);
    expect(tried.length).toBeGreaterThan(0);
  });

  it("calls it flaky where it does not break three times more", async () => {
    let broken = 0;
    // Shrinking ends at once, since a smaller number does not break.
    const { report } = await run([toyLaw("moody", { breaks: () => broken++ === 0 })]);
    expect(report.laws[0]).toMatchObject({ verdict: "broken", broken: { again: { tries: 3, broke: 0 } } });
  });

  it("says nothing where too little was exercised, most cases came to nothing, or no law holds", async () => {
    expect(await verdicts([toyLaw("short", { least: { numbers: 13 } })])).toEqual([
      "inconclusive",
      { short: "inconclusive" },
    ]);
    const { report } = await run([toyLaw("empty", { void: () => true }), toyLaw("one")]);
    expect(report.verdict).toBe("inconclusive");
    expect(report.laws[0]).toMatchObject({
      verdict: "inconclusive",
      void: 12,
      voidReasons: ["a void number"],
    });
    expect(await verdicts([toyLaw("far", { needs: ["durable"] })])).toEqual([
      "inconclusive",
      { far: "notApplicable" },
    ]);
  });

  it("lets what is broken outrank what is inconclusive", async () => {
    expect(
      await verdicts([toyLaw("empty", { void: () => true }), toyLaw("bad", { breaks: () => true })]),
    ).toEqual(["broken", { empty: "inconclusive", bad: "broken" }]);
  });

  it("never tries a law whose needs are missing, and says what is missing", async () => {
    const tried: number[] = [];
    const { report } = await run([
      toyLaw("one"),
      toyLaw("far", { needs: ["durable", "crash"], tried: (n) => tried.push(n) }),
    ]);
    expect(tried).toEqual([]);
    expect(report.laws[1]).toMatchObject({ verdict: "notApplicable", missing: ["durable"] });
    expect(report.verdict).toBe("holds");
  });

  it("shows at its own row what is seen broken in the cases of another law", async () => {
    const one = toyLaw("one", { breaks: (n) => n >= 300, blames: "wire" });
    const wire = toyLaw("wire");
    const unasked = await run([one], { all: [one, wire] });
    expect(unasked.report.laws.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["one", "inconclusive"],
      ["wire", "broken"],
    ]);
    expect(unasked.report.laws[1]?.broken).toMatchObject({ of: "one", case: 300, again: { broke: 3 } });
    expect(unasked.report.laws[0]?.voidReasons).toEqual(["the law wire is broken in it"]);
    const asked = await run([one, wire]);
    expect(asked.report.laws.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["one", "inconclusive"],
      ["wire", "broken"],
    ]);
  });

  it("gives the same report for any number of workers", async () => {
    const laws = [
      ...Array.from({ length: 6 }, (_, i) => toyLaw(`law-${i}`)),
      toyLaw("big", { breaks: (n) => n >= 600 }),
      toyLaw("odd", { breaks: (n) => n % 2 === 1, blames: "law-1" }),
      toyLaw("even", { breaks: (n) => n % 2 === 0, blames: "law-1" }),
    ];
    const reports = await Promise.all(
      [1, 2, 5].map(async (workers) => {
        const { report } = await run(laws, { workers });
        return { ...report, durationMs: 0 };
      }),
    );
    expect(reports[1]).toEqual(reports[0]);
    expect(reports[2]).toEqual(reports[0]);
    expect(reports[0]?.laws.find(({ id }) => id === "law-1")?.broken?.of).toBe("odd");
  });

  it("uses no more places than the driver has", async () => {
    let now = 0;
    let most = 0;
    const busy = law<number>({
      id: "busy",
      level: "core",
      promise: "It is busy.",
      needs: [],
      least: {},
      runs: 1,
      cases: () => fc.nat(),
      run: async () => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        now--;
      },
    });
    const laws = Array.from({ length: 6 }, (_, i) => ({ ...busy, id: `busy-${i}` }));
    await runLaws(toyDriver({ maxPlaces: 3 }), { laws, workers: 6 });
    expect(most).toBe(3);
    await runLaws(toyDriver({ maxPlaces: 1 }), { laws, workers: 6 });
    expect(most).toBe(3);
  });

  it("stops after enough broken laws, and what was not run is not green", async () => {
    const laws = [
      toyLaw("bad", { breaks: () => true }),
      toyLaw("late"),
      toyLaw("later", { breaks: () => true }),
    ];
    const { report } = await run(laws, { workers: 1, maxFailures: 1 });
    expect(report.laws.map(({ verdict, cases }) => [verdict, cases])).toEqual([
      ["broken", 1],
      ["inconclusive", 0],
      ["inconclusive", 0],
    ]);
    expect(report.verdict).toBe("broken");
  });

  it("ends with the error of the surroundings, without a verdict and without a place left", async () => {
    const driver = toyDriver();
    const fails = law<number>({
      id: "fails",
      level: "core",
      promise: "It fails.",
      needs: [],
      least: {},
      runs: 3,
      cases: () => fc.nat(),
      run: async (trial) => {
        await trial.restart();
        throw new DriverError("survivor", "something lives on");
      },
    });
    const error = await runLaws(driver, { laws: [fails, toyLaw("one")] }).catch((reason: unknown) => reason);
    expect(isDriverError(error) && error.kind).toBe("survivor");
    expect(driver.places.made).toBeGreaterThan(0);
    expect(driver.places.left).toBe(0);
  });

  it("is given up at once when it is aborted, without a place left", async () => {
    const driver = toyDriver();
    const stop = new AbortController();
    const tried: number[] = [];
    const stops = law<number>({
      id: "stops",
      level: "core",
      promise: "It stops.",
      needs: [],
      least: {},
      runs: 50,
      cases: () => fc.nat(),
      run: async (trial, number) => {
        await trial.restart();
        tried.push(number);
        if (tried.length === 3) stop.abort(new Error("enough"));
      },
    });
    await expect(runLaws(driver, { laws: [stops], signal: stop.signal })).rejects.toThrow("enough");
    expect(tried).toHaveLength(3);
    expect(driver.places.left).toBe(0);
  });

  it("breaks where the coverage is less than what is asked for", async () => {
    const coverage = (percent: number) => ({
      note: () => undefined,
      report: () => ({ percent }) as never,
    });
    const laws = [toyLaw("one")];
    const low = await run(laws, { coverage: coverage(49), minCoverage: 50 });
    expect(low.report).toMatchObject({ verdict: "broken", objections: [expect.stringContaining("49")] });
    const enough = await run(laws, { coverage: coverage(50), minCoverage: 50 });
    expect(enough.report).toMatchObject({ verdict: "holds", objections: [] });
  });
});

describe("a run in rounds", () => {
  it("tries further cases until the time is over, and says how many", async () => {
    const tried: number[] = [];
    const laws = [toyLaw("one", { tried: (n) => tried.push(n), runs: 10 }), toyLaw("two", { runs: 25 })];
    const { report } = await run(laws, { timeMs: 60, seed: 3 });
    const percent = Number(/^(\d+)%$/.exec(report.runs)?.[1]);
    expect(percent % 20).toBe(0);
    expect(report.profile).toBe("nightly");
    const [one, two] = report.laws;
    expect(one?.cases).toBe(tried.length);
    // Each has as many rounds as any other, or one less.
    expect([percent, percent - 20]).toContain((one?.cases ?? 0) * 10);
    expect([percent, percent - 20]).toContain((two?.cases ?? 0) * 4);
    const again: number[] = [];
    await run([toyLaw("one", { tried: (n) => again.push(n), runs: 10 })], {
      seed: 3,
      runs: { percent },
    });
    expect(again.slice(0, tried.length)).toEqual(tried);
  });

  it("tries a broken law no further", async () => {
    const { report } = await run([toyLaw("bad", { breaks: () => true }), toyLaw("one")], { timeMs: 40 });
    expect(report.laws[0]).toMatchObject({ verdict: "broken", cases: 1 });
    expect(report.laws[1]?.cases).toBeGreaterThan(1);
  });
});

describe("cases that were kept", () => {
  const kept = { law: "big", of: "big", number: 3, case: 700, seed: 5, runSeed: 9 };

  it("are tried first, and a law that they break is tried no further", async () => {
    const tried: number[] = [];
    const { report } = await run([toyLaw("big", { breaks: (n) => n >= 700, tried: (n) => tried.push(n) })], {
      kept: [kept],
    });
    expect(tried[0]).toBe(700);
    expect(new Set(tried)).toEqual(new Set([700]));
    expect(report.laws[0]).toMatchObject({
      verdict: "broken",
      cases: 0,
      broken: { kept: true, case: 700, repeat: "mspkit laws run --law big --seed 9 --case 3" },
    });
  });

  it("are said to break nothing any more, and the law is tried as ever", async () => {
    const { report } = await run([toyLaw("big")], { kept: [kept] });
    expect(report.laws[0]).toMatchObject({ verdict: "holds", cases: 12, keptHeld: 1 });
  });
});

describe("known failures", () => {
  const bad = toyLaw("bad", { breaks: () => true });
  const known = [{ law: "bad", reason: "not done yet", until: "2026-12-24" }];
  const at = (today: string, laws: readonly AnyLaw[]) => run(laws, { known, today });

  it("excuse a broken law up to their last day", async () => {
    const { report } = await at("2026-12-24", [bad, toyLaw("one")]);
    expect(report.verdict).toBe("holds");
    expect(report.laws[0]).toMatchObject({ verdict: "broken", known: { over: false } });
  });

  it("excuse nothing afterwards", async () => {
    const { report } = await at("2026-12-25", [bad, toyLaw("one")]);
    expect(report.verdict).toBe("broken");
    expect(report.objections).toEqual([expect.stringContaining("2026-12-24")]);
  });

  it("break the run where they hold", async () => {
    const { report } = await at("2026-12-01", [toyLaw("bad"), toyLaw("one")]);
    expect(report.verdict).toBe("broken");
    expect(report.objections).toEqual([expect.stringContaining("holds")]);
  });

  it("excuse no other law", async () => {
    const { report } = await at("2026-12-01", [bad, toyLaw("worse", { breaks: () => true })]);
    expect(report.verdict).toBe("broken");
  });
});
