/** Laws of the wire: our hosts keep them, and each breaks on a host with a fault of its kind. */
import { describe, expect, it } from "vitest";
import {
  answeredOnce,
  frames,
  handshake,
  staysAlive,
  validMessages,
  wireLaws,
} from "../../../src/laws/laws/wire.js";
import { embeddedDriver } from "../../../src/laws/simulation/embedded.js";
import { answeringDriver, errorLine, resultLine, welcome } from "../../support/answering-driver.js";
import { flawedDriver } from "../../support/flawed-driver.js";
import { ran, toldOf } from "../../support/law-run.js";
import { misreadingDriver } from "../../support/misreading-driver.js";
import { without } from "../../support/without-ability.js";

const CHANGED = (from: string | RegExp, to: string) => () => (line: string) => line.replace(from, to);

describe("our host", () => {
  it.each(wireLaws.map((law) => [law.id, law] as const))("keeps %s", async (_, law) => {
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
});

describe("a fault is found", () => {
  it.each([
    [
      "grants what nobody asked for",
      CHANGED('"grantedCapabilities":[]', '"grantedCapabilities":["feedback"]'),
    ],
    ["opens the experimental surface to all", CHANGED('"experimentalApi":false', '"experimentalApi":true')],
  ])("by handshake, in a host that %s", async (_, flaw) => {
    // What is granted with nothing asked for is everybody's: only what differs is a fault.
    let lines = 0;
    const driver = await flawedDriver(() => {
      const change = flaw();
      return (line) => (line.includes('"grantedCapabilities"') && ++lines % 2 === 0 ? change(line) : line);
    });
    const result = await ran(handshake, driver);
    expect(result.run.broken?.law, toldOf(result)).toBe("handshake");
    expect(result.clientFrames).toBeLessThanOrEqual(12);
  });

  it("by handshake, in a host that speaks before it is spoken to", async () => {
    const note = '{"jsonrpc":"2.0","method":"future/news","params":{}}';
    const driver = await flawedDriver(
      () => (line) => (line.includes('"grantedCapabilities"') ? `${line}\n${note}` : line),
    );
    const result = await ran(handshake, driver);
    expect(result.run.broken?.law, toldOf(result)).toBe("handshake");
  });

  it("by frames, in a host that writes line ends into its frames", async () => {
    const driver = await flawedDriver(CHANGED(/\\n/g, "\n"));
    const result = await ran(frames, driver);
    expect(result.run.broken?.law, toldOf(result)).toBe("frames");
    expect(result.clientFrames).toBeLessThanOrEqual(12);
  });

  it("by frames, in a host that tells texts in another form", async () => {
    const driver = await flawedDriver(CHANGED(/e\u0301/g, "\u00e9"));
    const result = await ran(frames, driver);
    expect(result.run.broken?.law, toldOf(result)).toBe("frames");
  });

  it.each([
    ["takes a line end of two characters", (text: string) => text.replace("\r", "?")],
    ["knows all members of a frame", (text: string) => text.replace('"future"', '"method":4,"x"')],
    ["cannot do with blank lines", (text: string) => text.replace(/^\n/, "?\n").replace(/^ \t\n/, "?\n")],
  ])("by frames, in a host that %s for a fault", async (_, misread) => {
    const result = await ran(frames, await misreadingDriver(misread));
    expect(result.run.broken, toldOf(result)).toBeDefined();
    expect(["frames", "answered-once"]).toContain(result.run.broken?.law);
  });

  it.each([
    ["never answers", (): string[] => []],
    ["answers twice", (asked: never) => [errorLine(asked, "internal"), errorLine(asked, "internal")]],
    ["answers under another id", () => ['{"jsonrpc":"2.0","id":"nobody\'s","result":{}}']],
  ])("by answered-once, in a host that %s", async (_, answer) => {
    const driver = await answeringDriver((asked) =>
      asked.method === "initialize" ? [resultLine(asked, welcome(asked))] : answer(asked as never),
    );
    // The handshake is answered as it should be.
    for (const law of wireLaws.filter(({ id }) => id !== handshake.id)) {
      const result = await ran(law, driver);
      expect(result.verdict, law.id).not.toBe("holds");
    }
    const result = await ran(answeredOnce, driver);
    expect(result.run.broken?.law, toldOf(result)).toBe("answered-once");
    expect(result.clientFrames).toBeLessThanOrEqual(2);
  });

  it("by answered-once, in a host that does not even answer the handshake", async () => {
    const result = await ran(answeredOnce, await answeringDriver(() => []));
    expect(result.run.broken?.law).toBe("answered-once");
  });

  it.each([
    ["an answer", /"viewCursor":"[^"]*","history"|"startedNewTurn":true/, '"startedNewTurn":7'],
    ["a notification", /"revision":1/, '"revision":0.5'],
    ["a request", /("method":"approval\/request".*)"availableChoices":/, '$1"choices":'],
  ])("by valid-messages, in a host of which %s is not valid", async (_, from, to) => {
    const result = await ran(validMessages, await flawedDriver(CHANGED(from, to)));
    expect(result.run.broken?.law, toldOf(result)).toBe("valid-messages");
    expect(result.clientFrames).toBeLessThanOrEqual(12);
  });

  it("by valid-messages, in a host that asks what the view did not tell", async () => {
    const driver = await flawedDriver(
      () => (line) =>
        line.includes('"approval/request"') ? line.replace(/"toolName":"[^"]*"/, '"toolName":"other"') : line,
    );
    const result = await ran(validMessages, driver);
    expect(result.run.broken?.law, toldOf(result)).toBe("valid-messages");
  });

  it("by stays-alive, in a host that gives a connection up at what it cannot read", async () => {
    const result = await ran(
      staysAlive,
      await misreadingDriver((text) => (text.startsWith("{\n") ? undefined : text)),
    );
    expect(result.run.broken?.law, toldOf(result)).toBe("stays-alive");
    expect(result.clientFrames).toBeLessThanOrEqual(3);
  });
});
