/** Commands of a host author's own: their ids are honoured with no further code. */
import { describe, expect, it } from "vitest";
import { protocolError } from "../../../generated/msp/experimental/server.js";
import type { MethodName } from "../../../generated/msp/experimental/types.js";
import { mintCommandId } from "../../../src/client/index.js";
import type { MoreMethods } from "../../../src/host/host-options.js";
import { crashableDisk } from "../../../src/laws/simulation/disk.js";
import type { Store } from "../../../src/ledger/store.js";
import {
  CommandScene,
  commandRecords,
  eventually,
  sceneHost,
  withPlace,
} from "../../support/command-scene.js";
import { TestClient, testHost } from "../../support/host.js";
import { fileSubject, memorySubject, sqliteSubject } from "../../support/store-subjects.js";

/** A command that is not the host's own. */
interface AddedMethod {
  readonly method: MethodName;
  /** Of the host, where it names no session. */
  readonly host: boolean;
  readonly params: object;
  /** Another payload, and where it differs. */
  readonly other?: { readonly params: object; readonly pointer: string };
  result(params: Params): object;
}

type Params = Record<string, unknown>;

const importing: AddedMethod = {
  method: "skill/import",
  host: false,
  params: { source: "claude" },
  other: { params: { source: "codex" }, pointer: "/source" },
  result: ({ commandId, source, dryRun = false }) => ({
    commandId,
    status: "accepted",
    source,
    dryRun,
    installed: [],
    quarantined: [],
    skipped: [],
    failed: [],
    counts: { installed: 0, quarantined: 0, skipped: 0, failed: 0 },
  }),
};

const ADDED: readonly AddedMethod[] = [
  importing,
  {
    method: "recap/request",
    host: false,
    params: {},
    result: ({ commandId }) => ({ commandId, status: "accepted" }),
  },
  {
    method: "computerUseSetup/start",
    host: true,
    params: {},
    result: () => ({
      accessibility: "granted",
      inputMonitoring: "granted",
      screenRecording: "granted",
      setup: "ready",
    }),
  },
];

/** A gate that a handler waits at. */
function gate(): { readonly passed: Promise<void>; open(): void } {
  let open!: () => void;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

interface Tried {
  readonly client: TestClient;
  readonly scene: CommandScene;
  readonly errors: readonly unknown[];
  runs(): number;
  ask(id: string, more?: object, client?: TestClient): ReturnType<TestClient["ask"]>;
  records(id: string): Promise<string[]>;
}

const CAPABILITIES = { requestedCapabilities: ["computerUseSetup"] };

/** Runs with a host that has one more method. */
async function withAdded(
  store: Store,
  { method, host, params }: AddedMethod,
  handler: (params: Params) => unknown,
  use: (tried: Tried) => Promise<void>,
): Promise<void> {
  let runs = 0;
  const run = (params: Params) => {
    runs++;
    return handler(params);
  };
  const methods = { [method]: run } as unknown as MoreMethods;
  const of = sceneHost(store, { methods, grants: ["computerUseSetup"] });
  const scene = await CommandScene.on(of);
  const { sessionId } = scene;
  const granted = await TestClient.of(of.host, CAPABILITIES);
  await use({
    client: granted,
    scene,
    errors: of.errors,
    runs: () => runs,
    ask: (commandId, more = {}, client = granted) =>
      client.ask(method, { ...(host ? {} : { sessionId }), ...params, ...more, commandId }),
    async records(id) {
      const own = host ? await commandRecords(store, id) : await scene.recordsOfCommand(id);
      return own.map(({ type }) => type);
    },
  });
  await of.host.close();
}

describe.each([memorySubject, fileSubject(), sqliteSubject()])("on the store: $name", (subject) => {
  describe.each(ADDED)("$method", (added) => {
    const { other, result } = added;
    const run = (handler: (params: Params) => unknown, use: (tried: Tried) => Promise<void>) =>
      withPlace(subject, async (place) => withAdded(await place.store(), added, handler, use));

    it("is claimed before its effect; duplicates join, and others go on", () => {
      const held = gate();
      let claimed: readonly string[] | undefined;
      let tried: Tried;
      return run(
        async (params) => {
          claimed ??= await tried.records(String(params["commandId"]));
          if (tried.runs() === 1) await held.passed;
          return result(params);
        },
        async (made) => {
          tried = made;
          const others = await Promise.all(
            ["b", "c", "d"].map((name) => TestClient.of(made.scene.host, CAPABILITIES, name)),
          );
          const id = mintCommandId();
          const waiting = Array.from({ length: 32 }, (_, i) =>
            made.ask(id, {}, [made.client, ...others][i % 4]),
          );
          await eventually(() => claimed !== undefined);
          expect(claimed).toEqual(["received"]);
          // It hangs; another one is carried out meanwhile, and so is what the session decides by itself.
          expect(await made.ask(mintCommandId())).toHaveProperty("result");
          expect(
            await made.scene.do("session/setReasoningEffort", { reasoningEffort: "low" }),
          ).toHaveProperty("status");
          // What is another payload is told so while the first one is under way.
          if (other !== undefined)
            expect(await made.ask(id, other.params, others[0])).toMatchObject({
              error: { data: { reason: "command_id_conflict", details: { pointer: other.pointer } } },
            });
          expect(made.runs()).toBe(2);
          held.open();
          const outcomes = await Promise.all(waiting);
          expect(outcomes[0]).toHaveProperty("result");
          expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
          expect(made.runs()).toBe(2);
          expect(await made.ask(id)).toEqual(outcomes[0]);
          expect(await made.records(id)).toEqual(["received", "settled"]);
        },
      );
    });

    it("is what it was at its admission, whatever its handler does to the params", () =>
      run(
        (params) => {
          const answer = result(params);
          for (const name of Object.keys(params)) params[name] = "codex";
          params["added"] = 1;
          return answer;
        },
        async ({ ask, runs, records }) => {
          const id = mintCommandId();
          const first = await ask(id);
          expect(first).toHaveProperty("result");
          expect(await ask(id)).toEqual(first);
          if (other !== undefined)
            expect(await ask(id, other.params)).toHaveProperty("error.data.details.pointer", other.pointer);
          expect(runs()).toBe(1);
          expect(await records(id)).toEqual(["received", "settled"]);
        },
      ));

    it("admits nothing where its handler says so by an error of the protocol", () => {
      let busy = true;
      return run(
        (params) => (busy ? protocolError("overloaded", {}, "not now") : result(params)),
        async ({ ask, runs, records }) => {
          const id = mintCommandId();
          const waiting = await Promise.all([ask(id), ask(id)]);
          for (const outcome of waiting)
            expect(outcome).toMatchObject({ error: { code: -32001, data: { kind: "overloaded" } } });
          expect(runs()).toBe(1);
          expect(await records(id)).toEqual(["received", "withdrawn"]);
          busy = false;
          // The id is free: even another payload may have it.
          expect(await ask(id, other?.params)).toHaveProperty("result");
          expect(runs()).toBe(2);
        },
      );
    });

    it("is rejected for good where its handler says so", () => {
      let thrown = 0;
      return run(
        () => {
          thrown++;
          throw protocolError("commandRejected", { reason: "not_ready", sessionId: "x" }, "come back later");
        },
        async ({ ask, records }) => {
          const id = mintCommandId();
          const first = await ask(id);
          expect(first).toEqual({
            error: {
              code: -32030,
              message: "come back later",
              data: {
                kind: "commandRejected",
                commandId: id,
                reason: "not_ready",
                retryable: false,
                sessionId: "x",
              },
            },
          });
          expect(await ask(id)).toEqual(first);
          expect(thrown).toBe(1);
          expect(await records(id)).toEqual(["received", "settled"]);
        },
      );
    });

    it("is carried out at most once where its handler throws anything else", () =>
      run(
        () => {
          throw new RangeError("a fault of the handler's");
        },
        async ({ ask, runs, errors }) => {
          const id = mintCommandId();
          const first = await ask(id);
          expect(first).toMatchObject({ error: { code: -32603, data: { kind: "internal" } } });
          // Nobody knows how far it came: it is told to be abandoned, and never done again.
          const later = await ask(id);
          expect(later).toMatchObject({ error: { code: -32030, data: { reason: "abandoned" } } });
          expect(await ask(id)).toEqual(later);
          expect(runs()).toBe(1);
          expect(errors.length).toBeGreaterThan(0);
        },
      ));
  });
});

describe("an id of the host's", () => {
  it("stands for one method only", async () => {
    const methods = { "computerUseSetup/start": ADDED[2]!.result } as unknown as MoreMethods;
    const { host } = testHost({ methods, grants: ["computerUseSetup"] });
    const client = await TestClient.of(host, CAPABILITIES);
    const commandId = mintCommandId();
    const sessionId = await client.start({ commandId });
    expect(await client.ask("computerUseSetup/start", { commandId })).toMatchObject({
      error: { data: { reason: "command_id_conflict", details: { pointer: "" } } },
    });
    expect(await client.start({ commandId })).toBe(sessionId);
    await host.close();
  });

  it("is abandoned where its host died while the handler ran", async () => {
    const disk = crashableDisk();
    const hung = gate();
    const method = "computerUseSetup/start";
    const hangs = async () => {
      hung.open();
      return new Promise<never>(() => undefined);
    };
    const grants = ["computerUseSetup"];
    const first = testHost({ store: disk.store(), methods: { [method]: hangs }, grants });
    const client = await TestClient.of(first.host, CAPABILITIES);
    const commandId = mintCommandId();
    void client.ask(method, { commandId });
    await hung.passed;
    disk.crash();
    let runs = 0;
    const counts = () => {
      runs++;
      return ADDED[2]!.result({}) as never;
    };
    const { host } = testHost({ store: disk.store(), methods: { [method]: counts }, grants });
    const next = await TestClient.of(host, CAPABILITIES);
    const answers = await Promise.all([1, 2, 3].map(() => next.ask(method, { commandId })));
    for (const answer of answers) expect(answer).toHaveProperty("error.data.reason", "abandoned");
    expect(runs).toBe(0);
    await host.close();
  });

  it("is its first payload's, also where another one comes first after a crash", async () => {
    const disk = crashableDisk();
    const first = await TestClient.of(testHost({ store: disk.store() }).host);
    const commandId = mintCommandId();
    disk.crashAt(2, "before");
    void first.ask("session/start", { commandId });
    await eventually(() => disk.faults === 1);
    const { host } = testHost({ store: disk.store() });
    const next = await TestClient.of(host);
    const modes = [{ approvalMode: "onRequest" }, {}, { approvalMode: "denyUnmatched" }, {}];
    const answers = await Promise.all(
      modes.map((params) => next.ask("session/start", { ...params, commandId })),
    );
    const conflict = { error: { data: { details: { pointer: "/approvalMode" } } } };
    expect(answers).toMatchObject([conflict, { result: {} }, conflict, { result: {} }]);
    expect(answers[1]).toEqual(answers[3]);
    await host.close();
  });

  it("is tried for itself where another payload under it was refused", async () => {
    const { host } = testHost({ isFolder: async (path) => path === "/there" });
    const client = await TestClient.of(host);
    const commandId = mintCommandId();
    const answers = await Promise.all(
      ["/gone", "/there", "/gone"].map((workspaceRoot) =>
        client.ask("session/start", { workspaceRoot, commandId }),
      ),
    );
    expect(answers).toMatchObject([
      { error: { data: { kind: "invalidParams" } } },
      { result: { session: { workspaceRoot: "/there" } } },
      { error: { data: { kind: "invalidParams" } } },
    ]);
    await host.close();
  });
});
