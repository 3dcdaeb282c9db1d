/** One connection: what it is asked, what it is told and not told, when, and what it may use. */
import { describe, expect, it } from "vitest";
import { mintCommandId } from "../../src/client/index.js";
import type { Host } from "../../src/host/host.js";
import type { MoreMethods } from "../../src/host/host-options.js";
import { inProcess } from "../../src/wire/index.js";
import { eventually } from "../support/command-scene.js";
import { TestClient, testHost } from "../support/host.js";
import { RawClient } from "../support/raw-client.js";

/** The notifications that no client can do without. */
const PROTECTED = ["approval/resolved", "session/leaveCompleted", "userInput/settled", "view/gap"];

async function raw(host: Host, capabilities?: string, quiet?: boolean): Promise<RawClient> {
  const [theirs, ours] = inProcess();
  host.accept(theirs);
  return RawClient.of(ours, capabilities, quiet);
}

const turn = (client: TestClient, sessionId: string, script: string) =>
  client.command("turn/start", { sessionId, input: [{ type: "text", text: script }] });

describe("opting out", () => {
  it("is of what a client names, for its own connection, and not of what is protected", async () => {
    const { host } = testHost();
    const all = ["turn/started", "item/completed", "session/started", ...PROTECTED];
    const out = await TestClient.of(host, { optOutNotificationMethods: all });
    const listens = await TestClient.of(host);
    const sessionId = await out.start();
    await listens.command("session/resume", { sessionId });
    await turn(out, sessionId, "/approve\n/ask");
    const { params } = await out.until(({ method }) => method === "approval/requested");
    const { approvalId } = params;
    await out.command("approval/decide", {
      ...{ sessionId, approvalId, choiceId: "deny" },
      requirementId: { approvalId, sourceIndex: 0 },
    });
    const asked = await out.until(({ method }) => method === "userInput/requested");
    await out.command("userInput/cancel", { sessionId, userInputId: asked.params["userInputId"] });
    for (const client of [out, listens]) await client.until(({ method }) => method === "turn/completed");
    await out.command("session/leave", { sessionId });
    for (const client of [out, listens])
      await client.until(({ method }) => method === "session/leaveCompleted");
    const told = (client: TestClient) => new Set(client.seen.map(({ method }) => method));
    for (const method of ["turn/started", "item/completed", "session/started"]) {
      expect(told(out), method).not.toContain(method);
      expect(told(listens), method).toContain(method);
    }
    for (const method of ["approval/resolved", "session/leaveCompleted", "userInput/settled"])
      expect(told(out), method).toContain(method);
    // What is left out is left out, and the rest is the same.
    const left = (client: TestClient) =>
      client.seen.filter(({ method, params }) => "viewCursor" in params && !all.includes(method)).length;
    expect(left(out)).toBe(left(listens));
    await host.close();
  });
});

describe("what may be used", () => {
  it("is what was asked for and the host grants, for each connection", async () => {
    const { host } = testHost({ grants: ["userShell"] });
    const shakes = async (requestedCapabilities?: readonly string[]) => {
      const [theirs, ours] = inProcess();
      host.accept(theirs);
      const client = new RawClient(ours);
      const capabilities = requestedCapabilities === undefined ? {} : { requestedCapabilities };
      const params = { clientInfo: { name: "c", version: "1" }, capabilities };
      const { result } = await client.ask("initialize", JSON.stringify(params));
      return (result as { grantedCapabilities: string[] }).grantedCapabilities;
    };
    expect(await shakes()).toEqual([]);
    expect(await shakes(["userShell", "userShell", "rawLog", "nothing"])).toEqual(["userShell"]);
    expect(await shakes(["sessionListStream", "sessionRename", "feedback"])).toEqual([
      "sessionListStream",
      "sessionRename",
    ]);
    const withList = await TestClient.of(host, { requestedCapabilities: ["sessionListStream"] });
    const without = await TestClient.of(host);
    await without.start();
    await withList.until(({ method }) => method === "session/listChanged");
    await without.ask("model/list", {});
    expect(without.all("session/listChanged")).toEqual([]);
    await host.close();
  });

  it("is without what is experimental where a connection did not opt in", async () => {
    const methods = {
      "session/list": () => ({
        nextCursor: null,
        sessions: [
          {
            ...{ sessionId: mintCommandId(), status: "idle", turnCount: 0, path: "", providerId: null },
            ...{ modelId: null, workspaceRoot: null, forkedFrom: null, activeTurnId: null },
            ...{ createdAt: "2026-01-01T00:00:00Z", updatedAt: "2026-01-01T00:00:00Z" },
            currentLimits: {},
          },
        ],
      }),
    } as unknown as MoreMethods;
    const { host } = testHost({ methods, checkResults: false });
    const list = async (capabilities: object) => {
      const client = await TestClient.of(host, capabilities);
      const outcome = await client.ask("session/list", {});
      return (outcome as { result: { sessions: object[] } }).result.sessions[0];
    };
    const [plain, insider] = [await list({}), await list({ experimentalApi: true })];
    expect(plain).not.toHaveProperty("currentLimits");
    expect(insider).toHaveProperty("currentLimits");
    await host.close();
  });
});

describe("what nobody asked for", () => {
  it("comes after the client has said that it is ready", async () => {
    const { host } = testHost();
    const early = await raw(host, "{}", true);
    const sessionId = await early.start();
    const driver = await TestClient.of(host);
    await driver.command("session/resume", { sessionId });
    const { turnId } = await turn(driver, sessionId, "hello");
    await driver.ended(String(turnId));
    await early.ask("model/list", "{}");
    expect(early.frames.filter(({ method }) => method !== undefined)).toEqual([]);
    early.ready();
    const next = await turn(driver, sessionId, "again");
    await early.until(
      ({ method, params }) => method === "turn/completed" && params?.["turnId"] === next["turnId"],
    );
    await early.close();
    await host.close();
  });

  it("is the same for two that listen to one session", async () => {
    const { host } = testHost();
    const clients = [await TestClient.of(host), await TestClient.of(host)] as const;
    const sessionId = await clients[0].start();
    await clients[1].command("session/resume", { sessionId });
    for (const script of ["hello\nworld", "/tool work", "/fail"]) {
      const { turnId } = await turn(clients[0], sessionId, script);
      for (const client of clients) await client.ended(String(turnId));
    }
    const [first, second] = clients.map((client) =>
      client.seen.filter(({ params }) => "viewCursor" in params && params["sessionId"] === sessionId),
    );
    expect(first!.length).toBeGreaterThan(12);
    expect(second).toEqual(first);
    await host.close();
  });

  it("is asked under ids of one counter, on all connections; dialogs only of those that have them", async () => {
    const { host } = testHost();
    const asks = await raw(host);
    const noDialogs = await raw(host, '{"userInputDialogs":false}');
    const sessionId = await asks.start();
    const command = (method: string, more: string) =>
      asks.ask(method, `{"sessionId":"${sessionId}","commandId":"${mintCommandId()}",${more}}`);
    await noDialogs.ask("session/resume", `{"sessionId":"${sessionId}","commandId":"${mintCommandId()}"}`);
    await command("turn/start", '"input":[{"type":"text","text":"/ask\\n/approve"}]');
    const { params } = await asks.until(({ method }) => method === "userInput/request");
    const userInputId = JSON.stringify(params?.["userInputId"]);
    await command("userInput/cancel", `"userInputId":${userInputId}`);
    for (const client of [asks, noDialogs]) await client.until(({ method }) => method === "approval/request");
    const requests = (client: RawClient) =>
      client.frames.flatMap(({ id, method }) =>
        id === undefined || method === undefined ? [] : [{ id, method }],
      );
    expect(requests(asks).map(({ method }) => method)).toEqual(["userInput/request", "approval/request"]);
    // It is not asked; it is told all the same.
    expect(requests(noDialogs).map(({ method }) => method)).toEqual(["approval/request"]);
    expect(noDialogs.frames.some(({ method }) => method === "userInput/requested")).toBe(true);
    const ids = [...requests(asks), ...requests(noDialogs)].map(({ id }) => Number(id));
    expect(new Set(ids).size).toBe(3);
    expect([...ids].sort((a, b) => a - b)).toEqual([1, 2, 3]);
    // A receipt decides nothing: the approval still waits, and who comes later is asked as well.
    asks.say(`{"jsonrpc":"2.0","id":${ids[1]},"result":{}}`);
    const later = await TestClient.of(host);
    await later.command("session/resume", { sessionId });
    await later.until(({ kind, method }) => kind === "request" && method === "approval/request");
    await Promise.all([asks.close(), noDialogs.close()]);
    await host.close();
  });
});

describe("the end", () => {
  it("does not wait for a client that never ends its side", async () => {
    const waits: number[] = [];
    const { host, errors } = testHost({
      surroundings: {
        after: (milliseconds, run) => {
          waits.push(milliseconds);
          const timer = setImmediate(run);
          return () => clearImmediate(timer);
        },
      },
    });
    const [theirs, ours] = inProcess();
    host.accept(theirs);
    ours.open({ bytes: () => undefined, drained: () => undefined, ended: () => undefined });
    await host.close();
    expect(waits).toEqual([5_000]);
    expect(errors).toEqual([]);
  });

  it("is told to who listens, and refuses what comes later", async () => {
    const { host } = testHost();
    const client = await TestClient.of(host);
    const sessionId = await client.start();
    await turn(client, sessionId, "/hang");
    await client.until(({ method }) => method === "turn/started");
    const closed = host.close();
    await client.until(({ method }) => method === "session/closed");
    expect(client.all("turn/completed")).toMatchObject([{ terminal: "cancelled" }]);
    await closed;
    let over = false;
    client.ask("model/list", {}).catch(() => {
      over = true;
    });
    await eventually(() => over);
  });
});
