/** docs/laws.md: its commands do what it says, from an empty folder; its example of node:test runs. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { catalog } from "../../src/laws/catalog.js";
import { LawBroken } from "../../src/laws/law.js";
import { ROOT, scratchFolder } from "../support/repo.js";

const run = promisify(execFile);
const PAGE = readFileSync(join(ROOT, "docs/laws.md"), "utf8");
const BLOCKS = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code]) => code ?? "");

it("its commands work from an empty folder", { timeout: 300_000 }, async () => {
  expect(BLOCKS.length).toBeGreaterThanOrEqual(4);
  const home = scratchFolder();
  const bin = join(home, "bin");
  const cwd = join(home, "empty");
  mkdirSync(bin);
  mkdirSync(cwd);
  symlinkSync(join(ROOT, "dist/bin/mspkit.cjs"), join(bin, "mspkit"));
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"]}` };
  const printed: string[] = [];
  for (const block of BLOCKS) {
    // Each command must succeed, not the last alone.
    const { stdout } = await run("sh", ["-e", "-c", block], { cwd, env, timeout: 200_000 });
    printed.push(stdout);
  }
  const all = printed.join("\n");
  expect(all).toMatch(/^holds +replay-identity /m);
  expect(all).toMatch(/^holds +dedupe-after-crash /m);
  expect(all).toContain("dedupe-after-crash (a law of level durable)");
  expect(all).toMatch(/^holds +turn-identity +20 cases/m);
  expect(existsSync(join(cwd, "mspkit.host.json"))).toBe(true);
});

it("has a row for every law, and a table for people of nothing else", () => {
  const rows = [
    ...PAGE.slice(PAGE.indexOf("## The laws")).matchAll(
      /^\| `([\w-]+)` \| (?:core|durable|connections|ephemeral) \|/gm,
    ),
  ];
  expect(rows.map(([, id]) => id)).toEqual(catalog.map(({ id }) => id));
  expect(PAGE).toContain(LawBroken.name);
});

it("the example of node:test passes, with a test for each law", { timeout: 300_000 }, async () => {
  const { stdout } = await run(
    process.execPath,
    ["--test", "--test-reporter=tap", join(ROOT, "examples/laws-node-test/laws.mjs")],
    { cwd: ROOT, timeout: 200_000, env: { ...process.env, NODE_TEST_CONTEXT: undefined } },
  );
  const number = (name: string) => Number(new RegExp(`^# ${name} (\\d+)$`, "m").exec(stdout)?.[1]);
  expect(number("fail")).toBe(0);
  expect(number("pass") + number("skipped")).toBe(catalog.length);
  expect(number("pass")).toBeGreaterThan(catalog.length / 2);
});
