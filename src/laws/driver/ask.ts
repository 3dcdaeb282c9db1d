/** Asks a host what it is and can do, as far as it answers. */
import { randomUUID } from "node:crypto";
import { setTimeout as after } from "node:timers/promises";
import { isCaseVoid, isLawBroken } from "../broken.js";
import { History, type JsonObject, type Told } from "../model/history.js";
import { SECOND_HOST, Stand } from "../stand.js";
import { completed, Trial } from "../trial.js";
import { type Driver, isDriverError } from "./driver.js";
import { givesExperimental, servedMethods } from "./probe.js";

/** What is asked, beside what every host is asked. */
export interface Questions {
  /** Whether it has the scripted test agent. */
  readonly testAgent: boolean;
  /** Which methods it serves. */
  readonly serves: boolean;
  /** Whether a second host can be started on the place of a durable one. */
  readonly twoHosts: boolean;
  /** Whether it gives what is experimental. */
  readonly experimental: boolean;
}

/** What was found out. */
export interface Answers {
  /** What it says of its sessions; undefined where it does not get as far, or has another word for it. */
  readonly durability: "durable" | "ephemeral" | undefined;
  readonly serves: ReadonlySet<string>;
  readonly testAgent: boolean;
  readonly twoHosts: boolean;
  readonly experimental: boolean;
  /** Why it could not be asked to the end; undefined where it could. */
  readonly why: string | undefined;
}

/**
 * Asks a host, on a place of its own.
 * @throws {DriverError} where it cannot be started, or not be killed
 */
export async function askHost(driver: Driver, questions: Questions): Promise<Answers> {
  const found: { -readonly [Name in keyof Answers]: Answers[Name] } = {
    durability: undefined,
    serves: new Set(),
    testAgent: false,
    twoHosts: false,
    experimental: false,
    why: undefined,
  };
  const stand = new Stand(driver);
  const attempt = async (action: () => Promise<void>) => {
    if (found.why !== undefined) return;
    try {
      await action();
    } catch (error) {
      found.why = unanswered(error);
    }
  };
  try {
    await attempt(async () => {
      const { welcome } = await join(stand, 0);
      found.durability = durabilityOf(welcome);
    });
    if (questions.serves)
      await attempt(async () => {
        // Nothing is to wait for it when all has been answered.
        const late = after(driver.timeoutMs, undefined, { ref: false });
        found.serves = await servedMethods(await join(stand, 0), late);
      });
    // That it does not do one of these says nothing of the others.
    if (found.why === undefined) {
      if (questions.testAgent) found.testAgent = (await tried(() => hasTestAgent(stand))) ?? false;
      if (questions.experimental)
        found.experimental = (await tried(() => isExperimental(stand, driver))) ?? false;
      if (questions.twoHosts && found.durability === "durable")
        found.twoHosts = (await tried(async () => (await join(stand, SECOND_HOST)) !== undefined)) ?? false;
    }
  } finally {
    await stand.clear();
  }
  return found;
}

/** What an action gives; undefined where the host does not go along. */
async function tried<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    unanswered(error);
    return undefined;
  }
}

/** Why a host did not answer; throws what is no fault of it. */
function unanswered(error: unknown): string {
  const its =
    isLawBroken(error) || isCaseVoid(error) || (isDriverError(error) && error.kind === "noConnection");
  if (!its) throw error;
  return (error as Error).message;
}

function join(stand: Stand, n: number, experimental = false) {
  return stand.client(n, experimental ? { experimental } : {}, new History(), () => undefined);
}

async function isExperimental(stand: Stand, driver: Driver): Promise<boolean> {
  return givesExperimental(await join(stand, driver.abilities.has("connections") ? 1 : 0, true));
}

/** Whether the agent does as the script in a prompt says: a model would repeat a word perhaps, and would not fail then. */
async function hasTestAgent(stand: Stand): Promise<boolean> {
  const trial = new Trial(stand, 0);
  const word = `laws-${randomUUID()}`;
  const sessionId = await trial.session();
  const { turnId } = await trial.turn(sessionId, `/say ${word}\n/fail`);
  const end = await trial.until(completed(String(turnId)));
  const said = trial.history.told.some((told) => says(told, word));
  return said && end?.params["terminal"] === "failed";
}

function says({ method, params }: Told, word: string): boolean {
  const item = params["item"] as JsonObject | undefined;
  return method === "item/completed" && item?.["kind"] === "agentMessage" && item["text"] === word;
}

/** Absent means durable; an unknown word is to be taken as not durable, and says nothing else. */
function durabilityOf(welcome: JsonObject): Answers["durability"] {
  const word = welcome["sessionDurability"] ?? "durable";
  return word === "durable" || word === "ephemeral" ? word : undefined;
}
