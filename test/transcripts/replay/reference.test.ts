/**
 * Recorded sessions against the host of this project: each of them is replayed, or has its reason why it cannot be.
 * What the agent did is derived from the recording.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadTranscript, loadTranscripts, type Transcript } from "../../../src/transcripts/index.js";
import { deriveAgentScript } from "../../../src/transcripts/replay/agent-script.js";
import { replaySession } from "../../../src/transcripts/replay/replay.js";
import type { ReplayReport } from "../../../src/transcripts/replay/report.js";
import { MSPKIT } from "../../support/conversation.js";
import { hasReference, scratchFolder } from "../../support/repo.js";
import { OWN_TRANSCRIPTS, REFERENCE_TRANSCRIPTS } from "../../support/transcripts.js";

/** The reference recordings that replay. */
const REFERENCE = [
  "approval-round-trip",
  "framing-tolerance-cr-input",
  "goal-missing-goal-rejection",
  "goal-pause-idle",
  "goal-replayed-command",
  "goal-resume-wake",
  "goal-set-round-trip",
  "handshake-liststream-granted",
  "handshake-usershell-not-granted",
  "pending-command-ack-launch",
  "pending-command-ack-reject",
  "text-run-single-turn",
  "turn-unqueued-round-trip",
  "usershell-without-grant",
];

/** Our recordings that do not replay, with what they need and a host that was just started has not. */
const NOT_OURS: Readonly<Record<string, string>> = {
  "backpressured-retry": "a queue of commands that is full",
  "command-conflict": "a command in mid-turn that admits nothing, for which no agent can wait",
  "gap-reanchor": "a reader that is too slow",
  "gap-splice-fill": "a reader that is too slow",
  "goal-replayed": "a command in mid-turn that admits nothing, for which no agent can wait",
  "host-back": "a session that is stored",
  "host-back-abandoned": "a session that is stored",
  "queued-launch": "a command between a turn's start and its message",
  "replayed-command": "a command in mid-turn that admits nothing, for which no agent can wait",
  "resume-pending-approval": "a session that is stored",
  "resume-unknown-cursor": "a session that is stored",
  "resume-with-suffix": "a session that is stored",
  "unknown-vocabulary": "words that no host of this surface says",
};

/** What a host must be told beyond the script of its agent. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  "handshake-usershell-granted": ["--grant", "userShell"],
  "host-ephemeral": ["--store", "memory"],
};

/** The folders that the client of a recording names. */
function workspaces({ lines }: Transcript): string[] {
  const named = lines.flatMap(({ dir, raw }) =>
    dir === "client"
      ? [...raw.matchAll(/"workspaceRoot":"([^"]+)"/g)].map(([, folder]) => folder as string)
      : [],
  );
  return [...new Set(named)];
}

/** Replays a recording to the host of this project, whose agent does what it did then. */
async function replay(transcript: Transcript): Promise<ReplayReport> {
  const folder = scratchFolder();
  const script = join(folder, "agent.json");
  writeFileSync(script, JSON.stringify(deriveAgentScript(transcript).script));
  const args = [
    ...[MSPKIT, "serve", "--agent-script", script],
    ...(WORDS[transcript.scenario] ?? []),
    ...(transcript.scenario === "host-ephemeral" ? [] : ["--store", `file:${join(folder, "store")}`]),
    ...["--frame-limit", String(transcript.manifest.serverConfig.frameLimitBytes)],
    ...workspaces(transcript).flatMap((root) => ["--workspace-map", `${root}=${folder}`]),
  ];
  const { report } = await replaySession(transcript, { host: { command: process.execPath, args } });
  return report;
}

describe.runIf(hasReference)("the reference recordings", () => {
  it.each(REFERENCE)("replay: %s", async (scenario) => {
    const report = await replay(loadTranscript(join(REFERENCE_TRANSCRIPTS, scenario)));
    expect(report).toMatchObject({ kind: "replayComplete" });
  });

  it("replay but for the end of a goal, which this host tells: goal-clear-idle", async () => {
    const report = await replay(loadTranscript(join(REFERENCE_TRANSCRIPTS, "goal-clear-idle")));
    expect(report).toMatchObject({
      problem: "frameExtra",
      divergences: [{ received: "session/goalChanged" }],
    });
    const frame = JSON.parse((report as { receivedFrame: string }).receivedFrame) as object;
    expect(frame).toMatchObject({ method: "session/goalChanged", params: { goal: null } });
  });

  it("do not replay once a member is another", async () => {
    const transcript = loadTranscript(join(REFERENCE_TRANSCRIPTS, "goal-set-round-trip"));
    const lines = transcript.lines.map((line) =>
      line.dir === "server"
        ? { ...line, raw: line.raw.replace('"percentComplete":0', '"percentComplete":1') }
        : line,
    );
    expect(await replay({ ...transcript, lines })).toMatchObject({
      problem: "frameDivergence",
      divergences: [{ path: "params.goal.percentComplete", expected: 1, received: 0 }],
    });
  });
});

const OURS = loadTranscripts(OWN_TRANSCRIPTS).map(({ scenario }) => scenario);

describe("our recordings", () => {
  it("each replay or have a reason", () => {
    expect(Object.keys(NOT_OURS).filter((scenario) => !OURS.includes(scenario))).toEqual([]);
    expect(OURS.length - Object.keys(NOT_OURS).length).toBeGreaterThan(25);
  });

  it.each(OURS.filter((scenario) => !Object.hasOwn(NOT_OURS, scenario)))("replay: %s", async (scenario) => {
    const report = await replay(loadTranscript(join(OWN_TRANSCRIPTS, scenario)));
    expect(report).toMatchObject({ kind: "replayComplete" });
  });
});
