/** Opens the doors until somebody asks for the end. */
import { readFileSync } from "node:fs";
import { TroubleError } from "../../../codegen/diagnostics/finding.js";
import type { App } from "../../commands/app.js";
import { openTelemetry, type PayloadTables, Workspaces } from "../../commands/index.js";
import { openResults } from "../../commands/node.js";
import type { CommandResults } from "../../commands/results.js";
import {
  ANONYMOUS,
  byTokens,
  Desk,
  type Doors,
  type DoorsOptions,
  type Identity,
  isDoorError,
  limitsOf,
  loadMcpSdk,
  type McpStdio,
  mcpServers,
  readTokens,
  repeatedToken,
  serveDoors,
  serveMcpStdio,
  type TokenRow,
  tokenRow,
} from "../../doors/index.js";
import { StoreUrlError } from "../../ledger/node.js";
import { isStoreError } from "../../ledger/store.js";
import { MissingPackageError } from "../../wire/missing-package.js";
import { EXIT, type Io, UsageError } from "../command.js";
import { exampleApp, moduleApp } from "./app.js";
import type { DoorsWords } from "./words.js";

type Log = (
  level: "info" | "warn" | "error",
  message: string,
  details?: Readonly<Record<string, unknown>>,
) => void;

/** Serves; the exit code. */
export async function serve(words: DoorsWords, io: Io): Promise<number> {
  const log = logger(io);
  const rows = tokenRows(words);
  if (rows.length === 0 && !words.allowAnonymous)
    throw new UsageError(
      "nobody could come in: --tokens FILE, --token, or --allow-anonymous on the loopback",
    );
  // Asked for before anything is opened: a signal in between must not be lost.
  const asked = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve(signal));
  });
  // What is waited for may hold nothing open itself, such as a pause before a store is tried again.
  const held = setInterval(() => undefined, HELD_MS);
  try {
    const opening = open(words, io, log, rows);
    const early = await Promise.race([asked, opening]);
    if (typeof early === "string") return endEarly(opening, early, log);
    const why = await Promise.race([asked, early.ended]);
    log("info", "asked to end", { why });
    await early.close();
    log("info", "ended");
    return EXIT.fine;
  } catch (error) {
    throw toldError(error, words);
  } finally {
    clearInterval(held);
  }
}

/** How often the timer rings that holds the process, in milliseconds: as seldom as timers can. */
const HELD_MS = 2 ** 31 - 1;

/** How long what is being opened may go on when the process was asked to end, in milliseconds. */
const GIVEN_UP_MS = 1_000;

/** Ends while there is nothing yet to be served: what is being opened may never be. */
async function endEarly(opening: Promise<Served>, why: string, log: Log): Promise<number> {
  log("info", "asked to end", { why });
  let late: NodeJS.Timeout | undefined;
  const given = new Promise<"late">((resolve) => {
    late = setTimeout(resolve, GIVEN_UP_MS, "late");
  });
  const closing = opening.then(
    (served) => served.close(),
    () => undefined, // it is closed already
  );
  const ended = await Promise.race([given, closing]);
  clearTimeout(late);
  log("info", "ended");
  // What it holds open would keep the process.
  if (ended === "late") process.exit(EXIT.fine);
  return EXIT.fine;
}

interface Served {
  /** Resolves when there is nobody left to serve; never where doors are open. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

async function open(words: DoorsWords, io: Io, log: Log, rows: readonly TokenRow[]): Promise<Served> {
  const onError = (error: unknown): void => log("error", "something went wrong", { error });
  // What can be wrong with it is wrong before there is an application.
  const results = openResults(
    words.store,
    words.retention === undefined ? {} : { retention: words.retention },
  );
  await probe(results);
  const closers: (() => Promise<unknown>)[] = [() => results.close()];
  const close = async (): Promise<void> => {
    // The last that was opened first: doors, then what runs behind them, then the application.
    while (closers.length > 0) await closers.pop()?.();
  };
  try {
    const app =
      words.app === undefined
        ? await exampleApp(words.store, onError)
        : await moduleApp(words.app, words.store, io.cwd);
    closers.push(() => app.close());
    const workspaces = await workspacesOf(words, app, results, onError);
    closers.push(() => workspaces.close());
    const shared = {
      app,
      workspaces,
      onError,
      requireCommandId: words.requireCommandId,
    };
    const doors =
      words.listen === undefined ? undefined : await serveDoors(doorsOptions(words, shared, rows));
    if (doors !== undefined) {
      closers.push(() => doors.close());
      tell(doors, words, io, log);
    }
    if (words.mcp === "http") return { ended: new Promise(() => undefined), close };
    const stdio = await serveStdio(words, shared, rows);
    closers.push(() => stdio.close());
    return { ended: stdio.ended.then(() => "the client has gone"), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Looks into the store, so that what is wrong with it is said before a client is there. */
async function probe(results: CommandResults): Promise<void> {
  try {
    await results.read({ tenant: "", workspace: "", participant: "", commandId: "-" });
  } catch (error) {
    await results.close();
    throw error;
  }
}

async function workspacesOf(
  { identity, waitMs, deadlineMs }: DoorsWords,
  { bundle }: App,
  results: CommandResults,
  onError: (error: unknown) => void,
): Promise<Workspaces> {
  return new Workspaces({
    results,
    identity,
    tables: bundle.tables as unknown as PayloadTables,
    telemetry: await openTelemetry(),
    onError,
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  });
}

type Shared = Required<Pick<DoorsOptions, "app" | "workspaces" | "onError" | "requireCommandId">>;

function doorsOptions(words: DoorsWords, shared: Shared, rows: readonly TokenRow[]): DoorsOptions {
  const { listen, mcp, allowAnonymous, limits, origins, hosts } = words;
  return {
    ...shared,
    ...listen,
    limits,
    origins,
    allowAnonymous,
    mcp: mcp === "http",
    ...(rows.length === 0 ? {} : { authenticate: byTokens(rows) }),
    ...(hosts === undefined ? {} : { hosts }),
  };
}

/** MCP for the program that started this one, which says who it is as programs do: by the environment. */
async function serveStdio(words: DoorsWords, shared: Shared, rows: readonly TokenRow[]): Promise<McpStdio> {
  const sdk = await loadMcpSdk();
  const desk = new Desk(shared);
  return serveMcpStdio({
    sdk,
    servers: mcpServers({ sdk, desk, requireCommandId: shared.requireCommandId }),
    identity: stdioIdentity(words, rows),
    input: process.stdin,
    output: process.stdout,
    limitBytes: 2 * limitsOf(words.limits).bodyBytes,
    drainMs: limitsOf(words.limits).drainMs,
    onError: shared.onError,
  });
}

function stdioIdentity({ allowAnonymous }: DoorsWords, rows: readonly TokenRow[]): Identity {
  const token = process.env["MSPKIT_TOKEN"] || undefined;
  if (token === undefined && allowAnonymous) return ANONYMOUS;
  const headers = {};
  const known =
    token === undefined
      ? undefined
      : (byTokens(rows)({ door: "mcp", token, headers, remoteAddress: undefined }) as Identity | undefined);
  if (known === undefined || (known.expiresAtMs !== undefined && known.expiresAtMs <= Date.now()))
    throw new UsageError("--mcp stdio: MSPKIT_TOKEN is no token that is known, and valid");
  return known;
}

/** Standard output has the address, unless it is the protocol's. */
function tell(doors: Doors, { mcp, store }: DoorsWords, io: Io, log: Log): void {
  if (mcp === "http") io.out(`${doors.url}\n`);
  const { url, openApiUrl, webSocketUrl, mcpUrl } = doors;
  log("info", "serving", {
    url,
    openApiUrl,
    webSocketUrl,
    mcpUrl,
    store: withoutCredentials(store),
  });
}

function tokenRows({ tokens, tokensFile }: DoorsWords): readonly TokenRow[] {
  const given = tokens.map(({ token, identity }) => {
    try {
      return tokenRow(token, identity);
    } catch (error) {
      throw new UsageError(`--token: ${(error as Error).message}`);
    }
  });
  if (repeatedToken(given) !== -1) throw new UsageError("--token: one token stands for two");
  if (tokensFile === undefined) return given;
  let text: string;
  try {
    text = readFileSync(tokensFile, "utf8");
  } catch (error) {
    throw new TroubleError(tokensFile, `cannot be read: ${(error as Error).message}`);
  }
  try {
    const rows = [...given, ...readTokens(text)];
    if (repeatedToken(rows) === -1) return rows;
    throw new TypeError("a token stands for somebody already by --token");
  } catch (error) {
    throw new TroubleError(tokensFile, (error as Error).message);
  }
}

function toldError(error: unknown, { store }: DoorsWords): unknown {
  if (error instanceof MissingPackageError)
    return new TroubleError(error.package, "is not installed", `npm install ${error.package}`);
  if (error instanceof StoreUrlError) return new UsageError(`--store: ${error.message}`);
  if (isStoreError(error)) return new TroubleError(error.place ?? withoutCredentials(store), error.message);
  if (!isDoorError(error)) return error;
  return error.kind === "unguarded"
    ? new UsageError(`--allow-anonymous: ${error.message}`)
    : new TroubleError("doors", error.message);
}

/** The address of a store without whose it is and by what word. */
function withoutCredentials(store: string): string {
  return store.replace(/\/\/[^@/]*@/, "//");
}

/** Writes log lines: JSON, one a line. */
function logger(io: Io): Log {
  return (level, message, details = {}) => {
    const told = Object.fromEntries(
      Object.entries(details).map(([name, value]) => [name, value instanceof Error ? value.message : value]),
    );
    io.err(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...told })}\n`);
  };
}
