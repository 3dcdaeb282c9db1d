/** The examples in the documents compile. */
import { expect, test } from "vitest";
import { brokenSnippets, pages } from "./pages.js";

test("every TypeScript block of the documents", () => {
  const { problems, compiled } = brokenSnippets(pages());
  expect(problems).toEqual([]);
  expect(compiled).toBeGreaterThanOrEqual(20);
});

test("a block that does not compile is seen, in its place", () => {
  const page = [
    "# A page",
    "```ts",
    'import { methods } from "mspkit/msp/stable/tables";',
    'export const x: "query" = methods["turn/start"].kind;',
    "```",
    "",
    "```ts",
    'import { nothing } from "mspkit/codegen";',
    "```",
    "```ts",
    'import { MspClient } from "mspkit/client";',
    "export const client = new MspClient({});",
    "```",
    "```json",
    '{ "a": 1,',
    "```",
    "```json",
    '{ "a": 1 }',
    "[2]",
    "```",
    "",
  ].join("\n");
  const { problems, compiled } = brokenSnippets(new Map([["docs/page.md", page]]));
  expect(compiled).toBe(3);
  expect(problems.map((problem) => problem.split(" ")[0]).sort()).toEqual([
    "docs/page.md:12:",
    "docs/page.md:15:",
    "docs/page.md:4:",
    "docs/page.md:8:",
  ]);
});
