/** Laws of commands: our hosts keep them, and each breaks on a host with a fault of its kind. */
import { describe, expect, it } from "vitest";
import type { Driver } from "../../../src/laws/driver/driver.js";
import type { AnyLaw } from "../../../src/laws/law.js";
import { carrierLessLaws } from "../../../src/laws/laws/carrier-less.js";
import { commandIdLaws } from "../../../src/laws/laws/command-ids.js";
import { commandKinds } from "../../../src/laws/laws/command-kinds.js";
import { conflictLaws } from "../../../src/laws/laws/conflicts.js";
import { duplicateLaws } from "../../../src/laws/laws/duplicates.js";
import { ephemeralLaws } from "../../../src/laws/laws/ephemeral.js";
import { payloadLaws } from "../../../src/laws/laws/payload.js";
import { replayLaws } from "../../../src/laws/laws/replay.js";
import { transientLaws } from "../../../src/laws/laws/transient.js";
import { embeddedDriver } from "../../../src/laws/simulation/embedded.js";
import { flawedDriver } from "../../support/flawed-driver.js";
import { ran, toldOf } from "../../support/law-run.js";
import { misreadingDriver } from "../../support/misreading-driver.js";
import { without } from "../../support/without-ability.js";

const laws: readonly AnyLaw[] = [
  ...replayLaws,
  ...conflictLaws,
  ...commandIdLaws,
  ...payloadLaws,
  ...transientLaws,
  ...duplicateLaws,
  ...carrierLessLaws,
  ...ephemeralLaws,
];

function lawOf(id: string): AnyLaw {
  const found = laws.find((law) => law.id === id);
  if (found === undefined) throw new Error(`there is no law ${id}`);
  return found;
}

const isFor = (law: AnyLaw, driver: Driver) => law.needs.every((need) => driver.abilities.has(need));

describe("our host", () => {
  it.each(laws.map((law) => [law.id, law] as const))("keeps %s", async (_, law) => {
    const drivers = [await embeddedDriver(), await embeddedDriver({ durability: "ephemeral" })].filter(
      (driver) => isFor(law, driver),
    );
    expect(drivers.length).toBeGreaterThan(0);
    for (const driver of drivers) {
      const result = await ran(law, driver);
      expect(result.verdict, `${driver.name}: ${toldOf(result)}`).toBe("holds");
      expect(result.run.void).toBe(0);
    }
  });

  it("keeps them with one connection, and with few commands", async () => {
    const durable = await embeddedDriver();
    for (const driver of [
      without(durable, ["connections", "twoHosts"]),
      without(durable, [
        "approval",
        "question",
        "serves:goal/set",
        "serves:session/fork",
        "serves:turn/steer",
      ]),
    ])
      for (const law of laws.filter((one) => isFor(one, driver))) {
        const result = await ran(law, driver, { cases: 8 });
        expect(result.run.broken, `${driver.name}: ${toldOf(result)}`).toBeUndefined();
        expect(result.run.void, toldOf(result)).toBe(0);
      }
  });

  it("is tried with every kind of command", async () => {
    const driver = await embeddedDriver();
    const counts: Record<string, number> = {};
    for (const law of replayLaws) {
      const { run } = await ran(law, driver, { cases: law.runs * 2 });
      for (const [name, times] of Object.entries(run.counts)) counts[name] = (counts[name] ?? 0) + times;
    }
    for (const { name } of commandKinds) expect(counts[name], name).toBeGreaterThan(0);
  });
});

describe("laws of what a host cannot do", () => {
  it("are not for it", async () => {
    const durable = await embeddedDriver();
    const ephemeral = await embeddedDriver({ durability: "ephemeral" });
    const alone = without(durable, ["connections", "twoHosts"]);
    const not = (driver: Driver) => laws.filter((law) => !isFor(law, driver)).map(({ id }) => id);
    expect(not(durable)).toEqual(["ephemeral-within-life", "ephemeral-claims-nothing"]);
    expect(not(ephemeral)).toEqual(["carrier-less-after-restart"]);
    expect(not(alone)).toEqual([
      "duplicates-across-connections",
      "duplicates-across-reconnect",
      "ephemeral-within-life",
      "ephemeral-claims-nothing",
    ]);
    expect(not(without(durable, ["busy"]))).toContain("carrier-less-replay");
    expect(not(without(durable, ["serves:goal/clear"]))).toContain("payload-strict");
  });
});

/** A host that knows no id again: every one that comes a second time is changed into one that is new. */
function forgetful(): Promise<Driver> {
  const seen = new Map<string, number>();
  return misreadingDriver((text) =>
    text.replace(/("commandId":")([^"]{36})"/g, (all, name: string, id: string) => {
      const times = seen.get(id) ?? 0;
      seen.set(id, times + 1);
      if (times === 0) return all;
      return `${name}${id.slice(0, -4)}${(Number.parseInt(id.slice(-4), 16) ^ times).toString(16).padStart(4, "0")}"`;
    }),
  );
}

/** A host that reads texts in another form than they were sent in. */
const reading = (from: RegExp, to: string) => () => misreadingDriver((text) => text.replace(from, to));
/** A host that says something else than it means. */
const saying = (from: RegExp, to: string) => () => flawedDriver(() => (line) => line.replace(from, to));

describe("a fault is found", () => {
  it.each<[string, string, () => Promise<Driver>]>([
    ["replay-identity", "forgets ids", forgetful],
    ["exactly-one-effect", "tells a change twice", tellsTwice],
    ["rejection-replay", "forgets ids", forgetful],
    ["conflict-changes-nothing", "forgets ids", forgetful],
    ["duplicates-at-once", "forgets ids", forgetful],
    ["duplicates-across-connections", "forgets ids", forgetful],
    ["duplicates-across-reconnect", "forgets ids", forgetful],
    ["conflict-payload", "forgets ids", forgetful],
    ["conflict-method", "forgets ids", forgetful],
    ["carrier-less-replay", "forgets ids", forgetful],
    ["payload-sharp", "trims every text", reading(/(?<=[a-z]) "|" (?=[a-z])/g, '"')],
    ["payload-sharp", "composes letters", reading(/e\u0301/g, "\u00e9")],
    ["payload-sharp", "reads no letter case", reading(/A text/g, "a text")],
    ["payload-normalised", "trims nothing", reading(/("objective":") /g, "$1.")],
    ["payload-blind", "takes what it does not know for more text", reading(/mspkitUnknown/g, "displayText")],
    ["payload-strict", "does not read on", reading(/,"mspkitUnknown":(?:null|"no"|\{"of":1\})/g, "")],
    [
      "conflict-payload",
      "says what a conflict is about in its own words",
      saying(/command_id_conflict/g, "taken"),
    ],
    ["conflict-payload", "tells what the id stands for", tellsAll],
    ["conflict-payload", "names another command in a conflict", namesAnother],
    ["command-id-required", "mints ids", minting],
    ["server-mints-none", "mints ids", minting],
    [
      "command-id-format",
      "takes ids of version 4 for such of version 7",
      reading(/(?<=[\da-f]{8}-[\da-f]{4})-4/g, "-7"),
    ],
    ["command-id-letter-case", "takes an id in capitals for another one", reading(/01[A-F]/g, "0ff")],
    ["transient-errors-leave-nothing", "says that all is accepted", saying(/"error":\{"code":-32602.*/, OK)],
  ])("by %s, in a host that %s", async (id, _, make) => {
    const result = await ran(lawOf(id), await make());
    expect(result.run.broken?.law, toldOf(result)).toBe(id);
    expect(result.verdict).toBe("broken");
    expect(result.clientFrames).toBeLessThanOrEqual(12);
  });

  it("by ephemeral-within-life and ephemeral-claims-nothing, in a host that keeps more than it says", async () => {
    const durable = await embeddedDriver();
    const abilities = new Set(
      [...durable.abilities].filter((one) => one !== "durable" && one !== "twoHosts"),
    );
    const claiming: Driver = { ...durable, abilities: abilities.add("ephemeral") };
    const result = await ran(lawOf("ephemeral-claims-nothing"), claiming);
    expect(result.run.broken?.law, toldOf(result)).toBe("ephemeral-claims-nothing");
    expect((await ran(lawOf("ephemeral-within-life"), claiming)).verdict).toBe("holds");
  });
});

const OK = '"result":{"commandId":"019b76da-a800-7000-8000-000000000001","status":"accepted"}}';

/** A host that tells the first payload in a conflict. */
function tellsAll(): Promise<Driver> {
  return flawedDriver(
    () => (line) =>
      line.includes("command_id_conflict")
        ? line.replace('"message":"', '"message":"the first payload of this case, ')
        : line,
  );
}

/** A host that tells of a change of the reasoning effort, or of the name, in two events. */
function tellsTwice(): Promise<Driver> {
  return flawedDriver(
    () => (line) =>
      /session\/(?:reasoningEffort|name)Changed/.test(line)
        ? `${line}\n${line.replace(/("viewCursor":"[^"]*)"/, '$1.7"')}`
        : line,
  );
}

function namesAnother(): Promise<Driver> {
  return flawedDriver(
    () => (line) =>
      line.includes("command_id_conflict")
        ? line.replace(/"commandId":"[^"]*"/, '"commandId":"019b76da-a800-7000-8000-000000000001"')
        : line,
  );
}

/** A host that makes an id for a command that has none. */
function minting(): Promise<Driver> {
  let minted = 0;
  return misreadingDriver((text) =>
    text.replace(/"method":"(?:goal|turn|session|userInput|approval|task)[^\n]*/g, (line) => {
      if (line.includes('"commandId":"')) return line;
      const id = `019b76da-a800-7000-8000-${(++minted).toString(16).padStart(12, "0")}`;
      return line
        .replace(',"commandId":null', "")
        .replace(/("params":\{.*?)(\}+)$/, (_, start: string, end: string) => {
          const comma = start.endsWith("{") ? "" : ",";
          return `${start.replace("{", `{"commandId":"${id}"${comma}`)}${end}`;
        });
    }),
  );
}
