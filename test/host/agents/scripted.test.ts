/** The embedded agent beyond its vectors: interrupts and steers at any moment, long texts, long scripts. */
import { describe, expect, it } from "vitest";
import { isTurnFailure } from "../../../src/host/agents/agent.js";
import { scriptedAgent } from "../../../src/host/agents/scripted.js";
import { ManualClock, RecordedTurn } from "../../support/agent-tools.js";

const SCRIPT = "/say one two three\n/tool build\nsome words\nand more\n/tool test 1\n/wait 1\n/say end";

/** A turn in which something is done when the agent has said so many events. */
function after(count: number, act: (turn: RecordedTurn) => void, prompt = SCRIPT): RecordedTurn {
  const turn: RecordedTurn = new RecordedTurn(scriptedAgent(), prompt, {
    onEmit: () => {
      if (turn.events.length === count) act(turn);
    },
  });
  return turn;
}

/** How many events the script says when nothing happens. */
async function undisturbed(): Promise<number> {
  const turn = after(-1, () => undefined);
  expect(await turn.end).toEqual({ terminal: "completed" });
  return turn.events.length;
}

describe("an interrupt", () => {
  it("after whatever event ends the turn, and nothing is left open", async () => {
    const count = await undisturbed();
    expect(count).toBeGreaterThan(15);
    let cut = 0;
    for (let at = 1; at <= count; at++) {
      const turn = after(at, ({ interrupt }) => interrupt.call(turn));
      expect(await turn.end).toBeUndefined();
      const { events } = turn;
      expect(events.length).toBeLessThanOrEqual(at + 1); // no more than the end of what is open
      const started = events.flatMap((event) => (event.type === "itemStarted" ? event.item.itemId : []));
      const completed = events.flatMap((event) => (event.type === "itemCompleted" ? event.item.itemId : []));
      expect(completed).toEqual(started);
      const said = events.flatMap((event) => (event.type === "itemDelta" ? event.delta : []));
      const last = events.at(-1);
      if (last?.type !== "itemCompleted" || last.item.status !== "cancelled") continue;
      cut++;
      // A message that was cut keeps what was said of it.
      if (last.item.kind === "agentMessage") expect(said.join("")).toContain(last.item.text);
      if (last.item.kind === "agentMessage") expect(last.item.cutOff).toBe(true);
    }
    expect(cut).toBeGreaterThan(10);
  });

  it("gets through to a script of a million steps", async () => {
    const turn = new RecordedTurn(scriptedAgent(), "/tool a\n".repeat(1_000_000));
    setTimeout(() => turn.interrupt(), 1);
    expect(await turn.end).toBeUndefined();
    expect(turn.events.length).toBeLessThan(2_000_000);
  });

  it("before the turn begins leaves it without an event", async () => {
    const turn = new RecordedTurn(scriptedAgent(), "hello");
    turn.interrupt();
    expect(await turn.end).toBeUndefined();
    expect(turn.events).toEqual([]);
  });

  it("leaves no timer behind, nor does a failure", async () => {
    for (const prompt of ["/wait 5", "/tool a 5", "/hang"]) {
      const clock = new ManualClock();
      const turn = new RecordedTurn(scriptedAgent({ sleep: clock.sleep }), prompt, { clock });
      await turn.settled();
      expect(clock.waiting).toBe(prompt === "/hang" ? 0 : 1);
      turn.interrupt();
      await turn.end;
      expect(clock.waiting).toBe(0);
    }
    const clock = new ManualClock();
    const turn = new RecordedTurn(scriptedAgent({ sleep: clock.sleep }), "/tool a 5\n/fail", { clock });
    await turn.settled();
    turn.task("background", "1");
    expect(await turn.end).toMatchObject({ terminal: "failed" });
    expect(clock.waiting).toBe(0);
  });
});

describe("a steer", () => {
  it("after whatever event is echoed once, and cuts no message", async () => {
    const count = await undisturbed();
    let late = 0;
    for (let at = 1; at <= count; at++) {
      const turn = after(at, ({ steer }) => steer.call(turn, "the steer"));
      expect(await turn.end).toEqual({ terminal: "completed" });
      expect(turn.said.filter((text) => text !== "the steer")).toEqual([
        "one two three",
        "some words\nand more",
        "end",
      ]);
      const echoes = turn.said.filter((text) => text === "the steer").length;
      expect(echoes).toBe(1);
      if (at === count) late = echoes;
      // Nothing is said of one item between two pieces of another.
      const pieces = turn.events.flatMap((event) => (event.type === "itemDelta" ? event.itemId : []));
      expect(new Set(pieces).size).toBe(pieces.filter((id, index) => id !== pieces[index - 1]).length);
    }
    expect(late).toBe(1); // also one that comes with the last word
  });

  it("from before the agent listens is heard", async () => {
    const agent = scriptedAgent();
    const turn: RecordedTurn = new RecordedTurn(
      {
        run: (given, tools) => {
          turn.steer("early");
          return agent.run(given, tools);
        },
      },
      "/say on",
    );
    await turn.end;
    expect(turn.said).toEqual(["early", "on"]);
  });
});

describe("a message", () => {
  it("is said in pieces that make its text, and in no flood of them", async () => {
    for (const text of [
      "a",
      " a  b ",
      "one\ntwo\n\nthree",
      "\u{1f600} \u{1f600}",
      `${"x ".repeat(100_000)}y`,
    ]) {
      const turn = new RecordedTurn(scriptedAgent(), "/hang");
      turn.steer(text);
      await turn.settled();
      const deltas = turn.events.flatMap((event) => (event.type === "itemDelta" ? event.delta : []));
      expect(deltas.join("")).toBe(text);
      expect(deltas.every((delta) => delta !== "")).toBe(true);
      expect(deltas.length).toBeLessThanOrEqual(64);
      expect(deltas.length).toBeGreaterThan(text.trim().includes(" ") ? 1 : 0);
    }
  });

  it("echoes a prompt of 5 MB", async () => {
    const text = `${"word ".repeat(1_000_000)}end`;
    const turn = new RecordedTurn(scriptedAgent(), text);
    await turn.end;
    expect(turn.said).toEqual([text]);
  });
});

describe("the scripted agent", () => {
  it("says what fails a launch", async () => {
    const turn = new RecordedTurn(scriptedAgent(), "/fail-launch");
    const error: unknown = await turn.end.catch((thrown: unknown) => thrown);
    expect(isTurnFailure(error) && error.info.kind).toBe("launchError");
  });

  it("fails as its host does: an event that cannot be kept is no end of its own", async () => {
    const turn = new RecordedTurn(scriptedAgent(), "hello", {
      onEmit: () => {
        throw new Error("no room");
      },
    });
    await expect(turn.end).rejects.toThrow("no room");
  });

  it("runs a goal as any other turn", async () => {
    const turn = new RecordedTurn(scriptedAgent(), "reach the end", { turn: { kind: "goal", input: [] } });
    await turn.end;
    expect(turn.said).toEqual(["reach the end"]);
  });

  it("offers models of its own, and has something to compact after two turns", async () => {
    const { models = [], compact } = scriptedAgent();
    expect(models.map(({ modelId, providerId }) => [providerId, modelId])).toEqual([
      ["mspkit", "echo-small"],
      ["mspkit", "echo-large"],
    ]);
    expect(await compact?.({ sessionId: "s", turnCount: 1 })).toBeUndefined();
    const compacted = await compact?.({ sessionId: "s", turnCount: 2 });
    expect(compacted?.tokensAfter).toBeLessThan(compacted?.tokensBefore ?? 0);
  });

  it("runs turns of many sessions at once", async () => {
    const agent = scriptedAgent();
    const turns = Array.from({ length: 50 }, (_, index) => new RecordedTurn(agent, `/wait 1\nturn ${index}`));
    await Promise.all(turns.map(({ end }) => end));
    expect(turns.map(({ said }) => said)).toEqual(turns.map((_, index) => [`turn ${index}`]));
  });
});
