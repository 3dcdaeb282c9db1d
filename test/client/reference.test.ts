/** The client plays reference transcripts against the canned host, to the retirements that the protocol names. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionStart } from "../../src/client/index.js";
import { loadTranscript } from "../../src/transcripts/index.js";
import { note, type Played, play } from "../support/canned.js";
import { hasReference, REFERENCE } from "../support/repo.js";
import { until } from "../support/wire.js";

const ROOT = join(REFERENCE, "transcripts");
const COMPLETE = { kind: "serveFixtureComplete" };

interface Call {
  readonly method?: string;
  readonly params: {
    readonly input: { readonly text: string }[];
    readonly workspaceRoot: string;
    readonly objective: string;
  };
}

/** What the client of a transcript sent, by method. */
function callsOf(scenario: string, method: string): Call["params"][] {
  return loadTranscript(join(ROOT, scenario)).lines.flatMap(({ dir, raw }) => {
    const call = JSON.parse(raw) as Call;
    return dir === "client" && call.method === method ? [call.params] : [];
  });
}

async function started(scenario: string) {
  const played: Played = await play(scenario, {}, ROOT);
  const [{ commandId: _, ...params } = {}] = callsOf(scenario, "session/start") as Partial<
    SessionStart & { commandId: string }
  >[];
  const session = await played.client.startSession(params);
  note(played, session);
  return {
    ...played,
    session,
    words: callsOf(scenario, "turn/start").map(({ input }) => input[0]?.text ?? ""),
  };
}

describe.skipIf(!hasReference)("of the reference", () => {
  it("goal-replayed-command: the replayed ack has the same values, and one goal change folds", async () => {
    const { session, report, errors } = await started("goal-replayed-command");
    let changes = 0;
    session.on((event) => {
      if (
        event.kind === "frame" &&
        event.method === "session/goalChanged" &&
        event.outcome.kind === "applied"
      )
        changes++;
    });
    const [{ objective } = { objective: "" }] = callsOf("goal-replayed-command", "goal/set");
    const ack = await session.goal.set(objective);
    await session.turn(ack.turnId ?? "").completed;
    const again = await session.goal.set(objective, { commandId: ack.commandId });
    expect(again).toEqual(ack);
    expect(changes).toBe(1);
    await expect(session.goal.set("another", { commandId: ack.commandId })).rejects.toThrow(
      "different payload",
    );
    expect(errors).toEqual([]);
    expect(await report()).toMatchObject(COMPLETE);
  });

  it("pending-command-ack-launch: the queued turn launches, and its entry retires materialized", async () => {
    const { session, report, retired, words } = await started("pending-command-ack-launch");
    await session.send(words[0] ?? "");
    const queued = await session.send(words[1] ?? "", { ifBusy: "queue" });
    expect(await queued.completed).toMatchObject({ kind: "completed", started: true });
    expect(retired).toMatchObject([
      { kind: "materialized" },
      { kind: "materialized", matchedBy: "userMessage", commandId: queued.commandId },
    ]);
    expect(await report()).toMatchObject(COMPLETE);
  });

  it("pending-command-ack-reject: the launch fails, and the words are handed back", async () => {
    const { session, report, retired, words } = await started("pending-command-ack-reject");
    await session.send(words[0] ?? "");
    const queued = await session.send(words[1] ?? "", { ifBusy: "queue" });
    expect(await queued.completed).toMatchObject({ kind: "completed", started: false });
    await until(() => session.pending.size === 0);
    expect(retired.at(-1)).toMatchObject({
      kind: "rejected",
      commandId: queued.commandId,
      reason: "deferred_start_failed",
      input: { input: [{ type: "text", text: words[1] }] },
      restoreToComposer: true,
    });
    expect(await report()).toMatchObject(COMPLETE);
  });

  it("turn-unqueued-round-trip: taken back from the queue, the words are handed back", async () => {
    const { session, report, retired, words } = await started("turn-unqueued-round-trip");
    const running = await session.send(words[0] ?? "");
    const queued = await session.send(words[1] ?? "", { ifBusy: "queue" });
    await queued.unqueue();
    expect(await queued.completed).toMatchObject({ kind: "unqueued" });
    expect(retired.at(-1)).toMatchObject({ kind: "reclaimed", restoreToComposer: true });
    await running.completed;
    expect(await report()).toMatchObject(COMPLETE);
  });
});
