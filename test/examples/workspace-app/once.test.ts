/** Commands of the application, once per id: over results that are shared, and under the claim of the command. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createWorkspaceApp, openStorage } from "../../../examples/workspace-app/index.js";
import type { App, CommandContext, CommandResult, WorkspaceHandle } from "../../../src/commands/app.js";
import { Workspaces } from "../../../src/commands/index.js";
import { migratePostgres, openResults } from "../../../src/commands/node.js";
import { hasPostgres, startPostgres, type TestPostgres } from "../../support/postgres.js";
import { scratchFolder } from "../../support/repo.js";
import { deskOf } from "../../support/workspace-app.js";

let postgres: TestPostgres | undefined;
beforeAll(async () => {
  if (hasPostgres) postgres = await startPostgres();
});
afterAll(() => postgres?.remove());

describe.each(hasPostgres ? ["sqlite", "postgres"] : ["sqlite"])("a command over one store, %s", (scheme) => {
  /** A server process, as far as commands go: its own application and its own memory of results, both on one store. */
  async function server(
    url: string,
    { deadlineMs = 60_000, fenced = true } = {},
  ): Promise<{ app: App; workspaces: Workspaces }> {
    const storage = await openStorage(url, fenced);
    const app = createWorkspaceApp({ storage, pollMs: 20 });
    const workspaces = new Workspaces({ results: openResults(url), deadlineMs });
    onTestFinished(async () => {
      await workspaces.close();
      await app.close();
    });
    return { app, workspaces };
  }

  async function database(): Promise<string> {
    // A path with what is written otherwise in an address: both have to find the same file.
    if (scheme === "sqlite") return `sqlite:${join(scratchFolder(), "100%25.db")}`;
    const url = await (postgres as TestPostgres).database();
    await migratePostgres(url);
    return url;
  }

  it("is carried out once, by whichever server, and answered the same to all", async () => {
    const url = await database();
    const servers = [await server(url), await server(url)];
    const mint = { method: "event/publish", params: { type: "t", data: {} } };
    const answers: CommandResult[] = await Promise.all(
      Array.from({ length: 32 }, async (_, i) => {
        const { app, workspaces } = servers[i % 2] as (typeof servers)[number];
        return workspaces.execute((await deskOf(app)).handle, mint, { commandId: `c${i % 4}` });
      }),
    );
    for (const [i, answer] of answers.entries()) {
      expect(answer).toMatchObject({
        status: "accepted",
        result: { commandId: `c${i % 4}`, status: "accepted" },
      });
      expect(answer).toEqual(answers[i % 4]);
    }
    const desk = await deskOf((servers[0] as (typeof servers)[number]).app);
    expect((await desk.call("event/list", {})).events).toHaveLength(4);
  });

  it("that is rejected keeps nothing, and its rejection is answered again", async () => {
    const { app, workspaces } = await server(await database());
    const { handle, call } = await deskOf(app);
    const retry = { method: "run/retry", params: { runId: "run-none" } };
    const first = await workspaces.execute(handle, retry, { commandId: "c" });
    expect(first).toMatchObject({ status: "rejected", rejection: { reason: "run_not_found" } });
    // Whatever command it comes with.
    expect(await workspaces.execute(handle, publish, { commandId: "c" })).toEqual(first);
    expect((await call("event/list", {})).events).toEqual([]);
  });

  /**
   * A command whose handler is slow until its claim is over, and hears nothing of that.
   * @returns what was answered, and what came of the handler
   */
  async function tooLate(
    url: string,
    fenced: boolean,
  ): Promise<{ answer: CommandResult; late: Promise<unknown> }> {
    const { app, workspaces } = await server(url, { deadlineMs: 300, fenced });
    const { handle } = await deskOf(app);
    let claimOver = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      claimOver = resolve;
    });
    let late: Promise<unknown> = Promise.reject(new Error("nothing was carried out"));
    late.catch(() => undefined);
    const slow: WorkspaceHandle = {
      tenant: handle.tenant,
      workspace: handle.workspace,
      participant: handle.participant,
      query: (method, params) => handle.query(method, params),
      subscribe: (listener) => handle.subscribe(listener),
      carryOut(command, { commandId, fence }) {
        if (fence === undefined) throw new Error("the results give no fence");
        const deaf: CommandContext = { commandId, fence, signal: new AbortController().signal };
        const carried = over.then(() => handle.carryOut(command, deaf));
        late = carried.catch((error: { kind?: string }) => error.kind);
        return carried;
      },
    };
    const answer = await workspaces.execute(slow, publish, { commandId: "c" });
    claimOver();
    return { answer, late };
  }
  const publish = { method: "event/publish", params: { type: "t", eventId: "e" } };

  it("whose claim is over has no effect any more, however late it comes", async () => {
    const url = await database();
    const { answer, late } = await tooLate(url, true);
    expect(answer).toMatchObject({ status: "rejected", rejection: { reason: "abandoned" } });
    expect(await late).toBe("fenced");
    const { app, workspaces } = await server(url);
    const desk = await deskOf(app);
    expect((await desk.call("event/list", {})).events).toEqual([]);
    expect(await workspaces.execute(desk.handle, publish, { commandId: "c" })).toEqual(answer);
    const fresh = await workspaces.execute(desk.handle, publish, { commandId: "d" });
    expect(fresh).toMatchObject({ status: "accepted", result: { position: 1 } });
  });

  it("has an effect after all where it is not kept under the claim", async () => {
    const url = await database();
    const { answer, late } = await tooLate(url, false);
    expect(answer).toMatchObject({ rejection: { reason: "abandoned" } });
    expect(await late).toMatchObject({ status: "accepted" });
    const desk = await deskOf((await server(url)).app);
    expect((await desk.call("event/list", {})).events).toHaveLength(1);
  });
});
