/** The forms in which a fuzzing run is told: the same as those of laws. */
import { FAMILIES } from "../coverage/coverage.js";
import type { ReportFormat } from "../report/formats.js";
import { command } from "../report/github-actions.js";
import { element, escaped, quoted } from "../report/junit.js";
import { cell, fenced } from "../report/markdown.js";
import { coverageLine } from "../report/text.js";
import type { Finding, FindingKind } from "./finding.js";
import type { FuzzReport } from "./fuzz.js";

/** The version of the form in which a run is told as JSON. */
const FORMAT = 1;

/** A run, and what is told beside it. */
export interface ToldFuzz {
  readonly report: FuzzReport;
  /** Where each finding is kept. */
  readonly folders: readonly string[];
  /** The command that runs the same cases again. */
  readonly repeat: string;
  /** Coverage in percent below which the run fails; undefined for none. */
  readonly minCoverage: number | undefined;
}

/** What a run says of the host: `inconclusive` where nothing was answered, and so nothing seen. */
export function fuzzVerdict({
  report,
  minCoverage = 0,
}: Pick<ToldFuzz, "report" | "minCoverage">): "holds" | "broken" | "inconclusive" {
  if (report.findings.length > 0 || report.coverage.percent < minCoverage) return "broken";
  return report.answers === 0 ? "inconclusive" : "holds";
}

/** Each form by its name. */
export const FUZZ_FORMATS = {
  text: textOf,
  json: jsonOf,
  junit: junitOf,
  md: markdownOf,
  "github-actions": githubActionsOf,
} as const satisfies Readonly<Record<ReportFormat, (told: ToldFuzz) => string>>;

/** What a finding says of the host, in words. */
const KINDS: Readonly<Record<FindingKind, string>> = {
  crash: "it lives on",
  hang: "what is due comes",
  leak: "its memory is bounded",
  badAnswer: "what comes is what may come",
  lawBroken: "laws hold of it afterwards",
};
const NO_ANSWER = "nothing was answered: the run says nothing";
/** Lines of frames and of missing points that are shown. */
const SHOWN = 12;

function jsonOf(told: ToldFuzz): string {
  const { findings, interesting, ...rest } = told.report;
  const shown = {
    kind: "fuzzReport",
    format: FORMAT,
    verdict: fuzzVerdict(told),
    ...rest,
    repeat: told.repeat,
    interesting: interesting.length,
    findings: findings.map(({ lines: _, ...finding }, at) => ({ ...finding, folder: told.folders[at] })),
  };
  return `${JSON.stringify(shown, null, 2)}\n`;
}

function textOf(told: ToldFuzz): string {
  const { findings } = told.report;
  const found = findings.flatMap((finding, at) => [...findingLines(finding, told.folders[at]), ""]);
  return `${[ran(told), ...(found.length === 0 ? [] : ["", ...found]), ...rest(told)].join("\n")}\n`;
}

function markdownOf(told: ToldFuzz): string {
  const { findings } = told.report;
  const sections = findings.flatMap((finding, at) => [
    "",
    `## ${nameOf(finding)}`,
    "",
    ...fenced(findingLines(finding, told.folders[at]).join("\n")),
  ]);
  const lines = [ran(told), ...rest(told)].map((line) => `${cell(line)}  `);
  return ["# Fuzzing", "", ...lines, ...sections, ""].join("\n");
}

function junitOf(told: ToldFuzz): string {
  const { report } = told;
  const verdict = fuzzVerdict(told);
  const cases = (Object.keys(KINDS) as FindingKind[]).map((kind) => {
    const found = report.findings.flatMap((finding, at) => (finding.kind === kind ? [{ finding, at }] : []));
    const failures = found.map(
      ({ finding, at }) =>
        `<failure message=${quoted(finding.what)}>${escaped(findingLines(finding, told.folders[at]).join("\n"))}</failure>`,
    );
    return { failed: found.length > 0, text: element(kind, KINDS[kind], failures.join("")) };
  });
  const short = shortage(told);
  const error = verdict === "inconclusive" ? `<error message=${quoted(NO_ANSWER)}/>` : "";
  const failure = short === undefined ? "" : `<failure message=${quoted(short)}/>`;
  const output = `<system-out>${escaped([ran(told), ...rest(told)].join("\n"))}</system-out>`;
  const attributes = [
    `name=${quoted(`mspkit fuzz: ${report.driver}`)}`,
    `tests="${cases.length + 1}"`,
    `failures="${cases.filter(({ failed }) => failed).length + (short === undefined ? 0 : 1)}"`,
    `errors="${error === "" ? 0 : 1}"`,
    'skipped="0"',
    `time="${(report.durationMs / 1_000).toFixed(3)}"`,
  ].join(" ");
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites><testsuite ${attributes}>`,
    ...cases.map(({ text }) => text),
    element("run", "enough was exercised", `${failure}${error}${output}`),
    "</testsuite></testsuites>",
    "",
  ].join("\n");
}

function githubActionsOf(told: ToldFuzz): string {
  const found = told.report.findings.map((finding, at) =>
    command("error", nameOf(finding), findingLines(finding, told.folders[at]).join("\n")),
  );
  const short = shortage(told);
  const lines = [
    ...found,
    ...(short === undefined ? [] : [command("error", "fuzz", short)]),
    ...(fuzzVerdict(told) === "inconclusive" ? [command("warning", "fuzz", NO_ANSWER)] : []),
    command("notice", "fuzz", [ran(told), ...rest(told)].join("\n")),
  ];
  return `${lines.join("\n")}\n`;
}

function ran({ report }: ToldFuzz): string {
  const { frames, cases, driver, answers, durationMs, seed } = report;
  const seconds = (durationMs / 1_000).toFixed(1);
  return `${frames} frames in ${cases} cases to ${driver}, ${answers} answers, ${seconds} s, seed ${seed}`;
}

/** What is told of a run beside its findings. */
function rest(told: ToldFuzz): string[] {
  const { skipped, findings, coverage, laws } = told.report;
  const missing = FAMILIES.flatMap((name) => coverage[name].missing.map((point) => `${name}: ${point}`));
  const short = shortage(told);
  return [
    ...(skipped === 0
      ? []
      : [`${skipped} frames that are no UTF-8 were left out: the transport carries text`]),
    ...(findings.length === 0 ? [] : [`again: ${told.repeat}`]),
    coverageLine(coverage),
    ...missing.slice(0, SHOWN).map((point) => `  not reached, ${point}`),
    ...(missing.length > SHOWN ? [`  and ${missing.length - SHOWN} more`] : []),
    ...(short === undefined ? [] : [short]),
    ...(laws.length === 0
      ? []
      : [`laws afterwards: ${laws.map(({ id, verdict }) => `${id} ${verdict}`).join(", ")}`]),
    fuzzVerdict(told) === "inconclusive"
      ? NO_ANSWER
      : findings.length === 0
        ? "nothing found"
        : `${findings.length} found`,
  ];
}

/** Why too little was exercised; undefined where it was enough. */
function shortage({ report, minCoverage = 0 }: ToldFuzz): string | undefined {
  const { percent } = report.coverage;
  return percent < minCoverage ? `${percent} % of the schema is less than ${minCoverage} %` : undefined;
}

function nameOf({ kind, law }: Finding): string {
  return law === undefined ? kind : `${kind} (${law})`;
}

function findingLines(finding: Finding, folder: string | undefined): string[] {
  const { what, again, law, case: of, details } = finding;
  // Where a law is broken the case is only what was sent last.
  const frames = law === undefined ? of.batches.flat() : [];
  return [
    `${nameOf(finding)}: ${what}${again ? "" : "; it was not seen again on a new host"}`,
    ...frames
      .slice(0, SHOWN)
      .map(({ text }) => `  > ${text.length > 200 ? `${text.slice(0, 200)} ...` : text}`),
    ...(frames.length > SHOWN ? [`  and ${frames.length - SHOWN} more`] : []),
    `  ${JSON.stringify(details).slice(0, 600)}`,
    ...(folder === undefined ? [] : [`  kept in ${folder}`]),
  ];
}
