/** Laws of what is experimental: our hosts keep them, and each breaks on a host with a fault of its kind. */
import { describe, expect, it } from "vitest";
import { methods } from "../../../generated/msp/stable/tables.js";
import {
  experimentalGate,
  experimentalOrdinary,
  experimentalStripped,
  stabilityLaws,
} from "../../../src/laws/laws/stability.js";
import { embeddedDriver } from "../../../src/laws/simulation/embedded.js";
import {
  answeringDriver,
  anyResult,
  errorLine,
  resultLine,
  welcome,
} from "../../support/answering-driver.js";
import { flawedDriver } from "../../support/flawed-driver.js";
import { ran, toldOf } from "../../support/law-run.js";
import { misreadingDriver } from "../../support/misreading-driver.js";
import { without } from "../../support/without-ability.js";

describe("our host", () => {
  it.each(stabilityLaws.map((law) => [law.id, law] as const))("keeps %s", async (_, law) => {
    for (const driver of [
      await embeddedDriver(),
      await embeddedDriver({ durability: "ephemeral" }),
      without(await embeddedDriver(), ["connections", "twoHosts"]),
    ]) {
      const result = await ran(law, driver);
      expect(result.verdict, `${driver.name}: ${toldOf(result)}`).toBe("holds");
      expect(result.run.void).toBe(0);
    }
  });

  it("keeps the gate also where it has nothing experimental: it knows none of it", async () => {
    const driver = await answeringDriver((asked) => {
      if (asked.method === "initialize")
        return [resultLine(asked, { ...welcome(asked), experimentalApi: false })];
      if (!Object.hasOwn(methods, asked.method)) return [errorLine(asked, "methodNotFound")];
      if (asked.method !== "session/start") return [errorLine(asked, "notFound")];
      const { session, viewCursor } = anyResult("session/start");
      return [resultLine(asked, { session: { ...(session as object), sessionId: "s" }, viewCursor })];
    });
    const stable = without(driver, ["experimental"]);
    const result = await ran(experimentalGate, stable);
    expect(result.verdict, toldOf(result)).toBe("holds");
    expect(result.run.counts["members"]).toBeGreaterThanOrEqual(10);
    // Where it says that it has it, it has to say so of the members too.
    expect((await ran(experimentalGate, driver)).run.broken?.law).toBe("experimental-gate");
  });
});

describe("a fault is found", () => {
  it.each<[string, (line: string) => string]>([
    [
      "looks at the value first",
      (line) => line.replace(/"code":-32602,(.*)"experimentalRequired"/, '"code":-32602,$1"invalidParams"'),
    ],
    ["forgets the descriptor", (line) => line.replace(/,?"descriptor":"[^"]*"/, "")],
    [
      "names another member",
      (line) => line.replace(/"descriptor":"[^"]*"/, '"descriptor":"turn/start.other"'),
    ],
    [
      "has another code",
      (line) => line.replace(/"code":-3260[12](,.*experimentalRequired)/, '"code":-32600$1'),
    ],
  ])("by experimental-gate, in a host that %s", async (_, flaw) => {
    const result = await ran(experimentalGate, await flawedDriver(() => flaw));
    expect(result.run.broken?.law, toldOf(result)).toBe("experimental-gate");
    expect(result.clientFrames).toBeLessThanOrEqual(2);
  });

  it("by experimental-gate, in a host that takes the member from anybody", async () => {
    const opted = (text: string) =>
      text.includes('"method":"initialize"')
        ? text.replace('"capabilities":{}', '"capabilities":{"experimentalApi":true}')
        : text;
    const result = await ran(experimentalGate, await misreadingDriver(opted));
    expect(result.run.broken?.law, toldOf(result)).toBe("experimental-gate");
    expect(result.clientFrames).toBeLessThanOrEqual(2);
  });

  it.each<[string, (line: string) => string]>([
    [
      "in a session",
      (line) => line.replace('"session":{', '"session":{"worktree":{"root":"/","origin":"created"},'),
    ],
    ["in an item", (line) => line.replace(/"item":\{/, '"item":{"query":"secret",')],
    [
      "as a notification",
      (line) =>
        line.includes('"turn/completed"')
          ? `${line}\n{"jsonrpc":"2.0","method":"account/changed","params":{"kind":"loggedOut"}}`
          : line,
    ],
    [
      "in a page of events",
      (line) =>
        line.includes('"events":') ? line.replaceAll('"item":{', '"item":{"query":"secret",') : line,
    ],
  ])("by experimental-stripped, in a host that shows what is experimental %s", async (_, flaw) => {
    const result = await ran(experimentalStripped, await flawedDriver(() => flaw));
    expect(["experimental-stripped", "valid-messages"], toldOf(result)).toContain(result.run.broken?.law);
    expect(result.clientFrames).toBeLessThanOrEqual(12);
  });

  it.each([
    ["takes any budget", (text: string) => text.replace(/"tokenBudget":[^}]*/, '"tokenBudget":1')],
    ["takes no budget", (text: string) => text.replace(/"tokenBudget":[^}]*/, '"tokenBudget":0')],
  ])("by experimental-ordinary, in a host that %s", async (_, misread) => {
    const result = await ran(experimentalOrdinary, await misreadingDriver(misread));
    expect(result.run.broken?.law, toldOf(result)).toBe("experimental-ordinary");
    expect(result.clientFrames).toBeLessThanOrEqual(4);
  });
});
