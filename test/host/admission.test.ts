/**
 * The order of admission: frame, handshake, method and gate, capability, params, session, ledger, preconditions, capacity.
 * Of two things that are wrong with a request the one that comes first in this order is told, and nothing is written.
 */
import { describe, expect, it } from "vitest";
import { mintCommandId } from "../../src/client/index.js";
import type { HostOptions } from "../../src/host/host-options.js";
import { memoryStore } from "../../src/ledger/index.js";
import type { Store } from "../../src/ledger/store.js";
import { inProcess, Peer } from "../../src/wire/index.js";
import { CommandScene, recordsOf, sceneHost } from "../support/command-scene.js";
import { TestClient, testHost } from "../support/host.js";

const NOBODY = "01890a5d-ac96-774b-bcce-b302099a8057";
const kindOf = (outcome: object) => (outcome as { error?: { data?: { kind?: string } } }).error?.data?.kind;
const text = (value: string) => ({ input: [{ type: "text", text: value }] });

/** A host with one session; how many entries its logs have. */
async function scene(options: Partial<HostOptions> = {}) {
  const store = memoryStore({ durability: "durable" });
  const made = await CommandScene.on(sceneHost(store, options));
  const entries = async () => {
    const own = await Promise.all(
      (["sessions", "commands"] as const).map(async (space) =>
        Promise.all(
          (await store.list(space)).map(async ({ id }) => (await store.read(space, id))?.length ?? 0),
        ),
      ),
    );
    return own;
  };
  return { made, entries, host: made.host, store };
}

describe("what comes first", () => {
  it("the handshake comes before the method, its gate, its capability and its params", async () => {
    const { host } = testHost();
    const [theirs, ours] = inProcess();
    host.accept(theirs);
    const peer = new Peer(ours, { answerMalformed: false });
    for (const [method, params] of [
      ["no/suchMethod", {}],
      ["session/setPermissionProfile", {}],
      ["session/userShell", {}],
      ["turn/start", { commandId: 1 }],
      ["session/list", {}],
    ] as const)
      await expect(peer.request(method, params)).rejects.toMatchObject({
        code: -32600,
        data: { kind: "notInitialized" },
      });
    // A handshake that is refused is none.
    await expect(peer.request("initialize", {})).rejects.toMatchObject({ data: { kind: "invalidParams" } });
    await expect(peer.request("session/list", {})).rejects.toMatchObject({
      data: { kind: "notInitialized" },
    });
    await peer.request("initialize", { clientInfo: { name: "late", version: "1" }, capabilities: {} });
    await expect(
      peer.request("initialize", { clientInfo: { name: "late", version: "1" }, capabilities: {} }),
    ).rejects.toMatchObject({ code: -32600, data: { kind: "alreadyInitialized" } });
    await host.close();
  });

  it("a method that is not served comes before its gate, and the gate before the params", async () => {
    const { made, host, entries } = await scene();
    const before = await entries();
    const { client, sessionId } = made;
    expect(kindOf(await client.ask("no/suchMethod", {}))).toBe("methodNotFound");
    // Not opted in: neither the method nor the member is looked at any further.
    expect(kindOf(await client.ask("session/setPermissionProfile", {}))).toBe("experimentalRequired");
    const budget = { sessionId: NOBODY, commandId: "none", ...text("x"), tokenBudget: 0 };
    expect(await client.ask("turn/start", budget)).toMatchObject({
      error: {
        code: -32602,
        data: { kind: "experimentalRequired", descriptor: "turn/start.tokenBudget", retryable: false },
      },
    });
    const insider = await TestClient.of(host, { experimentalApi: true });
    expect(kindOf(await insider.ask("turn/start", budget))).toBe("invalidParams");
    expect(kindOf(await insider.ask("session/setPermissionProfile", {}))).toBe("methodNotFound");
    // The gate comes before the capability, too.
    const shell = { sessionId, commandId: mintCommandId(), input: [], userShell: { commandText: "x" } };
    const plain = await TestClient.of(host);
    expect(kindOf(await plain.ask("turn/start", { ...shell, tokenBudget: 1 }))).toBe("experimentalRequired");
    expect(await entries()).toEqual(before);
    await host.close();
  });

  it("the capability comes before the params and before the session", async () => {
    const { made, host, entries } = await scene();
    const before = await entries();
    const plain = await TestClient.of(host);
    const refusal = {
      error: {
        code: -32010,
        data: { kind: "capabilityRequired", capability: "userShell", retryable: false },
      },
    };
    const commandId = mintCommandId();
    const shell = { commandId, sessionId: NOBODY, commandText: "true" };
    expect(await plain.ask("session/userShell", shell)).toMatchObject(refusal);
    expect(await plain.ask("session/userShell", { commandId: 1 })).toMatchObject(refusal);
    const start = { commandId, sessionId: NOBODY, input: [], userShell: { commandText: "true" } };
    expect(await plain.ask("turn/start", start)).toMatchObject(refusal);
    // With the capability the session is what is missing.
    expect(kindOf(await made.client.ask("session/userShell", shell))).toBe("sessionNotFound");
    expect(await entries()).toEqual(before);
    await host.close();
  });

  it("the params come before the session", async () => {
    const { made, host, entries } = await scene();
    const before = await entries();
    const { client } = made;
    const commandId = mintCommandId();
    const bad: readonly (readonly [string, object])[] = [
      ["turn/start", { input: [] }],
      ["turn/start", { input: [{ type: "text", text: "\ud800" }] }],
      ["turn/start", { ...text("x"), userShell: null }],
      ["turn/start", { ...text("x"), ifBusy: "wait" }],
      ["turn/start", { ...text("x"), ifBusy: "steer", workspaceRoots: ["/"] }],
      ["turn/steer", { ...text("x"), expectedTurnId: "nothing" }],
      ["turn/interrupt", { turnId: "nothing" }],
      ["goal/set", { objective: " \u0085\u2003" }],
      ["goal/pause", { objective: "strict" }],
      ["session/rename", { name: "  " }],
      ["session/compact", { turnId: "nothing" }],
    ];
    for (const [method, params] of bad)
      expect(kindOf(await client.ask(method, { sessionId: NOBODY, commandId, ...params })), method).toBe(
        "invalidParams",
      );
    expect(kindOf(await client.ask("turn/start", { sessionId: NOBODY, commandId, ...text("x") }))).toBe(
      "sessionNotFound",
    );
    expect(await entries()).toEqual(before);
    await host.close();
  });

  it("the session comes before the ledger: what was answered is not repeated where it is not loaded", async () => {
    const { made, host, store } = await scene();
    const commandId = mintCommandId();
    const effort = { reasoningEffort: "low" };
    const first = await made.ask("session/setReasoningEffort", effort, commandId);
    await made.do("session/leave", {});
    await made.client.until(({ method }) => method === "session/leaveCompleted");
    expect(kindOf(await made.ask("session/setReasoningEffort", effort, commandId))).toBe("sessionNotLoaded");
    const second = testHost({ store: shared(store) });
    const elsewhere = await TestClient.of(second.host);
    await elsewhere.command("session/resume", { sessionId: made.sessionId });
    expect(kindOf(await made.ask("session/setReasoningEffort", effort, commandId))).toBe("sessionInUse");
    expect(kindOf(await made.ask("session/resume", {}, mintCommandId()))).toBe("sessionInUse");
    await second.host.close();
    await made.do("session/resume", {});
    expect(await made.ask("session/setReasoningEffort", effort, commandId)).toEqual(first);
    await host.close();
  });

  it("the ledger comes before preconditions and capacity", async () => {
    const { made, host } = await scene({ limits: { queuedTurns: 1 } });
    const { client, sessionId } = made;
    await made.turn("/hang");
    const queued = mintCommandId();
    const first = await made.ask("turn/start", text("one"), queued);
    expect(first).toHaveProperty("result.disposition", "queued");
    const fresh = mintCommandId();
    const full = { code: -32031, data: { kind: "backpressured", capacity: 1, retryable: true } };
    expect(await made.ask("turn/start", text("two"), fresh)).toMatchObject({ error: full });
    // The queue is full: a replay is answered, and a conflict is one.
    expect(await made.ask("turn/start", text("one"), queued)).toEqual(first);
    expect(await made.ask("turn/start", text("two"), queued)).toHaveProperty(
      "error.data.reason",
      "command_id_conflict",
    );
    // What was refused admitted nothing: its id is free, for whatever it is used.
    expect(await made.recordsOfCommand(fresh)).toEqual([]);
    expect(await made.ask("session/setReasoningEffort", { reasoningEffort: "low" }, fresh)).toHaveProperty(
      "result",
    );
    // So it is with a skill that is not there: a conflict comes before it, and the id stays free.
    const skill = { input: [{ type: "skill", selector: "nothing" }] };
    expect(kindOf(await made.ask("turn/start", skill, queued))).toBe("commandRejected");
    const other = mintCommandId();
    expect(kindOf(await made.ask("turn/start", skill, other))).toBe("skillNotFound");
    expect(await made.recordsOfCommand(other)).toEqual([]);
    expect(await client.ask("goal/pause", { sessionId, commandId: other })).toHaveProperty(
      "error.data.reason",
      "missing_goal",
    );
    await host.close();
  });
});

describe("what admits nothing", () => {
  it("leaves no record, and its id free: errors that are found anew each time", async () => {
    const { made, host } = await scene();
    await made.turn("/approve 2\n/ask\n/hang");
    const { params } = await made.client.until(({ method }) => method === "approval/requested");
    const approvalId = String(params["approvalId"]);
    const requirementId = { approvalId, sourceIndex: 0 };
    const choiceId = "allow";
    const id = mintCommandId();
    const tries: readonly (readonly [string, object, string])[] = [
      ["approval/decide", { approvalId: "x", choiceId, requirementId }, "approvalNotFound"],
      ["approval/decide", { approvalId, choiceId: "x", requirementId }, "approvalChoiceInvalid"],
      ["approval/decide", { approvalId, choiceId, requirementId, feedback: "no" }, "approvalChoiceInvalid"],
      [
        "approval/decide",
        { approvalId, choiceId, requirementId: { approvalId, sourceIndex: 1 } },
        "approvalRequirementStale",
      ],
      ["userInput/answer", { userInputId: "x", answers: [] }, "userInputNotFound"],
      ["session/fork", { cutPoint: { lastTurnId: NOBODY } }, "forkBoundaryInvalid"],
    ];
    const before = (await made.records()).length;
    for (const [method, body, kind] of tries) {
      expect(kindOf(await made.ask(method, body, id)), kind).toBe(kind);
      expect(kindOf(await made.ask(method, body, id)), kind).toBe(kind);
    }
    expect((await made.records()).length).toBe(before);
    // The same id decides at last; and another one finds the stage over, while the first is still answered.
    const decide = { approvalId, choiceId, requirementId };
    const first = await made.ask("approval/decide", decide, id);
    expect(first).toMatchObject({ result: { terminal: false } });
    expect(kindOf(await made.ask("approval/decide", decide, mintCommandId()))).toBe(
      "approvalRequirementStale",
    );
    await made.do("approval/decide", {
      ...decide,
      requirementId: { approvalId, sourceIndex: 1 },
    });
    expect(await made.ask("approval/decide", decide, mintCommandId())).toMatchObject({
      error: {
        code: -32051,
        data: { kind: "approvalAlreadyResolved", resolution: { decision: "approved", resolvedBy: "user" } },
      },
    });
    expect(await made.ask("approval/decide", decide, id)).toEqual(first);
    await host.close();
  });

  it.each([
    ["overloaded", { requests: 4 }],
    ["backpressured", { waitingCommands: 4 }],
  ])("is told to come back: %s, and nothing is kept of it", async (kind, limits) => {
    const slow = slowStore();
    const { host } = testHost({ store: slow.store, limits });
    const client = await TestClient.of(host);
    const sessionId = await client.start();
    slow.hold();
    const ids = Array.from({ length: 6 }, () => mintCommandId());
    const outcomes = ids.map((commandId) =>
      client.ask("session/setReasoningEffort", { sessionId, commandId, reasoningEffort: "low" }),
    );
    const refused = await Promise.all(outcomes.slice(4));
    expect(refused.map(kindOf)).toEqual([kind, kind]);
    slow.release();
    const kinds = (await Promise.all(outcomes)).map(kindOf);
    expect(kinds.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined]);
    const log = await recordsOf(slow.store, sessionId);
    for (const [i, id] of ids.entries())
      expect(log.some((record) => record.type === "received" && record.id === id)).toBe(
        kinds[i] === undefined,
      );
    // All of them are free, or done: each is done once in the end.
    for (const commandId of ids)
      expect(
        await client.ask("session/setReasoningEffort", { sessionId, commandId, reasoningEffort: "low" }),
      ).toHaveProperty("result");
    const ends = (await recordsOf(slow.store, sessionId)).filter(({ type }) => type === "received");
    expect(ends).toHaveLength(ids.length);
    await host.close();
  });
});

/** Another store on the same place: as of another process. */
function shared(store: Store): Store {
  return { ...bound(store), close: async () => undefined };
}

function bound(store: Store): Store {
  return {
    durability: store.durability,
    url: store.url,
    state: (space, id) => store.state(space, id),
    list: (space) => store.list(space),
    open: (space, id, options) => store.open(space, id, options),
    read: (space, id) => store.read(space, id),
    fence: (space, id) => store.fence(space, id),
    close: () => store.close(),
  };
}

/** A store whose writes can be held up. */
function slowStore() {
  const inner = memoryStore({ durability: "durable" });
  let held: Promise<void> | undefined;
  let release: (value?: undefined) => void = () => undefined;
  const store: Store = {
    ...bound(inner),
    async open(space, id, options) {
      const log = await inner.open(space, id, options);
      return {
        ...{ id, epoch: log.epoch, location: log.location, entries: log.entries, torn: log.torn },
        async write(entries) {
          await held;
          await log.write(entries);
        },
        close: () => log.close(),
      };
    },
  };
  return {
    store,
    hold() {
      held = new Promise((resolve) => (release = resolve));
    },
    release: () => release(),
  };
}
