/** `mspkit generate --watch`: generates again when the schema changes, until it is told to stop. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { bundleText } from "../support/marked.js";
import { ROOT, scratchFolder } from "../support/repo.js";

/** A program that runs until it is stopped; what it says can be waited for. */
class Running {
  readonly #child: ChildProcess;
  readonly #waiting = new Set<() => void>();
  /** What it has said on each stream and was not asked for yet; the streams are heard in no order. */
  readonly #said = { stdout: "", stderr: "" };
  readonly ended: Promise<number | null>;

  constructor(words: readonly string[], cwd: string) {
    this.#child = spawn(process.execPath, [join(ROOT, "dist/bin/mspkit.cjs"), ...words], {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => void this.#child.kill("SIGKILL"));
    for (const stream of ["stdout", "stderr"] as const) {
      this.#child[stream]!.on("data", (chunk: Buffer) => {
        this.#said[stream] += chunk.toString();
        for (const check of this.#waiting) check();
      });
    }
    this.ended = new Promise((resolve) => this.#child.on("close", resolve));
  }

  /** Waits until it has said something since it was last asked. */
  says(words: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const stream = (["stdout", "stderr"] as const).find((name) => words.test(this.#said[name]));
        if (stream === undefined) return;
        const said = this.#said[stream];
        const match = words.exec(said)!;
        this.#said[stream] = said.slice(match.index + match[0].length);
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      void this.ended.then(() => reject(new Error(`ended before it said ${words}: ${this.#said.stderr}`)));
      check();
    });
  }

  stop(): void {
    this.#child.kill("SIGINT");
  }
}

const bundle = (type: string): string => bundleText(`"$defs": { "A": { "type": "${type}" } }`);
const typesIn = (cwd: string): string => readFileSync(join(cwd, "out/stable/types.ts"), "utf8");

describe("generate --watch", () => {
  test("follows a file that is written or replaced, outlives an error, and ends with 0", async () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, "b.json"), bundle("string"));
    const words = ["generate", "--schema", "b.json", "--out", "out", "--only", "types", "--watch"];
    const program = new Running(words, cwd);
    await program.says(/files written/);
    await program.says(/Watching b\.json/);
    expect(typesIn(cwd)).toContain("A = string;");

    writeFileSync(join(cwd, "b.json"), bundle("boolean"));
    await program.says(/files written/);
    expect(typesIn(cwd)).toContain("A = boolean;");

    writeFileSync(join(cwd, "b.json"), bundle("strnig"));
    await program.says(/b\.json:3:21: error unknown-type/);
    expect(typesIn(cwd)).toContain("A = boolean;");

    // As many editors save: a new file takes the place of the old.
    writeFileSync(join(cwd, "b.json~"), bundle("null"));
    renameSync(join(cwd, "b.json~"), join(cwd, "b.json"));
    await program.says(/files written/);
    expect(typesIn(cwd)).toContain("A = null;");

    program.stop();
    expect(await program.ended).toBe(0);
  });

  test("follows both files of a pair", async () => {
    const cwd = scratchFolder();
    const file = (surface: string): string => join(cwd, "pair", surface, "p.schema.json");
    for (const surface of ["stable", "experimental"]) {
      mkdirSync(join(cwd, "pair", surface), { recursive: true });
      writeFileSync(file(surface), bundle("string"));
    }
    const program = new Running(["generate", "--schema", "pair", "--out", "out", "--watch"], cwd);
    await program.says(/files written/);
    await program.says(/Watching pair/);
    writeFileSync(file("experimental"), bundle("null"));
    await program.says(/p\.schema\.json:3:21: error pair-mismatch/);
    writeFileSync(file("stable"), bundle("null"));
    await program.says(/files written/);
    expect(typesIn(cwd)).toContain("A = null;");
    program.stop();
    expect(await program.ended).toBe(0);
  });

  test("of a schema that is not there is trouble", async () => {
    const program = new Running(["generate", "--schema", "nope.json", "--watch"], scratchFolder());
    await program.says(/nope\.json: does not exist/);
    expect(await program.ended).toBe(3);
  });
});
