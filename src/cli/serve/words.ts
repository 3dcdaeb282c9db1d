/**
 * The words of `mspkit serve`, read.
 */
import { resolve } from "node:path";
import type { ApprovalMode } from "../../../generated/msp/experimental/types.js";
import { APPROVAL_MODES } from "../../host/host-options.js";
import { defaultStoreUrl } from "../../ledger/stores/default-place.js";
import { type Given, type Io, UsageError } from "../command.js";

/** Where a host listens. */
export type Listen =
  | { readonly kind: "stdio" }
  | { readonly kind: "ws"; readonly host: string; readonly port: number };

/** What was asked for. */
export interface ServeWords {
  readonly store: string;
  readonly listen: Listen;
  readonly grants: readonly string[];
  readonly agentCommand: string | undefined;
  readonly agentScript: string | undefined;
  readonly workspace: string;
  readonly frameBytes: number | undefined;
  readonly approvalMode: ApprovalMode | undefined;
  readonly origins: readonly string[];
  readonly asRelease: string | undefined;
  readonly workspaceMap: ReadonlyMap<string, string>;
}

/** The least that a frame may be limited to: errors must fit. */
const LEAST_FRAME = 4_096;

/**
 * Reads the words.
 * @throws {UsageError} where they say no host
 */
export function serveWords({ options }: Given, io: Io): ServeWords {
  const text = (name: string): string | undefined => {
    const value = options[name] as string | undefined;
    if (value === "") throw new UsageError(`--${name} needs a value`);
    return value;
  };
  const list = (name: string) => (text(name) ?? "").split(",").filter((word) => word !== "");
  const agentCommand = text("agent-command");
  const agentScript = text("agent-script");
  if (agentCommand !== undefined && agentScript !== undefined)
    throw new UsageError("--agent-command and --agent-script exclude each other");
  return {
    store: text("store") ?? defaultStoreUrl(),
    listen: listenOf(text("listen") ?? "stdio://"),
    grants: list("grant"),
    agentCommand,
    agentScript: agentScript === undefined ? undefined : resolve(io.cwd, agentScript),
    workspace: resolve(io.cwd, text("workspace") ?? "."),
    frameBytes: frameBytes(text("frame-limit")),
    approvalMode: approvalMode(text("approval-mode")),
    origins: list("origin"),
    asRelease: text("as-release"),
    workspaceMap: new Map(list("workspace-map").map((pair) => mapped(pair, io.cwd))),
  };
}

function listenOf(url: string): Listen {
  if (url === "stdio://" || url === "stdio:") return { kind: "stdio" };
  const match = /^ws:\/\/(\[[0-9a-f:.]+\]|[^:/[\]]+)(?::(\d{1,5}))?\/?$/i.exec(url);
  const port = Number(match?.[2] ?? 0);
  if (match === null || port > 65_535)
    throw new UsageError(`--listen: "${url}" is neither stdio:// nor ws://HOST:PORT`);
  return { kind: "ws", host: match[1]!.replace(/^\[|\]$/g, ""), port };
}

function frameBytes(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const bytes = Number(value);
  if (!Number.isSafeInteger(bytes) || bytes < LEAST_FRAME)
    throw new UsageError(`--frame-limit: "${value}" is no whole number from ${LEAST_FRAME}`);
  return bytes;
}

function approvalMode(value: string | undefined): ApprovalMode | undefined {
  const mode = APPROVAL_MODES.find((known) => known === value);
  if (value !== undefined && mode === undefined)
    throw new UsageError(`--approval-mode: "${value}" is none of ${APPROVAL_MODES.join(", ")}`);
  return mode;
}

function mapped(pair: string, cwd: string): [string, string] {
  const at = pair.indexOf("=");
  if (at <= 0 || at === pair.length - 1)
    throw new UsageError(`--workspace-map: "${pair}" is not of the form A=B`);
  return [pair.slice(0, at), resolve(cwd, pair.slice(at + 1))];
}
