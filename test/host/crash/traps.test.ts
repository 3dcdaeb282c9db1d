/** What went wrong in hosts and ledgers of others, each in its smallest form. */
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  MspClient,
  mintCommandId,
  type PendingRetirement,
  type TurnInput,
} from "../../../src/client/index.js";
import type { SessionRecord } from "../../../src/host/session/records.js";
import { memoryStore } from "../../../src/ledger/index.js";
import { fileStore } from "../../../src/ledger/node.js";
import type { Store } from "../../../src/ledger/store.js";
import { inProcess } from "../../../src/wire/index.js";
import { Actor, resultOf, World } from "../../support/crash-world.js";
import { unpluggableFiles } from "../../support/faulty-files.js";
import { type Outcome, TestClient, testHost } from "../../support/host.js";
import { scratchFolder } from "../../support/repo.js";
import { isKept } from "./laws.js";

const input = (text: string) => [{ type: "text", text }];
const ABANDONED = { error: { data: { kind: "commandRejected", reason: "abandoned" } } };

function recordsOf(entries: readonly string[] | undefined): SessionRecord[] {
  return (entries ?? []).flatMap((entry) => JSON.parse(entry) as SessionRecord[]);
}

describe("trap A2: duplicates at the same moment", () => {
  test("32 connections send one command: one effect, one ack, and none before it is durable", async () => {
    let held: Promise<void> | undefined;
    const inner = memoryStore({ durability: "durable" });
    // A disk that takes its time, as long as it is told to.
    const store: Store = Object.assign(Object.create(inner) as Store, {
      durability: "durable",
      open: async (...words: Parameters<Store["open"]>) => {
        const log = await inner.open(...words);
        return Object.assign(Object.create(log) as typeof log, {
          entries: log.entries,
          write: async (entries: readonly string[]) => {
            await held;
            await log.write(entries);
          },
          close: () => log.close(),
        });
      },
    });
    for (const name of ["state", "list", "read", "fence", "close"] as const)
      Object.assign(store, {
        [name]: (...words: never[]) => (inner[name] as (...w: never[]) => unknown)(...words),
      });
    let runs = 0;
    const agent = {
      run: async () => {
        runs++;
        await nextTurn();
        return undefined;
      },
    };
    const { host, errors } = testHost({ store, agent });
    const clients = await Promise.all(Array.from({ length: 32 }, () => TestClient.of(host)));
    const sessionId = await clients[0]!.start();
    let release!: () => void;
    held = new Promise((resolve) => (release = resolve));
    const params = { commandId: mintCommandId(), sessionId, input: input("once") };
    const answers: Outcome[] = [];
    const asked = clients.map((client) =>
      client.ask("turn/start", params).then((outcome) => answers.push(outcome)),
    );
    for (let i = 0; i < 50; i++) await nextTurn();
    expect([answers.length, runs]).toEqual([0, 0]);
    release();
    await Promise.all(asked);
    await clients[0]!.ended(params.commandId);
    expect(answers).toHaveLength(32);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(resultOf(answers[0]!)).toMatchObject({ turnId: params.commandId, disposition: "started" });
    const records = recordsOf(await store.read("sessions", sessionId));
    expect([runs, records.filter(({ type }) => type === "received").length, errors]).toEqual([1, 1, []]);
    await host.close();
  });
});

describe("trap A6: an old retry after an opposite command", () => {
  test("is answered from memory and changes nothing, before and after a crash", async () => {
    const world = new World();
    let actor = new Actor(await world.client(world.host()), world.mint);
    const sessionId = await actor.start();
    const commands = [
      ["goal/set", { objective: "first" }],
      ["goal/set", { objective: "second" }],
      ["goal/pause", {}],
      ["goal/resume", {}],
      ["session/rename", { name: "first" }],
      ["session/rename", { name: "second" }],
      ["session/setReasoningEffort", { reasoningEffort: "high" }],
      ["session/setReasoningEffort", { reasoningEffort: "low" }],
    ] as const;
    for (const [method, params] of commands) {
      await actor.send(method, { sessionId, ...params });
      await world.quiet();
    }
    const standing = async (client: TestClient) => {
      const { history } = await client.command("session/read", { sessionId, excludeItems: false });
      const { goal, reasoningEffort, name } = (
        history as unknown as { snapshot: { state: Record<string, unknown> } }
      ).snapshot.state;
      return { goal, reasoningEffort, name };
    };
    const before = await standing(actor.client);
    expect(before).toMatchObject({ goal: { objective: "second", status: "active" } });
    const { sent } = actor;
    for (let life = 1; life <= 2; life++) {
      const events = actor.client.seen.length;
      for (const { method, params, outcome } of sent.slice(1))
        expect(await actor.client.ask(method, params)).toEqual(outcome);
      await world.quiet();
      expect(actor.client.seen.length).toBe(events);
      expect(await standing(actor.client)).toEqual(before);
      world.disk.crash();
      actor = new Actor(await world.client(world.host()), world.mint);
      await actor.client.command("session/resume", { sessionId });
      await world.quiet();
    }
    expect(world.errors).toEqual([]);
  });
});

describe("trap A8: recovery with a clock that stands still", () => {
  test("settles what the dead left, and nothing that comes in its own life", async () => {
    const world = new World({ frozen: true });
    const first = new Actor(await world.client(world.host()), world.mint);
    const sessionId = await first.start();
    const orphan = await first.turn(sessionId, "/hang");
    await first.started(orphan);
    world.disk.crash();
    const host = world.host();
    const clients = await Promise.all([world.client(host), world.client(host)]);
    const resume = () => ({ sessionId, commandId: world.mint() });
    const turn = { sessionId, commandId: world.mint(), input: input("mine") };
    // Sent in the same moment as what loads the session, and again until it is loaded.
    const resumed = Promise.all(clients.map((client) => client.ask("session/resume", resume())));
    let outcome: Outcome;
    let refused = 0;
    for (;;) {
      outcome = await clients[1]!.ask("turn/start", turn);
      if (!("error" in outcome)) break;
      // It is this host that is about to have the session, and nobody else.
      expect(outcome.error.data["kind"]).toBe("sessionNotLoaded");
      refused++;
      await nextTurn();
    }
    expect(refused).toBeGreaterThan(0);
    for (const answer of await resumed) resultOf(answer);
    expect(resultOf(outcome)).toMatchObject({ turnId: turn.commandId });
    await clients[0]!.ended(turn.commandId);
    expect(await clients[0]!.ask("turn/start", turn)).toEqual(outcome);
    expect(await clients[0]!.ask(first.sent[1]!.method, first.sent[1]!.params)).toMatchObject(ABANDONED);
    expect(world.effects).toEqual(
      new Map([
        [`run ${orphan}`, 1],
        [`run ${turn.commandId}`, 1],
      ]),
    );
    const { sessions } = await world.survivors();
    expect(new Set(sessions.get(sessionId)!.map(({ at }) => at)).size).toBe(1);
  });
});

describe("trap A11: a crash between intake and launch", () => {
  test("is neither run twice nor lost in silence: the SDK hands the words back", async () => {
    const world = new World();
    let host = world.host();
    const client = new MspClient({
      clientInfo: { name: "tester", version: "1" },
      connect: () => {
        const [theirs, ours] = inProcess();
        host.accept(theirs);
        far = theirs;
        return ours;
      },
    });
    let [far] = inProcess();
    await client.connect();
    const session = await client.startSession();
    const retired: PendingRetirement<TurnInput>[] = [];
    session.on((event) => {
      if (event.kind === "retired") retired.push(event.retirement);
    });
    // The record of the intake is there, and the host is gone before anything comes of it.
    world.disk.crashAt(world.disk.writes + 1, "after");
    const sending = session.send("Then weigh them.").catch((error: unknown) => error);
    await world.quiet(1);
    void far.close();
    expect(await sending).toMatchObject({ outcome: "outcomeUnknown" });
    const [entry] = session.pending.list();
    host = world.host();
    await client.connect();
    await world.quiet();
    expect(retired).toMatchObject([
      {
        kind: "abandoned",
        commandId: entry!.commandId,
        restoreToComposer: true,
        input: { input: input("Then weigh them.") },
      },
    ]);
    expect(session.pending.list()).toEqual([]);
    expect(world.effects).toEqual(new Map());
    // The view says how the turn ended.
    expect(session.outcomeOf(entry!.commandId)).toMatchObject({
      kind: "completed",
      started: false,
      params: { terminal: "failed", reason: "crash" },
    });
    await client.close();
  });
});

describe("trap A16: a power cut", () => {
  /** Cuts the power at the n-th sync while a client works; what was answered and is not there. */
  async function lost(n: number, sync: "data" | "none"): Promise<{ answered: number; lost: string[] }> {
    const dir = join(scratchFolder(), "store");
    const machine = unpluggableFiles();
    const { files } = machine;
    // With a lowered setting there are hardly any syncs: there the number is that of the appends.
    let appends = 0;
    const append: typeof files.append = (...words) => {
      if (sync === "none" && ++appends > n) machine.cut();
      return files.append(...words);
    };
    const cutting = <T extends unknown[], R>(real: (...args: T) => R) => {
      return (...args: T): R => {
        if (sync === "data" && machine.syncs >= n) machine.cut();
        return real(...args);
      };
    };
    const store = fileStore(dir, {
      sync,
      files: {
        ...files,
        append,
        syncData: cutting(files.syncData),
        syncDataLater: cutting(files.syncDataLater),
        syncFolder: cutting(files.syncFolder),
        syncFile: cutting(files.syncFile),
      },
    });
    const { host } = testHost({ store });
    const client = await TestClient.of(host);
    const answered: { commandId: string; sessionId: string | undefined }[] = [];
    const send = async (method: string, params: { commandId: string; sessionId?: string }) => {
      const outcome = await client.ask(method, params);
      if (isKept(outcome)) answered.push({ commandId: params.commandId, sessionId: params.sessionId });
      return outcome;
    };
    const started = await send("session/start", { commandId: mintCommandId() });
    if ("result" in started) {
      const { sessionId } = started.result["session"] as { sessionId: string };
      for (let i = 0; i < 8; i++) {
        const params = { commandId: mintCommandId(), sessionId, input: input("word") };
        await send("turn/start", params);
      }
    }
    machine.cut();
    await host.close().catch(() => undefined);
    const after = fileStore(dir);
    const missing: string[] = [];
    for (const { commandId, sessionId } of answered) {
      const entries = await after
        .read(sessionId === undefined ? "commands" : "sessions", sessionId ?? commandId)
        .catch(() => undefined);
      const there = recordsOf(entries).some(
        (record) => record.type === "received" && record.id === commandId,
      );
      if (!there) missing.push(commandId);
    }
    await after.close();
    return { answered: answered.length, lost: missing };
  }

  test("loses nothing that was answered with the default", async () => {
    let answered = 0;
    for (let n = 1; n <= 24; n++) {
      const run = await lost(n, "data");
      expect([n, run.lost]).toEqual([n, []]);
      answered += run.answered;
    }
    expect(answered).toBeGreaterThan(50);
  });

  test("loses what was answered with a lowered setting, and the address of the store says so", async () => {
    let missing = 0;
    for (let n = 4; n <= 12; n++) missing += (await lost(n, "none")).lost.length;
    expect(missing).toBeGreaterThan(0);
    expect(fileStore(join(scratchFolder(), "store"), { sync: "none" }).url).toContain("sync=none");
  });
});
