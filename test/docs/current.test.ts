/** The parts of the documents that are made from the code are current. */
import { execFile } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Rule, rules } from "../../codegen/index.js";
import { PRODUCTS } from "../../codegen/plan/plan.js";
import { mspkit } from "../support/cli.js";
import { ROOT, scratchFolder } from "../support/repo.js";
import { pages } from "./pages.js";

function docs(...words: string[]): Promise<number> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(ROOT, "scripts/docs.mjs"), ...words], (error) =>
      resolve(error === null ? 0 : Number(error.code)),
    );
  });
}

test("the tables are what the script writes", async () => {
  expect(await docs("--check")).toBe(0);
});

test("a page that is not current is reported, and written again", async () => {
  const folder = join(scratchFolder(), "docs");
  cpSync(join(ROOT, "docs"), folder, { recursive: true });
  for (const [page, from] of [
    ["rules.md", "JSON readers keep one of the two"],
    ["dialect.md", "| `x-msp-strict` | method |"],
    ["wire.md", "| a batch | error -32600, id null |"],
    ["conformance.md", "| `bad-params` | error |"],
    ["test-agent.md", "| `/fail-launch` |"],
  ] as const) {
    const path = join(folder, page);
    const text = readFileSync(path, "utf8");
    expect(text).toContain(from);
    writeFileSync(path, text.replace(from, "something else"));
    expect(await docs("--check", folder), page).toBe(1);
    expect(await docs(folder)).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(await docs("--check", folder)).toBe(0);
  }
});

test("the list of rules has every rule with its severity", () => {
  const text = pages().get("docs/rules.md") ?? "";
  for (const [id, rule] of Object.entries<Rule>(rules)) {
    expect(text).toContain(
      `\n| [${id}](#${id}) | ${rule.severity} | ${rule.needed === true ? "yes" : ""} |\n`,
    );
    expect(text).toContain(`Why: ${rule.why}\n\nFix: ${rule.fix}\n`);
  }
});

test("every product has a section, and every command a row", async () => {
  const code = pages().get("docs/generated-code.md") ?? "";
  expect(PRODUCTS.filter((product) => !code.includes(`\n## ${product}\n`))).toEqual([]);
  const { stdout } = await mspkit(["--help"]);
  const commands = [...stdout.matchAll(/^ {2}(\w+) /gm)].map(({ 1: name }) => name);
  expect(commands.length).toBeGreaterThanOrEqual(6);
  const readme = pages().get("README.md") ?? "";
  expect(commands.filter((command) => !readme.includes(`\n| \`mspkit ${command}\` |`))).toEqual([]);
});

test("every script of the package that a document names is there", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: object };
  const named = new Set<string>();
  for (const text of pages().values()) {
    for (const { 1: script = "" } of text.matchAll(/npm run ([\w:]+)/g)) named.add(script);
  }
  expect(named.size).toBeGreaterThan(5);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining([...named]));
});
