/** Laws of turns, of steers and of the queue: our hosts keep them, and each breaks on a host with a fault of its kind. */
import { describe, expect, it } from "vitest";
import { queueLaws } from "../../../src/laws/laws/queue.js";
import { steerLaws } from "../../../src/laws/laws/steers.js";
import { turnLaws } from "../../../src/laws/laws/turns.js";
import { embeddedDriver } from "../../../src/laws/simulation/embedded.js";
import { flawedDriver } from "../../support/flawed-driver.js";
import { ackInsteadOf, from } from "../../support/ill-answers.js";
import { ran, toldOf } from "../../support/law-run.js";
import { without } from "../../support/without-ability.js";

const laws = [...turnLaws, ...steerLaws, ...queueLaws];

describe("our host", () => {
  it.each(laws.map((law) => [law.id, law] as const))("keeps %s", async (_, law) => {
    for (const driver of [
      await embeddedDriver(),
      await embeddedDriver({ durability: "ephemeral" }),
      without(await embeddedDriver(), [
        "connections",
        "twoHosts",
        "serves:view/page",
        "serves:session/resume",
      ]),
    ]) {
      const result = await ran(law, driver);
      expect(result.verdict, `${driver.name}: ${toldOf(result)}`).toBe("holds");
      expect(result.run.void, toldOf(result)).toBe(0);
    }
  });
});

/** Tells the end of every turn again, at another cursor. */
const twice = () => (line: string) =>
  line.startsWith('{"jsonrpc":"2.0","method":"turn/completed"')
    ? `${line}\n${line.replace(/"viewCursor":"/, '"viewCursor":"again ')}`
    : line;

describe("a fault is found", () => {
  it.each<[string, string, () => (line: string) => string]>([
    [
      "turn-identity",
      "says of a fresh turn that it has not started",
      from(1, /"startedNewTurn":true/, '"startedNewTurn":false'),
    ],
    [
      "turn-identity",
      "runs another turn than it named",
      from(1, /("method":"turn\/started".*"turnId":")\w/, "$1f"),
    ],
    ["one-end", "ends every turn twice", twice],
    [
      "deferred-launch-failure",
      "gives another reason",
      from(1, /"reason":"deferred_start_failed"/, '"reason":"missing_run"'),
    ],
    ["deferred-launch-failure", "calls it another error", from(1, /"launchError"/, '"modelError"')],
    [
      "steer-stays",
      "shows a steer in another turn",
      from(1, /("kind":"userMessage","turnId":")\w([^}]*"steered":true)/, "$1f$2"),
    ],
    ["late-cancel", "acks to stop what is over", ackInsteadOf("already_terminal", "missing_run")],
    ["unqueue-no-cancel", "acks to unqueue what runs", ackInsteadOf("turn_already_started")],
    [
      "queue-order",
      "lists what waits in another order",
      from(1, /"queuedTurns":\[(\{.*?\}),(\{.*?\})/, '"queuedTurns":[$2,$1'),
    ],
  ])("by %s, in a host that %s", async (id, _, flaw) => {
    const law = laws.find((one) => one.id === id) as (typeof laws)[number];
    const result = await ran(law, await flawedDriver(flaw));
    expect(result.run.broken?.law, toldOf(result)).toBe(id);
    expect(result.clientFrames).toBeLessThanOrEqual(12);
  });

  it("by one-end, in a host that keeps to itself that a turn has ended", async () => {
    const driver = await flawedDriver(from(1, /^.*"method":"turn\/completed".*$/, ""));
    // Where it serves pages these have the end, and that they differ from what was told is another law.
    const law = laws.find((one) => one.id === "one-end") as (typeof laws)[number];
    const result = await ran(law, without(driver, ["serves:view/page", "serves:session/resume"]));
    expect(result.run.broken?.law, toldOf(result)).toBe("one-end");
    expect(result.clientFrames).toBeLessThanOrEqual(12);
  });
});
