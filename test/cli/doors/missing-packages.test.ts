/** `mspkit doors serve` as it is installed by somebody who has not all optional packages: exit code 3, and the line that helps. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ROOT, scratchFolder } from "../../support/repo.js";

const TOKEN = "orchard/ann=a-token-for-the-tests";

/** The program in a package of its own, beside all packages but one. */
function withoutPackage(missing: string): string {
  const folder = scratchFolder();
  // The program is one file and its launcher; what is beside them it does not load.
  cpSync(join(ROOT, "dist/bin"), join(folder, "dist/bin"), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
  const from = join(ROOT, "node_modules");
  const names = readdirSync(from).flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(from, name)).map((part) => `${name}/${part}`) : [name],
  );
  expect(names).toContain(missing);
  for (const name of names) {
    if (name === missing || name.startsWith(".")) continue;
    const at = join(folder, "node_modules", name);
    mkdirSync(join(at, ".."), { recursive: true });
    symlinkSync(join(from, name), at, "junction");
  }
  return join(folder, "dist/bin/mspkit.cjs");
}

/** Runs it until it ends, or is heard to serve. */
async function serve(
  program: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [program, "doors", "serve", ...words], {
    cwd: join(program, "../../.."),
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
    timeout: 100_000,
    killSignal: "SIGKILL",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    // One that serves prints where, and is asked to end.
    if (stdout === "") child.kill("SIGTERM");
    stdout += String(chunk);
  });
  child.stderr.on("data", (chunk) => (stderr += String(chunk)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

describe("mspkit doors serve", () => {
  it.each([
    ["fastify", []],
    ["ws", []],
    ["@modelcontextprotocol/sdk", []],
    ["@modelcontextprotocol/sdk", ["--mcp", "stdio", "--allow-anonymous"]],
    ["pg", ["--store", "postgres://127.0.0.1:1/none"]],
    ["better-sqlite3", ["--store", "sqlite:results.db"]],
  ] as const)("without the package %s says how it is installed: %j", async (missing, words) => {
    const { code, stdout, stderr } = await serve(withoutPackage(missing), ["--token", TOKEN, ...words], {
      MSPKIT_TOKEN: TOKEN.split("=")[1] as string,
    });
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toContain(`mspkit: ${missing}: is not installed\nnpm install ${missing}\n`);
  });

  it.each(["@opentelemetry/api", "pg"])(
    "serves without the package %s, which it does not use",
    async (missing) => {
      const { code, stdout } = await serve(withoutPackage(missing), ["--token", TOKEN]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
    },
  );
});
