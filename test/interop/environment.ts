/** Where the Python side runs: a virtual environment with muse-code-sdk, and the SDK's source distribution. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/repo.js";

/** The Python files beside this one. */
export const INTEROP = join(ROOT, "test/interop");
/** The canned host as one executable file. */
export const CANNED_HOST = join(ROOT, "dist/bin/mspkit-conformance.cjs");

/** A virtual environment that has all that `requirements.txt` names. */
export interface Environment {
  readonly python: string;
  readonly version: readonly [number, number];
  /** The unpacked source distribution of the SDK. */
  readonly sdk: string;
}

/** Why there is none. */
export interface Missing {
  readonly why: string;
}

/** What a program left behind. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end; only one that cannot be started is an error. */
export function execute(
  program: string,
  words: readonly string[],
  { cwd = ROOT, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const options = {
      cwd,
      // Nothing of Python's is left beside the files of the project.
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...env },
      maxBuffer: 1 << 28,
      timeout: 800_000,
      killSignal: "SIGKILL" as const,
    };
    execFile(program, words, options, (error, stdout, stderr) => {
      if (error === null) resolve({ code: 0, stdout, stderr });
      else if (typeof error.code === "number") resolve({ code: error.code, stdout, stderr });
      else reject(error);
    });
  });
}

/** Makes the environment, or says why there can be none. Made once for each set of requirements. */
export async function pythonEnvironment(): Promise<Environment | Missing> {
  if (process.platform === "win32")
    return { why: "the SDK starts hosts by their first line, which Windows does not read" };
  const found = await findPython();
  if (found === undefined) return { why: "there is no Python 3.11 or newer" };

  const requirements = readFileSync(join(INTEROP, "requirements.txt"), "utf8");
  const key = createHash("sha256").update(`${found.version}\n${requirements}`).digest("hex").slice(0, 16);
  const folder = join(ROOT, ".setup/interop", key);
  const python = join(folder, "venv/bin/python");
  const unpacked = join(folder, "sdk");
  const done = join(folder, "done");
  if (!existsSync(done)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const why = await build(found.program, folder, requirements);
    if (why !== undefined) return { why };
    writeFileSync(done, "");
  }
  const [name] = readdirSync(unpacked);
  if (name === undefined) throw new Error("the source distribution is empty");
  return { python, version: found.version, sdk: join(unpacked, name) };
}

async function build(program: string, folder: string, requirements: string): Promise<string | undefined> {
  const venv = await execute(program, ["-m", "venv", join(folder, "venv")]);
  if (venv.code !== 0) return "this Python cannot make a virtual environment";
  const python = join(folder, "venv/bin/python");
  const sdk = requirements.split("\n").find((line) => line.startsWith("muse-code-sdk=="));
  if (sdk === undefined) throw new Error("the requirements name no version of the SDK");

  const archives = join(folder, "archives");
  for (const words of [
    ["install", "--requirement", join(INTEROP, "requirements.txt")],
    ["download", "--no-deps", "--no-binary", "muse-code-sdk", "--dest", archives, sdk],
  ]) {
    const pip = await execute(python, ["-m", "pip", ...words]);
    if (pip.code === 0) continue;
    // With an index that answers, pip names the versions it has; without one it has heard of none.
    if (/from versions: none|connection broken by/.test(pip.stderr))
      return "the package index cannot be reached";
    throw new Error(`pip ${words[0]}: ${pip.stderr}`);
  }
  const [archive] = readdirSync(archives);
  if (archive === undefined) throw new Error("pip downloaded nothing");
  const tar = await execute(python, ["-m", "tarfile", "-e", join(archives, archive), join(folder, "sdk")]);
  if (tar.code !== 0) throw new Error(tar.stderr);
  return undefined;
}

/** A Python 3.11 or newer; undefined where there is none. */
export async function findPython(): Promise<{ program: string; version: [number, number] } | undefined> {
  const ask = "import sys; print(*sys.version_info[:2])";
  for (const program of ["python3", "python3.13", "python3.12", "python3.11"]) {
    const answer = await execute(program, ["-c", ask]).catch(() => undefined);
    if (answer?.code !== 0) continue;
    const [major, minor] = answer.stdout.trim().split(" ").map(Number);
    if (major === 3 && minor !== undefined && minor >= 11) return { program, version: [major, minor] };
  }
  return undefined;
}
