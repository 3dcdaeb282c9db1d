/** Opens a host that is a command or an address: finds out what it can do, and gives the driver for its trials. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { ableDriver } from "./able.js";
import { addressPlace, answersAt } from "./address-place.js";
import type { Answers } from "./ask.js";
import { commandPlace, type HostCommand, hasFolder, takesConnections } from "./command-place.js";
import { HOST_CONFIG_FILE, type ReadConfig, readHostConfig, type Suggest } from "./config.js";
import { type Ability, type Driver, DriverError, type HostPlace } from "./driver.js";
import { storeInWords } from "./folders.js";
import { tracked } from "./places.js";

/** Which host. */
export interface OpenOptions {
  /** The file that describes it; false for none. Default: `mspkit.host.json` in `cwd`, where there is one. */
  readonly config?: string | false | undefined;
  /** The command that starts it, in the place of the one in the file. */
  readonly words?: readonly string[] | undefined;
  /** The address of a host that runs already, in the place of what the file says. */
  readonly url?: string | undefined;
  /** Where `config` and, without a file, the host's own paths begin. */
  readonly cwd: string;
  /** Says which member of the file was meant by an unknown one. */
  readonly suggest?: Suggest;
}

/** A driver for a host, and what was found out of it. */
export interface OpenedDriver extends Driver {
  /** As it was read, with what stands in the place of its members. */
  readonly config: ReadConfig;
  /** What was asked, and what was answered. */
  readonly answers: Answers;
  /** Words that make it listen; undefined where it has its standard streams, or an address that is known. */
  readonly listen: readonly string[] | undefined;
  /** Ends what lives of its hosts, and takes their places away. */
  close(): Promise<void>;
}

/** How long a host may take to be able to answer; milliseconds. */
const TIMEOUT_MS = 5_000;
/** What makes our own host listen; others may follow it. */
const LISTEN = ["--listen", "ws://127.0.0.1:0"];

/**
 * Opens a host. One that does not answer as a host would is opened all the same, with the abilities that are declared:
 * what is wrong with it is for the laws to say.
 * @throws {DriverError} `badConfig` where nothing says which host, or says it wrongly; `cannotStart` where there is no
 * such program, or nobody at the address; `survivor` where it cannot be killed
 */
export async function openDriver(options: OpenOptions): Promise<OpenedDriver> {
  const config = configOf(options);
  const { url, timeoutMs = TIMEOUT_MS } = config;
  if (url !== undefined && !/^wss?:\/\/./.test(url))
    throw new DriverError("badConfig", `${url} is not a ws:// or wss:// address`);
  const command = config.start === undefined ? undefined : commandOf(config, config.start, timeoutMs);
  const way = url === undefined ? await byCommand(command, config) : await byAddress(url, command, config);
  const all = tracked(way.place);
  try {
    const { driver, answers } = await ableDriver(
      {
        name: way.name,
        abilities: new Set(way.abilities),
        timeoutMs,
        maxPlaces: Number.POSITIVE_INFINITY,
        place: all.place,
      },
      config,
    );
    const literal = command !== undefined && !hasFolder(command);
    const keeps =
      answers.durability === "durable" || config.durable || storeInWords(config.start ?? []) !== undefined;
    return {
      ...driver,
      // Two hosts on one store are another matter than two trials at once.
      maxPlaces: url !== undefined || (literal && keeps) ? 1 : driver.maxPlaces,
      config,
      answers,
      listen: way.listen,
      close: all.close,
    };
  } catch (error) {
    await all.close();
    throw error;
  }
}

/** How a host is reached. */
interface Way {
  readonly name: string;
  readonly listen: readonly string[] | undefined;
  readonly abilities: readonly Ability[];
  place(): Promise<HostPlace>;
}

function configOf({ config: given, words, url, cwd, suggest }: OpenOptions): ReadConfig {
  const file = resolve(cwd, given || HOST_CONFIG_FILE);
  const none = given === false || (given === undefined && !existsSync(file));
  if (none && words === undefined && url === undefined)
    throw new DriverError(
      "badConfig",
      `there is no ${HOST_CONFIG_FILE} in ${cwd}, and neither a command nor an address`,
    );
  const read: ReadConfig = none
    ? { file: undefined, folder: resolve(cwd), cwd: resolve(cwd) }
    : readHostConfig(file, suggest);
  // A host that runs elsewhere is not the one that the file starts.
  const elsewhere = url !== undefined && read.url === undefined;
  const { start: _start, listen: _listen, crash: _crash, ...rest } = read;
  const config: ReadConfig = {
    ...(elsewhere ? rest : read),
    ...(words === undefined ? {} : { start: words }),
    ...(url === undefined ? {} : { url }),
  };
  if (config.start === undefined && config.url === undefined)
    throw new DriverError("badConfig", `${file}: says neither start nor url`);
  if (config.start?.length === 0) throw new DriverError("badConfig", "the host's command has no words");
  return config;
}

function commandOf(config: ReadConfig, words: readonly string[], timeoutMs: number): HostCommand {
  const cwd = config.cwd ?? config.folder;
  if (!existsSync(cwd)) throw new DriverError("badConfig", `there is no folder ${cwd} to start the host in`);
  const { env = {}, listen, crash = "SIGKILL", durable } = config;
  const token = env["MSPKIT_TOKEN"] ?? randomBytes(16).toString("hex");
  return { words, listen, cwd, env, crash, durable, timeoutMs, token };
}

async function byCommand(command: HostCommand | undefined, config: ReadConfig): Promise<Way> {
  if (command === undefined) throw new DriverError("badConfig", "nothing says how the host is started");
  const single = config.cannot?.includes("connections") === true;
  const asks = config.file === undefined && config.listen === undefined;
  const found =
    asks && !single && (await takesConnections({ ...command, listen: LISTEN })) ? LISTEN : undefined;
  const listen = single ? undefined : (command.listen ?? found);
  return {
    name: command.words.join(" "),
    listen,
    abilities: listen === undefined ? ["crash"] : ["crash", "connections", "twoHosts"],
    place: () => commandPlace({ ...command, listen }),
  };
}

async function byAddress(url: string, command: HostCommand | undefined, config: ReadConfig): Promise<Way> {
  const token = config.token === undefined ? undefined : process.env[config.token];
  if (config.token !== undefined && token === undefined)
    throw new DriverError("badConfig", `the variable ${config.token}, which has the token, is not set`);
  const address = { url, token, openMs: config.timeoutMs ?? TIMEOUT_MS };
  // One that runs already and that no command kills is nothing that we could kill.
  const crashes = command !== undefined && (command.crash !== "SIGKILL" || !(await answersAt(address)));
  return {
    name: url,
    listen: undefined,
    abilities: crashes ? ["crash", "connections"] : ["connections"],
    place: async () => addressPlace(address, command),
  };
}
