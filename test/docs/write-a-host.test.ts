/** The tutorial shows the code that there is, and names laws that there are. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { catalog } from "../../src/laws/catalog.js";
import { ROOT } from "../support/repo.js";
import { pages } from "./pages.js";

interface Shown {
  readonly file: string;
  readonly code: string;
}

/** The blocks of a page that are taken from files, and how many blocks of that language it has. */
function shownIn(page: string): { readonly shown: readonly Shown[]; readonly blocks: number } {
  const marked = /<!-- from (\S+) -->\n\n```python\n([\s\S]*?)\n```/g;
  const shown = [...page.matchAll(marked)].map(([, file, code]) => ({
    file: file as string,
    code: code as string,
  }));
  return { shown, blocks: page.split("```python\n").length - 1 };
}

/** Whether a text has these lines, one after the other, all of them further in by the same. */
function hasLines(text: string, code: string): boolean {
  return ["", "    "].some((indent) => {
    const lines = code.split("\n").map((line) => (line === "" ? "" : indent + line));
    return `\n${text}`.includes(`\n${lines.join("\n")}\n`);
  });
}

const page = pages().get("docs/write-a-host.md") ?? "";
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

test("its code is that of the host", () => {
  const { shown, blocks } = shownIn(page);
  expect(shown.length).toBe(blocks);
  expect(blocks).toBeGreaterThanOrEqual(8);
  const stale = shown.filter(({ file, code }) => !hasLines(read(file), code));
  expect(stale).toEqual([]);
});

test("code that is not that of the host is seen", () => {
  const { shown } = shownIn(page);
  for (const { file, code } of shown) expect(hasLines(read(file), `${code}x`)).toBe(false);
});

test("its laws are laws, and its configuration is that of the host", () => {
  const named = [...page.matchAll(/--law ([a-z-]+)/g)].map(([, id]) => id as string);
  const known = new Set(catalog.map(({ id }) => id));
  expect(named.filter((id) => !known.has(id))).toEqual([]);
  expect(named.length).toBeGreaterThanOrEqual(25);
  const [, config = ""] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  expect(config).toBe(read("examples/hosts/python/mspkit.host.json"));
});
