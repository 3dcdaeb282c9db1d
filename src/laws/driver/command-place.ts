/** Where the hosts of a command live: over standard streams, or listening. */
import type { Transport } from "../../wire/transport.js";
import { DriverError, type HostPlace, isDriverError, type RunningHost } from "./driver.js";
import {
  copyStore,
  freshFolder,
  removeFolder,
  storeInWords,
  storePath,
  wantsFolder,
  withFolder,
} from "./folders.js";
import { HostProcess, type ProcessOptions, within } from "./process.js";
import { addressIn, dial, endedTransport, firstLine, hangUp } from "./websocket.js";

/** A command that starts a host. */
export interface HostCommand {
  readonly words: readonly string[];
  /** Words that make it listen, behind the others; undefined where it is to speak over its standard streams. */
  readonly listen: readonly string[] | undefined;
  readonly cwd: string;
  /** What its environment has beside that of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly crash: "SIGKILL" | readonly string[];
  /** The folder or URL of its store; false for none, undefined where its words may tell. */
  readonly durable: string | false | undefined;
  /** Milliseconds to wait for its address, for a connection, and for its end when it is asked to end. */
  readonly timeoutMs: number;
  /** What it wants to be told by who connects. */
  readonly token: string;
}

/** Whether each place of a command has a folder of its own. */
export function hasFolder({ words, listen = [], env }: HostCommand): boolean {
  return wantsFolder([...words, ...listen, ...Object.values(env)]);
}

/** A place for hosts of a command. A new one is empty where the words have `{dir}`. */
export async function commandPlace(command: HostCommand): Promise<HostPlace> {
  const folder = hasFolder(command) ? await freshFolder() : undefined;
  const options = optionsOf(command, folder);
  const { cwd } = command;
  const store = command.durable ?? storeInWords(options.words) ?? folder;
  const path = typeof store === "string" ? storePath(filled(store, folder), cwd) : undefined;
  return {
    start: async () => {
      const host = await HostProcess.start(options);
      return running(host, command.listen === undefined ? streams(host) : await listening(host, command));
    },
    copyTo: async (to) => path !== undefined && copyStore(path, to),
    remove: async () => {
      if (folder !== undefined) await removeFolder(folder);
    },
  };
}

/** How long a host may take to print its address when it is tried whether it does; milliseconds. */
const LISTENS_MS = 5_000;

/**
 * Whether a command prints an address at which it takes connections. Who reads its standard input finds it ended, so
 * that a host that does not listen ends soon as a rule.
 */
export async function takesConnections(command: HostCommand): Promise<boolean> {
  const folder = hasFolder(command) ? await freshFolder() : undefined;
  try {
    const host = await HostProcess.start({ ...optionsOf(command, folder), stopMs: LISTENS_MS });
    let url: string | undefined;
    const line = firstLine(host.transport).then((text) => {
      url = addressIn(text ?? "");
    });
    void host.transport.close();
    await within(Promise.race([line, host.ended]), LISTENS_MS);
    try {
      if (url === undefined) return false;
      await hangUp(await dialEither(url, command)());
      return true;
    } catch (error) {
      if (isDriverError(error)) return false;
      throw error;
    } finally {
      await host.crash();
    }
  } finally {
    if (folder !== undefined) await removeFolder(folder);
  }
}

function filled(word: string, folder: string | undefined): string {
  return folder === undefined ? word : withFolder(word, folder);
}

function optionsOf(command: HostCommand, folder: string | undefined): ProcessOptions {
  const { listen, cwd, crash, timeoutMs, token } = command;
  const env = Object.entries(command.env).map(([name, value]) => [name, filled(value, folder)]);
  return {
    words: [...command.words, ...(listen ?? [])].map((word) => filled(word, folder)),
    cwd,
    env: {
      ...process.env,
      ...(Object.fromEntries(env) as Record<string, string>),
      ...(listen === undefined ? {} : { MSPKIT_TOKEN: token }),
    },
    crash,
    stop: listen === undefined ? "endOfInput" : "SIGTERM",
    stopMs: timeoutMs,
  };
}

function running(host: HostProcess, connect: () => Promise<Transport>): RunningHost {
  return {
    connect,
    plan: ({ delayMs }) => host.crashAfter(delayMs),
    crash: () => host.crash(),
    stop: () => host.stop(),
    ended: host.ended,
    get stderrTail() {
      return host.stderrTail;
    },
    memoryBytes: () => host.memoryBytes(),
  };
}

/** The one connection of a host that speaks over its standard streams. */
function streams({ transport }: HostProcess): () => Promise<Transport> {
  let taken = false;
  return async () => {
    if (taken) throw new DriverError("noConnection", "a host has one connection over its standard streams");
    taken = true;
    return transport;
  };
}

/** How long a host that refuses a connection may take to be seen dead; milliseconds. */
const DYING_MS = 1_000;

/** Connections to a host that prints its address. One that prints none lets nobody in. */
async function listening(host: HostProcess, command: HostCommand): Promise<() => Promise<Transport>> {
  let url: string | undefined;
  const line = firstLine(host.transport).then((text) => {
    url = addressIn(text ?? "");
  });
  await within(line, command.timeoutMs);
  if (url === undefined) return async () => endedTransport();
  const connect = dialEither(url, command);
  return async () => {
    try {
      return await connect();
    } catch (error) {
      // That the dead take no connection is nothing to be told of.
      if (await within(host.ended, DYING_MS)) return endedTransport();
      throw error;
    }
  };
}

/** Connects with the token, or without it to a host that does not want to be told one. */
function dialEither(url: string, { timeoutMs, token }: HostCommand): () => Promise<Transport> {
  let told: string | undefined = token;
  return async () => {
    try {
      return await dial({ url, token: told, openMs: timeoutMs });
    } catch (error) {
      if (told === undefined || !isDriverError(error) || error.kind !== "noConnection") throw error;
      const transport = await dial({ url, openMs: timeoutMs });
      told = undefined;
      return transport;
    }
  };
}
