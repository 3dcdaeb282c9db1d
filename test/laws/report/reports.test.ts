import { describe, expect, it } from "vitest";
import { FORMATS } from "../../../src/laws/report/formats.js";
import type { LawRow, LawsReport } from "../../../src/laws/report/report.js";
import { runLaws } from "../../../src/laws/run/run-laws.js";
import { toyDriver, toyLaw } from "../../support/toy-laws.js";

const KNOWN = [
  { law: "excused", reason: "not done yet", until: "2026-12-24" },
  { law: "mended", reason: "not done yet", until: "2026-12-24" },
];

/** A report that has every kind of row. */
async function report(): Promise<LawsReport> {
  const run = await runLaws(toyDriver({ name: 'a <toy> & "more"' }), {
    laws: [
      toyLaw("good"),
      toyLaw("bad", { breaks: (n) => n > 3 }),
      toyLaw("empty", { void: () => true }),
      toyLaw("far", { needs: ["durable"] }),
      toyLaw("excused", { breaks: () => true }),
      toyLaw("mended"),
    ],
    known: KNOWN,
    today: "2026-12-01",
  });
  return run.report;
}

/** The same with a text that no form can take as it is. */
function poisoned(of: LawsReport, what: string): LawsReport {
  const laws = of.laws.map((row): LawRow => {
    return row.broken === undefined ? row : { ...row, broken: { ...row.broken, what } };
  });
  return { ...of, laws };
}

describe("a report", () => {
  it("is a table for people, with what is broken below it", async () => {
    const text = FORMATS.text(await report());
    expect(text.split("\n").slice(0, 6)).toEqual([
      expect.stringMatching(/^holds +good +12 cases, 12 numbers$/),
      expect.stringMatching(/^BROKEN +bad +a number broke it; 1 cases, /),
      expect.stringMatching(/^inconclusive +empty +12 of 12 cases came to nothing: a void number; /),
      expect.stringMatching(/^not applicable +far +the host has not: durable$/),
      expect.stringMatching(/^BROKEN +excused +known until 2026-12-24: not done yet; /),
      expect.stringMatching(/^holds +mended +known until /),
    ]);
    expect(text).toContain("  case: 4\n");
    expect(text).toContain("  again: mspkit laws run --law bad --seed 1 --case ");
    expect(text).toContain("mended is a known failure, and holds");
    expect(text).toContain("2 hold, 2 broken (1 known), 1 inconclusive, 1 not applicable");
  });

  it("keeps to one line for each law, whatever a host says", async () => {
    const of = await report();
    const laws = of.laws.map((row): LawRow => ({ ...row, why: "it said:\nno\r\nmore" }));
    const lines = FORMATS.text({ ...of, laws }).split("\n");
    expect(lines[0]).toContain("it said: no more; 12 cases");
    expect(lines[3]).toContain("far");
  });

  it("says in all that it was flaky, seen elsewhere or kept", async () => {
    const of = await report();
    const laws = of.laws.map(
      (row): LawRow =>
        row.broken === undefined
          ? row
          : { ...row, broken: { ...row.broken, of: "other", kept: true, again: { tries: 3, broke: 1 } } },
    );
    const text = FORMATS.text({ ...of, laws });
    expect(text).toContain("FLAKY: of 3 tries on new places 1 broke it again");
    expect(text).toContain("seen in a case of other");
    expect(text).toContain("found first");
  });

  it("is JSON that says the same", async () => {
    const of = await report();
    expect(JSON.parse(FORMATS.json(of))).toEqual(of);
  });

  it("is JUnit: failures, errors for what is inconclusive, skipped for what does not apply or is known", async () => {
    const xml = FORMATS.junit(await report());
    expect(xml).toContain('tests="7" failures="2" errors="1" skipped="2"');
    expect(xml).toContain('name="mspkit laws: a &lt;toy&gt; &amp; &quot;more&quot;"');
    const cases = new Map(
      [...xml.matchAll(/<testcase classname="(\w+)" name="([^"]+)">([\s\S]*?)<\/testcase>/g)].map(
        ([, , name, inner]) => [name, /^<([\w-]+)/.exec(inner ?? "")?.[1]],
      ),
    );
    expect(Object.fromEntries(cases)).toEqual({
      good: "system-out",
      bad: "failure",
      empty: "error",
      far: "skipped",
      excused: "skipped",
      mended: "system-out",
      "nothing else speaks against the run": "failure",
    });
  });

  it("is XML whatever a host says", async () => {
    const what = "a\u0000b\u001bc]]>&<\ud800\u{1F600}\ufffe\n";
    const xml = FORMATS.junit(poisoned(await report(), what));
    expect(xml).toContain('<failure message="a?b?c]]&gt;&amp;&lt;?\u{1F600}?&#10;">');
    expect(xml).not.toMatch(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u);
  });

  it("is Markdown whose table and fences nothing breaks", async () => {
    const md = FORMATS.md(poisoned(await report(), "a | b\n```` <b>"));
    expect(md).toContain("| BROKEN | `bad` | core | The law bad holds. | a \\| b ```` &lt;b>; ");
    expect(md).toContain("`````text\n");
    const rows = md.split("\n").filter((line) => line.startsWith("| "));
    expect(rows).toHaveLength(2 + 6);
    for (const row of rows) expect(row.replaceAll("\\|", "").split("|")).toHaveLength(7);
  });

  it("is workflow commands, one a line: errors, and warnings for what is inconclusive or known", async () => {
    const text = FORMATS["github-actions"](poisoned(await report(), "100 %\r\nworse"));
    const lines = text.trimEnd().split("\n");
    expect(lines.map((line) => /^::(\w+) title=([\w-]+)::/.exec(line)?.slice(1))).toEqual([
      ["error", "bad"],
      ["warning", "empty"],
      ["warning", "excused"],
      ["error", "laws"],
      ["notice", "laws"],
    ]);
    expect(lines[0]).toContain("100 %25%0D%0Aworse");
  });
});
