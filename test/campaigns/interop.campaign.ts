/** The official Python SDK and the canned host: sessions played, sessions recorded, and the SDK's own tests. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CANNED_HOST, type Environment, execute, pythonEnvironment } from "../interop/environment.js";
import {
  completeReport,
  countsOf,
  framesOf,
  linesOf,
  play,
  poison,
  scenariosOf,
  withoutIds,
} from "../interop/play.js";
import { expectedSeen, NOT_PLAYED, PLAYED, type Played, REFERENCE_NOT_PLAYED } from "../interop/scenarios.js";
import { beside, HOST_FROM_OUTSIDE, type Row, rowOf, selection, titleOf } from "../interop/sdk-rows.js";
import { SdkTests, summary, type TestEnd, testEnds } from "../interop/sdk-tests.js";
import { hasReference, REFERENCE, ROOT } from "../support/repo.js";

const OURS = join(ROOT, "schema/msp/transcripts");
const THEIRS = join(REFERENCE, "transcripts");

const found = await pythonEnvironment();
const why = "why" in found ? found.why : undefined;
// In the name of what is skipped, and in the output: a run without Python must not look like one with it.
if (why !== undefined) console.warn(`interop is skipped: ${why}`);
const skipped = why === undefined ? "" : ` (skipped: ${why})`;
const environment = found as Environment;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mspkit-interop-"));
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe.skipIf(why !== undefined)(`the Python client plays golden sessions${skipped}`, () => {
  let played: ReadonlyMap<string, Played>;
  beforeAll(async () => {
    played = await play(environment, OURS, PLAYED);
  });

  test("each is played, or it is said why not", () => {
    expect([...PLAYED, ...Object.keys(NOT_PLAYED)].sort()).toEqual(scenariosOf(OURS));
    expect(PLAYED.length).toBeGreaterThanOrEqual(35);
  });

  test.each(PLAYED)("%s: to the end, and the client saw all of it", (scenario) => {
    const { notifications, receipts } = countsOf(OURS, scenario);
    expect(played.get(scenario)).toEqual({
      scenario,
      ok: true,
      exit: 0,
      report: completeReport(OURS, scenario),
      seen: expectedSeen(scenario, notifications, receipts),
    });
  });

  test("what it does not play ends in a divergence at what it cannot send", async () => {
    const result = (await play(environment, OURS, ["framing-tolerance"])).get("framing-tolerance");
    expect(result).toMatchObject({ ok: false, exit: 1, report: { problem: "frameDivergence" } });
    expect(result?.report?.["divergences"]).toMatchObject([{ path: "another", received: null }]);
  });
});

describe.skipIf(why !== undefined)(`a wrong host is noticed${skipped}`, () => {
  const change = (scenario: string, method: string, from: string | RegExp, to: string): Promise<Played> => {
    poison(OURS, scenario, folder, (line) => {
      const { method: called } = JSON.parse(line.raw) as { method?: string };
      return (called ?? "answer") === method && (method !== "answer" || line.dir === "client")
        ? { ...line, raw: line.raw.replace(from, to) }
        : line;
    });
    return playPoisoned(scenario);
  };
  const playPoisoned = async (scenario: string): Promise<Played> => {
    const result = (await play(environment, folder, [scenario])).get(scenario);
    if (result === undefined) throw new Error("not played");
    return result;
  };

  test("a host that waits for another receipt than the client sends", async () => {
    const result = await change("approval-round-trip", "answer", '"result":{}', '"result":{"taken":true}');
    expect(result).toMatchObject({ ok: false, exit: 1, report: { problem: "frameDivergence" } });
    expect(result.report?.["divergences"]).toMatchObject([
      { path: "result.taken", expected: true, received: null },
    ]);
  });

  test("a host that forgets a member which the client needs", async () => {
    const result = await change("text-turn", "turn/completed", /"turnId":"[^"]*",/, "");
    expect(result).toMatchObject({ ok: false, seen: { turns: ["open"] } });
    expect(result.error).toBeDefined();
  });

  test("a host that sends one delta less is played to the end, and the counts tell", async () => {
    let deltas = 0;
    poison(OURS, "text-turn", folder, (line) =>
      line.raw.includes('"item/delta"') && ++deltas === 2 ? undefined : line,
    );
    const result = await playPoisoned("text-turn");
    expect(result.ok).toBe(true);
    const { notifications, receipts } = countsOf(OURS, "text-turn");
    const expected = expectedSeen("text-turn", notifications, receipts);
    expect(result.seen).toEqual({ ...expected, notifications: notifications - 1, deltas: 2, streamed: 0 });
  });
});

const noReference = hasReference ? skipped : " (skipped: there is no reference)";
describe.skipIf(why !== undefined || !hasReference)(
  `the Python client plays the reference${noReference}`,
  () => {
    const scenarios = hasReference
      ? scenariosOf(THEIRS).filter((scenario) => !(scenario in REFERENCE_NOT_PLAYED))
      : [];
    let played: ReadonlyMap<string, Played>;
    beforeAll(async () => {
      played = await play(environment, THEIRS, scenarios);
    });

    test("all but what it cannot play", () => {
      expect([...scenarios, ...Object.keys(REFERENCE_NOT_PLAYED)].sort()).toEqual(scenariosOf(THEIRS));
      expect(scenarios).toHaveLength(33);
    });

    test.each(scenarios)("%s", (scenario) => {
      expect(played.get(scenario)).toMatchObject({
        ok: true,
        exit: 0,
        report: completeReport(THEIRS, scenario),
        seen: countsOf(THEIRS, scenario),
      });
      expect(played.get(scenario)?.error).toBeUndefined();
    });
  },
);

describe.skipIf(why !== undefined)(`a recorder between client and canned host${skipped}`, () => {
  // In these each frame of the client follows from what came before it. Elsewhere the client sends something by itself
  // while the host goes on, and a recorder may see the two in either order.
  const scenarios = [
    "approval-round-trip",
    "cancel-mid-turn",
    "command-conflict",
    "replayed-command",
    "text-turn",
    "user-input-round-trip",
  ];
  let records: string;
  beforeAll(async () => {
    records = join(folder, "records");
    mkdirSync(records);
    const played = await play(environment, OURS, scenarios, records);
    for (const scenario of scenarios) {
      expect(played.get(scenario)).toMatchObject({ ok: true, report: completeReport(OURS, scenario) });
    }
  });

  test.each(scenarios)("%s: the record is the recording, ids aside", (scenario) => {
    const recorded = linesOf(records, scenario);
    expect(withoutIds(recorded)).toEqual(withoutIds(linesOf(OURS, scenario)));
    // The client's ids are its own: without the numbering the two differ.
    expect(framesOf(records, scenario, "client")).not.toEqual(framesOf(OURS, scenario, "client"));
  });

  test("the records are valid transcripts", async () => {
    const { code, stdout, stderr } = await execute(CANNED_HOST, ["validate", "--root", records]);
    expect(code, stdout + stderr).toBe(0);
    expect(scenariosOf(records)).toEqual(scenarios);
  });

  test("a lost, a changed and a moved line are each noticed", () => {
    const lines = linesOf(OURS, "text-turn");
    const moved = [...lines.slice(0, -2), ...lines.slice(-2).reverse()];
    const changed = lines.map((line) => ({
      ...line,
      raw: line.raw.replace('"terminal":"completed"', '"terminal":"failed"'),
    }));
    for (const wrong of [lines.slice(0, -1), moved, changed]) {
      expect(withoutIds(wrong)).not.toEqual(withoutIds(lines));
    }
  });
});

describe.skipIf(why !== undefined)(`the SDK's own tests${skipped}`, () => {
  const version = why === undefined ? environment.version : ([3, 11] as const);
  const recordings = new Set([...scenariosOf(OURS), ...(hasReference ? scenariosOf(THEIRS) : [])]).size;
  // Three, of which one wants a recording of the reference, and one for each recording.
  const replay: Row = { file: "test_transcript_replay", passed: 3 + recordings, needsReference: true };
  const others = [...beside(version), replay];
  const all = [...HOST_FROM_OUTSIDE, ...others];
  const lacks = (row: Row): boolean => row.needsReference === true && !hasReference;
  let sdk: SdkTests;
  let ends: readonly TestEnd[];

  beforeAll(async () => {
    sdk = new SdkTests(environment);
    expect(sdk.recordings).toHaveLength(recordings);
    ends = await sdk.run(CANNED_HOST, selection(all.filter((row) => !lacks(row))));
  });
  afterAll(() => sdk?.remove());

  const check = (row: Row): void => {
    const { passed, skipped = 0 } = row;
    expect(summary(ends.filter((end) => rowOf(all, end) === row))).toEqual({ passed, skipped, failed: [] });
  };

  describe("with a host from outside", () => {
    test.each(HOST_FROM_OUTSIDE.map((row) => [titleOf(row), row] as const))("%s", (_, row) => check(row));

    test("there are twelve, and a host that does nothing fails all of them", async () => {
      expect(HOST_FROM_OUTSIDE.reduce((sum, { passed }) => sum + passed, 0)).toBe(12);
      const idle = join(folder, "idle-host");
      writeFileSync(idle, "#!/bin/sh\nexit 9\n", { mode: 0o755 });
      const { passed, skipped, failed } = summary(await sdk.run(idle, selection(HOST_FROM_OUTSIDE)));
      expect({ passed, skipped, failed: failed.length }).toEqual({ passed: 0, skipped: 0, failed: 12 });
    });
  });

  describe("with peers of their own", () => {
    for (const row of others) test.skipIf(lacks(row))(titleOf(row), () => check(row));

    test("no test is run that is not counted above", () => {
      expect(ends.filter((end) => rowOf(all, end) === undefined)).toEqual([]);
      expect(ends.length).toBeGreaterThan(400);
    });
  });
});

test("a report of tests is read as it is meant", () => {
  const report =
    '<testcase classname="tests.test_a" name="one" time="0.1" /><testcase classname="tests.test_a.TestB" name="two">' +
    '<failure message="x &gt; y">text</failure></testcase><testcase classname="" name="tests.test_c"><error/></testcase>' +
    '<testcase classname="tests.test_a" name="three"><skipped type="s"/></testcase>';
  expect([...testEnds(report)]).toEqual([
    { file: "test_a", name: "one", end: "passed" },
    { file: "test_a", name: "two", end: "failed" },
    { file: "test_c", name: "tests.test_c", end: "failed" },
    { file: "test_a", name: "three", end: "skipped" },
  ]);
});
