/** Corners of the aggregate that schedules found, each by itself. */
import { expect, test } from "vitest";
import type { Item } from "../../../generated/msp/experimental/types.js";
import { mintCommandId } from "../../../src/client/index.js";
import type { Agent, ApprovalAnswer, UserInputReply } from "../../../src/host/agents/agent.js";
import type { CommandName } from "../../../src/host/payloads.js";
import { MemoryPlace, memoryStore } from "../../../src/ledger/stores/memory.js";
import { TestClient, testHost } from "../../support/host.js";
import { commandOf, Simulation } from "./simulation.js";

const INPUT = { input: [{ type: "text", text: "Prune" }] };

const nobody = { happened: () => undefined, repeated: () => undefined, settled: () => undefined };

/** A session, its events so far, and what makes some. */
function session() {
  const simulation = new Simulation(nobody);
  const command = (method: CommandName, params: object): string => {
    const id = mintCommandId();
    simulation.command(commandOf(method, id, params));
    simulation.flush();
    return id;
  };
  const begin = (turnId: string): void => {
    simulation.input("started", (core, draft) => core.started(draft, turnId));
    simulation.flush();
  };
  const end = (turnId: string): void => {
    simulation.over("ended", (core, draft) => core.ended(draft, turnId, undefined));
    simulation.flush();
  };
  const events = () =>
    Array.from({ length: simulation.view.ordinal }, (_, i) => simulation.view.event(i + 1)!);
  const items = (): Item[] =>
    events().flatMap(({ params }) => ("item" in params ? [(params as { item: Item }).item] : []));
  return { simulation, command, begin, end, events, items };
}

test("the message of a turn that never started can be withdrawn", () => {
  const { simulation, command, end, events } = session();
  const turnId = command("turn/start", INPUT);
  command("turn/interrupt", { turnId, retract: true });
  end(turnId);
  expect(events().map(({ method }) => method)).toEqual(["turn/completed", "turn/retracted"]);
  expect(events()[1]!.params).toMatchObject({ turnId, commandId: turnId, outcome: "accepted" });
  expect(simulation.state.active).toBeUndefined();
});

test("the turn of a goal has no message that could be withdrawn", () => {
  const { simulation, command, begin, end, events } = session();
  command("goal/set", { objective: "Bloom" });
  const { turnId } = simulation.state.active!;
  begin(turnId);
  command("turn/interrupt", { turnId, retract: true });
  end(turnId);
  expect(events().at(-1)!.params).toMatchObject({ turnId, outcome: "declined" });
});

test("a message that was rephrased while it was streamed is closed once, with its last words", () => {
  const { simulation, command, begin, end, items } = session();
  const turnId = command("turn/start", INPUT);
  begin(turnId);
  const message = { itemId: simulation.mintId(), kind: "agentMessage" } as const;
  const { tools } = simulation.run!;
  void tools.emit({ type: "itemStarted", item: message });
  void tools.emit({ type: "itemDelta", itemId: message.itemId, delta: "One" });
  void tools.emit({ type: "itemUpdated", item: { ...message, text: "Two" } });
  void tools.emit({ type: "itemDelta", itemId: message.itemId, delta: " three" });
  simulation.flush();
  end(turnId);
  const told = items().filter(({ kind }) => kind === "agentMessage");
  expect(told.map(({ revision, status, text }) => [revision, status, text])).toEqual([
    [2, "inProgress", "Two"],
    [3, "cancelled", "Two three"],
  ]);
});

test("a message that is said twice is told once", () => {
  const { simulation, command, begin, items } = session();
  begin(command("turn/start", INPUT));
  const item = { itemId: simulation.mintId(), kind: "agentMessage", text: "Done" } as const;
  void simulation.run!.tools.emit({ type: "itemCompleted", item });
  void simulation.run!.tools.emit({ type: "itemCompleted", item });
  simulation.flush();
  expect(items().filter(({ kind }) => kind === "agentMessage")).toHaveLength(1);
});

test("an update with a last status is the end of its item", () => {
  const { simulation, command, begin, end, events } = session();
  const turnId = command("turn/start", INPUT);
  begin(turnId);
  const item = { itemId: simulation.mintId(), kind: "toolCall" } as const;
  void simulation.run!.tools.emit({ type: "itemStarted", item });
  void simulation.run!.tools.emit({ type: "itemUpdated", item: { ...item, status: "failed" } });
  simulation.flush();
  end(turnId);
  const told = events().filter(({ params }) => "item" in params);
  expect(told.map(({ method }) => method)).toEqual(["item/completed", "item/started", "item/completed"]);
});

test("a turn that was taken back is none of the session's turns", () => {
  const { simulation, command, begin, end, events } = session();
  const first = command("turn/start", INPUT);
  begin(first);
  const second = command("turn/start", INPUT);
  command("turn/unqueue", { turnId: second });
  end(first);
  expect(simulation.state.turnCount).toBe(1);
  expect(simulation.view.snapshot().state.turnCount).toBe(1);
  // The session's stream goes on over it.
  command("session/rename", { name: "Orchard" });
  const ranges = events().map(
    ({ params }) => params.sourceRange as { last: { sequence: number }; stream: object },
  );
  const ofSession = ranges.filter(({ stream }) => (stream as { kind: string }).kind === "session");
  expect(ofSession.map(({ last }) => last.sequence)).toEqual([1, 2]);
});

test("an agent that asks about a call that a client has stopped gets an answer at once", async () => {
  const replies: (ApprovalAnswer | UserInputReply)[] = [];
  const agent: Agent = {
    run: async (_, { emit, ask, onTask, mintId }) => {
      const item = { itemId: mintId(), kind: "toolCall" } as const;
      const stopped = new Promise<void>((resolve) => onTask(() => resolve()));
      await emit({ type: "itemStarted", item });
      await stopped;
      const asks = { item, toolName: "look" };
      const rest = { rawArgs: "{}", subject: { kind: "tool" }, stages: [[]] };
      replies.push(await ask({ type: "approval", ...asks, ...rest }));
      replies.push(await ask({ type: "userInput", ...asks, questions: [] }));
      return undefined;
    },
  };
  const { host, errors } = testHost({ agent });
  const client = await TestClient.of(host);
  const sessionId = await client.start();
  const { turnId } = await client.command("turn/start", { sessionId, ...INPUT });
  const { params } = await client.until(
    (seen) => seen.method === "item/started" && (seen.params["item"] as Item).kind === "toolCall",
  );
  await client.command("task/stop", { sessionId, taskId: (params["item"] as Item).itemId });
  expect(await client.ended(turnId!)).toMatchObject({ terminal: "completed" });
  expect(replies).toMatchObject([{ decision: "abort" }, { outcome: "aborted" }]);
  expect(client.all("approval/requested")).toEqual([]);
  expect(client.all("userInput/requested")).toEqual([]);
  expect(errors).toEqual([]);
});

test("an agent that waits for an approval hears of it when a client stops the call", async () => {
  const decisions: string[] = [];
  const agent: Agent = {
    run: async (_, { ask, mintId }) => {
      const item = { itemId: mintId(), kind: "toolCall" } as const;
      const rest = { rawArgs: "{}", subject: { kind: "tool" }, stages: [[]] };
      decisions.push((await ask({ type: "approval", item, toolName: "look", ...rest })).decision);
      return undefined;
    },
  };
  const { host } = testHost({ agent });
  const client = await TestClient.of(host);
  const sessionId = await client.start();
  const { turnId } = await client.command("turn/start", { sessionId, ...INPUT });
  const { params } = await client.until(({ method }) => method === "approval/requested");
  await client.command("task/stop", { sessionId, taskId: params["itemId"] });
  expect(await client.ended(turnId!)).toMatchObject({ terminal: "completed" });
  expect(decisions).toEqual(["abort"]);
});

test("a session that is loaded by another spelling of its id keeps its cursors", async () => {
  const place = new MemoryPlace();
  const before = testHost({ store: memoryStore({ durability: "durable", place }) });
  const client = await TestClient.of(before.host);
  const sessionId = await client.start();
  await client.command("session/rename", { sessionId, name: "Orchard" });
  const { params } = await client.until(({ method }) => method === "session/nameChanged");
  await before.host.close();
  const after = testHost({ store: memoryStore({ durability: "durable", place }) });
  const other = await TestClient.of(after.host);
  const cursor = params["viewCursor"] as string;
  const resumed = await other.command("session/resume", { sessionId: sessionId.toUpperCase(), cursor });
  expect(resumed).toMatchObject({ session: { sessionId }, viewCursor: cursor });
  await other.command("session/rename", { sessionId, name: "Meadow" });
  expect(await other.until(({ method }) => method === "session/nameChanged")).toMatchObject({
    params: { sessionId },
  });
});
