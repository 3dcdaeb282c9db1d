/** A store in a process of its own, which can be stopped, woken and killed. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { afterAll } from "vitest";
import type { Log, LogInfo, Space, Store, StoreErrorKind } from "../../src/ledger/store.js";
import { StoreError } from "../../src/ledger/store.js";
import { ROOT } from "./repo.js";

/** A store that lives in a child. */
export interface StoreChild {
  /** Calls go to the child. Those that it cannot answer any more, since it is dead, never end. */
  readonly store: Store;
  readonly process: ChildProcessWithoutNullStreams;
  /** Ends it with SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

let bundle: Promise<string> | undefined;
let made: string | undefined;

afterAll(() => {
  if (made !== undefined) rmSync(made, { recursive: true, force: true });
});

/** The program, as one file in a folder from which packages are found. */
function program(): Promise<string> {
  return (bundle ??= (async () => {
    const cache = join(ROOT, "node_modules/.cache");
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, "mspkit-test-"));
    made = folder;
    const outfile = join(folder, "store-child.mjs");
    await build({
      entryPoints: [join(ROOT, "test/support/store-child-main.ts")],
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      outfile,
      logLevel: "silent",
    });
    return outfile;
  })());
}

/**
 * Starts a process that opens the store of an address. `env` is added to that of this process; `limits` are words of a
 * shell that come before.
 */
export async function storeChild(
  url: string,
  env: Record<string, string> = {},
  limits?: string,
): Promise<StoreChild> {
  const words = [process.execPath, await program(), url];
  const [command, ...args] =
    limits === undefined ? words : ["/bin/sh", "-c", `${limits}; exec "$@"`, "sh", ...words];
  const child = spawn(command!, args, { env: { ...process.env, ...env } });
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdin.on("error", () => undefined); // it may be dead
  const waiting = new Map<number, (answer: Answered) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const answer = JSON.parse(line) as Answered;
    waiting.get(answer.n)?.(answer);
    waiting.delete(answer.n);
  });
  let calls = 0;
  async function call<T>(name: string, ...args: unknown[]): Promise<T> {
    const n = ++calls;
    const answered = new Promise<Answered>((resolve) => waiting.set(n, resolve));
    child.stdin.write(`${JSON.stringify({ n, call: name, args })}\n`);
    const { kind, message = "", value } = await answered;
    if (kind === "TypeError") throw new TypeError(message);
    if (kind === "other") throw new Error(message);
    if (kind !== undefined) throw new StoreError(kind, message);
    return value as T;
  }
  const started = await Promise.race([call<string>("url"), once(child, "exit").then(() => undefined)]);
  if (started === undefined) throw new Error(`the child of a test ended: ${stderr}`);
  const store: Store = {
    durability: "durable",
    url,
    state: (space: Space, id: string) => call("state", space, id),
    list: (space: Space) => call<LogInfo[]>("list", space),
    read: async (space, id) => (await call<string[] | undefined>("read", space, id)) ?? undefined,
    fence: (space, id) => call("fence", space, id),
    close: () => call("close"),
    async open(space, id, options) {
      const { handle, ...log } = await call<Log & { handle: number }>("open", space, id, options);
      return {
        ...log,
        torn: log.torn ?? undefined,
        write: (entries) => call<void>("write", handle, entries),
        close: () => call("closeLog", handle),
      };
    },
  };
  const gone = once(child, "exit");
  return {
    store,
    process: child,
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

interface Answered {
  readonly n: number;
  readonly value?: unknown;
  readonly kind?: StoreErrorKind | "TypeError" | "other";
  readonly message?: string;
}
