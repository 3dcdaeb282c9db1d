/** The application of the example, driven as a front door drives it. */
import { onTestFinished } from "vitest";
import { createWorkspaceApp, type WorkspaceAppOptions } from "../../examples/workspace-app/index.js";
import type { MethodName, MethodParams, MethodResults, Run } from "../../generated/workspace/stable/types.js";
import * as validators from "../../generated/workspace/stable/validators.js";
import type {
  App,
  CommandResult,
  Fence,
  JsonObject,
  Notice,
  Rejection,
  WorkspaceHandle,
} from "../../src/commands/app.js";

/** Params of a method without what is filled in. */
type Given<M extends MethodName> = Omit<MethodParams[M], "workspaceId" | "commandId">;

/** One workspace, for one participant. Every result is held to the bundle. */
export interface Desk {
  readonly handle: WorkspaceHandle;
  /** Carries a command out, or answers a query; a rejection fails the test. */
  call<M extends MethodName>(method: M, params: Given<M>): Promise<MethodResults[M]>;
  /** The same for what is rejected: its rejection. */
  refused<M extends MethodName>(method: M, params: Given<M>): Promise<Rejection>;
  /** Resolves when a run has a status. */
  settled(runId: string, ...statuses: string[]): Promise<Run>;
}

let commandIds = 0;

/** Opens a workspace. */
export async function deskOf(
  app: App,
  { tenant = "orchard", participant = "ann", workspace = "w1" } = {},
  fence?: Fence,
): Promise<Desk> {
  const handle = await app.open({ tenant, participant }, workspace);
  if ("reason" in handle) throw new Error(`refused: ${handle.reason}`);
  const ask = async (method: MethodName, params: object): Promise<CommandResult> => {
    const given = JSON.parse(JSON.stringify(params)) as JsonObject;
    const context = { commandId: `c-${++commandIds}`, signal: new AbortController().signal };
    const result = isCommand(method)
      ? await handle.carryOut(
          { method, params: given },
          { ...context, ...(fence === undefined ? {} : { fence }) },
        )
      : await handle.query(method, given);
    return JSON.parse(JSON.stringify(result)) as CommandResult;
  };
  const desk: Desk = {
    handle,
    async call(method, params) {
      const result = await ask(method, params);
      if (result.status === "rejected") throw new Error(`${method}: ${JSON.stringify(result.rejection)}`);
      const violations = validators.methods[method].result(result.result, { all: true });
      if (violations !== null) throw new Error(`${method}: ${JSON.stringify(violations)}`);
      return result.result as never;
    },
    async refused(method, params) {
      const result = await ask(method, params);
      if (result.status !== "rejected") throw new Error(`${method}: ${JSON.stringify(result.result)}`);
      return result.rejection;
    },
    async settled(runId, ...statuses) {
      for (;;) {
        const { run } = await desk.call("run/read", { runId });
        if (statuses.includes(run.status)) return run;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  };
  return desk;
}

/** Whether a method takes a command id. */
export function isCommand(method: MethodName): boolean {
  return !/\/(?:list|read)$/.test(method);
}

/** An application that is closed after the test. */
export function appOf(options: WorkspaceAppOptions = {}): App {
  const app = createWorkspaceApp({
    pollMs: 20,
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  onTestFinished(() => app.close());
  return app;
}

/** The notices of a workspace, each held to the bundle, and a way to wait for one. */
export function noticesOf(handle: WorkspaceHandle): {
  readonly notices: Notice[];
  until(found: (notices: readonly Notice[]) => boolean): Promise<void>;
  end(): void;
} {
  const notices: Notice[] = [];
  const end = handle.subscribe((notice) => {
    notices.push(notice);
  });
  return {
    notices,
    end,
    async until(found) {
      while (!found(notices)) await new Promise((resolve) => setTimeout(resolve, 5));
      for (const { method, params } of notices) {
        const check = validators.notifications[method as keyof typeof validators.notifications];
        const violations = check(params, { all: true });
        if (violations !== null) throw new Error(`${method}: ${JSON.stringify(violations)}`);
      }
    },
  };
}
