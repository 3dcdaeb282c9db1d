/** A library that is loaded before a process's own, and keeps a copy of what that process has synced. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { ROOT } from "./repo.js";

let built: { readonly library: string | undefined } | undefined;

let made: string | undefined;

afterAll(() => {
  if (made !== undefined) rmSync(made, { recursive: true, force: true });
});

/** The library; undefined where there is no C compiler, or this is not Linux. */
export function syncShim(): string | undefined {
  return (built ??= { library: build() }).library;
}

function build(): string | undefined {
  if (process.platform !== "linux") return undefined;
  const folder = mkdtempSync(join(tmpdir(), "mspkit-test-"));
  made = folder;
  const library = join(folder, "sync-shim.so");
  const words = ["-shared", "-fPIC", "-O1", "-o", library, join(ROOT, "test/support/sync-shim.c"), "-ldl"];
  return spawnSync("cc", words).status === 0 ? library : undefined;
}
