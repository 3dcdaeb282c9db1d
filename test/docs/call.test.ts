/** The examples of the page about `mspkit call` print what the page says. */
import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { ROOT, scratchFolder } from "../support/repo.js";
import { pages } from "./pages.js";

/** Runs a command as a reader would, with the package's programs in PATH; both of its outputs together. */
function shell(command: string): string {
  const bin = scratchFolder();
  for (const name of ["mspkit", "mspkit-conformance"]) {
    const path = join(bin, name);
    writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, "dist/bin", name)}.cjs" "$@"\n`);
    chmodSync(path, 0o755);
  }
  const { stdout } = spawnSync("sh", ["-c", `{ ${command}\n} 2>&1`], {
    encoding: "utf8",
    cwd: bin,
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"]}` },
  });
  return stdout;
}

test.skipIf(process.platform === "win32")("each example prints what stands below it", () => {
  const page = pages().get("docs/call.md") ?? "";
  const examples = [...page.matchAll(/```sh\n([^`]*)```\n\n```text\n([^`]*)```/g)];
  expect(examples).toHaveLength(3);
  for (const { 1: command = "", 2: printed = "" } of examples) expect(shell(command)).toBe(printed);
});
