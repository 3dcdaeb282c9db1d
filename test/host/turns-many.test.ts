/** Sessions with much in them: ten thousand turns that wait, a prompt of five megabytes, a log of 100,000 records. */
import { setImmediate as nextTick } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { mintCommandId } from "../../src/client/index.js";
import type { Agent } from "../../src/host/agents/agent.js";
import { fileStore } from "../../src/ledger/stores/file/store.js";
import { MemoryPlace, memoryStore } from "../../src/ledger/stores/memory.js";
import { TestClient, testHost } from "../support/host.js";
import { scratchFolder } from "../support/repo.js";
import { commandOf, SESSION_ID, Simulation } from "./session/simulation.js";

const QUEUED = 10_000;
const text = (words: string) => [{ type: "text", text: words }];

/** Bytes that are in use, once nothing is that could be given back. */
function usedBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

test("ten thousand turns wait, in bounded memory, and are launched in their order", async () => {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const heard: string[] = [];
  const agent: Agent = {
    run: async ({ prompt }) => {
      heard.push(prompt);
      await released;
      return undefined;
    },
  };
  const place = new MemoryPlace();
  const { host, errors } = testHost({ agent, store: memoryStore({ durability: "durable", place }) });
  const client = await TestClient.of(host);
  const sessionId = await client.start();
  // Nobody listens: what is measured is what the host keeps.
  await client.ask("view/unsubscribe", { sessionId });
  const start = (i: number) =>
    client.ask("turn/start", { sessionId, commandId: mintCommandId(), input: text(`turn ${i}`) });
  await start(0);
  const before = usedBytes();
  for (let i = 1; i <= QUEUED; i += 500) {
    const outcomes = await Promise.all(Array.from({ length: 500 }, (_, j) => start(i + j)));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ result: { disposition: "queued" } });
    // Within one process, clients and host may talk without ever giving way to what the host tells later.
    await nextTick();
  }
  const [session] = [...host.sessions];
  await session!.told();
  // State, view, ledger and the log itself, which is in memory here.
  expect((usedBytes() - before) / QUEUED).toBeLessThan(8_192);

  const commandId = mintCommandId();
  const oneMore = { sessionId, commandId, input: text("one more") };
  expect(await client.ask("turn/start", oneMore)).toMatchObject({
    error: { code: -32031, data: { kind: "backpressured", retryable: true, capacity: QUEUED } },
  });
  const replacing = { ...oneMore, commandId: mintCommandId(), ifBusy: "replace" };
  expect(await client.ask("turn/start", replacing)).toMatchObject({
    error: { data: { kind: "backpressured", capacity: QUEUED } },
  });
  expect(session!.state.queue).toHaveLength(QUEUED);
  expect(session!.view.snapshot().state.queuedTurns).toHaveLength(QUEUED);
  const log = (await memoryStore({ place }).read("sessions", session!.key)) ?? [];
  expect(log.filter((entry) => entry.includes(commandId))).toEqual([]);

  release();
  while (session!.state.active !== undefined) await nextTick();
  expect(heard).toEqual(Array.from({ length: QUEUED + 1 }, (_, i) => `turn ${i}`));
  expect(session!.state.turnCount).toBe(QUEUED + 1);
  // It admitted nothing: the id is free, and its command new.
  expect(await client.ask("turn/start", oneMore)).toMatchObject({ result: { disposition: "started" } });
  expect(errors).toEqual([]);
  await host.close();
});

test("a prompt of five megabytes is a turn like any other, and is there after a restart", async () => {
  const place = new MemoryPlace();
  const prompt = "frost ".repeat(5_000_000 / 6);
  const commandId = mintCommandId();
  const first = testHost({ store: memoryStore({ durability: "durable", place }) });
  const client = await TestClient.of(first.host);
  const sessionId = await client.start();
  const start = { sessionId, commandId, input: text(prompt) };
  const ack = await client.ask("turn/start", start);
  expect(ack).toMatchObject({ result: { disposition: "started" } });
  expect(await client.ended(commandId)).toMatchObject({ terminal: "completed" });
  const items = client.all("item/completed").map(({ item }) => item as { kind: string; text: string });
  expect(items.map(({ kind }) => kind)).toEqual(["userMessage", "agentMessage"]);
  for (const item of items) expect(item.text === prompt).toBe(true);
  await first.host.close();

  const second = testHost({ store: memoryStore({ durability: "durable", place }) });
  const again = await TestClient.of(second.host);
  const resumed = await again.command("session/resume", { sessionId });
  // The row shows the beginning of it.
  expect(resumed).toMatchObject({ session: { firstUserPrompt: prompt.slice(0, 512), turnCount: 1 } });
  expect(await again.ask("turn/start", start)).toEqual(ack);
  expect(await again.ask("turn/start", { ...start, input: text(`${prompt}!`) })).toMatchObject({
    error: { data: { reason: "command_id_conflict", details: { pointer: "/input/0/text" } } },
  });
  const texts: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = (await again.ask("view/page", {
      sessionId,
      limit: 100,
      ...(cursor === undefined ? {} : { cursor }),
    })) as unknown as {
      result: { events: { params: { item?: { text?: string } } }[]; nextCursor: string | null };
    };
    for (const { params } of page.result.events)
      if (params.item?.text !== undefined) texts.push(params.item.text);
    cursor = page.result.nextCursor;
  }
  expect(texts.map((words) => words.length)).toEqual([prompt.length, prompt.length]);
  expect([...first.errors, ...second.errors]).toEqual([]);
  await second.host.close();
});

const RECORDS = 100_000;

/** The log of a session in which one turn came after the other. */
function longLog(): { readonly entries: readonly string[]; readonly records: number; readonly last: string } {
  let records = 1;
  let last = "";
  const simulation = new Simulation({
    happened: ({ decision }) => {
      records += decision.records.length;
    },
    repeated: () => undefined,
    settled: () => undefined,
  });
  while (records < RECORDS) {
    last = mintCommandId();
    simulation.command(commandOf("turn/start", last, { input: text("Prune") }));
    simulation.flush();
    simulation.input("started", (core, draft) => core.started(draft, last));
    simulation.flush();
    const item = { itemId: simulation.mintId(), kind: "agentMessage", text: "Done" } as const;
    void simulation.run?.tools.emit({ type: "itemCompleted", item });
    simulation.over("ended", (core, draft) => core.ended(draft, last, undefined));
    simulation.flush();
  }
  return { entries: simulation.entries, records, last };
}

test("a log of 100,000 records is loaded, with all that it says", async () => {
  const { entries, records, last } = longLog();
  expect(records).toBeGreaterThanOrEqual(RECORDS);
  const folder = scratchFolder();
  const store = fileStore(folder);
  const log = await store.open("sessions", SESSION_ID, { expect: "new" });
  await log.write(entries);
  await store.close();

  const { host, errors } = testHost({ store: fileStore(folder) });
  const client = await TestClient.of(host);
  const sessionId = SESSION_ID;
  const turns = entries.filter((entry) => entry.includes('"type":"turn"')).length;
  const resumed = await client.command("session/resume", { sessionId, excludeItems: true });
  expect(resumed).toMatchObject({
    session: { status: "idle", turnCount: turns },
    lastTurn: { turnId: last, terminal: "completed" },
    pendingRequests: [],
  });
  // The last command is known, and the first event is still there.
  expect(await client.ask("turn/start", { sessionId, commandId: last, input: text("Prune") })).toMatchObject({
    result: { turnId: last, disposition: "started" },
  });
  const page = await client.ask("view/page", { sessionId, limit: 1 });
  expect(page).toMatchObject({ result: { events: [{ method: "turn/started" }] } });
  const { turnId } = await client.command("turn/start", { sessionId, input: text("Graft") });
  expect(await client.ended(turnId!)).toMatchObject({ terminal: "completed" });
  expect(errors).toEqual([]);
  await host.close();
});
