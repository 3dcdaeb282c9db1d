/** The ways to a host, each with a host that can be killed and started again on what it has stored. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Host } from "../../src/host/host.js";
import { crashableDisk } from "../../src/laws/simulation/disk.js";
import { memoryStore } from "../../src/ledger/stores/memory.js";
import { inProcess, type Transport } from "../../src/wire/index.js";
import { type ChildProcessTransport, spawnHost } from "../../src/wire/node.js";
import { MSPKIT } from "../support/conversation.js";
import { testHost } from "../support/host.js";
import { ServeProcess } from "../support/serve-process.js";

/** How long a host keeps what it is told. */
export type Durability = "durable" | "ephemeral";

/** A way to a host. */
export interface Door {
  /** A new connection to the host, which is started where none runs. */
  connect(): Transport | Promise<Transport>;
  /** Ends the host as SIGKILL does; resolves when it is gone. The next connection finds another one. */
  kill(): Promise<void>;
  /** Ends all and removes what was stored. */
  close(): Promise<void>;
}

/** Makes a way to a host of its own. */
export type MakeDoor = (durability: Durability) => Door;

/** A folder for what a host stores, and the words that name it. */
function storeOf(durability: Durability): { readonly words: readonly string[]; remove(): void } {
  if (durability === "ephemeral") return { words: ["--store", "memory"], remove: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), "mspkit-sdk-"));
  return {
    words: ["--store", `file:${join(folder, "store")}`],
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Over the standard streams of a process; one process a connection. */
const stdio: MakeDoor = (durability) => {
  const { words, remove } = storeOf(durability);
  let child: ChildProcessTransport | undefined;
  const kill = async () => {
    child?.kill("SIGKILL");
    await child?.exit;
  };
  return {
    connect: () => {
      child = spawnHost({ command: process.execPath, args: [MSPKIT, "serve", ...words] });
      return child;
    },
    kill,
    close: async () => {
      await kill();
      remove();
    },
  };
};

/** Over WebSockets to a process that wants a token. */
const webSocket: MakeDoor = (durability) => {
  const { words, remove } = storeOf(durability);
  let host: ServeProcess | undefined;
  const kill = async () => {
    const running = host;
    host = undefined;
    await running?.kill();
  };
  return {
    connect: async () => {
      host ??= await ServeProcess.start(words);
      return host.connect();
    },
    kill,
    close: async () => {
      await kill();
      remove();
    },
  };
};

/** Within this process. What dies is the host's store, and with it all that the host could still do. */
const within: MakeDoor = (durability) => {
  const disk = crashableDisk();
  const newStore = () => (durability === "durable" ? disk.store() : memoryStore());
  let host: Host | undefined;
  let ends: Transport[] = [];
  const kill = async () => {
    host = undefined;
    disk.crash();
    const dead = ends;
    ends = [];
    await Promise.all(dead.map((end) => end.close()));
  };
  return {
    connect: () => {
      host ??= testHost({ store: newStore() }).host;
      const [theirs, ours] = inProcess();
      ends.push(theirs);
      host.accept(theirs);
      return ours;
    },
    kill,
    close: kill,
  };
};

/** All ways. */
export const DOORS: readonly (readonly [name: string, make: MakeDoor])[] = [
  ["over stdio", stdio],
  ["in this process", within],
  ["over a WebSocket", webSocket],
];
