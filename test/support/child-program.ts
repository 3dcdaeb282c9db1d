/** Programs of tests in processes of their own: bundled once, and asked by lines. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { build, type Plugin } from "esbuild";
import { afterAll } from "vitest";
import { StoreError, type StoreErrorKind } from "../../src/ledger/store.js";
import { ROOT } from "./repo.js";

/** A process that answers calls. */
export interface ChildProgram {
  readonly process: ChildProcessWithoutNullStreams;
  /** Calls it; what it cannot answer any more, since it is dead, never ends. */
  call<T>(name: string, ...args: unknown[]): Promise<T>;
  /** Ends it with SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

interface Answered {
  readonly n: number;
  readonly value?: unknown;
  readonly kind?: StoreErrorKind | "TypeError" | "other";
  readonly message?: string;
}

const bundles = new Map<string, Promise<string>>();
const made: string[] = [];

afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** How a program differs from what the source says: a text in a file of it. */
export interface Mutation {
  /** A path below the root of the project. */
  readonly file: string;
  /** Stands in it once. */
  readonly from: string;
  readonly to: string;
}

function planted({ file, from, to }: Mutation): Plugin {
  return {
    name: "mutation",
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (path !== join(ROOT, file)) return undefined;
        const parts = readFileSync(path, "utf8").split(from);
        if (parts.length !== 2) throw new Error(`${from} stands ${parts.length - 1} times in ${file}`);
        return { contents: parts.join(to), loader: "ts" };
      }),
  };
}

/** The program as one file, in a folder from which packages are found. */
export function bundled(entry: string, mutation?: Mutation): Promise<string> {
  const name = `${entry} ${JSON.stringify(mutation)}`;
  let bundle = bundles.get(name);
  if (bundle === undefined) {
    bundle = (async () => {
      const cache = join(ROOT, "node_modules/.cache");
      mkdirSync(cache, { recursive: true });
      const folder = mkdtempSync(join(cache, "mspkit-test-"));
      made.push(folder);
      const outfile = join(folder, basename(entry).replace(/\.ts$/, ".mjs"));
      await build({
        entryPoints: [join(ROOT, entry)],
        bundle: true,
        platform: "node",
        format: "esm",
        packages: "external",
        outfile,
        logLevel: "silent",
        plugins: mutation === undefined ? [] : [planted(mutation)],
      });
      return outfile;
    })();
    bundles.set(name, bundle);
  }
  return bundle;
}

/** How a program is started. */
export interface ChildOptions {
  /** Added to the environment of this process. */
  readonly env?: Record<string, string>;
  readonly mutation?: Mutation | undefined;
  /** Words of a shell that come before. */
  readonly limits?: string | undefined;
}

/**
 * Starts a program of `test/support`, which answers `{ n, call, args }` by `{ n, value }` or `{ n, kind, message }`, and the
 * call `url` as soon as it can.
 */
export async function childProgram(
  entry: string,
  words: readonly string[],
  { env = {}, mutation, limits }: ChildOptions = {},
): Promise<ChildProgram> {
  const program = [process.execPath, await bundled(entry, mutation), ...words];
  const [command, ...args] =
    limits === undefined ? program : ["/bin/sh", "-c", `${limits}; exec "$@"`, "sh", ...program];
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
  const gone = once(child, "exit");
  const started = await Promise.race([call<unknown>("url"), gone.then(() => child)]);
  if (started === child) throw new Error(`the child of a test ended: ${stderr}`);
  return {
    process: child,
    call,
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
