/** The host that the words of `mspkit laws` mean. */
import { didYouMean } from "../../../codegen/bundle/suggest.js";
import { TroubleError } from "../../../codegen/diagnostics/finding.js";
import { type Driver, isDriverError } from "../../laws/driver/driver.js";
import { openDriver } from "../../laws/driver/open.js";
import { embeddedDriver } from "../../laws/simulation/embedded.js";
import { type Given, type Io, UsageError } from "../command.js";
import { text } from "../values.js";

/** A host under trial, and what its words are in a command that tries it again. */
export interface OpenedHost {
  readonly driver: Driver;
  /** Begins with a space; empty where the configuration says it all. */
  readonly words: string;
  /** The file of known failures that the host's configuration names. */
  readonly knownFailures: string | undefined;
  close(): Promise<void>;
}

/**
 * Finds out what the host is and can do.
 * @throws {UsageError} where the words name none, or more than one
 * @throws {TroubleError} where it cannot be started
 */
export async function openHost(given: Given, io: Io): Promise<OpenedHost> {
  const embedded = text(given, "embedded");
  const config = text(given, "config");
  const url = text(given, "url");
  const { rest } = given;
  if (rest?.length === 0) throw new UsageError("-- needs the host's command");
  if (embedded !== undefined) {
    if (config !== undefined || url !== undefined || rest !== undefined)
      throw new UsageError("--embedded excludes --config, --url and -- HOST...");
    if (embedded !== "durable" && embedded !== "memory")
      throw new UsageError(`--embedded takes durable or memory, not "${embedded}"`);
    const driver = await embeddedDriver({ durability: embedded === "memory" ? "ephemeral" : "durable" });
    return {
      driver,
      words: ` --embedded ${embedded}`,
      knownFailures: undefined,
      close: async () => undefined,
    };
  }
  const opened = await openDriver({ config, words: rest, url, cwd: io.cwd, suggest: didYouMean });
  const named = [
    ...(config === undefined ? [] : ["--config", config]),
    ...(url === undefined ? [] : ["--url", url]),
    ...(rest === undefined ? [] : ["--", ...rest]),
  ];
  return {
    driver: opened,
    words: named.map((word) => ` ${shellWord(word)}`).join(""),
    knownFailures: opened.config.knownFailures,
    close: () => opened.close(),
  };
}

/** A word as a shell takes it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Does something in which the surroundings may fail.
 * @throws {UsageError} where the host is described wrongly
 * @throws {TroubleError} for what else fails: no verdict
 */
export async function orDriverTrouble<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (isDriverError(error) && error.kind === "badConfig") throw new UsageError(error.message);
    if (isDriverError(error)) throw new TroubleError("the host", error.message);
    throw error;
  }
}
