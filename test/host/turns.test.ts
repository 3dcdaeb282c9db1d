/** Turns under the races that clients and hosts have in real life: late steers, late cancels, lost acks. */
import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import { mintCommandId } from "../../src/client/index.js";
import type { Agent } from "../../src/host/agents/agent.js";
import { inProcess } from "../../src/wire/index.js";
import { TestClient, testHost } from "../support/host.js";
import { RawClient } from "../support/raw-client.js";

const text = (words: string) => [{ type: "text", text: words }];

const accepted = { status: "accepted" };

/** What was answered of a turn that is queued behind one that runs. */
interface Scene {
  readonly client: TestClient;
  readonly sessionId: string;
  /** The turn that runs until it is told to stop or released. */
  readonly first: string;
  /** The turn that waits. */
  readonly second: string;
  release(turnId: string): void;
}

/** An agent whose turns end when they are released, and the prompts that it was given. */
function heldAgent(): { readonly agent: Agent; readonly heard: string[]; release(turnId: string): void } {
  const held = new Map<string, () => void>();
  const heard: string[] = [];
  const agent: Agent = {
    run: ({ turnId, prompt }, { signal, onSteer }) => {
      heard.push(`${turnId} ${prompt}`);
      onSteer((steer) => heard.push(`${turnId} ${steer.text}`));
      return new Promise((resolve, reject) => {
        held.set(turnId, () => resolve(undefined));
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    },
  };
  return { agent, heard, release: (turnId) => held.get(turnId)?.() };
}

async function scene(): Promise<Scene & { readonly heard: string[]; readonly errors: unknown[] }> {
  const { agent, heard, release } = heldAgent();
  const { host, errors } = testHost({ agent });
  const client = await TestClient.of(host);
  const sessionId = await client.start();
  const { turnId: first } = await client.command("turn/start", { sessionId, input: text("first") });
  await started(client, first!);
  const { turnId: second } = await client.command("turn/start", { sessionId, input: text("second") });
  return { client, sessionId, first: first!, second: second!, release, heard, errors };
}

async function started(client: TestClient, turnId: string): Promise<void> {
  await client.until(({ method, params }) => method === "turn/started" && params["turnId"] === turnId);
}

/** How each turn ended, in order. */
const ends = (client: TestClient): unknown[] =>
  client.seen.flatMap(({ method, params }) => {
    if (method === "turn/completed") return [[params["turnId"], params["terminal"]]];
    return method === "turn/unqueued" ? [[params["turnId"], "unqueued"]] : [];
  });

test("a steer that comes one tick after its turn ended is rejected for good, and reaches nobody", async () => {
  const { client, sessionId, first, second, release, heard, errors } = await scene();
  const commandId = mintCommandId();
  const steer = { sessionId, commandId, expectedTurnId: first, input: text("too late") };
  release(first);
  await nextTick();
  await started(client, second);
  const rejected = await client.ask("turn/steer", steer);
  expect(rejected).toMatchObject({
    error: {
      data: {
        kind: "commandRejected",
        commandId,
        reason: "turn_not_running",
        retryable: false,
        details: { turnId: second },
      },
    },
  });
  expect(await client.ask("turn/steer", steer)).toEqual(rejected);
  release(second);
  await client.ended(second);
  expect(heard).toEqual([`${first} first`, `${second} second`]);
  const messages = client.all("item/completed").map(({ item }) => item as { text?: string });
  expect(messages.map((item) => item.text)).not.toContain("too late");
  expect(ends(client)).toEqual([
    [first, "completed"],
    [second, "completed"],
  ]);
  expect(errors).toEqual([]);
});

test("a steer that is written in one tick with the end of its turn reaches that turn or nobody", async () => {
  const { client, sessionId, first, second, release, heard } = await scene();
  release(first);
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      client.ask("turn/steer", {
        sessionId,
        commandId: mintCommandId(),
        expectedTurnId: first,
        input: text(`steer ${i}`),
      }),
    ),
  );
  await started(client, second);
  expect(heard.filter((words) => words.startsWith(second))).toEqual([`${second} second`]);
  const taken = outcomes.filter((outcome) => "result" in outcome).length;
  const shown = client.all("item/completed").map(({ item }) => item as { turnId: string; steered?: boolean });
  expect(shown.filter(({ steered }) => steered).map(({ turnId }) => turnId)).toEqual(
    Array<string>(taken).fill(first),
  );
});

test.each(["run", "unqueue", "fail"] as const)("a queued turn has one end: %s", async (how) => {
  const { client, sessionId, first, second, release } = await scene();
  const { turnId: third, disposition } = (await client.command("turn/start", {
    sessionId,
    input: text("third"),
  })) as unknown as { turnId: string; disposition: string };
  expect(disposition).toBe("queued");
  if (how === "unqueue") await client.command("turn/unqueue", { sessionId, turnId: third });
  release(first);
  await started(client, second);
  if (how === "fail") await client.command("turn/interrupt", { sessionId });
  release(second);
  await client.ended(second);
  if (how !== "unqueue") {
    await started(client, third);
    release(third);
    await client.ended(third);
  }
  await client.command("session/rename", { sessionId, name: "after" });
  await nextTick();
  const ended = ends(client) as [string, string][];
  expect(ended.map(([turnId]) => turnId).sort()).toEqual([first, second, third].sort());
});

test("a queued turn that cannot be launched ends as failed, and its ack is taken back", async () => {
  const { host } = testHost();
  const client = await TestClient.of(host);
  const sessionId = await client.start();
  const { turnId: first } = await client.command("turn/start", { sessionId, input: text("/hang") });
  const commandId = mintCommandId();
  const start = { sessionId, commandId, input: text("/fail-launch") };
  expect(await client.ask("turn/start", start)).toMatchObject({ result: { disposition: "queued" } });
  await client.command("turn/interrupt", { sessionId, turnId: first });
  expect(await client.ended(commandId)).toMatchObject({ terminal: "failed", error: { kind: "launchError" } });
  expect(client.all("turn/started").map(({ turnId }) => turnId)).not.toContain(commandId);
  expect(await client.ask("turn/start", start)).toMatchObject({
    error: { data: { kind: "commandRejected", reason: "deferred_start_failed" } },
  });
  await nextTick();
  expect(ends(client)).toEqual([
    [first, "cancelled"],
    [commandId, "failed"],
  ]);
});

test.each(["turn/cancel", "turn/interrupt"])(
  "%s of a turn that is over does nothing to the next",
  async (method) => {
    const { client, sessionId, first, second, release } = await scene();
    release(first);
    await started(client, second);
    expect(await client.ask(method, { sessionId, commandId: mintCommandId(), turnId: first })).toMatchObject({
      error: { data: { kind: "commandRejected", reason: "already_terminal" } },
    });
    release(second);
    expect(await client.ended(second)).toMatchObject({ terminal: "completed" });
  },
);

test("a cancel behind its start in one chunk is not lost", async () => {
  const { host } = testHost();
  const [theirs, ours] = inProcess();
  host.accept(theirs);
  const client = await RawClient.of(ours);
  const sessionId = await client.start();
  for (const target of [true, false]) {
    const commandId = mintCommandId();
    const start = { sessionId, commandId, input: text("/hang") };
    const cancel = { sessionId, commandId: mintCommandId(), ...(target ? { turnId: commandId } : {}) };
    const lines = [
      { jsonrpc: "2.0", id: `s${commandId}`, method: "turn/start", params: start },
      { jsonrpc: "2.0", id: `c${commandId}`, method: "turn/cancel", params: cancel },
    ];
    client.say(lines.map((line) => JSON.stringify(line)).join("\n"));
    const { result } = await client.until(({ id }) => id === `c${commandId}`);
    expect(result).toMatchObject({ ...accepted, turnId: commandId });
    const end = await client.until(
      ({ method, params }) => method === "turn/completed" && params?.["turnId"] === commandId,
    );
    expect(end.params).toMatchObject({ terminal: "cancelled" });
    expect(client.frames.find(({ id }) => id === `s${commandId}`)?.result).toMatchObject({
      disposition: "started",
    });
  }
});

test("the queue goes on when the turn before is cancelled", async () => {
  const { client, sessionId, first, second, release } = await scene();
  await client.command("turn/cancel", { sessionId, turnId: first });
  await started(client, second);
  release(second);
  await client.ended(second);
  expect(ends(client)).toEqual([
    [first, "cancelled"],
    [second, "completed"],
  ]);
});

test("an unqueue that comes too late is rejected and cancels nothing", async () => {
  const { client, sessionId, first, second, release } = await scene();
  release(first);
  await started(client, second);
  const late = { sessionId, commandId: mintCommandId(), turnId: second };
  const rejected = await client.ask("turn/unqueue", late);
  expect(rejected).toMatchObject({ error: { data: { reason: "turn_already_started" } } });
  expect(await client.ask("turn/unqueue", late)).toEqual(rejected);
  release(second);
  expect(await client.ended(second)).toMatchObject({ terminal: "completed" });
});

test("an ack that was lost comes again on the next connection, and the turn runs once", async () => {
  const { agent, heard, release } = heldAgent();
  const { host } = testHost({ agent });
  const before = await TestClient.of(host);
  const sessionId = await before.start();
  const commandId = mintCommandId();
  const start = { sessionId, commandId, input: text("once") };
  // The connection ends behind the frame: whoever sent it never hears of it.
  const lost = before.ask("turn/start", start).catch(() => undefined);
  await before.close();
  await lost;
  const after = await TestClient.of(host);
  const resumed = await after.command("session/resume", { sessionId });
  const [one, two] = await Promise.all([after.ask("turn/start", start), after.ask("turn/start", start)]);
  expect(one).toEqual({
    result: { commandId, ...accepted, turnId: commandId, startedNewTurn: true, disposition: "started" },
  });
  expect(two).toEqual(one);
  expect(resumed).toMatchObject({ session: { sessionId } });
  await until(() => heard.length > 0);
  release(commandId);
  await after.ended(commandId);
  expect(heard).toEqual([`${commandId} once`]);
});

test("a rejection that was missed while away is found by a replay", async () => {
  const { host } = testHost();
  const before = await TestClient.of(host);
  const sessionId = await before.start();
  const steer = {
    sessionId,
    commandId: mintCommandId(),
    expectedTurnId: mintCommandId(),
    input: text("anyone"),
  };
  const lost = before.ask("turn/steer", steer).catch(() => undefined);
  await before.close();
  await lost;
  const after = await TestClient.of(host);
  await after.command("session/resume", { sessionId });
  expect(await after.ask("turn/steer", steer)).toMatchObject({
    error: { data: { kind: "commandRejected", reason: "turn_not_running" } },
  });
});

test("a retry before the reconnect and another one after it are one command", async () => {
  const { agent, heard, release } = heldAgent();
  const { host } = testHost({ agent });
  const before = await TestClient.of(host);
  const sessionId = await before.start();
  const commandId = mintCommandId();
  const start = { sessionId, commandId, input: text("once") };
  const early = await Promise.all([before.ask("turn/start", start), before.ask("turn/start", start)]);
  await before.close();
  const after = await TestClient.of(host);
  await after.command("session/resume", { sessionId });
  const late = await after.ask("turn/start", start);
  expect([...early, late]).toEqual(Array(3).fill(early[0]));
  expect(await after.ask("turn/start", { ...start, input: text("twice") })).toMatchObject({
    error: { data: { reason: "command_id_conflict" } },
  });
  await until(() => heard.length > 0);
  release(commandId);
  await after.ended(commandId);
  expect(heard).toEqual([`${commandId} once`]);
});

/** Waits until something is so. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await nextTick();
}
