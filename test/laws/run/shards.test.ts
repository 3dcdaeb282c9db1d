import { describe, expect, it } from "vitest";
import type { LawsReport } from "../../../src/laws/report/report.js";
import { mergeReports } from "../../../src/laws/run/merge.js";
import { type Runs, readShard } from "../../../src/laws/run/plan.js";
import { runLaws } from "../../../src/laws/run/run-laws.js";
import { type ToyOptions, toyDriver, toyLaw } from "../../support/toy-laws.js";

/** Runs two laws and tells what was tried of the first. */
async function run(
  options: { shard?: string; runs?: Runs; seed?: number; workers?: number } = {},
  toy: ToyOptions = {},
): Promise<{ report: LawsReport; tried: number[] }> {
  const tried: number[] = [];
  const laws = [
    toyLaw("one", { runs: 30, least: { numbers: 28 }, tried: (n) => tried.push(n), ...toy }),
    toyLaw("two", { void: (n) => n % 10 === 0 }),
    toyLaw("far", { needs: ["durable"] }),
  ];
  const { shard, ...rest } = options;
  const part = readShard(shard ?? "");
  const { report } = await runLaws(toyDriver(), {
    laws,
    ...rest,
    ...(part === undefined ? {} : { shard: part }),
  });
  return { report, tried };
}

const shards = (of: number, options: Parameters<typeof run>[0] = {}, toy: ToyOptions = {}) =>
  Promise.all(Array.from({ length: of }, (_, i) => run({ ...options, shard: `${i + 1}/${of}` }, toy)));
const merge = (reports: readonly LawsReport[]) =>
  mergeReports(reports.map((report, i) => ({ name: `report ${i}`, text: JSON.stringify(report) })));
const sorted = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

describe("shards", () => {
  it("try exactly the cases of the whole together", async () => {
    for (const runs of [{ percent: 100 }, { each: 7 }, { percent: 50 }] as const) {
      const whole = await run({ runs, seed: 4 });
      const parts = await shards(4, { runs, seed: 4 });
      expect(sorted(parts.flatMap(({ tried }) => tried))).toEqual(sorted(whole.tried));
      expect(parts.every(({ tried }) => tried.length < whole.tried.length)).toBe(true);
    }
  });

  it("join into the report of the whole", async () => {
    const whole = await run();
    const parts = await shards(4);
    const merged = merge(parts.map(({ report }) => report));
    expect(merged).toEqual({ report: { ...whole.report, durationMs: expect.any(Number) } });
  });

  it("judge no counts one by one: the whole does", async () => {
    const parts = await shards(4, {}, { least: { numbers: 31 } });
    expect(parts.map(({ report }) => report.verdict)).toEqual(["holds", "holds", "holds", "holds"]);
    const merged = merge(parts.map(({ report }) => report));
    expect("report" in merged && merged.report.laws[0]).toMatchObject({
      verdict: "inconclusive",
      why: expect.stringContaining("30 of 31 numbers"),
    });
  });

  it("are broken together where one is", async () => {
    const parts = await shards(3, { seed: 2 }, { breaks: (n) => n >= 990 - 20 });
    const verdicts = parts.map(({ report }) => report.verdict);
    expect(verdicts).toContain("broken");
    expect(verdicts).toContain("holds");
    const merged = merge(parts.map(({ report }) => report));
    expect("report" in merged && merged.report.verdict).toBe("broken");
    expect("report" in merged && merged.report.laws[0]?.broken?.case).toBe(970);
  });
});

describe("reports that are no shards of one run", () => {
  it("are refused", async () => {
    const [one, two] = (await shards(2)).map(({ report }) => report) as [LawsReport, LawsReport];
    const wrong = (reports: readonly LawsReport[]) => {
      const merged = merge(reports);
      return "wrong" in merged ? merged.wrong : undefined;
    };
    expect(wrong([one, two])).toBeUndefined();
    expect(wrong([])).toContain("nothing");
    expect(wrong([one])).toContain("2/2 is there 0 times");
    expect(wrong([one, one, two])).toContain("1/2 is there 2 times");
    expect(wrong([one, { ...two, seed: 9 }])).toContain("seed");
    expect(wrong([one, { ...two, runs: "9" }])).toContain("runs");
    expect(wrong([one, { ...two, version: "9" }])).toContain("version");
    expect(wrong([one, { ...two, shard: { index: 2, of: 3 } }])).toContain("number of shards");
    expect(wrong([one, { ...two, laws: [] }])).toContain("laws");
    expect(wrong([one, { ...two, driver: { ...two.driver, abilities: [] } }])).toContain("abilities");
    expect(wrong([one, { ...two, format: 2 as never }])).toContain("form 2");
    expect(wrong([one, { ...two, kind: "other" as never }])).toContain("no report");
    expect(wrong([(await run()).report])).toContain("not the report of a shard");
    expect(mergeReports([{ name: "x", text: "{" }])).toMatchObject({
      wrong: expect.stringContaining("not JSON"),
    });
  });
});
