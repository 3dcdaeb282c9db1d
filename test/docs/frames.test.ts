/** The frames that the documents show are frames of the golden sessions, and the check of the documents says so. */
import { execFile } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT, scratchFolder } from "../support/repo.js";
import { goldenFrames, pages, strangeFrames } from "./pages.js";

const PAGE = "docs/retry-without-double-submitting.md";

test("every frame of the documents", () => {
  const { problems, shown } = strangeFrames(pages());
  expect(problems).toEqual([]);
  expect(shown).toBeGreaterThanOrEqual(20);
  expect(goldenFrames().length).toBeGreaterThan(500);
});

/** What is found on a page with one block. */
const found = (code: string, language = "json"): readonly string[] =>
  strangeFrames(new Map([["docs/page.md", `# A page\n\n\`\`\`${language}\n${code}\n\`\`\`\n`]])).problems;

test("a frame that is tampered with is seen, however it is laid out", () => {
  const frame = goldenFrames().find(
    (one) => typeof one === "object" && one !== null && "method" in one && one.method === "turn/start",
  ) as { id: number; params: { input: object[] } };
  const text = JSON.stringify(frame);
  const tampered = JSON.stringify({ ...frame, params: { ...frame.params, input: [] } });
  const strange = (line: number): string[] => [
    expect.stringMatching(new RegExp(`^docs/page\\.md:${line}: `)) as string,
  ];
  expect(found(text)).toEqual([]);
  expect(found(JSON.stringify(frame, null, 2))).toEqual([]);
  expect(found(`${text}\n${text}`)).toEqual([]);
  expect(found(tampered)).toEqual(strange(4));
  expect(found(tampered, "text")).toEqual(strange(4));
  expect(found(JSON.stringify(JSON.parse(tampered), null, 2))).toEqual(strange(4));
  expect(found(`${text}\n${tampered}`)).toEqual(strange(5));
  expect(found(JSON.stringify({ ...frame, id: frame.id + 1_000 }))).toEqual(strange(4));
  expect(found(text.replace('"jsonrpc":"2.0",', ""))).toEqual(strange(4));
  expect(found(`${text.slice(0, 60)} ...`)).toEqual(strange(4));
  // Other JSON is none of its business.
  expect(found('{ "products": ["types"] }')).toEqual([]);
});

function docsCheck(...words: string[]): Promise<{ code: number; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(ROOT, "scripts/docs-check.mjs"), ...words], (error, _, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stderr }),
    );
  });
}

test("the check of the documents fails on a tampered frame, a dead link and a block that does not compile", async () => {
  const folder = scratchFolder();
  for (const name of pages().keys()) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  let text = readFileSync(join(folder, PAGE), "utf8");
  for (const [from, to] of [
    ['"Order two bags of bone meal."', '"Order ten bags of bone meal."'],
    ["(commands-and-idempotency.md)", "(commands.md)"],
    ["session.send(words, {", "session.sent(words, {"],
  ] as const) {
    expect(text).toContain(from);
    text = text.replace(from, to);
  }
  writeFileSync(join(folder, PAGE), text);
  const { code, stderr } = await docsCheck(folder);
  expect(code).toBe(1);
  const lines = stderr.trim().split("\n");
  for (const line of lines) expect(line.startsWith(`${PAGE}:`)).toBe(true);
  expect(lines).toEqual([
    expect.stringContaining("no golden session has this frame"),
    expect.stringContaining("leads nowhere"),
    expect.stringContaining("'sent'"),
  ]);
  expect((await docsCheck("--all")).code).toBe(2);
});
