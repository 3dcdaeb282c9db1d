/** The agent that a file plays. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isTurnFailure } from "../../../src/host/agents/agent.js";
import { readAgentScript } from "../../../src/host/agents/agent-script.js";
import { agentFromFile } from "../../../src/host/agents/from-file.js";
import { isAgentSetupError } from "../../../src/host/agents/setup-error.js";
import { deriveAgentScript } from "../../../src/transcripts/replay/agent-script.js";
import { ManualClock, RecordedTurn } from "../../support/agent-tools.js";
import { ROOT, scratchFolder } from "../../support/repo.js";
import { everyTranscript } from "../../support/transcripts.js";

/** The turns that a file plays. */
function playing(turns: readonly object[]): {
  readonly clock: ManualClock;
  readonly next: (prompt?: string, turnId?: string) => RecordedTurn;
} {
  const path = join(scratchFolder(), "agent.json");
  writeFileSync(path, JSON.stringify({ version: 1, turns }));
  const clock = new ManualClock();
  const agent = agentFromFile(path, { sleep: clock.sleep });
  let count = 0;
  return {
    clock,
    next: (prompt = "", turnId = `turn-${++count}`) =>
      new RecordedTurn(agent, prompt, { turn: { turnId }, clock }),
  };
}

const message = (itemId: string, text: string): object => ({
  emit: { type: "itemCompleted", item: { itemId, kind: "agentMessage", text } },
});
const call = { itemId: "call", kind: "toolCall", tool: "dig", callId: "c1", args: "{}" };
const approval = {
  type: "approval",
  item: call,
  toolName: "dig",
  rawArgs: "{}",
  subject: { kind: "tool", toolName: "dig" },
  stages: [[{ choiceId: "yes", label: "Yes", decision: "approved", scope: "once" }]],
};
const question = {
  type: "userInput",
  item: call,
  toolName: "ask",
  questions: [
    {
      id: "q",
      header: "Q",
      question: "Which?",
      options: [{ label: "a" }, { label: "b" }],
      selection: { mode: "single" },
    },
  ],
};
const failure = { kind: "modelError", message: "no model", retryable: true };

describe("a turn of a file", () => {
  it("says what stands there, with ids of its own", async () => {
    const { next } = playing([
      {
        steps: [
          { emit: { type: "itemStarted", item: { itemId: "m", kind: "agentMessage", text: "" } } },
          { emit: { type: "itemDelta", itemId: "m", delta: "one" } },
          message("m", "one"),
          {
            emit: {
              type: "event",
              method: "session/todoListChanged",
              params: { items: [], revision: 1, sourceTool: "todo" },
            },
          },
          { emit: { type: "itemStarted", item: call } },
          { emit: { type: "itemUpdated", item: { ...call, statusLine: "digging" } } },
          { emit: { type: "itemCompleted", item: { ...call, status: "failed" } } },
        ],
      },
    ]);
    const turn = next();
    expect(await turn.end).toEqual({ terminal: "completed" });
    expect(turn.entries.map(({ host }) => host)).toEqual([
      "turn/started",
      "item/started",
      "item/delta",
      "item/completed",
      "session/todoListChanged",
      "item/started",
      "item/updated",
      "item/completed",
      "turn/completed",
    ]);
    const ids = turn.events.flatMap((event) =>
      event.type === "event" ? [] : event.type === "itemDelta" ? event.itemId : event.item.itemId,
    );
    expect(ids).toEqual(["item-1", "item-1", "item-1", "item-2", "item-2", "item-2"]);
  });

  it("asks, and goes on when it was decided", async () => {
    const { next } = playing([{ steps: [{ ask: approval }, { ask: question }, message("m", "done")] }]);
    const turn = next();
    await turn.settled();
    expect(turn.entries.at(-1)).toMatchObject({ host: "approval/requested", toolName: "dig", item: "1" });
    turn.decide("yes");
    await turn.settled();
    expect(turn.entries.at(-1)).toMatchObject({ host: "userInput/requested", item: "1" });
    turn.settle({ outcome: "cancelled" });
    await turn.end;
    expect(turn.said).toEqual(["done"]);
  });

  it("waits for commands, and for a time", async () => {
    const { next, clock } = playing([
      { steps: [{ untilCommands: 2 }, message("a", "two"), { wait: 10 }, message("b", "later")] },
    ]);
    const turn = next();
    turn.admit();
    await turn.settled();
    expect(turn.said).toEqual([]);
    turn.admit();
    await turn.settled();
    expect(turn.said).toEqual(["two"]);
    clock.advance(9);
    await turn.settled();
    expect(turn.said).toEqual(["two"]);
    clock.advance(1);
    await turn.end;
    expect(turn.said).toEqual(["two", "later"]);
  });

  it("ends as it is told to", async () => {
    const { next } = playing([
      { steps: [{ end: { terminal: "completed" } }] },
      { steps: [{ end: { terminal: "failed", error: failure } }] },
      { launch: { fail: { ...failure, kind: "launchError" } } },
      { steps: [] },
    ]);
    expect(await next().end).toEqual({ terminal: "completed" });
    expect(await next().end).toEqual({ terminal: "failed", error: failure });
    const thrown: unknown = await next().end.catch((error: unknown) => error);
    expect(isTurnFailure(thrown) && thrown.info).toEqual({ ...failure, kind: "launchError" });
    expect(await next().end).toEqual({ terminal: "completed" });
  });

  it("hangs until it is interrupted, and says the rest then", async () => {
    const { next } = playing([{ steps: [message("a", "first"), { hang: true }, message("b", "last")] }]);
    const turn = next();
    await turn.settled();
    expect(turn.said).toEqual(["first"]);
    turn.interrupt();
    await turn.end;
    expect(turn.said).toEqual(["first", "last"]);
  });

  it.each([
    ["waits", { wait: 5 }],
    ["waits for commands", { untilCommands: 5 }],
    ["asks for approval", { ask: approval }],
    ["asks", { ask: question }],
  ])("is over when it is interrupted while it %s", async (_what, step) => {
    const { next } = playing([{ steps: [step, message("m", "never")] }]);
    const turn = next();
    await turn.settled();
    turn.interrupt();
    expect(await turn.end).toBeUndefined();
    expect(turn.said).toEqual([]);
  });

  it("is the same turn when its launch is asked for again", async () => {
    const { next } = playing([{ steps: [message("m", "first")] }, { steps: [message("m", "second")] }]);
    for (const [turnId, said] of [
      ["a", "first"],
      ["a", "first"],
      ["b", "second"],
    ] as const) {
      const turn = next("", turnId);
      await turn.end;
      expect(turn.said).toEqual([said]);
    }
  });

  it("beyond the list is one of the embedded agent", async () => {
    const { next } = playing([{ steps: [] }]);
    await next("first").end;
    const beyond = next("second");
    await beyond.end;
    expect(beyond.said).toEqual(["second"]);
    expect(isTurnFailure(await next("/fail-launch").end.catch((error: unknown) => error))).toBe(true);
  });

  it("may speak of an item that an earlier turn left open, and use a label again that is free", async () => {
    const started = { emit: { type: "itemStarted", item: call } };
    const { next } = playing([
      { steps: [started, message("m", "one")] },
      { steps: [{ emit: { type: "itemCompleted", item: call } }, message("m", "two")] },
      { steps: [started, { hang: true }] },
      { steps: [started] },
    ]);
    const idOf = (turn: RecordedTurn): unknown =>
      turn.events.flatMap((event) =>
        "item" in event && event.item.kind === "toolCall" ? event.item.itemId : [],
      )[0];
    const texts: string[] = [];
    const turns: RecordedTurn[] = [];
    for (let count = 0; count < 4; count++) {
      const turn = next();
      let minted = 0;
      turn.mintId = () => `id-${turns.length}-${++minted}`;
      turns.push(turn);
      await turn.settled();
      if (count === 2) turn.interrupt();
      await turn.end;
      texts.push(...turn.said);
    }
    expect(texts).toEqual(["one", "two"]);
    const [first, second, third, fourth] = turns.map(idOf);
    expect(second).toBe(first);
    expect(new Set([first, third, fourth]).size).toBe(3);
  });
});

describe("the file of an agent", () => {
  const turn = (steps: unknown): object => ({ version: 1, turns: [{ steps }] });
  const step = (value: unknown): object => turn([value]);
  const event = (value: unknown): object => step({ emit: value });

  it.each<[string, unknown, string]>([
    ["no object", [], ""],
    ["no version", { turns: [] }, ""],
    ["another version", { version: 2, turns: [] }, "/version"],
    ["an unknown member", { version: 1, turns: [], more: 1 }, "/more"],
    ["a name that a pointer escapes", { version: 1, turns: [], "a/~": 1 }, "/a~1~0"],
    ["turns that are no list", { version: 1, turns: {} }, "/turns"],
    ["a turn that is none", { version: 1, turns: [1] }, "/turns/0"],
    ["a turn without steps", { version: 1, turns: [{}] }, "/turns/0/steps"],
    ["an unknown member of a turn", { version: 1, turns: [{ steps: [], step: [] }] }, "/turns/0/step"],
    ["a launch that fails for nothing", { version: 1, turns: [{ launch: {} }] }, "/turns/0/launch"],
    [
      "a launch that fails for something else",
      { version: 1, turns: [{ launch: { fail: {} } }] },
      "/turns/0/launch/fail",
    ],
    [
      "steps of a turn that is not launched",
      { version: 1, turns: [{ launch: { fail: failure }, steps: [{ wait: 1 }] }] },
      "/turns/0/steps",
    ],
    ["an unknown step", step({ sleep: 1 }), "/turns/0/steps/0"],
    ["two steps in one", step({ wait: 1, hang: true }), "/turns/0/steps/0"],
    ["no step", step({}), "/turns/0/steps/0"],
    ["a wait for ever", step({ wait: 2 ** 31 }), "/turns/0/steps/0/wait"],
    ["a wait for a part", step({ wait: 0.5 }), "/turns/0/steps/0/wait"],
    ["a wait for no command", step({ untilCommands: 0 }), "/turns/0/steps/0/untilCommands"],
    ["a hang that is none", step({ hang: false }), "/turns/0/steps/0/hang"],
    ["a step after the end", turn([{ end: { terminal: "completed" } }, { wait: 1 }]), "/turns/0/steps/1"],
    ["a wait after a hang", turn([{ hang: true }, { wait: 1 }]), "/turns/0/steps/1"],
    ["another end", step({ end: { terminal: "cancelled" } }), "/turns/0/steps/0/end/terminal"],
    ["a failure without an error", step({ end: { terminal: "failed" } }), "/turns/0/steps/0/end"],
    [
      "a wrong error",
      step({ end: { terminal: "failed", error: { ...failure, retryable: 1 } } }),
      "/turns/0/steps/0/end/error/retryable",
    ],
    ["an unknown event", event({ type: "itemBegun" }), "/turns/0/steps/0/emit/type"],
    [
      "a delta of nothing that began",
      event({ type: "itemDelta", itemId: "m", delta: "x" }),
      "/turns/0/steps/0/emit/itemId",
    ],
    [
      "an update of nothing that began",
      event({ type: "itemUpdated", item: call }),
      "/turns/0/steps/0/emit/item/itemId",
    ],
    [
      "an item without a kind",
      event({ type: "itemStarted", item: { itemId: "m" } }),
      "/turns/0/steps/0/emit/item",
    ],
    [
      "an item with a wrong member",
      event({ type: "itemStarted", item: { ...call, args: {} } }),
      "/turns/0/steps/0/emit/item/args",
    ],
    [
      "an item with a member of the host",
      event({ type: "itemStarted", item: { ...call, revision: 1 } }),
      "/turns/0/steps/0/emit/item/revision",
    ],
    [
      "an event of the host",
      event({ type: "event", method: "turn/started", params: {} }),
      "/turns/0/steps/0/emit/method",
    ],
    [
      "an event without its members",
      event({ type: "event", method: "session/tokenUsage", params: {} }),
      "/turns/0/steps/0/emit/params",
    ],
    ["another question", step({ ask: { ...approval, type: "admission" } }), "/turns/0/steps/0/ask/type"],
    ["an approval without stages", step({ ask: { ...approval, stages: [] } }), "/turns/0/steps/0/ask/stages"],
    [
      "a stage without choices",
      step({ ask: { ...approval, stages: [[]] } }),
      "/turns/0/steps/0/ask/stages/0",
    ],
    [
      "a wrong choice",
      step({ ask: { ...approval, stages: [[{ choiceId: "a" }]] } }),
      "/turns/0/steps/0/ask/stages/0/0",
    ],
    ["a wrong subject", step({ ask: { ...approval, subject: {} } }), "/turns/0/steps/0/ask/subject"],
    ["no question", step({ ask: { ...question, questions: [] } }), "/turns/0/steps/0/ask/questions"],
    [
      "a wrong question",
      step({ ask: { ...question, questions: [{ id: "q" }] } }),
      "/turns/0/steps/0/ask/questions/0",
    ],
    [
      "no time for a question",
      step({ ask: { ...question, autoResolutionMs: 0 } }),
      "/turns/0/steps/0/ask/autoResolutionMs",
    ],
  ])("is refused: %s", (_what, file, place) => {
    let refused: unknown;
    try {
      readAgentScript(JSON.stringify(file));
    } catch (error) {
      refused = error;
    }
    expect(isAgentSetupError(refused) && [refused.kind, refused.place]).toEqual(["agentScript", place]);
  });

  it("is refused when it is no JSON, and when it is not there", () => {
    const path = join(scratchFolder(), "agent.json");
    expect(() => agentFromFile(path)).toThrow(/ENOENT/);
    writeFileSync(path, "{");
    let refused: unknown;
    try {
      agentFromFile(path);
    } catch (error) {
      refused = error;
    }
    expect(isAgentSetupError(refused) && refused.place).toBe("");
  });

  it("is explained by an example that can be played", async () => {
    const page = readFileSync(join(ROOT, "docs/agents.md"), "utf8");
    const example = /^```json\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? "";
    const { next } = playing(readAgentScript(example).turns);
    const turn = next();
    turn.admit();
    expect(await turn.end).toEqual({ terminal: "completed" });
    expect(turn.said).toEqual(["Pruned."]);
  });

  it("is read as it is made of every session that was recorded", () => {
    const steps = new Set<string>();
    let turns = 0;
    for (const transcript of everyTranscript()) {
      const { script } = deriveAgentScript(transcript);
      const read = readAgentScript(JSON.stringify(script));
      expect(read).toEqual({ ...script, turns: script.turns.map((turn) => ({ ...turn })) });
      turns += read.turns.length;
      for (const turn of read.turns) for (const each of turn.steps) steps.add(Object.keys(each).join());
    }
    expect(turns).toBeGreaterThan(20);
    expect([...steps].sort()).toEqual(expect.arrayContaining(["ask", "emit", "end", "untilCommands"]));
  });
});
