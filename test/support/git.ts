/** A real repository in a folder that is gone after the test. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scratchFolder } from "./repo.js";

/** A repository whose history a test writes. */
export class Repository {
  readonly folder = scratchFolder();

  constructor() {
    this.git("init", "--quiet", "--initial-branch=main");
  }

  /** Runs Git in the repository, free of the settings of this machine. */
  git(...words: readonly string[]): string {
    const env = {
      ...process.env,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_SYSTEM: "/dev/null",
      GIT_AUTHOR_NAME: "A",
      GIT_AUTHOR_EMAIL: "a@example.org",
      GIT_COMMITTER_NAME: "A",
      GIT_COMMITTER_EMAIL: "a@example.org",
    };
    return execFileSync("git", [...words], { cwd: this.folder, env, encoding: "utf8" });
  }

  /** Writes a file of the working tree. */
  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  /** Commits all that is in the working tree; with a name, tags it. */
  commit(tag?: string): void {
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", "A change");
    if (tag !== undefined) this.git("tag", tag);
  }
}
