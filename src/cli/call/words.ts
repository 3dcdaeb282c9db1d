/**
 * The words of `mspkit call`, read.
 */
import type { Surface } from "../../../codegen/model/protocol.js";
import { type Given, UsageError } from "../command.js";
import { surfaceOption } from "../settings.js";

/** Where the host is. */
export type HostWords =
  | { readonly url: string }
  | { readonly command: string; readonly args: readonly string[] };

/** What was asked for. */
export interface CallWords {
  readonly method: string;
  /** JSON, `@FILE` or `-`; undefined for no params. */
  readonly operand: string | undefined;
  readonly host: HostWords;
  readonly surface: Surface;
  readonly commandId: string | undefined;
  readonly repeat: number;
  readonly capabilities: readonly string[];
  readonly clientName: string;
  readonly waitMs: number;
  readonly until: string | undefined;
  readonly timeoutMs: number;
  readonly validate: boolean;
  readonly quiet: boolean;
}

const MOST_MS = 2_147_483_647;

/**
 * Reads the words.
 * @throws {UsageError} when they make no call
 */
export function callWords(given: Given): CallWords {
  const { options, operands } = given;
  const text = (name: string): string | undefined => {
    const value = options[name] as string | undefined;
    if (value === "") throw new UsageError(`--${name} needs a value`);
    return value;
  };
  const [method, operand] = operands;
  if (method === undefined || method === "") throw new UsageError("call needs a method");
  // The only method that is no call of its own: the handshake makes it.
  if (method === "initialize")
    throw new UsageError("initialize cannot be called: every call begins with it (see --capability)");
  return {
    method,
    operand,
    host: hostWords(text("url"), given.rest),
    surface: surfaceOption(given),
    commandId: text("command-id"),
    repeat: whole(text("repeat"), "repeat", 1, 1, 1_000_000),
    capabilities: (text("capability") ?? "").split(",").filter((name) => name !== ""),
    clientName: text("client-name") ?? "mspkit",
    waitMs: whole(text("wait"), "wait", 0, 0, MOST_MS),
    until: text("until"),
    timeoutMs: whole(text("timeout"), "timeout", 30_000, 1, MOST_MS),
    validate: options["no-validate"] !== true,
    quiet: options["quiet"] === true,
  };
}

function hostWords(url: string | undefined, rest: readonly string[] | undefined): HostWords {
  if (url !== undefined && rest !== undefined) throw new UsageError("--url and -- contradict each other");
  if (url !== undefined) {
    if (!URL.canParse(url) || !/^wss?:$/.test(new URL(url).protocol))
      throw new UsageError(`--url takes the address of a WebSocket (ws:// or wss://), not "${url}"`);
    return { url };
  }
  const [command, ...args] = rest ?? [];
  if (command === undefined || command === "")
    throw new UsageError("call needs a host: --url, or -- and its command");
  return { command, args };
}

function whole(
  text: string | undefined,
  name: string,
  otherwise: number,
  least: number,
  most: number,
): number {
  if (text === undefined) return otherwise;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`--${name} takes a whole number from ${least} to ${most}, not "${text}"`);
}
