// What the recipes share: a host to talk to, a way to look at the wire, and assertions that are told one by one.
// The hosts are recorded sessions (docs/conformance.md): nothing that was not recorded passes them. With
// MSPKIT_RECIPE_HOST=serve they are `mspkit serve` instead, whose agent does what the recorded one did.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isClientError } from "mspkit/client";
import { deriveAgentScript, loadTranscript, serveInProcess } from "mspkit/transcripts";
import { spawnHost } from "mspkit/wire/node";

const project = fileURLToPath(new URL("..", import.meta.url));
const root = process.env.MSPKIT_TRANSCRIPTS ?? join(project, "schema/msp/transcripts");

/** Who the recipes say they are. */
export const clientInfo = { name: "mspkit_recipe", version: "1.0.0" };

/** The folder that the recorded sessions work in. */
export const workspaceRoot = "/home/user/orchard";

/** A recorded session. */
export const recorded = (scenario) => loadTranscript(join(root, scenario));

const embedded = process.env.MSPKIT_RECIPE_HOST === "serve";

/** How the host calls itself. */
export const hostName = embedded ? "mspkit" : "mspkit-canned-host";

/** The host of a recorded session: what stands in the place of `{ command: "muse", args: ["serve"] }`. */
export function hostOf(scenario) {
  if (embedded) return hostLike(recorded(scenario));
  const program = join(project, "dist/bin/mspkit-conformance.cjs");
  const words = ["serve-fixture", "--transcript", join(root, scenario), "--rewrite-command-ids"];
  return { command: process.execPath, args: [program, ...words] };
}

/** The same host in this process; `report` says whether the client did what was recorded. */
export function hostInProcess(transcript) {
  if (!embedded) return serveInProcess(transcript, { rewriteCommandIds: true });
  const transport = spawnHost(hostLike(transcript));
  return { transport, report: transport.exit.then(({ code }) => ({ kind: `exit ${code}` })) };
}

/** A folder of this run, which is gone after it. */
export function scratchFolder() {
  const folder = mkdtempSync(join(tmpdir(), "mspkit-recipe-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** `mspkit serve` over a store in a folder. Its agent does what the prompts say (docs/test-agent.md). */
export function embeddedHost(folder, ...words) {
  const program = process.env.MSPKIT_RECIPE_SERVE ?? join(project, "dist/bin/mspkit.cjs");
  const store = ["--store", `file:${join(folder, "store")}`];
  return { command: process.execPath, args: [program, "serve", ...store, ...words] };
}

/** `mspkit serve` with an agent that does what the one of a recording did. */
function hostLike(transcript) {
  const folder = scratchFolder();
  const script = join(folder, "agent.json");
  writeFileSync(script, JSON.stringify(deriveAgentScript(transcript).script));
  return embeddedHost(folder, "--agent-script", script, "--workspace-map", `${workspaceRoot}=${folder}`);
}

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

/** A transport over which nothing of the host arrives while `loses` says so; it gets what is lost. */
export function losing(transport, loses) {
  const open = (receiver) =>
    transport.open({
      ...receiver,
      bytes: (chunk) => {
        if (!loses(Buffer.from(chunk).toString())) receiver.bytes(chunk);
      },
    });
  return new Proxy(transport, {
    get(target, name) {
      if (name === "open") return open;
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Resolves when something has happened to a session after which `reached` says true. */
export const until = (session, reached) =>
  new Promise((resolve) => {
    const look = () => {
      if (!reached()) return;
      stop();
      resolve();
    };
    const stop = session.on(look);
    look();
  });

/** Tells an assertion that holds; the first that does not ends the recipe. */
export async function holds(what, assertion) {
  try {
    await assertion();
  } catch (error) {
    failed(what, error);
  }
  console.log(`ok  ${what}`);
}

const CONTENT = embedded ? "the host ended in order" : "the host saw what was recorded, and nothing else";

/** Closes a client whose host is a process of its own; a recorded one exits with 0 if all that was recorded happened. */
export async function hostIsContent(client, what = CONTENT) {
  const { connection } = client;
  await client.close();
  const { code } = await connection.exit;
  await holds(what, () => assert.equal(code, 0));
}

/** Closes a client whose host is in this process. */
export async function reportIsContent(client, report) {
  await client.close();
  const { kind } = await report;
  await holds(CONTENT, () => assert.equal(kind, embedded ? "exit 0" : "serveFixtureComplete"));
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
