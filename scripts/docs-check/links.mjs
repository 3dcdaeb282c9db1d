// Links between the documents lead somewhere.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { PROJECT, prose } from "./pages.mjs";

/** The anchors of a page, as GitHub makes them from its headings. */
function anchors(text) {
  const found = new Set();
  for (const { 1: heading } of prose(text).matchAll(/^#+ (.*)$/gm)) {
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

/** The links of some pages that lead nowhere, as problems, and how many were followed. Other sites are not asked. */
export function deadLinks(pages) {
  const problems = [];
  let followed = 0;
  for (const [page, text] of pages) {
    for (const { 1: link } of prose(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      followed++;
      const [path, anchor] = link.split("#");
      const target = path === "" ? page : join(dirname(page), path);
      const there = pages.has(target) || existsSync(join(PROJECT, target));
      const hasAnchor = anchor === undefined || anchors(pages.get(target) ?? "").has(anchor);
      if (!there || !hasAnchor || target.startsWith(".."))
        problems.push(`${page}: the link ${link} leads nowhere`);
    }
  }
  return { problems, followed };
}
