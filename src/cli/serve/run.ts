/**
 * Runs the embedded host until its client has gone, or somebody asks it to end.
 */
import { statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { TroubleError } from "../../../codegen/diagnostics/finding.js";
import { capabilities, protocol } from "../../../generated/msp/experimental/tables.js";
import type { Agent } from "../../host/agents/agent.js";
import { commandAgent } from "../../host/agents/command-agent.js";
import { agentFromFile } from "../../host/agents/from-file.js";
import { scriptedAgent } from "../../host/agents/scripted.js";
import { isAgentSetupError } from "../../host/agents/setup-error.js";
import { HOST_EXITS } from "../../host/exit-codes.js";
import { Host } from "../../host/host.js";
import { identityOf } from "../../host/identity.js";
import { type Serving, serveStdio, serveWebSocket } from "../../host/serve.js";
import { platformShell } from "../../host/shell.js";
import type { Level } from "../../host/surroundings.js";
import { openStore, StoreUrlError } from "../../ledger/node.js";
import { isStoreError, type Store } from "../../ledger/store.js";
import { knownReleases } from "../../releases/known.js";
import { MissingPackageError } from "../../wire/node.js";
import { type Io, UsageError } from "../command.js";
import { ownStreams } from "../conformance/streams.js";
import { packageVersion } from "../package.js";
import type { ServeWords } from "./words.js";

/** Serves; the exit code of the host. */
export async function serve(words: ServeWords, io: Io): Promise<number> {
  const log = logger(io);
  checkGrants(words.grants);
  const fingerprint = fingerprintOf(words.asRelease);
  const agent = agentOf(words, log);
  const store = storeOf(words.store);
  await probe(store);
  if (!isFolder(words.workspace)) throw new TroubleError(words.workspace, "is no folder");
  const host = new Host({
    store,
    agent,
    identity: identityOf({
      name: "mspkit",
      version: packageVersion(),
      home: store.durability === "durable" ? store.url.replace(/^[a-z]+:|\?.*$/g, "") : words.workspace,
      fingerprint,
    }),
    grants: words.grants,
    ...(words.frameBytes === undefined ? {} : { limits: { frameBytes: words.frameBytes } }),
    ...(words.approvalMode === undefined ? {} : { approvalMode: words.approvalMode }),
    workspaceRoot: words.workspace,
    workspaceMap: words.workspaceMap,
    isFolder: (path) =>
      stat(path).then(
        (found) => found.isDirectory(),
        () => false,
      ),
    surroundings: { shell: platformShell },
    log,
  });
  // A client may stop reading before its host has ended: what it misses is in the log.
  ownStreams();
  const serving = await listen(host, words);
  const { url } = serving;
  if (words.listen.kind === "ws") io.out(`${url}\n`);
  log("info", "serving", {
    store: store.url,
    url,
    fingerprint,
    ...(words.asRelease === undefined ? {} : { asRelease: words.asRelease }),
    ...("token" in serving && givenToken() === undefined ? { token: serving.token } : {}),
  });
  // The handshake has no word for it: it says that sessions outlive the process, which they do.
  if (/[?&]sync(?:hronous)?=(?!data|full)/.test(store.url))
    log("warn", "a power cut may lose what was acked", { store: store.url });
  const stop = (signal: NodeJS.Signals) => {
    log("info", "asked to end", { signal });
    void serving.close();
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
  await serving.ended;
  log("info", "ended");
  return HOST_EXITS.cleanShutdown.code;
}

/** Writes log lines: JSON, one a line. */
function logger(
  io: Io,
): (level: Level, message: string, details?: Readonly<Record<string, unknown>>) => void {
  return (level, message, details = {}) => {
    if (level === "debug" && process.env["MSPKIT_DEBUG"] === undefined) return;
    const told = Object.fromEntries(
      Object.entries(details).map(([name, value]) => [name, value instanceof Error ? value.message : value]),
    );
    io.err(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...told })}\n`);
  };
}

function checkGrants(grants: readonly string[]): void {
  const known = Object.keys(capabilities);
  const unknown = grants.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`--grant: there is no capability "${unknown}"; there are ${known.join(", ")}`);
}

/** What the host says that it serves: its own stable surface, or what the owners of a release publish for the same. */
function fingerprintOf(release: string | undefined): string {
  const own = protocol.fingerprints.stable;
  if (release === undefined) return own;
  const entry = knownReleases().releases.find((known) => known.release === release);
  if (entry === undefined) throw new UsageError(`--as-release: release ${release} is not known`);
  if (entry.stable?.fingerprint !== own)
    throw new TroubleError(`release ${release}`, "has another stable surface than the one that is served");
  return entry.published.stable;
}

function agentOf(words: ServeWords, log: ReturnType<typeof logger>): Agent {
  const { agentCommand, agentScript } = words;
  try {
    if (agentScript !== undefined) return agentFromFile(agentScript);
    if (agentCommand === undefined) return scriptedAgent();
    return commandAgent(agentCommand, { onLog: (text) => log("info", "the agent said", { text }) });
  } catch (error) {
    if (isAgentSetupError(error) && error.kind === "commandLine")
      throw new UsageError(`--agent-command: ${error.message}`);
    if (isAgentSetupError(error)) throw new TroubleError(agentScript ?? "", error.message);
    if (error instanceof Error && "code" in error) throw new TroubleError(agentScript ?? "", error.message);
    throw error;
  }
}

function storeOf(url: string): Store {
  try {
    return openStore(url);
  } catch (error) {
    if (error instanceof StoreUrlError) throw new UsageError(`--store: ${error.message}`);
    throw error;
  }
}

/** Looks into the store, so that what is wrong with it is said before a client is there. */
async function probe(store: Store): Promise<void> {
  try {
    await store.list("sessions");
  } catch (error) {
    if (!isStoreError(error)) throw error;
    throw new TroubleError(error.place ?? store.url, error.message);
  }
}

/** The token that the operator chose; undefined where one is made up. */
function givenToken(): string | undefined {
  return process.env["MSPKIT_TOKEN"] || undefined;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

async function listen(host: Host, { listen: at, origins, frameBytes }: ServeWords): Promise<Serving> {
  if (at.kind === "stdio") return serveStdio(host);
  const token = givenToken();
  try {
    return await serveWebSocket(host, {
      host: at.host,
      port: at.port,
      origins,
      ...(token === undefined ? {} : { token }),
      ...(frameBytes === undefined ? {} : { limitBytes: frameBytes }),
    });
  } catch (error) {
    if (error instanceof MissingPackageError)
      throw new TroubleError("ws", "is not installed", "npm install --save-dev ws");
    const { message, code } = error as Error & { code?: string };
    throw new TroubleError(`ws://${at.host}:${at.port}`, `cannot be had: ${message === "" ? code : message}`);
  }
}
