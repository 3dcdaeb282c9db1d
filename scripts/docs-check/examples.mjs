// What a page says to run runs, and prints what it says. `<!-- run -->` stands before a block that is run, `<!-- prints -->`
// before one that the last one that was run prints. The blocks of a page are one shell in a folder of its own.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { PROJECT } from "./pages.mjs";

const MARKED = /^<!-- (run|prints) -->\n```\w*\n([\s\S]*?)^```$/gm;
const TIMEOUT_MS = 120_000;

/** The marked blocks of a page, each with the line at which its code begins. */
function examplesOf(text) {
  return [...text.matchAll(MARKED)].map(({ 1: kind, 2: code, index }) => ({
    kind,
    code,
    line: text.slice(0, index).split("\n").length + 2,
  }));
}

/** Why nothing can be run here; undefined where it can. */
function hindrance() {
  for (const program of ["bash", "curl"])
    if (spawnSync(program, ["--version"], { stdio: "ignore" }).status !== 0) return `there is no ${program}`;
  return undefined;
}

/** Runs blocks in one shell: what each printed; undefined for those that were not reached. */
async function outputs(blocks) {
  const folder = mkdtempSync(join(tmpdir(), "mspkit-docs-"));
  const bin = join(folder, "bin");
  const work = join(folder, "work");
  mkdirSync(bin);
  mkdirSync(work);
  writeFileSync(
    join(bin, "mspkit"),
    `#!/bin/sh\nexec '${process.execPath}' '${join(PROJECT, "dist/bin/mspkit.cjs")}' "$@"\n`,
  );
  chmodSync(join(bin, "mspkit"), 0o755);
  const mark = (n) => `mspkit-docs-block-${n}-${process.pid}`;
  const script = blocks.map(({ code }, n) => `${code}printf '\\n%s\\n' ${mark(n)}\n`).join("");
  // A group of its own, so that what it leaves behind is ended with it.
  const child = spawn("bash", ["-e", "-c", `trap 'kill $(jobs -p) 2>/dev/null' EXIT\n${script}`], {
    cwd: work,
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
    timeout: TIMEOUT_MS,
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  await new Promise((resolve) => child.once("close", resolve));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  let rest = stdout;
  const printed = blocks.map((_, n) => {
    const [own, more] = rest.split(`\n${mark(n)}\n`);
    if (more === undefined) return undefined;
    rest = rest.slice(own.length + mark(n).length + 2);
    return own;
  });
  return { printed, stderr };
}

/** The examples of some pages that do not run, or print something else, as problems, and how many were run. */
export async function failedExamples(pages) {
  const problems = [];
  let ran = 0;
  let skipped;
  for (const [page, text] of pages) {
    const examples = examplesOf(text);
    const blocks = examples.filter(({ kind }) => kind === "run");
    if (blocks.length === 0) continue;
    skipped ??= hindrance();
    if (skipped !== undefined) continue;
    const { printed, stderr } = await outputs(blocks);
    ran += blocks.length;
    const failed = printed.indexOf(undefined);
    if (failed !== -1) problems.push(`${page}:${blocks[failed].line}: the example fails: ${stderr.trim()}`);
    for (const [n, { kind, code, line }] of examples.entries()) {
      if (kind !== "prints") continue;
      const before = examples.slice(0, n).filter((example) => example.kind === "run").length - 1;
      const output = printed[before];
      if (output !== undefined && output.trimEnd() !== code.trimEnd())
        problems.push(`${page}:${line}: the example prints ${JSON.stringify(output)}`);
    }
  }
  return { problems, ran, skipped };
}
