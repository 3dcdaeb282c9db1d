/** What an agent did in a recording: all of what it said and asked, in order, and nothing that the host said. */
import { describe, expect, it } from "vitest";
import { readAgentScript } from "../../../src/host/agents/agent-script.js";
import { loadTranscript, loadTranscripts } from "../../../src/transcripts/index.js";
import {
  type AgentScript,
  deriveAgentScript,
  type ScriptStep,
} from "../../../src/transcripts/replay/agent-script.js";
import { hasReference } from "../../support/repo.js";
import {
  everyTranscript,
  OWN_TRANSCRIPTS,
  REFERENCE_TRANSCRIPTS,
  transcriptOf,
} from "../../support/transcripts.js";

const derive = (root: string, scenario: string): AgentScript =>
  deriveAgentScript(loadTranscript(`${root}/${scenario}`)).script;
const own = (scenario: string): AgentScript => derive(OWN_TRANSCRIPTS, scenario);

/** A step in one word or two. */
function short(step: ScriptStep): string {
  if ("emit" in step) {
    const { type, item, method } = step.emit as { type: string; item?: { kind: string }; method?: string };
    return [type, item?.kind ?? method ?? ""].join(" ").trim();
  }
  if ("ask" in step) return `ask ${String(step.ask["type"])}`;
  if ("untilCommands" in step) return `until ${step.untilCommands}`;
  return "hang" in step ? "hang" : `end ${String(step.end["terminal"])}`;
}

const shape = ({ turns }: AgentScript): string[][] =>
  turns.map(({ launch, steps }) => [...(launch === undefined ? [] : ["no launch"]), ...steps.map(short)]);

describe("the script of a golden session", () => {
  it.each<[string, string[][]]>([
    ["session-start", []],
    [
      "text-turn",
      [
        [
          ...["itemStarted agentMessage", "itemDelta", "itemDelta", "itemDelta"],
          "itemCompleted agentMessage",
          "end completed",
        ],
      ],
    ],
    [
      "approval-round-trip",
      [["ask approval", "itemCompleted toolCall", "itemCompleted agentMessage", "end completed"]],
    ],
    ["approval-two-stages", [["ask approval", "itemCompleted toolCall", "end completed"]]],
    [
      "user-input-cancel",
      [["ask userInput", "itemCompleted toolCall", "itemCompleted agentMessage", "end completed"]],
    ],
    [
      "cancel-mid-turn",
      [["itemStarted agentMessage", "itemDelta", "itemStarted toolCall", "itemDelta", "hang"]],
    ],
    ["interrupt-retract", [["hang"]]],
    ["queued-reject", [["ask approval", "itemCompleted toolCall", "end completed"], ["no launch"]]],
    [
      "steer",
      [
        [
          "itemStarted agentMessage",
          "itemDelta",
          "until 1",
          "itemDelta",
          "itemCompleted agentMessage",
          "itemCompleted agentMessage",
          "end completed",
        ],
      ],
    ],
    ["reclaim-too-late", [["until 1", "itemCompleted agentMessage", "end completed"]]],
  ])("%s", (scenario, turns) => {
    expect(shape(own(scenario))).toEqual(turns);
  });

  it("says what was said, without what a host adds", () => {
    expect(own("text-turn").turns[0]?.steps).toMatchObject([
      { emit: { type: "itemStarted", item: { kind: "agentMessage", text: "" } } },
      { emit: { type: "itemDelta", delta: expect.any(String) } },
      { emit: { type: "itemDelta" } },
      { emit: { type: "itemDelta" } },
      { emit: { type: "itemCompleted", item: { kind: "agentMessage", text: expect.any(String) } } },
      { end: { terminal: "completed" } },
    ]);
    const text = JSON.stringify(everyTranscript().map((transcript) => deriveAgentScript(transcript).script));
    for (const name of ["turnId", "viewCursor", "sourceRange", "recordedAt", "revision", "sessionId"])
      expect(text).not.toContain(`"${name}":`);
    expect(text).toContain('"itemId":');
  });

  it("asks with the choices of each stage, and names the end of a launch", () => {
    const [first] = own("approval-two-stages").turns;
    expect(first?.steps[0]).toMatchObject({
      ask: {
        type: "approval",
        item: { kind: "toolCall", tool: "shell" },
        subject: { kind: "shell" },
        stages: [
          [{ choiceId: "allow_once" }, {}],
          [{ choiceId: "allow_once" }, {}],
        ],
      },
    });
    expect(first?.steps[0]).not.toHaveProperty("ask.item.approvalId");
    expect(own("queued-reject").turns[1]?.launch?.fail).toMatchObject({
      kind: "launchError",
      retryable: true,
    });
  });
});

describe("the scripts of all recordings", () => {
  it("have each turn and each message of the agent once", () => {
    let turns = 0;
    let steps = 0;
    for (const transcript of everyTranscript()) {
      const { script, foreignFrames } = deriveAgentScript(transcript);
      const frames = transcript.lines
        .filter(({ dir }) => dir === "server")
        .map(({ raw }) => JSON.parse(raw) as { method?: string; params?: { delta?: string } });
      const count = (method: string): number => frames.filter((frame) => frame.method === method).length;
      turns += script.turns.length;
      const all = script.turns.flatMap((turn) => turn.steps);
      steps += all.length;
      if (foreignFrames > 0) continue;
      expect(script.turns.filter(({ launch }) => launch === undefined).length, transcript.scenario).toBe(
        count("turn/started"),
      );
      expect(all.filter((step) => short(step) === "itemDelta").length, transcript.scenario).toBe(
        count("item/delta"),
      );
      expect(all.filter((step) => "ask" in step).length, transcript.scenario).toBe(
        count("approval/requested") + count("userInput/requested"),
      );
    }
    expect(turns).toBeGreaterThan(25);
    expect(steps).toBeGreaterThan(80);
  });

  it("are what a host reads, and one with a mistake is not", () => {
    const script = own("approval-round-trip");
    expect(() => readAgentScript(JSON.stringify(script).replace('"itemCompleted"', '"itemDone"'))).toThrow();
    for (const transcript of everyTranscript()) {
      const derived = deriveAgentScript(transcript).script;
      expect(readAgentScript(JSON.stringify(derived)), transcript.scenario).toEqual(derived);
    }
  });

  it("end each turn once, and let one hang that the recording leaves open or a client stops", () => {
    for (const transcript of everyTranscript())
      for (const { launch, steps } of deriveAgentScript(transcript).script.turns) {
        const ends = steps.filter((step) => "end" in step || "hang" in step);
        expect(ends, transcript.scenario).toHaveLength(launch === undefined ? 1 : 0);
        if (launch === undefined) expect(steps.at(-1), transcript.scenario).toBe(ends[0]);
      }
  });

  it("leave out turns that began before, and say so", () => {
    const { script, foreignFrames } = deriveAgentScript(
      loadTranscript(`${OWN_TRANSCRIPTS}/resume-pending-approval`),
    );
    expect(script.turns).toEqual([]);
    expect(foreignFrames).toBeGreaterThan(0);
    const whole = loadTranscripts(OWN_TRANSCRIPTS).filter(
      (transcript) => deriveAgentScript(transcript).foreignFrames === 0,
    );
    expect(whole.length).toBeGreaterThan(25);
  });

  it("do not wait for what leaves no record: a cancel, a replay, a conflict, a query", () => {
    const asked = (id: number, method: string, commandId: string, more = {}): string =>
      `> ${JSON.stringify({ jsonrpc: "2.0", id, method, params: { sessionId: "s", commandId, ...more } })}`;
    const answered = (id: number, body: object): string =>
      `< ${JSON.stringify({ jsonrpc: "2.0", id, ...body })}`;
    const ack = (id: number, commandId: string): string => answered(id, { result: { commandId } });
    const told = (method: string, params: object): string =>
      `< ${JSON.stringify({ jsonrpc: "2.0", method, params: { sessionId: "s", ...params } })}`;
    const refused = (reason: string): object => ({
      error: { code: -32030, data: { kind: "commandRejected", reason } },
    });
    const message = { itemId: "i", kind: "agentMessage", turnId: "t", status: "completed", text: "so" };
    const { script } = deriveAgentScript(
      transcriptOf([
        ...[asked(1, "turn/start", "t"), ack(1, "t"), told("turn/started", { turnId: "t", commandId: "t" })],
        ...[asked(2, "turn/cancel", "c"), ack(2, "c"), asked(3, "turn/start", "t"), ack(3, "t")],
        ...[asked(4, "goal/set", "t"), answered(4, refused("command_id_conflict"))],
        ...[asked(5, "view/page", "q"), answered(5, { result: { events: [] } })],
        ...[
          asked(6, "turn/start", "b"),
          answered(6, { error: { code: -32031, data: { kind: "backpressured" } } }),
        ],
        ...[asked(7, "goal/pause", "g"), answered(7, refused("missing_goal"))],
        ...[asked(8, "goal/set", "o", { sessionId: "other" }), ack(8, "o")],
        told("item/completed", { item: message }),
        told("turn/completed", { turnId: "t", terminal: "completed" }),
      ]),
    );
    expect(shape(script)).toEqual([["until 1", "itemCompleted agentMessage", "end completed"]]);
  });

  it.runIf(hasReference)("wait for commands that came while a turn ran, and not for replays", () => {
    const shapes = (scenario: string): string[][] => shape(derive(REFERENCE_TRANSCRIPTS, scenario));
    const said = ["itemCompleted agentMessage", "end completed"];
    expect(shapes("pending-command-ack-launch")).toEqual([["until 1", ...said], said]);
    expect(shapes("pending-command-ack-reject")).toEqual([["until 1", ...said], ["no launch"]]);
    expect(shapes("turn-unqueued-round-trip")).toEqual([["until 2", ...said]]);
    expect(shapes("goal-replayed-command")).toEqual([["end completed"]]);
    expect(shapes("goal-resume-wake")).toEqual([["end completed"], ["hang"]]);
  });
});
