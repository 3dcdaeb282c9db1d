/** Sessions against the golden sessions: a canned host that lets nothing pass that was not recorded. */
import { describe, expect, it } from "vitest";
import type { Session } from "../../src/client/index.js";
import { loadTranscript } from "../../src/transcripts/index.js";
import { note, type Played, play } from "../support/canned.js";
import { ROOT } from "../support/repo.js";

const COMPLETE = { kind: "serveFixtureComplete" };
const ORCHARD = { workspaceRoot: "/home/user/orchard" };

async function started(scenario: string): Promise<Played & { session: Session }> {
  const played = await play(scenario);
  const session = await played.client.startSession(ORCHARD);
  note(played, session);
  return { ...played, session };
}

/** The texts that the client of a golden session sent, in order. */
function wordsOf(scenario: string): string[] {
  return loadTranscript(`${ROOT}/schema/msp/transcripts/${scenario}`).lines.flatMap(({ dir, raw }) => {
    const { method, params } = JSON.parse(raw) as {
      method?: string;
      params?: { input?: { text: string }[] };
    };
    return dir === "client" && method === "turn/start" ? [params?.input?.[0]?.text ?? ""] : [];
  });
}

async function collected<T>(source: AsyncIterable<T>): Promise<T[]> {
  const out: T[] = [];
  for await (const one of source) out.push(one);
  return out;
}

describe("a turn", () => {
  it("gives its text piece by piece, its items, and its end", async () => {
    const { session, report, retired, errors } = await started("text-turn");
    const turn = await session.send(wordsOf("text-turn")[0] ?? "");
    expect(turn).toMatchObject({ disposition: "started", turnId: turn.commandId });
    const [text, items, outcome] = await Promise.all([
      collected(turn.text()),
      collected(turn.items()),
      turn.completed,
    ]);
    expect(outcome).toMatchObject({ kind: "completed", started: true, params: { terminal: "completed" } });
    const message = [...session.view.items.values()].find(({ item }) => item.kind === "agentMessage")?.item;
    expect(text.join("")).toBe(message?.text);
    expect(items.at(-1)).toEqual(message);
    expect(retired).toMatchObject([{ kind: "materialized", matchedBy: "userMessage" }]);
    expect(session.pending.size).toBe(0);
    expect(errors).toEqual([]);
    expect(await report()).toMatchObject(COMPLETE);
    // Asked again afterwards, it still says how it ended.
    expect(await session.turn(turn.turnId).completed).toEqual(outcome);
    expect((await collected(session.turn(turn.turnId).text())).join("")).toBe(message?.text);
  });

  it("that is queued is launched: its entry is replayed when the queue moves, and retires on the view", async () => {
    const { session, report, retired, errors } = await started("queued-launch");
    const [first = "", second = ""] = wordsOf("queued-launch");
    let allow = (): void => undefined;
    session.onApproval(() => new Promise((resolve) => (allow = () => resolve({ choiceId: "allow_once" }))));
    const running = await session.send(first);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const queued = await session.send(second, { ifBusy: "queue" });
    expect(queued.disposition).toBe("queued");
    expect(session.pending.list().map(({ commandId }) => commandId)).toEqual([queued.commandId]);
    allow();
    expect(await running.completed).toMatchObject({ kind: "completed" });
    expect(await queued.completed).toMatchObject({ kind: "completed", started: true });
    expect(retired.map(({ kind }) => kind)).toEqual(["materialized", "materialized"]);
    expect(errors).toEqual([]);
    expect(await report()).toMatchObject(COMPLETE);
  });

  it("whose launch fails ends as failed, and its words are handed back", async () => {
    const { session, report, retired } = await started("queued-reject");
    const [first = "", second = ""] = wordsOf("queued-reject");
    let allow = (): void => undefined;
    session.onApproval(() => new Promise((resolve) => (allow = () => resolve({ choiceId: "allow_once" }))));
    await session.send(first);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const queued = await session.send(second, { ifBusy: "queue" });
    allow();
    expect(await queued.completed).toMatchObject({
      kind: "completed",
      started: false,
      params: { terminal: "failed", error: { kind: "launchError" } },
    });
    while (session.pending.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(retired.at(-1)).toEqual({
      kind: "rejected",
      commandId: queued.commandId,
      reason: "deferred_start_failed",
      input: { input: [{ type: "text", text: second }], ifBusy: "queue" },
      restoreToComposer: true,
    });
    expect(await report()).toMatchObject(COMPLETE);
  });

  it("that is taken back from the queue never runs, and its words are handed back", async () => {
    const { session, client, report, retired } = await started("reclaim");
    const [first = "", second = ""] = wordsOf("reclaim");
    const running = await session.send(first);
    const queued = await session.send(second, { ifBusy: "queue" });
    await queued.unqueue();
    expect(await queued.completed).toMatchObject({ kind: "unqueued" });
    expect(retired.at(-1)).toMatchObject({
      kind: "reclaimed",
      commandId: queued.commandId,
      restoreToComposer: true,
      input: { input: [{ text: second }] },
    });
    await running.completed;
    // The host still answers its old ack: only a snapshot shows that it is stale.
    const params = {
      sessionId: session.sessionId,
      input: [{ type: "text" as const, text: second }],
      ifBusy: "queue" as const,
    };
    const again = await client.connection?.command("turn/start", params, { commandId: queued.commandId });
    expect(again).toMatchObject({ disposition: "queued", turnId: queued.turnId });
    expect(await report()).toMatchObject(COMPLETE);
  });
});

describe("what the host asks", () => {
  it("is decided once, by the handler, from what was offered", async () => {
    const { session, report, errors } = await started("approval-round-trip");
    const asked: string[] = [];
    session.onApproval(({ toolName, availableChoices }) => {
      asked.push(toolName);
      expect(availableChoices.map(({ choiceId }) => choiceId)).toContain("allow_session");
      return { choiceId: "allow_session" };
    });
    const turn = await session.send(wordsOf("approval-round-trip")[0] ?? "");
    expect(await turn.completed).toMatchObject({ kind: "completed", params: { terminal: "completed" } });
    expect(asked).toHaveLength(1);
    expect([...session.view.approvals.values()]).toMatchObject([{ state: "resolved" }]);
    expect(errors).toEqual([]);
    expect(await report()).toMatchObject(COMPLETE);
  });

  it("a choice that was not offered is not sent: it stays open", async () => {
    const { session, report, errors } = await started("approval-round-trip");
    session.onApproval(() => ({ choiceId: "invented" }));
    await session.send(wordsOf("approval-round-trip")[0] ?? "");
    while (errors.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(errors).toMatchObject([{ kind: "choiceNotOffered" }]);
    expect([...session.view.approvals.values()]).toMatchObject([{ state: "pending" }]);
    expect(await report()).toMatchObject({ kind: "serveFixtureFailure", problem: "clientEof" });
  });

  it("a second stage is asked for itself", async () => {
    const { session, report, errors } = await started("approval-two-stages");
    const stages: number[] = [];
    session.onApproval(({ currentRequirementId, availableChoices }) => {
      stages.push(currentRequirementId.sourceIndex);
      return { choiceId: availableChoices[0]?.choiceId ?? "" };
    });
    const turn = await session.send(wordsOf("approval-two-stages")[0] ?? "");
    await turn.completed;
    expect(stages).toEqual([0, 1]);
    expect(errors).toEqual([]);
    expect(await report()).toMatchObject(COMPLETE);
  });

  it("a question is answered once", async () => {
    const { session, report, errors } = await started("user-input-round-trip");
    session.onQuestion(({ questions: [question] }) => ({
      answers: [{ questionId: question?.id ?? "", selectedLabel: "MM106" }],
    }));
    const turn = await session.send(wordsOf("user-input-round-trip")[0] ?? "");
    await turn.completed;
    expect([...session.view.userInputs.values()]).toMatchObject([{ state: "settled" }]);
    expect(errors).toEqual([]);
    expect(await report()).toMatchObject(COMPLETE);
  });
});

describe("a session that is resumed", () => {
  it("goes on after its cursor: the suffix is folded behind the reply", async () => {
    const played = await play("resume-with-suffix");
    const transcript = loadTranscript(`${ROOT}/schema/msp/transcripts/resume-with-suffix`);
    const resume = transcript.lines
      .map(({ raw }) => JSON.parse(raw) as { method?: string; params: { sessionId: string; cursor: string } })
      .find(({ method }) => method === "session/resume");
    const { sessionId = "", cursor = "" } = resume?.params ?? {};
    const session = await played.client.resumeSession(sessionId, { cursor });
    while (session.view.items.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const turn = await session.send(wordsOf("resume-with-suffix")[0] ?? "");
    expect(await turn.completed).toMatchObject({ kind: "completed", params: { terminal: "completed" } });
    expect(played.errors).toEqual([]);
    expect(await played.report()).toMatchObject(COMPLETE);
  });
});
