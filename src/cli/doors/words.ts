/** The words of `mspkit doors serve`, read. */
import { resolve } from "node:path";
import type { Identity as CommandIdentity } from "../../commands/identity.js";
import type { Retention } from "../../commands/results.js";
import type { Identity } from "../../doors/identity/authenticate.js";
import type { Limits } from "../../doors/limits.js";
import { type Given, type Io, UsageError } from "../command.js";

/** What was asked for. */
export interface DoorsWords {
  /** A file, or the name of a package; undefined for the example. */
  readonly app: string | undefined;
  readonly store: string;
  /** Undefined: nowhere. */
  readonly listen: { readonly host: string; readonly port: number } | undefined;
  readonly mcp: "stdio" | "http";
  readonly tokensFile: string | undefined;
  readonly tokens: readonly { readonly token: string; readonly identity: Identity }[];
  readonly allowAnonymous: boolean;
  readonly identity: CommandIdentity;
  readonly requireCommandId: boolean;
  readonly retention: Retention | undefined;
  readonly waitMs: number | undefined;
  readonly deadlineMs: number | undefined;
  readonly origins: readonly string[];
  readonly hosts: readonly string[] | undefined;
  readonly limits: Limits;
}

/** The least that bodies may be limited to. */
const LEAST_BODY = 1_024;

/**
 * Reads the words.
 * @throws {UsageError} where they say no doors
 */
export function doorsWords({ options }: Given, io: Io): DoorsWords {
  const text = (name: string): string | undefined => {
    const value = options[name] as string | undefined;
    if (value === "") throw new UsageError(`--${name} needs a value`);
    return value;
  };
  const list = (name: string) => (text(name) ?? "").split(",").filter((word) => word !== "");
  const number = (name: string, least = 1): number | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    if (!/^\d{1,15}$/.test(value) || Number(value) < least)
      throw new UsageError(`--${name}: "${value}" is no whole number from ${least}`);
    return Number(value);
  };
  const choice = <T extends string>(name: string, choices: readonly [T, ...T[]]): T => {
    const value = text(name) ?? choices[0];
    const found = choices.find((known) => known === value);
    if (found === undefined) throw new UsageError(`--${name} takes ${choices.join(" or ")}, not "${value}"`);
    return found;
  };
  const app = text("app");
  const mcp = choice("mcp", ["http", "stdio"]);
  const listen = text("listen");
  const tokensFile = text("tokens");
  const hosts = list("host");
  return {
    app: app === undefined ? undefined : isFile(app) ? resolve(io.cwd, app) : app,
    store: text("store") ?? "memory",
    listen: listen === undefined && mcp === "stdio" ? undefined : listenOf(listen ?? "http://127.0.0.1:0"),
    mcp,
    tokensFile: tokensFile === undefined ? undefined : resolve(io.cwd, tokensFile),
    tokens: list("token").map(tokenOf),
    allowAnonymous: options["allow-anonymous"] === true,
    identity: choice("identity", ["first-result", "checked"]),
    requireCommandId: options["require-command-id"] === true,
    retention: retentionOf(number("keep-newest"), number("keep-ms")),
    waitMs: number("wait-ms", 0),
    deadlineMs: number("deadline-ms"),
    origins: list("origin").map(originOf),
    hosts: hosts.length === 0 ? undefined : hosts.map(hostOf),
    limits: limitsOf(number("body-limit", LEAST_BODY), number("rate"), number("connections")),
  };
}

/** Whether the name of a module is a path, and not that of a package. */
function isFile(name: string): boolean {
  return /^\.{0,2}[/\\]|^[A-Za-z]:|\.[cm]?js$/.test(name);
}

// One that no page sends would be in force nowhere, and nobody would hear of it.
function originOf(word: string): string {
  if (word === "null" || (URL.canParse(word) && new URL(word).origin === word)) return word;
  throw new UsageError(`--origin: "${word}" is not SCHEME://HOST or SCHEME://HOST:PORT, as pages send it`);
}

function hostOf(word: string): string {
  const host = word.toLowerCase();
  // The port is not looked at.
  if (/^(?:\[[0-9a-f:.]+\]|[^:/@\s[\]]+)$/.test(host)) return host;
  throw new UsageError(`--host: "${word}" is not the name of a host alone`);
}

function listenOf(url: string): { readonly host: string; readonly port: number } {
  const match = /^http:\/\/(\[[0-9a-f:.]+\]|[^:/[\]]+)(?::(\d{1,5}))?\/?$/i.exec(url);
  const port = Number(match?.[2] ?? 0);
  if (match === null || port > 65_535) throw new UsageError(`--listen: "${url}" is not http://HOST:PORT`);
  return { host: match[1]!.replace(/^\[|\]$/g, ""), port };
}

// What is wrong is said without the token.
function tokenOf(pair: string): { readonly token: string; readonly identity: Identity } {
  const match = /^([^/=]+)\/([^=]+)=(.+)$/.exec(pair);
  if (match === null) throw new UsageError("--token is TENANT/PARTICIPANT=TOKEN");
  const [, tenant, participant, token] = match;
  return { token: token!, identity: { tenant: tenant!, participant: participant! } };
}

function retentionOf(newest: number | undefined, ageMs: number | undefined): Retention | undefined {
  if (newest !== undefined && ageMs !== undefined)
    throw new UsageError("--keep-newest and --keep-ms exclude each other");
  if (newest !== undefined) return { newest };
  return ageMs === undefined ? undefined : { ageMs };
}

function limitsOf(
  bodyBytes: number | undefined,
  perSecond: number | undefined,
  connections: number | undefined,
): Limits {
  return {
    ...(bodyBytes === undefined ? {} : { bodyBytes }),
    ...(perSecond === undefined ? {} : { perSecond }),
    ...(connections === undefined ? {} : { connections }),
  };
}
