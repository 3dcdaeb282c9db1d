/** The reports of a drift: every change is in each of them, with its place and how it stands. */
import { describe, expect, test } from "vitest";
import { DRIFT_FORMATS, type DriftFormat, isDriftFormat } from "../../../../codegen/drift/report/formats.js";
import { CHANGES, COMPARISON, RUN, STRANGE, UNJUDGED } from "./runs.js";

const FAILING = [CHANGES.failing, CHANGES.withoutWindow, CHANGES.unknown];
const all = Object.values(CHANGES);

test("the run fails and passes in every way that there is", () => {
  expect(COMPARISON.gate).toMatchObject({
    failing: [{ id: CHANGES.failing.id }, { id: CHANGES.unknown.id }],
    acknowledged: [{ change: { id: CHANGES.acknowledged.id } }],
    withoutWindow: [{ change: { id: CHANGES.withoutWindow.id } }],
    stale: [{ change: "9".repeat(16) }],
  });
  expect(RUN.findings.map(({ rule }) => rule)).toEqual(["removal-without-window", "stale-acknowledgment"]);
});

describe("text", () => {
  const lines = DRIFT_FORMATS.text(RUN).split("\n");

  test("has a line for each change, which starts with its place", () => {
    const text = DRIFT_FORMATS.text(RUN);
    for (const { pointer, side, verdict, rule } of all)
      expect(text).toContain(`${side}.json:${pointer.length + 1}:7: ${verdict} ${rule}: `);
    expect(text.endsWith("\n") && !text.endsWith("\n\n")).toBe(true);
  });

  test("has below it the pairings that are not none, the witness in one line, and how it stands", () => {
    const at = lines.findIndex((line) => line.includes(" values-closed: "));
    expect(lines.slice(at + 1, at + 4).map((line) => line.slice(0, 40))).toEqual([
      "    clients of 1.4.0 with hosts of schem",
      '    the host sends, as result of a/b: {"',
      "    refused at /y by required: x is miss",
    ]);
    expect(lines.filter((line) => line.includes("not acknowledged: "))).toEqual([
      `    not acknowledged: ${CHANGES.failing.id}`,
      `    not acknowledged: ${CHANGES.unknown.id}`,
    ]);
    expect(lines.filter((line) => line.includes("fails all the same"))).toHaveLength(1);
    expect(lines.filter((line) => line.includes("They disagree here."))).toHaveLength(1);
    expect(lines.filter((line) => line.includes("(7 values sent and accepted)"))).toHaveLength(1);
  });

  test("has the hints, the findings and the counts of each base at the end", () => {
    expect(lines.filter((line) => line.startsWith("head.json:14:7: hint: "))).toHaveLength(1);
    expect(lines.filter((line) => / error (?:stale-ack|removal-)/.test(line))).toHaveLength(2);
    expect(lines.slice(-3)).toEqual([
      "1.4.0 to schema/a b.json: 3 breaking, 1 unknown, 2 additive, 1 without effect, 1 experimental, 3 fail, 1 acknowledged, next version: 2.0.0",
      "1.3.0 to schema/a b.json: no change",
      "",
    ]);
  });

  test("keeps each thing on its line, whatever texts hold", () => {
    expect(STRANGE).toContain("\n");
    const known = /^(?:\S.*:\d+:\d+: |\d\.\d\.\d to | {4}\S|$)/;
    expect(lines.filter((line) => !known.test(line))).toEqual([]);
  });
});

describe("JSON", () => {
  interface Told {
    readonly comparisons: readonly {
      readonly counts: object;
      readonly changes: readonly (Record<string, unknown> & { readonly id: string })[];
    }[];
    readonly findings: readonly unknown[];
  }
  const told = JSON.parse(DRIFT_FORMATS.json(RUN)) as Told;
  const changes = told.comparisons[0]?.changes ?? [];

  test("has each change as it is, with its place and standing", () => {
    expect(changes).toHaveLength(all.length);
    for (const [i, change] of all.entries()) {
      expect(changes[i]).toMatchObject(JSON.parse(JSON.stringify(change)) as object);
      expect(changes[i]).toMatchObject({ file: `${change.side}.json`, column: 7 });
      for (const name of ["id", "rule", "pointer", "verdict", "breaks"])
        expect(changes[i]).toHaveProperty(name);
      if (change.breaks.length > 0) expect(changes[i]).toHaveProperty("witness");
    }
    expect(changes.filter(({ fails }) => fails === true).map(({ id }) => id)).toEqual(
      FAILING.map(({ id }) => id),
    );
    expect(changes.map(({ standing }) => standing)).toEqual([
      "failing",
      "acknowledged",
      "without window",
      "failing",
      "told",
      "told",
      "told",
      "told",
    ]);
    expect(changes[1]).toHaveProperty("acknowledgment.acts", "both");
  });

  test("has the counts, the next version, the hints and the findings", () => {
    expect(told.comparisons[0]).toMatchObject({
      nextVersion: "2.0.0",
      counts: {
        stable: { none: 1, additive: 2, unknown: 1, breaking: 3 },
        experimental: 1,
        failing: 3,
        acknowledged: 1,
      },
      hints: [{ kind: "renamed" }],
    });
    expect(told.findings).toEqual(JSON.parse(JSON.stringify(RUN.findings)));
    const unjudged = JSON.parse(DRIFT_FORMATS.json(UNJUDGED)) as Told;
    expect(unjudged.comparisons[0]?.changes[0]).not.toHaveProperty("standing");
  });
});

describe("annotations", () => {
  const lines = DRIFT_FORMATS["github-actions"](RUN).trimEnd().split("\n");
  const level = (rule: string): string[] =>
    lines.filter((line) => line.includes(`title=${rule}`)).map((line) => line.split(" ")[0] ?? "");

  test("are errors, warnings and notices by how a change stands", () => {
    expect(level("breaking member-removed")).toEqual(["::error", "::notice"]);
    expect(level("breaking method-removed")).toEqual(["::error"]);
    expect(level("unknown shape-changed")).toEqual(["::error"]);
    expect(level("breaking values-closed")).toEqual(["::warning"]);
    expect(level("additive method-added")).toEqual(["::notice"]);
    expect(level("none definition-added")).toEqual([]);
    expect(level("stale-acknowledgment")).toEqual(["::error"]);
    expect(level("drift")).toEqual(["::notice", "::notice"]);
  });

  test("are one command a line, with file, line and column", () => {
    const command = /^::(?:error|warning|notice) file=[^,:]+,line=\d+,col=\d+,title=[^,:]+::.+$/;
    expect(lines.filter((line) => !command.test(line))).toEqual([]);
    expect(lines.length).toBeGreaterThan(10);
  });
});

describe("JUnit", () => {
  const text = DRIFT_FORMATS.junit(RUN);

  test("has a case for each change; those that fail are failures", () => {
    for (const { id } of all)
      expect(text.match(new RegExp(`<testcase [^>]*\\(${id}\\)"`, "g"))).toHaveLength(1);
    const failed = [...text.matchAll(/<testcase [^>]*\((\d{16})\)"><failure /g)].map(([, id]) => id);
    expect(failed).toEqual(FAILING.map(({ id }) => id));
  });

  test("counts what each suite has", () => {
    const suites = [
      ...text.matchAll(/<testsuite [^>]*tests="(\d+)" failures="(\d+)"[^>]*>([\s\S]*?)<\/testsuite>/g),
    ];
    expect(suites.map(([, tests, failures]) => [Number(tests), Number(failures)])).toEqual([
      [all.length + 1, 3],
      [1, 0],
      [2, 2],
    ]);
    for (const [, tests, failures, inner = ""] of suites) {
      expect(inner.match(/<testcase /g)).toHaveLength(Number(tests));
      expect(inner.match(/<failure /g) ?? []).toHaveLength(Number(failures));
    }
  });

  test("is XML, whatever texts hold", () => {
    expect(wellFormed(text)).toBe(true);
    expect(wellFormed(text.replace("&lt;", "<"))).toBe(false);
    expect(wellFormed(text.replace("</testcase>", ""))).toBe(false);
    expect(text).not.toContain("\u0001");
    expect(text).toContain("😀");
    expect(wellFormed(DRIFT_FORMATS.junit(UNJUDGED))).toBe(true);
    expect(DRIFT_FORMATS.junit(UNJUDGED)).not.toContain("<failure");
  });
});

describe("Markdown", () => {
  const text = DRIFT_FORMATS.md(RUN);

  test("has a row for each change, and a section for each that fails or breaks", () => {
    const rows = text
      .split("\n")
      .filter((line) => /^\| (?:\*\*)?(?:breaking|unknown|additive|none)/.test(line));
    expect(rows).toHaveLength(all.length);
    const bars = (line: string): number => (line.match(/(?<!\\)\|/g) ?? []).length;
    expect(new Set(rows.map(bars))).toEqual(new Set([6]));
    const sections = text.split("\n").filter((line) => line.startsWith("### "));
    expect(sections).toHaveLength(5);
    for (const { id } of FAILING) expect(text).toContain(`change \`${id}\``);
  });

  test("has the findings and the counts", () => {
    expect(text.match(/^- acknowledgments\.json:/gm)).toHaveLength(2);
    expect(text).toContain("next version: 2.0.0");
    expect(text).toContain("no change");
  });
});

test("nothing fails where nothing is judged", () => {
  for (const format of Object.keys(DRIFT_FORMATS) as DriftFormat[]) {
    const told = DRIFT_FORMATS[format](UNJUDGED);
    expect(told, format).not.toMatch(/not acknowledged|::error|<failure|"fails"|\*\*breaking\*\* \|/i);
    expect(told.length).toBeGreaterThan(500);
  }
});

test("a form is known by its name", () => {
  expect(["text", "json", "github-actions", "junit", "md"].every(isDriftFormat)).toBe(true);
  expect(["xml", "toString", ""].some(isDriftFormat)).toBe(false);
});

/** Whether tags nest, and no sign stands where it means something else. */
function wellFormed(xml: string): boolean {
  const open: string[] = [];
  let rest = xml.replace(/^<\?xml [^?]*\?>\n/, "");
  while (rest !== "") {
    const [found, end, name, attributes, alone] =
      /^<(\/?)([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>/.exec(rest) ?? /^[^<]+/.exec(rest) ?? [];
    if (found === undefined) return false;
    const words = attributes ?? (name === undefined ? found : "");
    if (/&(?!amp;|lt;|gt;|quot;|#10;)/.test(words)) return false;
    if (name !== undefined && end === "/") {
      if (open.pop() !== name) return false;
    } else if (name !== undefined && alone === "") open.push(name);
    rest = rest.slice(found.length);
  }
  return open.length === 0;
}
