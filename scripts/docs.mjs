// Writes the parts of docs/ that are made from tables: rules.md as a whole, and in dialect.md, drift.md, wire.md,
// conformance.md, test-agent.md, host.md and laws.md what stands between markers. With --check it writes nothing and exits 1 where a page is not current.
//   node scripts/docs.mjs [--check] [FOLDER]
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { ANNOTATIONS, ENTRY_ANNOTATIONS, KEYWORDS, MARKS } from "../dist/codegen/bundle/keywords.js";
import { rules } from "../dist/codegen/diagnostics/catalog.js";
import { laws } from "../dist/src/laws/index.js";
import { transcriptRules } from "../dist/src/transcripts/index.js";
import { ROWS } from "./vectors/framing.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const words = process.argv.slice(2);
const check = words.includes("--check");
const folder = words.find((word) => !word.startsWith("--")) ?? join(root, "docs");

/** A module of the source that no entry point of the package has. */
function sourceModule(path) {
  const { outputFiles } = buildSync({
    entryPoints: [join(root, path)],
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}
const { driftRules } = await sourceModule("codegen/drift/rules.ts");
const { DIRECTIVES } = await sourceModule("src/host/agents/script.ts");
const { BEYOND_LIMITS, DEFAULT_LIMITS } = await sourceModule("src/host/host-options.ts");
const { HOST_EXITS } = await sourceModule("src/host/exit-codes.ts");
const { ABILITIES } = await sourceModule("src/laws/driver/abilities.ts");
const { promises } = await sourceModule("src/laws/promises.ts");

/** The published schema of the dialect has the descriptions; the tables of the generator have the places. */
const published = JSON.parse(readFileSync(join(root, "schema/dialect.schema.json"), "utf8")).$defs;
const PLACES = {
  definition: "definition",
  member: "member",
  inner: "other node",
  method: "method",
  notification: "notification",
  request: "server request",
  error: "error",
};

/** Text that stays as it is in a cell of a table. */
const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |\n`).join("");
/** A description without the sentence about places, which have a column of their own. */
const meaning = ({ description }) => description.replace(/ Stands on: [^.]*\.$/, "");
/** The values that the published schema accepts, where they are few words. */
const valuesOf = (schema) =>
  (schema.enum ?? (schema.const === undefined ? [] : [schema.const]))
    .map((value) => `\`${JSON.stringify(value)}\``)
    .join(", ");
const listed = (names) => names.map((name) => PLACES[name]).join(", ");

/** What comes of the bytes of a framing vector, in words. */
function outcomeWords(outcome) {
  switch (outcome.type) {
    case "request":
      return "a request";
    case "notification":
      return "a notification";
    case "settled":
      return "code" in outcome ? "the call has an error" : "the call has its result";
    case "unknown":
      return "the call is over, outcome unknown";
    case "refused":
      return `error ${outcome.code}, id ${JSON.stringify(outcome.id)}`;
    case "dropped":
      return "dropped";
  }
}

/** What holds hosts to a promise, in words. */
function coverWords(by) {
  if ("laws" in by) return by.laws.map((id) => `\`${id}\``).join(", ");
  if ("tests" in by) return by.tests.map((path) => `[${path}](../${path})`).join(", ");
  return by.excluded;
}

const TABLES = {
  abilities: () =>
    table(
      ["ability", "the host has it where"],
      Object.entries(ABILITIES).map(([name, meaning]) => [`\`${name}\``, meaning]),
    ),
  laws: () =>
    table(
      ["law", "level", "promise", "needs"],
      laws.map(({ id, level, promise, needs }) => [
        `\`${id}\``,
        level,
        promise,
        needs.map((need) => `\`${need}\``).join(", "),
      ]),
    ),
  promises: () =>
    table(
      ["promise", "in words", "held by"],
      promises.map(({ id, promise, by }) => [`\`${id}\``, promise, coverWords(by)]),
    ),
  framing: () =>
    table(
      ["bytes", "outcome", "why"],
      ROWS.map(([name, why, , outcomes]) => [name, outcomes.map(outcomeWords).join("; "), why]),
    ),
  directives: () =>
    table(
      ["directive", "what it does"],
      Object.values(DIRECTIVES).map(({ form, does }) => [`\`${form}\``, does]),
    ),
  drift: () =>
    [
      table(
        ["rule", "what changed", "whom it breaks"],
        Object.entries(driftRules).map(([id, { purpose, breaks }]) => [`[${id}](#${id})`, purpose, breaks]),
      ),
      ...Object.entries(driftRules).map(([id, { purpose, breaks, example, fix }]) =>
        [
          `### ${id}`,
          purpose,
          `Whom it breaks: ${breaks}`,
          `Before: \`${example.before}\`  \nAfter: \`${example.after}\``,
          `What to do: ${fix}\n`,
        ].join("\n\n"),
      ),
    ].join("\n"),
  limits: () =>
    table(
      ["capacity", "default", "beyond it"],
      Object.entries(BEYOND_LIMITS).map(([name, outcome]) => [
        `\`${name}\``,
        DEFAULT_LIMITS[name].toLocaleString("en"),
        outcome,
      ]),
    ),
  exits: () =>
    table(
      ["code", "name", "start it again", "meaning"],
      Object.entries(HOST_EXITS).map(([name, { code, retry, meaning }]) => [
        String(code),
        name,
        retry,
        meaning,
      ]),
    ),
  transcripts: () =>
    table(
      ["rule", "severity", "why"],
      Object.entries(transcriptRules).map(([id, { severity, why }]) => [`\`${id}\``, severity, why]),
    ),
  keywords: () =>
    table(
      ["keyword", "meaning"],
      [...KEYWORDS.keys()].map((name) => [`\`${name}\``, meaning(published.node.properties[name])]),
    ),
  annotations: () =>
    table(
      ["annotation", "also on methods, notifications, requests and errors", "meaning"],
      Object.keys(ANNOTATIONS).map((name) => [
        `\`${name}\``,
        ENTRY_ANNOTATIONS.includes(name) ? "yes" : "no",
        meaning(published[name]),
      ]),
    ),
  marks: () =>
    table(
      ["mark", "may stand on", "values", "meaning"],
      Object.entries(MARKS).map(([name, { on }]) => [
        `\`${name}\``,
        listed(on),
        valuesOf(published[name]),
        meaning(published[name]),
      ]),
    ),
};

function rulesPage() {
  let text = `<!-- Written by scripts/docs.mjs from codegen/diagnostics/catalog.ts; do not edit. -->

# Rules

Every finding of mspkit has the id of a rule and a place. \`mspkit explain ID\` prints what stands here. Severities can be changed and findings excused in [the configuration](config.md), except for the rules marked "fixed": later stages rely on them. A bundle with an \`error\` is refused and nothing is generated from it; one with a \`warning\` or a \`note\` is used.

${table(
  ["rule", "severity", "fixed"],
  Object.entries(rules).map(([id, { severity, needed }]) => [
    `[${id}](#${id})`,
    severity,
    needed === true ? "yes" : "",
  ]),
)}`;
  for (const [id, { severity, needed, message, why, fix }] of Object.entries(rules)) {
    text += `\n## ${id}\n\n${severity}${needed === true ? ", fixed" : ""}: \`${message}\`\n\nWhy: ${why}\n\nFix: ${fix}\n`;
  }
  return text;
}

/** A page with its tables written again between their markers. */
function withTables(page) {
  const text = readFileSync(join(folder, page), "utf8");
  let seen = 0;
  const out = text.replace(
    /(<!-- table: (\w+) -->\n)[\s\S]*?(<!-- end of table -->)/g,
    (_, start, name, end) => {
      seen++;
      return `${start}\n${TABLES[name]()}\n${end}`;
    },
  );
  if (seen === 0) throw new Error(`${page} has no place for a table`);
  return out;
}

const pages = {
  "rules.md": rulesPage,
  "dialect.md": () => withTables("dialect.md"),
  "drift.md": () => withTables("drift.md"),
  "wire.md": () => withTables("wire.md"),
  "conformance.md": () => withTables("conformance.md"),
  "test-agent.md": () => withTables("test-agent.md"),
  "host.md": () => withTables("host.md"),
  "laws.md": () => withTables("laws.md"),
};
let stale = 0;
for (const [page, write] of Object.entries(pages)) {
  const path = join(folder, page);
  const text = write();
  let found;
  try {
    found = readFileSync(path, "utf8");
  } catch {
    found = undefined; // not written yet
  }
  if (found === text) continue;
  stale++;
  if (check) console.error(`${path}: not current; npm run docs writes it`);
  else {
    writeFileSync(path, text);
    console.error(`${path}: written`);
  }
}
process.exitCode = check && stale > 0 ? 1 : 0;
