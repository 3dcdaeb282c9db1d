/** Links between the documents lead somewhere. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../support/repo.js";
import { pages, prose } from "./pages.js";

/** The anchors of a page, as GitHub makes them from its headings. */
function anchors(text: string): Set<string> {
  const found = new Set<string>();
  for (const { 1: heading = "" } of prose(text).matchAll(/^#+ (.*)$/gm)) {
    const name = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-");
    let anchor = name;
    for (let i = 1; found.has(anchor); i++) anchor = `${name}-${i}`;
    found.add(anchor);
  }
  return found;
}

/** The links of some pages, by page, that lead nowhere, and how many were followed. */
function follow(all: ReadonlyMap<string, string>): { readonly broken: string[]; readonly followed: number } {
  const broken: string[] = [];
  let followed = 0;
  for (const [page, text] of all) {
    for (const { 1: link = "" } of prose(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      followed++;
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? page : join(dirname(page), path);
      const there = all.has(target) || existsSync(join(ROOT, target));
      const hasAnchor = anchor === undefined || anchors(all.get(target) ?? "").has(anchor);
      if (!there || !hasAnchor || target.startsWith("..")) broken.push(`${page}: ${link}`);
    }
  }
  return { broken, followed };
}

test("every relative link and anchor exists", () => {
  const { broken, followed } = follow(pages());
  expect(broken).toEqual([]);
  expect(followed).toBeGreaterThan(60);
});

test("a link to a missing file, a missing anchor or out of the project is seen", () => {
  const page =
    "[a](nothing.md) [b](#none) [c](rules.md#none) [d](../../x) [e](#here) [f](rules.md#json-syntax)\n\n# Here\n";
  const all = new Map([...pages(), ["docs/page.md", page]]);
  expect(follow(all).broken).toEqual([
    "docs/page.md: nothing.md",
    "docs/page.md: #none",
    "docs/page.md: rules.md#none",
    "docs/page.md: ../../x",
  ]);
});
