/** docs/drift.md: what it says of a gate in CI does what it says, from one release to the next. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { DEPOT_SCHEMA, ROOT, scratchFolder } from "../support/repo.js";

const run = promisify(execFile);
const PAGE = readFileSync(join(ROOT, "docs/drift.md"), "utf8");
const SECTION = PAGE.slice(PAGE.indexOf("## In CI"), PAGE.indexOf("## Rules"));
const BLOCKS = [...SECTION.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code]) => code ?? "");

it("its commands for CI keep a baseline, hold the schema against it, and move it", {
  timeout: 300_000,
}, async () => {
  expect(BLOCKS).toHaveLength(3);
  const home = scratchFolder();
  const [bin, cwd] = [join(home, "bin"), join(home, "work")];
  mkdirSync(bin);
  mkdirSync(cwd);
  symlinkSync(join(ROOT, "dist/bin/mspkit.cjs"), join(bin, "mspkit"));
  copyFileSync(DEPOT_SCHEMA, join(cwd, "protocol.json"));
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"]}` };
  const sh = (block: string) => run("sh", ["-e", "-c", block], { cwd, env, timeout: 200_000 });
  const release = () =>
    (JSON.parse(readFileSync(join(cwd, "baseline/baseline.json"), "utf8")) as { release: string }).release;
  const [first = "", gate = "", next = ""] = BLOCKS;

  await sh(first);
  expect(release()).toBe("0.4.0");
  await sh(gate);

  // A method that is gone is found by the gate, and stands in the changelog.
  const bundle = JSON.parse(readFileSync(DEPOT_SCHEMA, "utf8")) as { methods: Record<string, unknown> };
  const [method = ""] = Object.keys(bundle.methods);
  delete bundle.methods[method];
  writeFileSync(join(cwd, "protocol.json"), JSON.stringify(bundle, null, 2));
  await expect(sh(gate)).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining(method) });
  await sh(next);
  expect(readFileSync(join(cwd, "FRAGMENT.md"), "utf8")).toContain(method);
  expect(release()).toBe("0.5.0");
  await sh(gate);
});
