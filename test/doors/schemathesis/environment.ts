/** Where Schemathesis runs: a virtual environment with what `requirements.txt` names. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute, findPython, type Missing } from "../../interop/environment.js";
import { ROOT } from "../../support/repo.js";

/** The files beside this one. */
export const SCHEMATHESIS = join(ROOT, "test/doors/schemathesis");

/** The program, or why there is none. Made once for each set of requirements. */
export async function schemathesis(): Promise<{ readonly program: string } | Missing> {
  if (process.platform === "win32")
    return { why: "the tests know where programs are on other systems alone" };
  const found = await findPython();
  if (found === undefined) return { why: "there is no Python 3.11 or newer" };
  const requirements = join(SCHEMATHESIS, "requirements.txt");
  const key = createHash("sha256")
    .update(`${found.version}\n${readFileSync(requirements, "utf8")}`)
    .digest("hex");
  const folder = join(ROOT, ".setup/schemathesis", key.slice(0, 16));
  const program = join(folder, "venv/bin/schemathesis");
  const done = join(folder, "done");
  if (existsSync(done)) return { program };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const venv = await execute(found.program, ["-m", "venv", join(folder, "venv")]);
  if (venv.code !== 0) return { why: "this Python cannot make a virtual environment" };
  const python = join(folder, "venv/bin/python");
  const pip = await execute(python, ["-m", "pip", "install", "--requirement", requirements]);
  if (pip.code !== 0) {
    // With an index that answers, pip names the versions it has; without one it has heard of none.
    if (/from versions: none|connection broken by/.test(pip.stderr))
      return { why: "the package index cannot be reached" };
    throw new Error(`pip install: ${pip.stderr}`);
  }
  writeFileSync(done, "");
  return { program };
}
