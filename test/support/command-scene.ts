/** A host in this process with a session and a client of it, made for trying out one command. */

import { mintCommandId } from "../../src/client/index.js";
import { scriptedAgent } from "../../src/host/agents/scripted.js";
import type { Host } from "../../src/host/host.js";
import type { HostOptions } from "../../src/host/host-options.js";
import type { SessionRecord } from "../../src/host/session/records.js";
import type { StorePlace, StoreSubject } from "../../src/laws/store/index.js";
import type { Store } from "../../src/ledger/store.js";
import { type Outcome, TestClient, testHost } from "./host.js";

/** What clients of the scenes ask for. */
export const ALL_CAPABILITIES = { requestedCapabilities: ["userShell", "sessionListStream"] };

/** A host for scenes. */
export interface SceneHost {
  readonly host: Host;
  readonly store: Store;
  readonly errors: unknown[];
  /** Ends the commands of the user's shell that hang. */
  endShells(): void;
}

/** Makes a host on a store: its shell hangs where it is told to, and its approval modes have a ceiling. */
export function sceneHost(store: Store, options: Partial<HostOptions> = {}): SceneHost {
  const hanging = new Set<() => void>();
  const made = testHost({
    store,
    grants: ["userShell"],
    approvalModeCeiling: "onRequest",
    surroundings: {
      shell: (commandText, _, signal) =>
        new Promise((resolve) => {
          const end = () => resolve({ exitCode: 0, output: "" });
          if (commandText !== "hang") return end();
          hanging.add(end);
          signal.addEventListener("abort", end);
        }),
    },
    ...options,
  });
  return {
    ...made,
    store,
    endShells() {
      for (const end of hanging) end();
      hanging.clear();
    },
  };
}

/** A session of a host, and a client. */
export class CommandScene {
  readonly #of: SceneHost;
  readonly client: TestClient;
  readonly sessionId: string;
  /** Models that may be chosen; the first is in force. */
  readonly models: readonly string[] = (scriptedAgent().models ?? []).map(({ modelId }) => modelId);

  private constructor(of: SceneHost, client: TestClient, sessionId: string) {
    this.#of = of;
    this.client = client;
    this.sessionId = sessionId;
  }

  /** A new session, and a client that listens to it. */
  static async on(of: SceneHost): Promise<CommandScene> {
    const client = await TestClient.of(of.host, ALL_CAPABILITIES);
    return new CommandScene(of, client, await client.start());
  }

  get host(): Host {
    return this.#of.host;
  }

  get store(): Store {
    return this.#of.store;
  }

  /** The params of a command to this session; a session to be made has its own id. */
  params(method: string, params: object, commandId: string): object {
    return { ...(method === "session/start" ? {} : { sessionId: this.sessionId }), ...params, commandId };
  }

  /** Sends a command of this session under a new id, or the one that it names; throws where it is not accepted. */
  do(method: string, params: object): Promise<Readonly<Record<string, never>>> {
    return this.client.command(method, { sessionId: this.sessionId, ...params });
  }

  /** Sends a command of this session under an id. */
  ask(method: string, params: object, commandId: string, client = this.client): Promise<Outcome> {
    return client.ask(method, this.params(method, params, commandId));
  }

  /** Starts a turn; its id when it runs. */
  async turn(script: string, commandId: string = mintCommandId()): Promise<string> {
    await this.do("turn/start", { input: [{ type: "text", text: script }], commandId });
    await this.client.until(
      ({ method, params }) => method === "turn/started" && params["turnId"] === commandId,
    );
    return commandId;
  }

  /** Runs a turn to its end. */
  async turnOver(script: string): Promise<string> {
    const turnId = await this.turn(script);
    await this.client.ended(turnId);
    return turnId;
  }

  endShells(): void {
    this.#of.endShells();
  }

  /** The records of the session's log; from another store on the same place, where one is given. */
  async records(store = this.store): Promise<SessionRecord[]> {
    return recordsOf(store, this.sessionId);
  }

  /** Resolves when everything that the session has decided is durable and told. */
  async told(): Promise<void> {
    for (const session of this.host.sessions) if (session.key === this.sessionId) await session.told();
  }

  /** Records of a command in the logs of its session and of the host. */
  async recordsOfCommand(commandId: string): Promise<{ readonly type: string }[]> {
    const own = await commandRecords(this.store, commandId);
    const all = [...(await this.records()), ...own];
    return all.filter((record) => "id" in record && record.id === commandId.toLowerCase());
  }
}

/** The records of a session's log, in their order; empty where there is none. */
export async function recordsOf(store: Store, sessionId: string): Promise<SessionRecord[]> {
  const entries = (await store.read("sessions", sessionId.toLowerCase())) ?? [];
  return entries.flatMap((entry) => JSON.parse(entry) as SessionRecord[]);
}

/** The records of a command that belongs to no session. */
export async function commandRecords(
  store: Store,
  commandId: string,
): Promise<{ readonly type: string; readonly id: string }[]> {
  const entries = (await store.read("commands", commandId.toLowerCase())) ?? [];
  return entries.flatMap((entry) => JSON.parse(entry));
}

/** Waits until something holds. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Runs with an empty place of a store's, and takes it away afterwards. */
export async function withPlace<T>(
  subject: StoreSubject,
  run: (place: StorePlace) => Promise<T>,
): Promise<T> {
  const place = await subject.makePlace();
  try {
    return await run(place);
  } finally {
    await place.remove();
  }
}
