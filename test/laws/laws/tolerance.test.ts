/** Laws of what a host takes and refuses: our hosts keep them, and each breaks on a host with a fault of its kind. */
import { describe, expect, it } from "vitest";
import { invalidRefused } from "../../../src/laws/laws/refusals.js";
import {
  openValues,
  toleranceLaws,
  unknownMembers,
  validAccepted,
} from "../../../src/laws/laws/tolerance.js";
import { viewLaws } from "../../../src/laws/laws/view.js";
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
  it.each(toleranceLaws.map((law) => [law.id, law] as const))("keeps %s", async (_, law) => {
    for (const driver of [
      await embeddedDriver(),
      await embeddedDriver({ durability: "ephemeral" }),
      without(await embeddedDriver(), ["connections", "twoHosts"]),
    ]) {
      const result = await ran(law, driver);
      expect(result.verdict, `${driver.name}: ${toldOf(result)}`).toBe("holds");
      expect(result.run.void).toBe(0);
      // Cases that turn out to be valid are dropped and counted: hardly any may.
      expect(result.run.counts["discarded"] ?? 0).toBeLessThan(8);
    }
  });

  it("keeps them for other cases too", async () => {
    for (const law of toleranceLaws) {
      const result = await ran(law, await embeddedDriver(), { seed: 20261130, cases: 2 * law.runs });
      expect(result.verdict, toldOf(result)).toBe("holds");
    }
  });
});

/** A host that answers the handshake, and everything else alike. */
const alike = (answer: Parameters<typeof answeringDriver>[0]) =>
  answeringDriver((asked) =>
    asked.method === "initialize" ? [resultLine(asked, welcome(asked))] : answer(asked),
  );

describe("a host that refuses everything", () => {
  it("breaks what is said of valid params, and is green nowhere", async () => {
    const driver = await alike((asked) => [errorLine(asked, "invalidParams")]);
    const result = await ran(validAccepted, driver);
    expect(result.verdict, toldOf(result)).toBe("broken");
    expect(result.clientFrames).toBe(1);
    for (const law of [...toleranceLaws, ...viewLaws])
      expect((await ran(law, driver)).verdict, law.id).not.toBe("holds");
  });
});

describe("a host that accepts everything", () => {
  it("breaks each law of what is refused", async () => {
    const driver = await alike((asked) => {
      const result = anyResult(asked.method);
      const { commandId } = asked.params;
      return [resultLine(asked, "commandId" in result ? { ...result, commandId } : result)];
    });
    for (const law of [invalidRefused, unknownMembers]) {
      const result = await ran(law, driver);
      expect(result.run.broken?.law, toldOf(result)).toBe(law.id);
      expect(result.clientFrames).toBeLessThanOrEqual(4);
    }
  });
});

describe("a fault is found", () => {
  it.each([
    [
      "calls a rename invalid",
      /"method":"session\/rename"/,
      '"method":"session/rename","x":1',
      '"name":"a name"',
      '"name":7',
    ],
    ["knows fewer words than the schema", /$^/, "", '"reasoningEffort":"max"', '"reasoningEffort":"most"'],
    ["cannot do with what is empty", /$^/, "", '"displayText":""', '"displayText":null'],
  ])("by valid-accepted, in a host that %s", async (_, from, to, value, other) => {
    const driver = await misreadingDriver((text) => text.replace(from, to).replace(value, other));
    const result = await ran(validAccepted, driver, { cases: 400 });
    expect(result.run.broken?.law, toldOf(result)).toBe("valid-accepted");
    expect(result.clientFrames).toBeLessThanOrEqual(2);
  });

  it("by valid-accepted, in a host that is at a loss and says so", async () => {
    const driver = await flawedDriver(
      () => (line) =>
        line.includes('"kind":"missing_goal"') || line.includes('"sessions":[')
          ? line.replace(/"result":.*/, '"error":{"code":-32603,"message":"","data":{"kind":"internal"}}}')
          : line,
    );
    expect((await ran(validAccepted, driver)).run.broken?.law).toBe("valid-accepted");
  });

  it.each([
    [
      "takes unknown members for a fault",
      (text: string) => text.replace(/"future\w+"|"x-future"/, '"input"'),
    ],
    [
      "takes unknown members of a strict method",
      (text: string) =>
        /"goal\/(?:clear|pause|resume)"/.test(text)
          ? text.replace(/,?"(?:x-)?future\w*":.*(?=\}\}\n$)/, "")
          : text,
    ],
  ])("by unknown-members, in a host that %s", async (_, misread) => {
    const result = await ran(unknownMembers, await misreadingDriver(misread));
    expect(result.run.broken?.law, toldOf(result)).toBe("unknown-members");
    expect(result.clientFrames).toBeLessThanOrEqual(2);
  });

  it.each([
    [
      "takes an anchor that it does not know for none",
      (text: string) => text.replace(/,"anchor":"(?:[^"\\]|\\.)*"/, ""),
    ],
    [
      "tells words in another form",
      (text: string) => text.replace(/"anchor":"((?:[^"\\]|\\.)*)"/, '"anchor":"x$1"'),
    ],
  ])("by open-values, in a host that %s", async (_, misread) => {
    const result = await ran(openValues, await misreadingDriver(misread));
    expect(result.run.broken?.law, toldOf(result)).toBe("open-values");
    expect(result.clientFrames).toBeLessThanOrEqual(2);
  });

  it.each([
    [
      "says another reason",
      (line: string) =>
        line
          .replace(/"code":-32602,/, '"code":-32603,')
          .replace('"kind":"invalidParams"', '"kind":"internal"'),
    ],
    ["says another code", (line: string) => line.replace(/"code":-32602,/, '"code":-32000,')],
    [
      "knows every method",
      (line: string) => line.replace(/"error":\{.*"kind":"methodNotFound".*/, '"result":{}}'),
    ],
    [
      "takes a batch",
      (line: string) =>
        line.includes('"id":null') && line.includes('"invalidRequest"')
          ? line.replace(/"code":-32600/, '"code":-32700').replace('"invalidRequest"', '"parseError"')
          : line,
    ],
    [
      "does not mind a second handshake",
      (line: string) => line.replace('"kind":"alreadyInitialized"', '"kind":"invalidRequest"'),
    ],
    [
      "does not mind what comes first",
      (line: string) => line.replace('"kind":"notInitialized"', '"kind":"methodNotFound"'),
    ],
  ])("by invalid-refused, in a host that %s", async (_, flaw) => {
    const result = await ran(invalidRefused, await flawedDriver(() => flaw));
    expect(result.run.broken?.law, toldOf(result)).toBe("invalid-refused");
    expect(result.clientFrames).toBeLessThanOrEqual(5);
  });

  it.each([
    ["empty inputs", /"input":\[\]/, '"input":[{"type":"text","text":"x"}]'],
    [
      "ids of another version",
      /f47ac10b-58cc-4372-a567-0e02b2c3d479/,
      "01a19b7c-a6bc-7000-8000-ff6f00000002",
    ],
    ["goals that are blank", /"objective":" [^"]*"/, '"objective":"x"'],
    ["targets that are no ids", /"turn-1"/, '"01a19b7c-a6bc-7000-8000-ff6f00000002"'],
  ])("by invalid-refused, in a host that takes %s", async (_, from, to) => {
    const driver = await misreadingDriver((text) => text.replace(from, to));
    const result = await ran(invalidRefused, driver, { cases: 400 });
    expect(result.run.broken?.law, toldOf(result)).toBe("invalid-refused");
    expect(result.clientFrames).toBeLessThanOrEqual(4);
  });
});
