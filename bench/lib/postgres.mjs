// A PostgreSQL of its own, in the scratch folder, on a free port of the loopback; not as root.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";

/** Whether there is one on the path. */
export function hasPostgres() {
  return ["initdb", "postgres"].every(
    (name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0,
  );
}

/** Starts it, as it is configured when nobody says anything; its address, and what ends it. */
export async function startPostgres(scratch) {
  const folder = mkdtempSync(join(scratch, "postgres-"));
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  let who = {};
  if (process.getuid?.() === 0) {
    const id = (flag) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
    who = { uid: id("-u"), gid: id("-g") };
    chmodSync(scratch, 0o755);
    for (const path of [folder, data]) chownSync(path, who.uid, who.gid);
  }
  const options = { ...who, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: "C" } };
  execFileSync("initdb", ["-D", data, "-U", "bench", "-A", "trust", "--no-locale", "-E", "UTF8"], {
    ...options,
    stdio: "pipe",
  });
  const port = await freePort();
  const words = [
    "-D",
    data,
    "-c",
    "listen_addresses=127.0.0.1",
    "-c",
    "unix_socket_directories=",
    "-p",
    `${port}`,
  ];
  const child = spawn("postgres", words, { ...options, stdio: "ignore" });
  const url = `postgres://bench@127.0.0.1:${port}/postgres`;
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error("PostgreSQL does not start");
    await pause(50);
  }
  return {
    url,
    async stop() {
      const gone = once(child, "exit");
      child.kill("SIGINT");
      await gone;
    },
  };
}

async function answers(url) {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}
