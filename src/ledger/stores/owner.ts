/**
 * An owner of logs: a random token, and a socket that listens for as long as the process lives. Whether the owner of a
 * token lives is asked by connecting, and answered by the kernel: it takes connections for a process that is stopped or
 * busy, and refuses them from the moment of its death. No process id, no clock.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, renameSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asStoreError } from "./failed.js";

/** An owner that lives. */
export interface Owner {
  readonly token: string;
  /** Gives it up: from now on the token's owner is dead. */
  close(): Promise<void>;
}

/** A socket's address has 104 bytes on macOS, 108 on Linux, and its end is cut off without a word where it is longer. */
const ADDRESS_BYTES = 100;
const WINDOWS = process.platform === "win32";
const OF_AN_OWNER = /^([0-9a-f]{16})\.(?:sock|claim)$/;

/**
 * Makes an owner. `folder` holds the sockets; it must be there, and be the same for all that ask about each other. Fails
 * with the `failed` of a store where it cannot listen.
 */
export async function makeOwner(folder: string): Promise<Owner> {
  try {
    return await listening(folder);
  } catch (error) {
    throw asStoreError(error, `listening in ${folder}`);
  }
}

async function listening(folder: string): Promise<Owner> {
  await sweep(folder);
  const token = randomBytes(8).toString("hex");
  const server = createServer((socket) => {
    // The connection itself was the answer.
    socket.on("error", () => undefined);
    socket.destroy();
  });
  await withAddress(folder, WINDOWS ? token : `${token}.new`, (address) => listen(server, address));
  // A name ends in .sock only when it listens: so one that refuses is dead, and may be swept away.
  if (!WINDOWS) renameSync(join(folder, `${token}.new`), socketPath(folder, token));
  server.unref();
  let closed: Promise<void> | undefined;
  return {
    token,
    close: () =>
      (closed ??= new Promise((resolve) => {
        server.close(() => resolve());
        if (!WINDOWS) remove(socketPath(folder, token));
      })),
  };
}

/** Whether the owner of a token lives. Where it cannot be told it lives. */
export async function ownerLives(folder: string, token: string): Promise<boolean> {
  const name = WINDOWS ? token : `${token}.sock`;
  try {
    return await withAddress(folder, name, listens);
  } catch (error) {
    throw asStoreError(error, `asking in ${folder}`);
  }
}

function listens(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code !== "ECONNREFUSED" && error.code !== "ENOENT"),
    );
  });
}

/** Takes away what the dead have left. */
async function sweep(folder: string): Promise<void> {
  if (WINDOWS) return;
  for (const name of readdirSync(folder)) {
    const token = OF_AN_OWNER.exec(name)?.[1];
    if (token !== undefined && !(await ownerLives(folder, token))) remove(join(folder, name));
  }
}

function listen(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      server.off("error", reject);
      // What happens to a listening socket later is no reason to end the process.
      server.on("error", () => undefined);
      resolve();
    });
  });
}

/** An address for a socket in a folder: a long path is reached through a short link that is there meanwhile. */
async function withAddress<T>(
  folder: string,
  name: string,
  use: (address: string) => Promise<T>,
): Promise<T> {
  if (WINDOWS) return use(`\\\\.\\pipe\\mspkit-${name}`);
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= ADDRESS_BYTES) return use(path);
  const short = mkdtempSync(join(tmpdir(), "mspkit-"));
  const link = join(short, "o");
  try {
    symlinkSync(folder, link);
    return await use(join(link, name));
  } finally {
    remove(link);
    rmdirSync(short);
  }
}

function socketPath(folder: string, token: string): string {
  return join(folder, `${token}.sock`);
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
