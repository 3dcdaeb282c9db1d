/** Drives a mutant as a process: the whole program, patched, with a store in files, which the system kills. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandPlace } from "../../src/laws/driver/command-place.js";
import type { Driver, HostPlace } from "../../src/laws/driver/driver.js";
import { openDriver } from "../../src/laws/driver/open.js";
import { fileStore } from "../../src/ledger/node.js";
import { bundle } from "./bundle.js";
import type { Patch } from "./mutant.js";

const LISTEN = ["--listen", "ws://127.0.0.1:0"];
/** On a machine with much to do a host takes its time. */
const TIMEOUT_MS = 10_000;

/**
 * A driver for the patched program, over WebSockets. Sessions can be taken from its hosts: by a store without a fault.
 * @param folder where it is bundled: below the repository
 */
export async function programDriver(
  root: string,
  patches: readonly Patch[],
  folder: string,
): Promise<Driver> {
  const program = await bundle(root, "src/cli/bin.ts", patches, folder);
  const start = (dir: string) => [process.execPath, program, "serve", "--store", `file:${dir}`];
  const config = join(folder, "mspkit.host.json");
  const described = { start: start("{dir}"), listen: LISTEN, prompts: "test-agent", timeoutMs: TIMEOUT_MS };
  writeFileSync(config, JSON.stringify(described));
  const opened = await openDriver({ config, cwd: folder });
  await opened.close();
  const place = async (): Promise<HostPlace> => {
    const dir = mkdtempSync(join(tmpdir(), "mspkit-mutant-"));
    const inner = await commandPlace({
      words: start(dir),
      listen: LISTEN,
      cwd: folder,
      env: {},
      crash: "SIGKILL",
      durable: dir,
      timeoutMs: TIMEOUT_MS,
      token: randomUUID(),
    });
    return {
      start: () => inner.start(),
      fence: async (sessionId) => {
        const store = fileStore(dir);
        await store.fence("sessions", sessionId.toLowerCase());
        await store.close();
      },
      remove: async () => {
        await inner.remove();
        rmSync(dir, { recursive: true, force: true });
      },
    };
  };
  return { ...opened, place, abilities: new Set([...opened.abilities, "fence"]) };
}
