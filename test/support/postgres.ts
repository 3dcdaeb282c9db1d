/**
 * A real PostgreSQL for tests: a cluster of its own in a temporary folder, on a free port of the loopback. It does not run
 * as root: where the tests do, it is somebody else. Its programs are those in the folder that `MSPKIT_POSTGRES_BIN` names,
 * those on the path, or those that `scripts/postgres.mjs` has put into `.setup/postgres`. Where there are none,
 * `hasPostgres` is false and the tests that need it are skipped.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";
import { ROOT } from "./repo.js";

/** Who a program runs as. */
interface Somebody {
  readonly uid: number;
  readonly gid: number;
}

/** The folder of the programs; the empty name is the path. */
const PROGRAMS: string | undefined = [
  process.env["MSPKIT_POSTGRES_BIN"] || undefined,
  "",
  join(ROOT, ".setup/postgres/bin"),
].find((folder) => folder !== undefined && runs(folder));

/** Whether PostgreSQL can be started here. */
export const hasPostgres: boolean = PROGRAMS !== undefined;

function runs(folder: string, who?: Somebody): boolean {
  return ["initdb", "postgres"].every(
    (program) => spawnSync(join(folder, program), ["--version"], { ...who, stdio: "ignore" }).status === 0,
  );
}

/** The folder of the programs for somebody who may not read where they are: then of a copy. */
function programsFor(who: Somebody | undefined, folder: string): string {
  if (PROGRAMS === undefined) throw new Error("there is no PostgreSQL here");
  if (who === undefined || runs(PROGRAMS, who)) return PROGRAMS;
  for (const part of ["bin", "lib", "share"]) {
    const from = join(dirname(PROGRAMS), part);
    if (!existsSync(from)) continue;
    cpSync(from, join(folder, part), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith(".a"),
    });
  }
  return join(folder, "bin");
}

/** A server that runs. */
export interface TestPostgres {
  readonly port: number;
  /** Of a database: new and empty each time. */
  database(): Promise<string>;
  /** Runs statements in a database, each on a connection of its own. */
  query(url: string, text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Ends it as a power cut does: SIGKILL. */
  kill(): Promise<void>;
  /** Ends it: connections are cut, what is under way is rolled back. */
  stop(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  /** Ends it and takes its files away. */
  remove(): Promise<void>;
}

/** Who it runs as, where the tests run as root. */
function somebody(): Somebody | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** Starts one. `settings` are added to its configuration. */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "mspkit-test-pg-"));
  chmodSync(folder, 0o755);
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  const who = somebody();
  if (who !== undefined) for (const path of [folder, data]) chownSync(path, who.uid, who.gid);
  const programs = programsFor(who, folder);
  const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C", TZ: "UTC" };
  execFileSync(
    join(programs, "initdb"),
    ["-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-locale"],
    {
      ...who,
      cwd: folder,
      env,
      stdio: "pipe",
    },
  );
  const port = await freePort();
  const words = Object.entries({
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    port: String(port),
    max_connections: "200",
    shared_buffers: "32MB",
    ...settings,
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  let child: ChildProcess | undefined;
  let databases = 0;
  const url = (name: string): string => `postgres://test@127.0.0.1:${port}/${name}`;

  async function query(at: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: at });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query(text, values)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  }

  async function start(): Promise<void> {
    let log = "";
    const made = spawn(join(programs, "postgres"), ["-D", data, ...words], {
      ...who,
      cwd: folder,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    child = made;
    made.stderr.on("data", (chunk) => (log = (log + String(chunk)).slice(-10_000)));
    for (;;) {
      if (made.exitCode !== null) throw new Error(`PostgreSQL does not start: ${log}`);
      const up = await query(url("postgres"), "select 1").then(
        () => true,
        () => false,
      );
      if (up) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const gone = once(ending, "exit");
    ending.kill(signal);
    await gone;
  }

  await start();
  return {
    port,
    query,
    start,
    kill: () => end("SIGKILL"),
    // The "fast" shutdown.
    stop: () => end("SIGINT"),
    async database() {
      const name = `t${++databases}`;
      await query(url("postgres"), `create database ${name}`);
      return url(name);
    },
    async remove() {
      // The "immediate" one: it ends its own children, and nothing is kept of it.
      await end("SIGQUIT");
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, "close");
  return port;
}
