/** `mspkit.host.json`: how a host is started, crashed, and made to do what laws need. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { memberPointer } from "../../wire/pointer.js";
import { DriverError, type Prompts } from "./driver.js";

/** The name of the file, in the folder where a command runs. */
export const HOST_CONFIG_FILE = "mspkit.host.json";

/** What the file says. Every member may be left out. */
export interface HostConfig {
  /** Where the schema of the file is, for editors. */
  readonly $schema?: string;
  /** The words of the command that starts the host; no shell reads them. `{dir}` is a fresh empty folder. */
  readonly start?: readonly string[];
  /** The folder where it is started, from that of the file. Default: that one. */
  readonly cwd?: string;
  /** What its environment has beside that of the kit. `{dir}` as in `start`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Words behind `start` that make it listen on a WebSocket and print the address as its first line. */
  readonly listen?: readonly string[];
  /** The ws:// address of a host that runs already, or that `start` starts there. */
  readonly url?: string;
  /** The name of the variable of the environment that has the token for `url`. */
  readonly token?: string;
  /**
   * The folder or URL of its store, to be copied where a law breaks, as the host takes it: from `cwd`. False where it
   * has none. Default: what `start` tells. `{dir}` as in `start`.
   */
  readonly durable?: string | false;
  /** What kills it: `SIGKILL` to its process group (the default), or a command; `{pid}` is the id of its process. */
  readonly crash?: "SIGKILL" | readonly string[];
  /** What its agent does what for; `test-agent` where it has the scripted test agent. */
  readonly prompts?: "test-agent" | Prompts;
  /** The stable methods that it serves. Default: it is asked. */
  readonly serves?: readonly string[];
  /** Abilities that it has not, whatever is found. */
  readonly cannot?: readonly Cannot[];
  /** The file of its known failures, from the folder of this one. */
  readonly knownFailures?: string;
  /** Milliseconds to wait for what must come. Default: 5,000. */
  readonly timeoutMs?: number;
}

/** An ability that a host may be said not to have. */
export type Cannot = (typeof CANNOT)[number];

/** The names of all prompts. */
export const PROMPTS = [
  "quick",
  "busy",
  "failing",
  "failingLaunch",
  "approval",
  "question",
] as const satisfies readonly (keyof Prompts)[];

/** Abilities that a host may be said not to have. */
export const CANNOT = ["crash", "connections", "twoHosts", "experimental", "echo", ...PROMPTS] as const;

/** A configuration that was read. Its `cwd` and `knownFailures` are absolute. */
export interface ReadConfig extends HostConfig {
  /** The file; undefined where there was none. */
  readonly file: string | undefined;
  /** Where its paths begin. */
  readonly folder: string;
}

/** Says which known word was meant by an unknown one: ` (did you mean "x"?)`, or nothing. */
export type Suggest = (word: string, known: Iterable<string>) => string;

/**
 * Reads a configuration.
 * @param file its path
 * @throws {DriverError} `badConfig` where it cannot be read or is wrong: which file, where in it, why
 */
export function readHostConfig(file: string, suggest: Suggest = () => ""): ReadConfig {
  const refuse = (why: string, cause?: unknown): never => {
    throw new DriverError("badConfig", `${file}: ${why}`, { cause });
  };
  let text = "";
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    refuse(`cannot be read: ${(error as Error).message}`, error);
  }
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    refuse(`is no JSON: ${(error as Error).message}`, error);
  }
  const wrong = wrongInConfig(value, suggest);
  if (wrong !== undefined) refuse(wrong.place === "" ? wrong.why : `${wrong.place}: ${wrong.why}`);
  const config = value as HostConfig;
  const folder = dirname(resolve(file));
  const { knownFailures } = config;
  return {
    ...config,
    cwd: resolve(folder, config.cwd ?? ""),
    ...(knownFailures === undefined ? {} : { knownFailures: resolve(folder, knownFailures) }),
    file,
    folder,
  };
}

/** What is wrong, and where: a JSON Pointer. */
interface Wrong {
  readonly place: string;
  readonly why: string;
}
type Check = (value: unknown, place: string, suggest: Suggest) => Wrong | undefined;

const text: Check = (value, place) =>
  typeof value === "string" && value !== "" ? undefined : { place, why: "must be a text that is not empty" };

const url: Check = (value, place) =>
  typeof value === "string" && /^wss?:\/\/./.test(value)
    ? undefined
    : { place, why: "must be a ws:// or wss:// address" };

function list(item: Check, least: 0 | 1): Check {
  return (value, place, suggest) => {
    if (!Array.isArray(value)) return { place, why: "must be a list" };
    if (value.length < least) return { place, why: "must not be empty" };
    for (const [i, each] of value.entries()) {
      const wrong = item(each, `${place}/${i}`, suggest);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
}

function oneOf(words: readonly string[]): Check {
  return (value, place, suggest) => {
    if (typeof value !== "string") return { place, why: "must be a text" };
    if (words.includes(value)) return undefined;
    return { place, why: `"${value}" is not one of ${words.join(", ")}${suggest(value, words)}` };
  };
}

function members(checks: Readonly<Record<string, Check>>): Check {
  return (value, place, suggest) => {
    if (!isObject(value)) return { place, why: "must be an object" };
    for (const [name, each] of Object.entries(value)) {
      const at = memberPointer(place, name);
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
      if (check === undefined)
        return { place: at, why: `unknown member "${name}"${suggest(name, Object.keys(checks))}` };
      const wrong = check(each, at, suggest);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
}

const environment: Check = (value, place) => {
  if (!isObject(value)) return { place, why: "must be an object" };
  const odd = Object.entries(value).find(([, each]) => typeof each !== "string");
  return odd === undefined ? undefined : { place: memberPointer(place, odd[0]), why: "must be a text" };
};

/** One word, or what another check allows. */
function wordOr(word: string | false, other: Check, why: string): Check {
  return (value, place, suggest) => {
    if (value === word) return undefined;
    if (typeof value === "string" && typeof word === "string") return { place, why };
    return typeof value === "object" || word === false ? other(value, place, suggest) : { place, why };
  };
}

const timeout: Check = (value, place) =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_MS
    ? undefined
    : { place, why: `must be an integer from 1 to ${MOST_MS}` };

const MOST_MS = 600_000;

const CHECKS: Readonly<Record<keyof HostConfig, Check>> = {
  $schema: (value, place) => (typeof value === "string" ? undefined : { place, why: "must be a text" }),
  start: list(text, 1),
  cwd: text,
  env: environment,
  listen: list(text, 1),
  url,
  token: text,
  durable: wordOr(false, text, "must be a text or false"),
  crash: wordOr("SIGKILL", list(text, 1), 'must be "SIGKILL" or the words of a command'),
  prompts: wordOr(
    "test-agent",
    members(Object.fromEntries(PROMPTS.map((name) => [name, text]))),
    'must be "test-agent" or an object',
  ),
  serves: list(text, 0),
  cannot: list(oneOf(CANNOT), 0),
  knownFailures: text,
  timeoutMs: timeout,
};

function wrongInConfig(value: unknown, suggest: Suggest): Wrong | undefined {
  return members(CHECKS)(value, "", suggest);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
