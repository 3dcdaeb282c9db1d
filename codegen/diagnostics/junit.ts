/** JUnit XML, which CI systems read. */

/** One case of a suite. Its failure has a message on one line and a text. */
export interface JunitCase {
  readonly group: string;
  readonly name: string;
  readonly failure?: { readonly message: string; readonly text: string };
  /** What is told of a case that did not fail. */
  readonly output?: string;
}

/** One suite. */
export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

/** The document. It has no times: they are of the run, not of what was found. */
export function junitDocument(suites: readonly JunitSuite[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    ...suites.flatMap(suiteLines),
    "</testsuites>",
    "",
  ].join("\n");
}

function suiteLines({ name, cases }: JunitSuite): string[] {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  return [
    `<testsuite name=${quoted(name)} tests="${cases.length}" failures="${failures}" errors="0" skipped="0">`,
    ...cases.map(caseLine),
    "</testsuite>",
  ];
}

function caseLine({ group, name, failure, output }: JunitCase): string {
  const inner =
    failure === undefined
      ? output === undefined || output === ""
        ? ""
        : `<system-out>${escaped(output)}</system-out>`
      : `<failure message=${quoted(failure.message)}>${escaped(failure.text)}</failure>`;
  return `<testcase classname=${quoted(group)} name=${quoted(name)}>${inner}</testcase>`;
}

/** Text that XML can hold: what it has no form for becomes a question mark. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "?")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

function quoted(text: string): string {
  return `"${escaped(text).replaceAll("\n", "&#10;")}"`;
}
