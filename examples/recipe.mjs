// What the recipes share: a host to talk to, a way to look at the wire, and assertions that are told one by one.
// The hosts are recorded sessions (docs/conformance.md): nothing that was not recorded passes them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isClientError } from "mspkit/client";
import { loadTranscript, serveInProcess } from "mspkit/transcripts";

const project = fileURLToPath(new URL("..", import.meta.url));
const root = process.env.MSPKIT_TRANSCRIPTS ?? join(project, "schema/msp/transcripts");

/** Who the recipes say they are. */
export const clientInfo = { name: "mspkit_recipe", version: "1.0.0" };

/** The folder that the recorded sessions work in. */
export const workspaceRoot = "/home/user/orchard";

/** A recorded session. */
export const recorded = (scenario) => loadTranscript(join(root, scenario));

/** The program that plays a recorded session: what stands in the place of `{ command: "muse", args: ["serve"] }`. */
export function cannedHost(scenario) {
  const program = join(project, "dist/bin/mspkit-conformance.cjs");
  const words = ["serve-fixture", "--transcript", join(root, scenario), "--rewrite-command-ids"];
  return { command: process.execPath, args: [program, ...words] };
}

/** The same host in this process; `report` says whether the client did what was recorded. */
export const hostInProcess = (transcript) => serveInProcess(transcript, { rewriteCommandIds: true });

/** A transport that keeps what goes through it to the host, as frames. */
export function watched(transport, sent) {
  const write = (text) => {
    sent.push(...text.trim().split("\n").map(JSON.parse));
    return transport.write(text);
  };
  return new Proxy(transport, {
    get(target, name) {
      if (name === "write") return write;
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Tells an assertion that holds; the first that does not ends the recipe. */
export async function holds(what, assertion) {
  try {
    await assertion();
  } catch (error) {
    failed(what, error);
  }
  console.log(`ok  ${what}`);
}

/** Closes a client whose host is a process of its own; it exits with 0 if all that was recorded happened. */
export async function hostIsContent(client) {
  const { connection } = client;
  await client.close();
  const { code } = await connection.exit;
  await holds("the host saw what was recorded, and nothing else", () => assert.equal(code, 0));
}

/** Closes a client whose host is in this process. */
export async function reportIsContent(client, report) {
  await client.close();
  const { kind } = await report;
  await holds("the host saw what was recorded, and nothing else", () =>
    assert.equal(kind, "serveFixtureComplete"),
  );
}

/** What a call rejects with. */
export async function errorOf(promise) {
  try {
    await promise;
  } catch (error) {
    if (isClientError(error)) return error;
    throw error;
  }
  throw new Error("it did not reject");
}

function failed(what, error) {
  console.log(`FAIL  ${what}\n${error instanceof Error ? error.message : error}`);
  process.exit(1);
}

process.on("uncaughtException", (error) => failed("the recipe itself", error));
// Node's exit code for a wait that nobody will end.
process.on("exit", () => {
  if (process.exitCode === 13) console.log("FAIL  the recipe waits for what will not come");
});
