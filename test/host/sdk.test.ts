/** Our own client and our own host: one suite over every way between them. */
import { afterEach, describe, expect, it } from "vitest";
import type { TurnInputPart } from "../../generated/msp/experimental/types.js";
import {
  isClientError,
  isMspError,
  MspClient,
  type PendingRetirement,
  type Session,
  type Turn,
  type TurnInput,
} from "../../src/client/index.js";
import { CLIENT_INFO } from "../support/canned.js";
import { DOORS, type Door, type Durability, type MakeDoor } from "./sdk-doors.js";

/** A client with one session, and what was seen of it. */
interface Scene {
  readonly client: MspClient;
  readonly session: Session;
  readonly door: Door;
  /** Methods of the events that came, in order. */
  readonly frames: { readonly method: string; readonly params: Readonly<Record<string, unknown>> }[];
  readonly retired: PendingRetirement<TurnInput>[];
  /** What handlers threw, and automatic repetitions that were answered otherwise than the first time. */
  readonly errors: unknown[];
}

const open: { readonly client: MspClient; readonly door: Door }[] = [];
afterEach(async () => {
  for (const { client, door } of open.splice(0)) {
    await client.close();
    await door.close();
  }
});

async function begin(make: MakeDoor, durability: Durability = "durable"): Promise<Scene> {
  const door = make(durability);
  const errors: unknown[] = [];
  const frames: Scene["frames"] = [];
  const client = new MspClient({
    clientInfo: CLIENT_INFO,
    connect: door.connect,
    fingerprint: "fail",
    session: { onError: (error) => errors.push(error) },
    onFrame: (method, params) => frames.push({ method, params: params as never }),
  });
  open.push({ client, door });
  const connection = await client.connect();
  expect(connection.durability).toBe(durability);
  const session = await client.startSession();
  const retired: Scene["retired"] = [];
  session.on((event) => {
    if (event.kind === "retired") retired.push(event.retirement);
  });
  return { client, session, door, frames, retired, errors };
}

/** Waits until something holds of a session. */
function until(session: Session, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!holds()) return;
      stop();
      resolve();
    };
    const stop = session.on(look);
    look();
  });
}

/** The items of a turn, in order. */
const itemsOf = ({ view }: Session, turn: Turn) =>
  [...view.items.values()].map(({ item }) => item).filter(({ turnId }) => turnId === turn.turnId);
const terminalOf = async (turn: Turn): Promise<string> => {
  const outcome = await turn.completed;
  return outcome.kind === "completed" ? outcome.params.terminal : outcome.kind;
};
const lastOf = (session: Session, turn: Turn) => itemsOf(session, turn).at(-1);
/** How many messages of the user are on the view for a command. */
const messagesOf = ({ view }: Session, commandId: string | undefined): number =>
  [...view.items.values()].filter(({ item }) => item.kind === "userMessage" && item.commandId === commandId)
    .length;
/** A turn that runs until it is stopped; its message is on the view. */
async function hanging(session: Session): Promise<Turn> {
  const turn = await session.send("/hang");
  await until(session, () => messagesOf(session, turn.commandId) === 1);
  return turn;
}
/** The word of what a call rejects with: the reason of a rejection, or the kind. */
const refusal = async (call: Promise<unknown>): Promise<string> => {
  try {
    await call;
  } catch (error) {
    if (isMspError(error)) return error.reason ?? error.kind;
    if (isClientError(error)) return error.kind;
    throw error;
  }
  return "nothing";
};
const kinds = (retired: Scene["retired"]): string[] => retired.map(({ kind }) => kind);

describe.each(DOORS)("a client %s", (_name, make) => {
  it("runs a turn, and gets its text in pieces", async () => {
    const { session, frames, retired, errors } = await begin(make);
    const turn = await session.send("The answer comes in several pieces.");
    expect(turn.disposition).toBe("started");
    let text = "";
    for await (const piece of turn.text()) text += piece;
    expect(await terminalOf(turn)).toBe("completed");
    expect(itemsOf(session, turn).map(({ kind }) => kind)).toEqual(["userMessage", "agentMessage"]);
    expect(text).toBe("The answer comes in several pieces.");
    expect(frames.filter(({ method }) => method === "item/delta").length).toBeGreaterThan(1);
    expect([kinds(retired), session.pending.size, errors]).toEqual([["materialized"], 0, []]);
  });

  it("decides an approval of two stages, and denies another one", async () => {
    const { session, errors } = await begin(make);
    const stages: unknown[] = [];
    session.onApproval(({ currentRequirementId, availableChoices }) => {
      stages.push(currentRequirementId.sourceIndex);
      return { choiceId: availableChoices.find(({ decision }) => decision === "approved")!.choiceId };
    });
    const allowed = await session.send("/approve 2");
    expect(await terminalOf(allowed)).toBe("completed");
    expect(stages).toEqual([0, 1]);
    expect(lastOf(session, allowed)?.status).toBe("completed");
    session.onApproval(({ availableChoices }) => ({
      choiceId: availableChoices.find(({ acceptsFeedback }) => acceptsFeedback)!.choiceId,
      feedback: "not today",
    }));
    const denied = await session.send("/approve");
    expect(await terminalOf(denied)).toBe("completed");
    expect(lastOf(session, denied)).toMatchObject({ status: "rejected", failureReason: "not today" });
    expect([...session.view.approvals.values()].map(({ resolved }) => resolved?.decision)).toEqual([
      "approved",
      "denied",
    ]);
    expect(errors).toEqual([]);
  });

  it("answers a question", async () => {
    const { session, errors } = await begin(make);
    session.onQuestion(({ questions: [question] }) => ({
      answers: [{ questionId: question!.id, selectedLabel: "second" }],
    }));
    const turn = await session.send("/ask");
    expect(await terminalOf(turn)).toBe("completed");
    expect(lastOf(session, turn)?.visibleOutput).toBe("second");
    expect([...session.view.userInputs.values()].map(({ settled }) => settled?.outcome)).toEqual([
      "answered",
    ]);
    expect(errors).toEqual([]);
  });

  it("takes a queued turn back, and stops the one that runs", async () => {
    const { session, frames, retired } = await begin(make);
    const running = await hanging(session);
    const turn = await session.send("never said", { ifBusy: "queue" });
    expect(turn.disposition).toBe("queued");
    await turn.unqueue();
    expect((await turn.completed).kind).toBe("unqueued");
    await running.interrupt();
    expect(await terminalOf(running)).toBe("cancelled");
    expect(await refusal(running.interrupt())).toBe("already_terminal");
    const started = frames.filter(({ method }) => method === "turn/started");
    expect(started.map(({ params }) => params["turnId"])).toEqual([running.turnId]);
    expect(kinds(retired)).toEqual(["materialized", "reclaimed"]);
  });

  it("adds to the turn that runs, and to no other", async () => {
    const { session } = await begin(make);
    const turn = await hanging(session);
    await turn.steer("and this");
    const joined = await session.send("and that", { ifBusy: "steer" });
    expect(joined.turnId).toBe(turn.turnId);
    const said = () =>
      itemsOf(session, turn).flatMap(({ kind, status, text }) =>
        kind === "agentMessage" && status === "completed" ? [text] : [],
      );
    await until(session, () => said().length === 2);
    await turn.interrupt();
    expect(await terminalOf(turn)).toBe("cancelled");
    expect(said()).toEqual(["and this", "and that"]);
    expect(await refusal(turn.steer("too late"))).toBe("turn_not_running");
    expect([session.pending.size, session.view.turns.size]).toEqual([0, 1]);
  });

  it("withdraws a turn that has said nothing, with its message", async () => {
    const { session } = await begin(make);
    const turn = await hanging(session);
    await turn.interrupt({ retract: true });
    await until(session, () => session.outcomeOf(turn.turnId)?.kind === "retracted");
    expect(itemsOf(session, turn).map(({ retracted }) => retracted)).toEqual([true]);
  });

  it("sets a goal, changes it, lets it rest, takes it up and clears it", async () => {
    const { session } = await begin(make);
    const goal = () => session.view.states.goal?.value;
    const { turnId } = await session.goal.set("Every tree is pruned.");
    const turn = session.turn(turnId!);
    expect(await terminalOf(turn)).toBe("completed");
    // The objective is the prompt of the turn that it wakes, which shows no message of the user.
    expect(itemsOf(session, turn).map(({ kind, text }) => [kind, text])).toEqual([
      ["agentMessage", "Every tree is pruned."],
    ]);
    await session.goal.edit("Every second tree is pruned.");
    await until(session, () => goal()?.objective === "Every second tree is pruned.");
    await session.goal.pause();
    await until(session, () => goal()?.status === "paused");
    await session.goal.resume();
    await until(session, () => goal()?.status === "active");
    await session.goal.clear();
    await until(session, () => goal() === null);
  });

  it("switches the model in mid-session", async () => {
    const { client, session } = await begin(make);
    const { models } = await client.methods.model.list({});
    const [small, large] = models;
    expect([small?.modelId, large?.modelId]).toEqual(["echo-small", "echo-large"]);
    const { sessionId } = session;
    const model = { modelId: large!.modelId };
    await client.connection!.command("session/setModel", { sessionId, model });
    await until(session, () => session.view.states.effectiveModel?.value?.modelId === "echo-large");
    expect(await terminalOf(await session.send("after the switch"))).toBe("completed");
    const unknown = { sessionId, model: { modelId: "none-such" } };
    expect(await refusal(client.connection!.command("session/setModel", unknown))).toBe("unsupported_route");
  });

  it("queues three turns at once: each runs once, and repeated commands are answered as before", async () => {
    const { session, retired, errors } = await begin(make);
    const running = await hanging(session);
    const turns = await Promise.all(
      ["first", "second", "third"].map((words) => session.send(words, { ifBusy: "queue" })),
    );
    expect(turns.map(({ disposition }) => disposition)).toEqual(["queued", "queued", "queued"]);
    expect(session.pending.size).toBe(3);
    await running.interrupt();
    expect(await Promise.all(turns.map(terminalOf))).toEqual(["completed", "completed", "completed"]);
    expect(turns.map((turn) => lastOf(session, turn)?.text)).toEqual(["first", "second", "third"]);
    expect(turns.map(({ commandId }) => messagesOf(session, commandId))).toEqual([1, 1, 1]);
    expect(kinds(retired)).toEqual(["materialized", "materialized", "materialized", "materialized"]);
    expect([session.pending.size, errors]).toEqual([0, []]);
  });

  it("goes on after the host was killed: what was pending is settled, and nothing runs twice", async () => {
    const { client, session, door, retired, errors } = await begin(make);
    const orphan = await session.send("/say begun\n/hang");
    await until(session, () => lastOf(session, orphan)?.status === "completed");
    const queued = await Promise.all(
      ["first", "second", "third"].map((words) => session.send(words, { ifBusy: "queue" })),
    );
    const waits = [orphan, ...queued].map((turn) => refusal(turn.completed));
    // Whether the host took this one in before it died is not known here.
    const unanswered = client.mintCommandId();
    const lost = refusal(session.send("fourth", { ifBusy: "queue", commandId: unanswered }));
    await door.kill();
    expect(await Promise.all(waits)).toEqual(["hostDied", "hostDied", "hostDied", "hostDied"]);
    await lost;
    expect(session.pending.list().map(({ commandId }) => commandId)).toEqual([
      ...queued.map(({ commandId }) => commandId),
      unanswered,
    ]);

    await client.connect();
    const turns = [
      ...queued,
      session.turn((await session.send("fourth", { ifBusy: "queue", commandId: unanswered })).turnId),
    ];
    expect(await terminalOf(session.turn(orphan.turnId))).toBe("failed");
    expect(await Promise.all(turns.map(terminalOf))).toEqual(turns.map(() => "completed"));
    expect(turns.map((turn) => lastOf(session, turn)?.text)).toEqual(["first", "second", "third", "fourth"]);
    const commands = [orphan.commandId, ...queued.map(({ commandId }) => commandId), unanswered];
    expect(commands.map((commandId) => messagesOf(session, commandId))).toEqual([1, 1, 1, 1, 1]);
    expect(kinds(retired)).toEqual(commands.map(() => "materialized"));
    expect([session.pending.size, session.view.turns.size, errors]).toEqual([0, 5, []]);
    // Its turn is over: a command that the host had not settled is never carried out again.
    const { sessionId } = session;
    const again = { sessionId, input: [textOf("/say begun\n/hang")] };
    const { commandId = "" } = orphan;
    expect(await refusal(client.connection!.command("turn/start", again, { commandId }))).toBe("abandoned");
  });

  it("of an ephemeral host: its end is the end of the session, and nothing is sent again", async () => {
    const { client, session, door, frames, retired } = await begin(make, "ephemeral");
    const { sessionId } = session;
    expect(await refusal(client.connection!.command("session/resume", { sessionId }))).toBe("methodNotFound");
    const running = await hanging(session);
    const queued = await session.send("never said", { ifBusy: "queue" });
    const waits = [running.completed, queued.completed];
    await door.kill();
    expect((await Promise.all(waits)).map(({ kind }) => kind)).toEqual([
      "terminalUnknown",
      "terminalUnknown",
    ]);
    expect(kinds(retired)).toEqual(["materialized", "terminalUnknown"]);
    expect([session.pending.size, session.view.discarded]).toEqual([0, true]);
    await client.connect();
    expect(await refusal(session.send("Are you there?"))).toBe("sessionDiscarded");
    expect(await refusal(client.resumeSession(sessionId))).toBe("sessionDiscarded");
    // The next host has heard of nothing: whatever was sent to it would have begun something.
    const before = frames.length;
    const another = await client.startSession();
    expect(await terminalOf(await another.send("here"))).toBe("completed");
    expect(frames.slice(before).filter(({ params }) => params["sessionId"] === sessionId)).toEqual([]);
  });
});

const textOf = (text: string): TurnInputPart => ({ type: "text", text });

describe("a host that has forgotten", () => {
  it("is noticed: the session is not gone on with, and what was pending stays", async () => {
    // Each life has a disk of its own.
    const [, make] = DOORS.find(([name]) => name === "in this process")!;
    let door = make("durable");
    const forgetful: Door = {
      connect: () => door.connect(),
      kill: async () => {
        await door.kill();
        door = make("durable");
      },
      close: () => door.close(),
    };
    const { client, session } = await begin(() => forgetful);
    await hanging(session);
    await session.send("first", { ifBusy: "queue" });
    const refused = new Promise<unknown>((resolve) => {
      session.on((event) => {
        if (event.kind === "rejoinFailed") resolve(event.error);
      });
    });
    await forgetful.kill();
    await client.connect();
    expect(await refused).toMatchObject({ kind: "sessionNotFound" });
    expect(session.pending.size).toBe(1);
  });
});
