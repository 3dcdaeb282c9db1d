/**
 * The files of a commit, as `readBundle` takes them.
 */
import { execFileSync } from "node:child_process";
import { posix } from "node:path";
import type { Files } from "../../../codegen/bundle/files.js";
import { TroubleError } from "../../../codegen/diagnostics/finding.js";

/** Bytes of one answer of Git that are taken. No bundle is as large. */
const LARGEST = 64 * 1024 * 1024;

/** The tree of a commit. */
export interface GitTree {
  /** The files below the tree's root. Their paths begin with `name`. */
  readonly files: Files;
  /** `git:v1.2.0:`, before every path. */
  readonly name: string;
  /** The path from the root that a path from the working folder is. */
  below(path: string): string;
}

/**
 * The tree of a commit, branch or tag.
 * @param cwd a folder of the repository
 * @throws {TroubleError} where there is no Git, no repository or no such commit
 */
export function gitTree(ref: string, cwd: string): GitTree {
  const name = `git:${ref}:`;
  const commit = git(["rev-parse", "--verify", "--quiet", `${ref}^{tree}`], cwd, (status, stderr) =>
    // Quietly refused: Git is there and the repository is. Anything else it says itself.
    status === 1 && stderr === ""
      ? new TroubleError(`git:${ref}`, "there is no such commit, branch or tag", SHALLOW)
      : new TroubleError(`git:${ref}`, stderr === "" ? `git ended with ${status}` : stderr),
  )
    .toString("utf8")
    .trim();

  const object = (path: string): string => {
    const plain = path.replaceAll("\\", "/");
    const within = posix
      .normalize(plain.startsWith(name) ? plain.slice(name.length) : plain)
      .replace(/\/$/, "");
    return `${commit}:${within === "." ? "" : within}`;
  };
  const ask = (words: readonly string[], path: string): Buffer =>
    git(["cat-file", ...words, object(path)], cwd, () => new TroubleError(path, "is not in that commit"));
  const files: Files = {
    isFolder: (path) => ask(["-t"], path).toString("utf8").trim() === "tree",
    list: (path) =>
      git(
        ["ls-tree", "-z", "--full-tree", "--name-only", object(path)],
        cwd,
        () => new TroubleError(path, "is not in that commit"),
      )
        .toString("utf8")
        .split("\0")
        .filter((entry) => entry !== ""),
    size: (path) => Number(ask(["-s"], path).toString("utf8")),
    read: (path) => ask(["blob"], path),
  };
  return {
    files,
    name,
    below: (path) => {
      const prefix = git(
        ["rev-parse", "--show-prefix"],
        cwd,
        (_, stderr) => new TroubleError(`git:${ref}`, stderr),
      )
        .toString("utf8")
        .replace(/\n$/, "");
      return `${prefix}${path}`;
    },
  };
}

const SHALLOW = "A shallow clone has few of them; git fetch --tags --unshallow brings the rest.";

/** What Git answers. */
function git(
  words: readonly string[],
  cwd: string,
  failed: (status: number, stderr: string) => TroubleError,
): Buffer {
  try {
    return execFileSync("git", words, { cwd, maxBuffer: LARGEST, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { code, status, stderr } = error as NodeJS.ErrnoException & {
      readonly status?: number | null;
      readonly stderr?: Buffer;
    };
    if (code === "ENOENT") throw new TroubleError("git", "is not installed");
    if (typeof status !== "number") throw new TroubleError("git", (error as Error).message);
    const told = (stderr?.toString("utf8") ?? "").trim().split("\n")[0] ?? "";
    throw failed(status, told.replace(/^fatal: /, ""));
  }
}
