/** Laws of a session's view: our hosts keep them, and each breaks on a host with a fault of its kind. */
import { describe, expect, it } from "vitest";
import {
  cursorsUnique,
  lateJoiner,
  pageEqualsPush,
  snapshotAndSuffix,
  viewLaws,
} from "../../../src/laws/laws/view.js";
import { embeddedDriver } from "../../../src/laws/simulation/embedded.js";
import { flawedDriver } from "../../support/flawed-driver.js";
import { ran, toldOf } from "../../support/law-run.js";
import { without } from "../../support/without-ability.js";

type Line = (line: string) => string;

describe("our host", () => {
  it.each(viewLaws.map((law) => [law.id, law] as const))("keeps %s", async (_, law) => {
    for (const driver of [
      await embeddedDriver(),
      await embeddedDriver({ durability: "ephemeral" }),
      without(await embeddedDriver(), ["connections", "twoHosts"]),
    ]) {
      if (!law.needs.every((ability) => driver.abilities.has(ability))) continue;
      const result = await ran(law, driver);
      expect(result.verdict, `${driver.name}: ${toldOf(result)}`).toBe("holds");
      expect(result.run.void).toBe(0);
    }
  });
});

describe("a fault is found", () => {
  it.each<[string, () => Line]>([
    [
      "does not show what waits",
      () => (line) => line.replace(/"queuedTurns":\[\{.*?\}\]/, '"queuedTurns":[]'),
    ],
    [
      "shows what waits in the wrong order",
      () => (line) => line.replace(/"queuedTurns":\[(\{.*?\}),(\{.*?\})/, '"queuedTurns":[$2,$1'),
    ],
    ["does not show what runs", () => (line) => line.replace(/"activeTurn":\{.*?\}/, '"activeTurn":null')],
    [
      "does not point to requests",
      () => (line) => line.replace(/"pendingRequests":\[\{.*?\}\]/, '"pendingRequests":[]'),
    ],
    [
      "does not show what waits for the user",
      () => (line) => line.replace(/"pendingApprovals":\[\{.*?\}\]/, '"pendingApprovals":[]'),
    ],
    [
      "does not ask who joins",
      // The first connection is asked as things happen, the second only since it joins.
      () => (line) =>
        /"id":(?:[3-9]|\d\d+),"method":"(?:approval|userInput)\/request"/.test(line) ? "" : line,
    ],
    [
      "has another ack for who repeats",
      () => {
        let joined = false;
        return (line) => {
          joined ||= line.includes('"pendingRequests"');
          return joined ? line.replace('"startedNewTurn":true', '"startedNewTurn":false') : line;
        };
      },
    ],
  ])("by late-joiner, in a host that %s", async (_, flaw) => {
    const result = await ran(lateJoiner, await flawedDriver(flaw));
    expect(result.run.broken?.law, toldOf(result)).toBe("late-joiner");
    expect(result.clientFrames).toBeLessThanOrEqual(12);
  });

  it.each<[string, () => Line]>([
    [
      "leaves an item out of a snapshot",
      () => (line) =>
        line
          .replace(/"snapshot":\{(.*)"items":\[\{.*?\}(,|\])/, '"snapshot":{$1"items":[$2')
          .replace("[,", "[")
          .replace('"items":[]]', '"items":[]'),
    ],
    [
      "counts turns wrong",
      () => (line) =>
        line.replace(/("snapshot":\{.*"turnCount":)(\d+)/, (_, head, count) => `${head}${Number(count) * 2}`),
    ],
    [
      "tells the effort in another word",
      () => (line) => line.replace(/("snapshot":\{.*"reasoningEffort":")\w+"/, '$1ultra"'),
    ],
  ])("by snapshot-and-suffix, in a host that %s", async (_, flaw) => {
    const result = await ran(snapshotAndSuffix, await flawedDriver(flaw));
    expect(result.run.broken?.law, toldOf(result)).toBe("snapshot-and-suffix");
    expect(result.clientFrames).toBeLessThanOrEqual(12);
  });

  it("by snapshot-and-suffix, in a host that leaves out the first event after a cursor", async () => {
    const driver = await flawedDriver(() => {
      let after = false;
      return (line) => {
        if (line.includes('"noneReason":"cursorSuffix"')) after = true;
        else if (after && line.includes('"viewCursor"') && line.includes('"method"')) {
          after = false;
          return "";
        }
        return line;
      };
    });
    const result = await ran(snapshotAndSuffix, driver);
    expect(result.run.broken?.law, toldOf(result)).toBe("snapshot-and-suffix");
  });

  it("by cursors-unique, in a host that ends a turn at the cursor of the event before it", async () => {
    const driver = await flawedDriver(() => {
      let last = "";
      return (line) => {
        const cursor = /"viewCursor":"([^"]*)"/.exec(line)?.[1] ?? "";
        if (line.includes('"turn/completed"')) return line.replace(cursor, last);
        if (line.includes('"method"')) last = cursor;
        return line;
      };
    });
    const result = await ran(cursorsUnique, driver);
    expect(result.run.broken?.law, toldOf(result)).toBe("cursors-unique");
    expect(result.clientFrames).toBeLessThanOrEqual(12);
  });

  it.each<[string, (events: unknown[]) => unknown[]]>([
    ["leaves one out", (events) => events.slice(1)],
    ["has them the other way round", (events) => [...events].reverse()],
    [
      "changes one",
      (events) =>
        events.map((event, i) =>
          i === 0 ? JSON.parse(JSON.stringify(event).replace('"completed"', '"failed"')) : event,
        ),
    ],
    ["has more than it was asked for", (events) => (events.length > 0 ? [...events, ...events] : events)],
  ])("by page-equals-push, in a host whose pages of events %s", async (_, change) => {
    const driver = await flawedDriver(() => (line) => {
      const frame = JSON.parse(line) as { result?: { events?: unknown[] } };
      if (frame.result?.events === undefined) return line;
      return JSON.stringify({ ...frame, result: { ...frame.result, events: change(frame.result.events) } });
    });
    const result = await ran(pageEqualsPush, driver);
    expect(result.run.broken?.law, toldOf(result)).toBe("page-equals-push");
    expect(result.clientFrames).toBeLessThanOrEqual(12);
  });

  it("says nothing where a host gives no snapshots", async () => {
    const driver = await flawedDriver(() => (line) => {
      const frame = JSON.parse(line) as { result?: { history?: { mode: string } } };
      if (frame.result?.history === undefined || frame.result.history.mode === "none") return line;
      const history = { mode: "none", items: null, snapshot: null, noneReason: "historyBudget" };
      return JSON.stringify({ ...frame, result: { ...frame.result, history } });
    });
    expect((await ran(lateJoiner, driver)).verdict).toBe("inconclusive");
    expect((await ran(snapshotAndSuffix, driver)).verdict).toBe("inconclusive");
  });
});
