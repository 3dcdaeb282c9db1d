/** What a host does when its surroundings fail it. Nothing acked is lost, nothing runs twice, every caller is told. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { mintCommandId } from "../../src/client/index.js";
import type { Agent } from "../../src/host/agents/agent.js";
import { commandAgent } from "../../src/host/agents/command-agent.js";
import { crashableDisk } from "../../src/laws/simulation/disk.js";
import { memoryStore } from "../../src/ledger/index.js";
import type { Log, Store } from "../../src/ledger/store.js";
import { inProcess, Peer } from "../../src/wire/index.js";
import { MSPKIT } from "../support/conversation.js";
import { TestClient, testHost } from "../support/host.js";

const scratch = mkdtempSync(join(tmpdir(), "mspkit-faults-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A store whose writes wait until they are let go. */
function slowStore(): { readonly store: Store; hold(): void; release(): void } {
  const inner = memoryStore({ durability: "durable" });
  let gate: Promise<void> | undefined;
  let open = (): void => undefined;
  const slow = (log: Log): Log => ({
    ...log,
    id: log.id,
    epoch: log.epoch,
    location: log.location,
    entries: log.entries,
    torn: log.torn,
    write: (entries) => (gate === undefined ? log.write(entries) : gate.then(() => log.write(entries))),
    close: () => log.close(),
  });
  return {
    store: {
      durability: inner.durability,
      url: inner.url,
      state: (space, id) => inner.state(space, id),
      list: (space) => inner.list(space),
      open: async (space, id, options) => slow(await inner.open(space, id, options)),
      read: (space, id) => inner.read(space, id),
      fence: (space, id) => inner.fence(space, id),
      close: () => inner.close(),
    },
    hold() {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    release() {
      gate = undefined;
      open();
    },
  };
}

describe("a write that fails", () => {
  for (const moment of ["before", "torn", "after"] as const) {
    it(`costs the session, and no command (${moment})`, async () => {
      const disk = crashableDisk();
      const { host, errors } = testHost({ store: disk.store() });
      const client = await TestClient.of(host);
      const sessionId = await client.start();
      const first = { sessionId, commandId: mintCommandId(), name: "before" };
      const ack = await client.ask("session/rename", first);
      disk.failAt(disk.writes + 1, moment);
      const second = { sessionId, commandId: mintCommandId(), name: "after" };
      // The caller is not told that it was done, nor that it was not.
      expect(await client.ask("session/rename", second)).toMatchObject({
        error: { data: { kind: "internal" } },
      });
      expect(errors).toHaveLength(1);
      expect(await client.ask("session/rename", second)).toMatchObject({
        error: { data: { kind: "sessionNotLoaded" } },
      });
      // Opened anew, it knows what was acked; a repeat tells what became of the rest, and does it once.
      await client.command("session/resume", { sessionId });
      expect(await client.ask("session/rename", first)).toEqual(ack);
      expect(await client.ask("session/rename", second)).toMatchObject({ result: { name: "after" } });
      // Events are told after the ack, in a turn of their own.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      const names = (
        (await client.command("view/page", { sessionId, limit: 1000 }))["events"] as unknown as {
          method: string;
          params: { name?: string };
        }[]
      ).flatMap(({ method, params }) => (method === "session/nameChanged" ? [params.name] : []));
      expect(names).toEqual(["before", "after"]);
      await host.close();
    });
  }
});

describe("a slow disk", () => {
  it("answers beyond its capacity that nothing was admitted, and forgets nothing that was", async () => {
    const { store, hold, release } = slowStore();
    const { host } = testHost({ store, limits: { waitingCommands: 3 } });
    const client = await TestClient.of(host);
    const sessionId = await client.start();
    hold();
    const efforts = ["low", "medium", "high", "low", "medium"];
    const commands = efforts.map((reasoningEffort) => ({
      sessionId,
      commandId: mintCommandId(),
      reasoningEffort,
    }));
    const answers = commands.map((params) => client.ask("session/setReasoningEffort", params));
    // Nothing is told that is not durable: only those that were not admitted have their answer.
    const refused = await Promise.all(answers.slice(3));
    for (const answer of refused)
      expect(answer).toMatchObject({
        error: { data: { kind: "backpressured", capacity: 3, retryable: true } },
      });
    release();
    const admitted = await Promise.all(answers.slice(0, 3));
    for (const answer of admitted) expect(answer).toMatchObject({ result: { status: "accepted" } });
    // The refused ones left no row: the same ids are admitted now.
    for (const params of commands.slice(3))
      expect(await client.ask("session/setReasoningEffort", params)).toMatchObject({
        result: { status: "accepted", commandId: params.commandId },
      });
    await host.close();
  });

  it("tells no event before it is durable", async () => {
    const { store, hold, release } = slowStore();
    const { host } = testHost({ store });
    const client = await TestClient.of(host);
    const sessionId = await client.start();
    hold();
    const answer = client.ask("session/rename", { sessionId, commandId: mintCommandId(), name: "slow" });
    const settled = await Promise.race([
      answer,
      new Promise((resolve) => setTimeout(resolve, 60, "waiting")),
    ]);
    expect(settled).toBe("waiting");
    expect(client.all("session/nameChanged")).toEqual([]);
    release();
    expect(await answer).toMatchObject({ result: { name: "slow" } });
    await client.until(({ method }) => method === "session/nameChanged");
    await host.close();
  });
});

describe("a clock that goes backwards", () => {
  it("changes times and nothing else", async () => {
    let now = 2_000_000_000_000;
    const store = memoryStore({ durability: "durable" });
    const { host } = testHost({ store, surroundings: { now: () => (now -= 1_000) } });
    const client = await TestClient.of(host);
    const sessionId = await client.start();
    const turns: string[] = [];
    for (const text of ["one", "two", "three"]) {
      const { turnId } = await client.command("turn/start", { sessionId, input: [{ type: "text", text }] });
      turns.push(turnId as unknown as string);
    }
    for (const turnId of turns) expect(await client.ended(turnId)).toMatchObject({ terminal: "completed" });
    const started = client.all("turn/started").map(({ turnId }) => turnId);
    expect(started).toEqual(turns);
    // A turn never takes less than no time.
    for (const { durationMs } of client.all("turn/completed")) expect(durationMs).toBe(0);
    await host.close();
  });
});

describe("a client that never reads", () => {
  it("costs others nothing, and is told what was left out once it reads", async () => {
    const agent: Agent = {
      async run(_turn, { emit, mintId }) {
        for (let i = 0; i < 400; i++) {
          // A reader that reads keeps up.
          if (i % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
          await emit({
            type: "itemCompleted",
            item: {
              itemId: mintId(),
              kind: "toolCall",
              tool: "count",
              args: `{"n":${i}}`,
              visibleOutput: "x".repeat(20_000),
            },
          });
        }
        return undefined;
      },
    };
    const { host } = testHost({ agent, checkResults: false, limits: { eventsBehind: 20 } });
    const reader = await TestClient.of(host);
    const sessionId = await reader.start();
    const [theirs, ours] = inProcess();
    host.accept(theirs);
    const seen: { method: string; params: Record<string, unknown> }[] = [];
    const sleeper = new Peer(ours, { answerMalformed: false });
    sleeper.onNotification((method, params) => {
      seen.push({ method, params: params as Record<string, unknown> });
    });
    await sleeper.request("initialize", { clientInfo: { name: "sleeper", version: "1" } });
    void sleeper.notify("initialized", undefined);
    await sleeper.request("view/subscribe", { sessionId });
    ours.pause();
    const { turnId } = await reader.command("turn/start", {
      sessionId,
      input: [{ type: "text", text: "go" }],
    });
    expect(await reader.ended(turnId as unknown as string)).toMatchObject({ terminal: "completed" });
    expect(reader.all("item/completed").length).toBeGreaterThan(400);
    expect(reader.all("view/gap")).toEqual([]);
    ours.resume();
    while (!seen.some(({ method }) => method === "turn/completed"))
      await new Promise((resolve) => setTimeout(resolve, 5));
    const gap = seen.find(({ method }) => method === "view/gap")?.params as { after: string; next: string };
    expect(gap).toBeDefined();
    // What it got, and what is paged from the hole, is all that happened, each once.
    const got = seen.flatMap(({ method, params }) =>
      method === "view/gap" ? [] : [String(params["viewCursor"])],
    );
    expect(got).toContain(gap.after);
    expect(got).toContain(gap.next);
    const missed: string[] = [];
    for (let cursor: string | null = gap.after; cursor !== null && !missed.includes(gap.next); ) {
      const page: { events: { params: { viewCursor: string } }[]; nextCursor: string | null } =
        (await sleeper.request("view/page", { sessionId, cursor, limit: 50 })) as never;
      missed.push(...page.events.map(({ params }) => params.viewCursor));
      cursor = page.nextCursor;
    }
    const all = reader.seen.flatMap(({ params }) =>
      params["sourceRange"] === undefined ? [] : [String(params["viewCursor"])],
    );
    const both = new Set([...got, ...missed.slice(0, missed.indexOf(gap.next))]);
    expect([...both].sort()).toEqual([...new Set(all)].sort());
    expect(got.length).toBeLessThan(all.length);
    await host.close();
  });
});

describe("a program as an agent", () => {
  const turnOf = async (command: string, graceMs?: number) => {
    const limits = graceMs === undefined ? {} : { agentGraceMs: graceMs };
    const { host } = testHost({ agent: commandAgent(command, { killTimeoutMs: 300 }), limits });
    const client = await TestClient.of(host);
    const sessionId = await client.start();
    const { turnId } = await client.command("turn/start", {
      sessionId,
      input: [{ type: "text", text: "hello" }],
    });
    return { host, client, sessionId, turnId: turnId as unknown as string };
  };

  it("that does not exist fails the launch: the turn has one end and no start", async () => {
    const { host, client, turnId } = await turnOf("/does/not/exist");
    expect(await client.ended(turnId)).toMatchObject({ terminal: "failed", error: { kind: "launchError" } });
    expect(client.all("turn/started")).toEqual([]);
    await host.close();
  });

  it("that ignores SIGTERM is killed, and its turn ends as cancelled", async () => {
    const script = join(scratch, "deaf.mjs");
    writeFileSync(script, 'process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1000);');
    const { host, client, sessionId, turnId } = await turnOf(`${process.execPath} ${script}`);
    await client.until(({ method }) => method === "item/delta");
    await client.command("turn/interrupt", { sessionId, turnId });
    expect(await client.ended(turnId)).toMatchObject({ terminal: "cancelled" });
    await host.close();
  });

  it("that floods fails its turn, and the next one runs", async () => {
    const script = join(scratch, "flood.mjs");
    writeFileSync(
      script,
      'const more = () => { while (process.stdout.write("y".repeat(65536))); process.stdout.once("drain", more); }; more();',
    );
    const { host, client, sessionId, turnId } = await turnOf(`${process.execPath} ${script}`);
    const { turnId: second } = await client.command("turn/start", {
      sessionId,
      input: [{ type: "text", text: "b" }],
    });
    expect(await client.ended(turnId)).toMatchObject({ terminal: "failed" });
    await client.until(({ method, params }) => method === "turn/started" && params["turnId"] === second);
    await host.close();
  }, 60_000);
});

describe("an agent that does not let go", () => {
  it("is left alone: the turn ends, and what it says later is dropped", async () => {
    let late: (() => void) | undefined;
    const agent: Agent = {
      run: (turn, { emit, mintId }) =>
        new Promise(() => {
          late = () =>
            void emit({
              type: "itemCompleted",
              item: { itemId: mintId(), kind: "agentMessage", text: turn.turnId },
            });
        }),
    };
    const { host } = testHost({ agent, limits: { agentGraceMs: 20 } });
    const client = await TestClient.of(host);
    const sessionId = await client.start();
    const { turnId } = await client.command("turn/start", {
      sessionId,
      input: [{ type: "text", text: "a" }],
    });
    await client.until(({ method }) => method === "turn/started");
    await client.command("turn/cancel", { sessionId, turnId });
    expect(await client.ended(turnId as unknown as string)).toMatchObject({ terminal: "cancelled" });
    late?.();
    await client.command("session/rename", { sessionId, name: "after" });
    await client.until(({ method }) => method === "session/nameChanged");
    const said = client
      .all("item/completed")
      .filter(({ item }) => (item as { kind: string }).kind === "agentMessage");
    expect(said).toEqual([]);
    await host.close();
  });
});

describe("mspkit serve", () => {
  const serve = (...words: string[]) =>
    spawnSync(process.execPath, [MSPKIT, "serve", ...words], {
      encoding: "utf8",
      input: "",
      timeout: 60_000,
    });

  it("ends with 0 at the end of its input", () => {
    const { status, stdout, stderr } = serve("--store", `file:${join(scratch, "fine")}`);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    const lines = stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toMatchObject({
      level: "info",
      message: "serving",
      store: `file:${join(scratch, "fine")}`,
    });
  });

  it("ends with 2 for words that say nothing", () => {
    for (const words of [
      ["--listen", "tcp://x"],
      ["--store", "postgress:x"],
      ["--grant", "everything"],
      ["--frame-limit", "12"],
      ["--workspace-map", "a"],
      ["--agent-command", "a", "--agent-script", "b"],
      ["--as-release", "0.0.1"],
    ])
      expect({ words, status: serve(...words).status }).toEqual({ words, status: 2 });
  });

  it("ends with 3 for what cannot be used, and opens nothing", () => {
    const newer = join(scratch, "newer");
    mkdirSync(newer);
    writeFileSync(join(newer, "format.json"), '{"version":99}\n');
    writeFileSync(join(scratch, "file"), "");
    for (const words of [
      ["--store", `file:${newer}`],
      ["--store", `file:${join(scratch, "file", "below")}`],
      ["--workspace", join(scratch, "none")],
      ["--agent-script", join(scratch, "none.json")],
      ["--as-release", "1.3.1"],
    ])
      expect({ words, status: serve("--store", "memory", ...words).status }).toEqual({ words, status: 3 });
  });
});
