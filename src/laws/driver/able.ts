/** What a host can do: what is said of it, and what it answers where nothing is said. */
import { type Answers, askHost } from "./ask.js";
import { type HostConfig, PROMPTS } from "./config.js";
import type { Ability, Driver, Prompts } from "./driver.js";
import { SCRIPTED_PROMPTS } from "./prompts.js";

/** What is said of a host. */
export type Said = Pick<HostConfig, "prompts" | "serves" | "cannot" | "durable">;

/** A driver that knows what its hosts can do, and what they answered when they were asked. */
export interface Able {
  readonly driver: Driver;
  readonly answers: Answers;
}

/**
 * Asks a host what is not said of it.
 * @param base what it can do by the way in which it is reached: `crash`, `connections`, and `twoHosts` where a second
 * one may be on its place, which is then tried
 * @throws {DriverError} where it cannot be started, or not be killed
 */
export async function ableDriver(base: Omit<Driver, "prompts">, said: Said): Promise<Able> {
  const cannot = new Set<Ability>(said.cannot ?? []);
  const given = [...base.abilities].filter((ability) => !cannot.has(ability));
  const maybe = given.includes("connections") && given.includes("twoHosts");
  const basic = given.filter((ability) => ability !== "twoHosts");
  const answers = await askHost(
    { ...base, abilities: new Set(basic), prompts: {} },
    {
      testAgent: said.prompts === undefined,
      serves: said.serves === undefined,
      experimental: !cannot.has("experimental"),
      twoHosts: maybe,
    },
  );
  const scripted = said.prompts === "test-agent" || answers.testAgent;
  const prompts = typeof said.prompts === "object" ? said.prompts : scripted ? SCRIPTED_PROMPTS : {};
  const found = [...basic, ...follows(said, answers, prompts, scripted)];
  const abilities = new Set(found.filter((ability) => !cannot.has(ability)));
  return { driver: { ...base, abilities, prompts }, answers };
}

function follows(said: Said, answers: Answers, prompts: Prompts, scripted: boolean): Ability[] {
  const found: Ability[] = [];
  const durability = durabilityOf(said, answers);
  if (durability !== undefined) found.push(durability);
  if (answers.twoHosts) found.push("twoHosts");
  if (answers.experimental) found.push("experimental");
  if (scripted) found.push("echo");
  for (const name of PROMPTS) if (prompts[name] !== undefined) found.push(name);
  for (const method of said.serves ?? answers.serves) found.push(`serves:${method}`);
  return found;
}

/** What a host says of itself counts; where it could not be asked, what is said of it. */
function durabilityOf({ durable }: Said, { durability, why }: Answers): "durable" | "ephemeral" | undefined {
  if (durability !== undefined) return durability;
  return why !== undefined && typeof durable === "string" ? "durable" : undefined;
}
