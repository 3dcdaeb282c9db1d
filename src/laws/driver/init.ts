/** What the file of a host says, by what was found out of the host. */
import { relative } from "node:path";
import { type HostConfig, PROMPTS } from "./config.js";
import { storeInWords } from "./folders.js";
import type { OpenedDriver } from "./open.js";

/** A file to be written, and what to tell of it. */
export interface InitialConfig {
  readonly config: HostConfig;
  /** What was found, in words. */
  readonly found: readonly string[];
  /** What nobody but the author of the host can say, in words; empty for nothing. */
  readonly open: readonly string[];
}

/**
 * The file of a host that was opened by its command and answered.
 * @param folder where the file will stand
 */
export function initialConfig({ config, answers, listen }: OpenedDriver, folder: string): InitialConfig {
  const { start = [], cwd = folder } = config;
  const store = storeInWords(start);
  const durable = answers.durability === "durable";
  const found = [
    answers.durability === undefined ? "has no word for how durable it is that is known" : answers.durability,
    listen === undefined ? "speaks over its standard streams" : `listens with ${listen.join(" ")}`,
    `serves ${answers.serves.size} methods`,
    answers.testAgent ? "has the scripted test agent" : "has not the scripted test agent",
  ];
  if (answers.twoHosts) found.push("a second host may live on its place");
  if (answers.experimental) found.push("gives what is experimental");
  const open: string[] = [];
  if (!answers.testAgent)
    open.push(
      `prompts: what makes its agent do what laws need (${PROMPTS.join(", ")}); laws without one do not apply`,
    );
  if (durable && store === undefined && !start.some((word) => word.includes("{dir}")))
    open.push("durable: the folder of its store, to be copied where a law breaks");
  if (durable && !start.some((word) => word.includes("{dir}")))
    open.push("start: with {dir} for the folder of its store each trial has an empty one");
  if (listen === undefined)
    open.push("listen: the words that make it listen on a WebSocket, for laws between connections");
  return {
    config: {
      $schema: "./node_modules/mspkit/schema/host.schema.json",
      start,
      ...(cwd === folder ? {} : { cwd: relative(folder, cwd) }),
      ...(listen === undefined ? {} : { listen }),
      ...(durable && store !== undefined ? { durable: store } : {}),
      ...(answers.testAgent ? { prompts: "test-agent" } : {}),
      serves: [...answers.serves].sort(),
    },
    found,
    open,
  };
}
