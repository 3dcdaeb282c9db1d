/** The official Python SDK and `mspkit serve`: one client goes through all that it can do with a host. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Environment, execute, INTEROP, pythonEnvironment } from "../interop/environment.js";
import { ROOT } from "../support/repo.js";

/** A line of `drive_host.py`. */
interface Step {
  readonly step: string;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly error?: string;
}

/** What each step comes to; the meaning of each fact is in `drive_host.py`. */
const EXPECTED: readonly (readonly [step: string, facts: Readonly<Record<string, unknown>>])[] = [
  ["handshake", { durability: "durable", host: "mspkit" }],
  [
    "streamed text",
    {
      disposition: "started",
      kinds: ["userMessage", "toolCall", "agentMessage"],
      output: "second",
      question: "answered",
      openQuestions: 0,
      several: true,
      joined: true,
      text: "The answer comes in several pieces.",
      terminal: "completed",
    },
  ],
  [
    "an approval of two stages",
    { stages: [0, 1], decision: "approved", tool: "completed", open: 0, terminal: "completed" },
  ],
  [
    "an approval denied",
    { decision: "denied", tool: "rejected", open: 0, why: "not today", terminal: "completed" },
  ],
  [
    "a queued turn is taken back",
    {
      disposition: "queued",
      waiting: true,
      kind: "unqueued",
      started: false,
      pending: 0,
      running: "cancelled",
    },
  ],
  [
    "a steer",
    {
      same: true,
      said: ["and this", "and that"],
      pending: 0,
      late: "turn_not_running",
      terminal: "cancelled",
    },
  ],
  ["an interrupt", { tool: "cancelled", again: "already_terminal", terminal: "cancelled" }],
  [
    "three turns queued at once",
    {
      waiting: 3,
      dispositions: ["queued", "queued", "queued"],
      replays: true,
      identical: true,
      terminals: ["completed", "completed", "completed"],
      said: ["number 1", "number 2", "number 3"],
      messages: [1, 1, 1],
      pending: 0,
      protocolErrors: [],
    },
  ],
  ["the host is killed", { died: 4, kept: 3, exit: ["crash", "SIGKILL"], protocolErrors: [] }],
  [
    "the session goes on with the next host",
    {
      entriesBefore: 3,
      orphan: "failed",
      abandoned: [-32030, "abandoned", "abandoned"],
      sameAcks: true,
      held: 2,
      terminals: ["completed", "completed", "completed"],
      said: ["first", "second", "third"],
      messages: [1, 1, 1],
      pending: 0,
      protocolErrors: [],
    },
  ],
  ["an orderly end", { code: 0, protocolErrors: [] }],
];

const found = await pythonEnvironment();
const why = "why" in found ? found.why : undefined;
if (why !== undefined) console.warn(`interop with the host is skipped: ${why}`);
const skipped = why === undefined ? "" : ` (skipped: ${why})`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mspkit-interop-host-"));
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Drives a host with a store of its own; `before` are words that come before those of the host. */
async function drive(words: readonly string[], before: readonly string[] = []): Promise<readonly Step[]> {
  const place = mkdtempSync(join(folder, "run-"));
  const program = [...before, process.execPath, join(ROOT, "dist/bin/mspkit.cjs"), "serve"];
  const script = join(INTEROP, "drive_host.py");
  const store = ["--store", `file:${join(place, "store")}`];
  const { code, stdout, stderr } = await execute((found as Environment).python, [
    script,
    place,
    ...program,
    ...store,
    ...words,
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Step);
}

const RELEASE = ["--as-release", "1.4.13"];
const factsOf = (steps: readonly Step[], name: string): Step["facts"] =>
  steps.find(({ step }) => step === name)?.facts;

describe.skipIf(why !== undefined)(`the Python client and mspkit serve${skipped}`, () => {
  let steps: readonly Step[];
  beforeAll(async () => {
    steps = await drive(RELEASE);
  });

  test("takes each step, and no other", () => {
    expect(steps.map(({ step, error }) => [step, error])).toEqual(
      EXPECTED.map(([step]) => [step, undefined]),
    );
  });

  test.each(EXPECTED)("%s", (step, facts) => {
    expect(factsOf(steps, step)).toEqual(facts);
  });
});

describe.skipIf(why !== undefined)(`a host that does otherwise is noticed${skipped}`, () => {
  const bent = (way: string): Promise<readonly Step[]> =>
    drive(RELEASE, [process.execPath, join(INTEROP, "bent-host.mjs"), way]);

  test("one that tells no pieces of a text", async () => {
    expect(factsOf(await bent("deltas"), "streamed text")).toMatchObject({ several: false, joined: false });
  });

  test("one whose answer to a repeated command is another than the first", async () => {
    const facts = factsOf(await bent("acks"), "three turns queued at once");
    expect(facts).toMatchObject({ replays: true, identical: false });
  });

  test("one with the fingerprint of its own: the client insists on that of its release", async () => {
    const [first, ...others] = await drive([]);
    expect(first?.error).toContain("MuseHostMismatchError");
    expect(others).toEqual([]);
  });
});
