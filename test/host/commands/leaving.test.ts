/** Giving a session up: once for each command, told again to who asks again, and never against who has it again. */
import { describe, expect, it } from "vitest";
import { mintCommandId } from "../../../src/client/index.js";
import { crashableDisk } from "../../../src/laws/simulation/disk.js";
import type { Store } from "../../../src/ledger/store.js";
import { CommandScene, eventually, sceneHost } from "../../support/command-scene.js";
import { TestClient, testHost } from "../../support/host.js";

async function sceneOn(store: Store): Promise<CommandScene> {
  return CommandScene.on(sceneHost(store));
}

const released = async (scene: CommandScene, store?: Store) =>
  (await scene.records(store)).filter(({ type }) => type === "released").length;

describe("session/leave", () => {
  it("does nothing to a session that was loaded again, and tells again what came of it", async () => {
    const scene = await sceneOn(crashableDisk().store());
    const { client } = scene;
    const commandId = mintCommandId();
    const first = await scene.ask("session/leave", {}, commandId);
    await client.until(({ method }) => method === "session/leaveCompleted");
    await scene.do("session/resume", {});
    expect(await scene.ask("session/leave", {}, commandId)).toEqual(first);
    await eventually(() => client.all("session/leaveCompleted").length === 2);
    const [told, again] = client.all("session/leaveCompleted");
    expect(again).toEqual(told);
    expect(told).toMatchObject({ commandId, outcome: "released" });
    expect(await released(scene)).toBe(1);
    expect(client.all("session/closed")).toHaveLength(1);
    expect(await scene.do("session/setReasoningEffort", { reasoningEffort: "low" })).toHaveProperty("status");
    await scene.host.close();
  });

  it("is told by the next host: as it ended, or as abandoned where its host died before", async () => {
    const disk = crashableDisk();
    const scene = await sceneOn(disk.store());
    const left = mintCommandId();
    await scene.ask("session/leave", {}, left);
    await scene.client.until(({ method }) => method === "session/leaveCompleted");
    await scene.do("session/resume", {});
    await scene.turn("/hang");
    const open = mintCommandId();
    expect(await scene.ask("session/leave", {}, open)).toHaveProperty("result");
    expect(await released(scene)).toBe(1);
    disk.crash();
    const store = disk.store();
    const { host } = testHost({ store });
    const next = await TestClient.of(host);
    const { sessionId } = scene;
    await next.command("session/resume", { sessionId });
    for (const commandId of [left, open])
      expect(await next.ask("session/leave", { sessionId, commandId })).toHaveProperty(
        "result.status",
        "accepted",
      );
    await eventually(() => next.all("session/leaveCompleted").length === 2);
    expect(next.all("session/leaveCompleted")).toMatchObject([
      { commandId: left, outcome: "released" },
      { commandId: open, outcome: "failed", reason: "abandoned" },
    ]);
    expect(await released(scene, store)).toBe(1);
    expect(await next.ask("task/list", { sessionId })).toHaveProperty("result");
    await host.close();
  });

  it("and a resume in one breath leave the session to who resumed it", async () => {
    const scene = await sceneOn(crashableDisk().store());
    const { client, sessionId } = scene;
    const outcomes = await Promise.all([
      scene.ask("session/leave", {}, mintCommandId()),
      scene.ask("session/resume", {}, mintCommandId()),
    ]);
    for (const outcome of outcomes) expect(outcome).toHaveProperty("result");
    await client.until(({ method }) => method === "session/leaveCompleted");
    // Whichever came first: it can be resumed at once, as often as one likes.
    const resumes = await Promise.all(
      [1, 2, 3].map(() => client.ask("session/resume", { sessionId, commandId: mintCommandId() })),
    );
    for (const outcome of resumes) expect(outcome).toHaveProperty("result");
    await scene.turnOver("still here");
    await scene.host.close();
  });

  it("waits for a turn that was taken in with it", async () => {
    const scene = await sceneOn(crashableDisk().store());
    const turnId = mintCommandId();
    const [left, started] = await Promise.all([
      scene.ask("session/leave", {}, mintCommandId()),
      scene.ask("turn/start", { input: [{ type: "text", text: "hello" }] }, turnId),
    ]);
    expect(left).toHaveProperty("result");
    if ("result" in started)
      expect(await scene.client.ended(turnId)).toMatchObject({ terminal: "completed" });
    else {
      expect(started).toHaveProperty("error.data.kind", "sessionNotLoaded");
      expect(await scene.recordsOfCommand(turnId)).toEqual([]);
    }
    await scene.client.until(({ method }) => method === "session/leaveCompleted");
    await scene.host.close();
  });
});

describe("a turn that waited and could not be launched", () => {
  it("answered queued, and is rejected from then on: now, and by the next host", async () => {
    const disk = crashableDisk();
    const scene = await sceneOn(disk.store());
    await scene.turn("/hang");
    const id = mintCommandId();
    const params = { input: [{ type: "text", text: "/fail-launch" }] };
    const first = await scene.ask("turn/start", params, id);
    expect(first).toHaveProperty("result.disposition", "queued");
    expect(await scene.ask("turn/start", params, id)).toEqual(first);
    await scene.do("turn/interrupt", {});
    const end = await scene.client.ended(id);
    expect(end).toMatchObject({ terminal: "failed", error: { kind: "launchError" } });
    const rejected = await scene.ask("turn/start", params, id);
    expect(rejected).toEqual({
      error: {
        code: -32030,
        message: end["reason"],
        data: { kind: "commandRejected", commandId: id, reason: "deferred_start_failed" },
      },
    });
    expect(await scene.ask("turn/start", { input: [{ type: "text", text: "x" }] }, id)).toHaveProperty(
      "error.data.reason",
      "command_id_conflict",
    );
    disk.crash();
    const { host } = testHost({ store: disk.store() });
    const next = await TestClient.of(host);
    const { sessionId } = scene;
    await next.command("session/resume", { sessionId });
    expect(await next.ask("turn/start", { sessionId, ...params, commandId: id })).toEqual(rejected);
    expect(scene.client.all("turn/started").some(({ turnId }) => turnId === id)).toBe(false);
    await host.close();
  });

  it("keeps its ack where it had said that it was started", async () => {
    const scene = await sceneOn(crashableDisk().store());
    const id = mintCommandId();
    const params = { input: [{ type: "text", text: "/fail-launch" }] };
    const first = await scene.ask("turn/start", params, id);
    expect(first).toHaveProperty("result.disposition", "started");
    await scene.client.ended(id);
    expect(await scene.ask("turn/start", params, id)).toEqual(first);
    await scene.host.close();
  });
});
