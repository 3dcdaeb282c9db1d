/** The place of a host at a known address: one that runs already, or that a command starts there. */
import { setTimeout as after } from "node:timers/promises";
import type { Transport } from "../../wire/transport.js";
import type { HostCommand } from "./command-place.js";
import { CRASH_MS, runCrashCommand } from "./crash-command.js";
import { DriverError, type HostExit, type HostPlace, isDriverError, type RunningHost } from "./driver.js";
import { copyStore, storePath } from "./folders.js";
import { HostProcess } from "./process.js";
import { type Address, dial, hangUp } from "./websocket.js";

const POLL_MS = 50;

/** Whether somebody answers at an address. */
export async function answersAt(address: Address): Promise<boolean> {
  try {
    await hangUp(await dial(address));
    return true;
  } catch (error) {
    if (isDriverError(error) && error.kind === "noConnection") return false;
    throw error;
  }
}

/**
 * A place for the host at an address.
 * @param command starts the host where nobody answers there; undefined for a host that runs anyway
 */
export function addressPlace(address: Address, command: HostCommand | undefined): HostPlace {
  const { durable, cwd } = command ?? { durable: undefined, cwd: "" };
  const path = typeof durable === "string" ? storePath(durable, cwd) : undefined;
  return {
    start: async () => {
      if (await answersAt(address)) return hostAt(address, command, undefined);
      const nobody = new DriverError("cannotStart", `nobody answers at ${address.url}`);
      if (command === undefined) throw nobody;
      const host = await startHost(command, address);
      for (const until = performance.now() + address.openMs; !(await answersAt(address)); ) {
        if (performance.now() > until) {
          await host.crash();
          throw nobody;
        }
        await after(POLL_MS);
      }
      return hostAt(address, command, host);
    },
    copyTo: async (to) => path !== undefined && copyStore(path, to),
    remove: async () => undefined,
  };
}

function startHost({ words, cwd, env, timeoutMs }: HostCommand, { token }: Address): Promise<HostProcess> {
  return HostProcess.start({
    words,
    cwd,
    env: { ...process.env, ...(token === undefined ? {} : { MSPKIT_TOKEN: token }), ...env },
    // A command that kills the host is run before what is left here is killed.
    crash: "SIGKILL",
    stop: "SIGTERM",
    stopMs: timeoutMs,
  });
}

/**
 * A host at an address. One that nobody here has started, and that no command kills, lives on; what is ended of it are
 * its connections.
 */
function hostAt(
  address: Address,
  command: HostCommand | undefined,
  host: HostProcess | undefined,
): RunningHost {
  const connections = new Set<Transport>();
  let end!: (exit: HostExit) => void;
  const over = new Promise<HostExit>((resolve) => {
    end = resolve;
  });
  const byCommand = command !== undefined && command.crash !== "SIGKILL" ? command : undefined;
  // A command such as `docker start` ends at once, and what it has started lives.
  const ended = host === undefined || byCommand !== undefined ? over : host.ended;
  let dying: Promise<void> | undefined;
  const kill = async () => {
    if (byCommand !== undefined) {
      const { crash, cwd, env } = byCommand;
      await runCrashCommand(crash as readonly string[], { cwd, env: { ...process.env, ...env } }, host?.pid);
      await silent(address);
    }
    await host?.crash();
  };
  const crash = async () => {
    dying ??= kill();
    await dying;
    await Promise.all([...connections].map((transport) => transport.close()));
    connections.clear();
    end(UNKNOWN);
  };
  return {
    connect: async () => {
      const transport = await dial(address);
      connections.add(transport);
      return transport;
    },
    plan: ({ delayMs }) => {
      if (byCommand === undefined) host?.crashAfter(delayMs);
      else setTimeout(() => void crash().catch(() => undefined), delayMs);
    },
    crash,
    stop: async () => {
      if (host !== undefined && byCommand === undefined) return host.stop();
      await crash();
      return UNKNOWN;
    },
    ended,
    get stderrTail() {
      return host?.stderrTail ?? "";
    },
    ...(host === undefined ? {} : { memoryBytes: () => host.memoryBytes() }),
  };
}

const UNKNOWN: HostExit = { code: null, signal: null };

/** Waits until nobody answers at an address. */
async function silent(address: Address): Promise<void> {
  for (const until = performance.now() + CRASH_MS; await answersAt(address); ) {
    if (performance.now() > until)
      throw new DriverError("survivor", `the host at ${address.url} answers after it was killed`);
    await after(POLL_MS);
  }
}
