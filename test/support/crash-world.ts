/**
 * A world for crashes in simulation: hosts one after the other on one simulated disk, clients that keep what they sent,
 * and what was done outside, counted by command id. Time and ids are made up, so that every run is the same.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { protocolError } from "../../generated/msp/experimental/server.js";
import type { ComputerUseSetupState, SkillImportResult } from "../../generated/msp/experimental/types.js";
import { commandIdMinter } from "../../src/client/command-id.js";
import type { Agent } from "../../src/host/agents/agent.js";
import { scriptedAgent } from "../../src/host/agents/scripted.js";
import type { Host } from "../../src/host/host.js";
import type { MoreMethods } from "../../src/host/host-options.js";
import type { SessionRecord } from "../../src/host/session/records.js";
import { Random } from "../../src/laws/random.js";
import { type CrashableDisk, crashableDisk } from "../../src/laws/simulation/disk.js";
import type { Store } from "../../src/ledger/store.js";
import { type Outcome, TestClient, testHost } from "./host.js";

/** A command as it was sent. */
export interface Sent {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>> & { readonly commandId: string };
  /** What its client heard; nothing where the host died before. */
  outcome: Outcome | undefined;
}

/** Turns of the event loop after which nothing is under way any more, where nothing waits for a client. */
const QUIET = 12;
const START = Date.UTC(2026, 0, 1);

/** What is on a disk: the records of each session, and those of each command that belongs to none. */
export interface Survivors {
  readonly sessions: ReadonlyMap<string, readonly SessionRecord[]>;
  readonly commands: ReadonlyMap<string, readonly SessionRecord[]>;
}

/** Puts something between a disk and the hosts on it. */
export type StoreChange = (store: Store) => Store;

/** See the top of the file. */
export class World {
  readonly disk: CrashableDisk;
  /** What was done outside of any log: `what command`, and how often. */
  readonly effects = new Map<string, number>();
  readonly #errors: (readonly unknown[])[] = [];
  readonly mint: () => string;
  readonly #change: StoreChange;
  readonly #step: number;
  #now = START;

  /** `frozen`: the clock stands still. */
  constructor({
    seed = 1,
    change = (store) => store,
    frozen = false,
  }: {
    readonly seed?: number;
    readonly change?: StoreChange;
    readonly frozen?: boolean;
  } = {}) {
    const random = new Random(seed);
    this.#change = change;
    this.#step = frozen ? 0 : 1;
    this.disk = crashableDisk({ seed, now: () => this.#now });
    this.mint = commandIdMinter({
      now: () => this.#now,
      fill: (bytes) => {
        for (let i = 0; i < bytes.length; i++) bytes[i] = random.int(0, 255);
      },
    });
  }

  /** A host on the disk; it lives until the disk says otherwise. */
  host(): Host {
    const { host, errors } = testHost({
      store: this.#change(this.disk.store()),
      agent: this.#agent(),
      methods: this.#methods(),
      grants: ["userShell", "computerUseSetup"],
      isFolder: async () => true,
      surroundings: {
        now: () => (this.#now += this.#step),
        mintId: this.mint,
        // Nothing in a simulation waits for time.
        after: () => () => undefined,
        shell: async (commandText) => {
          this.count("shell", commandText);
          await nextTurn();
          return { exitCode: 0, output: commandText };
        },
      },
    });
    this.#errors.push(errors);
    return host;
  }

  /** What the hosts logged as errors. */
  get errors(): unknown[] {
    return this.#errors.flat();
  }

  /** A client of a host, with all that it may have. */
  client(host: Host): Promise<TestClient> {
    const requestedCapabilities = ["sessionRename", "userShell", "computerUseSetup"];
    return TestClient.of(host, { requestedCapabilities });
  }

  /** Notes that something was done. */
  count(what: string, command: string): void {
    const key = `${what} ${command}`;
    this.effects.set(key, (this.effects.get(key) ?? 0) + 1);
  }

  /** Resolves when nothing is written any more, or when so many faults have come to pass; whether it was the latter. */
  async quiet(faults = Number.POSITIVE_INFINITY, over: () => boolean = () => true): Promise<boolean> {
    let { writes } = this.disk;
    for (let still = 0; still < QUIET; ) {
      if (this.disk.faults >= faults) return true;
      await nextTurn();
      still = writes === this.disk.writes && over() ? still + 1 : 0;
      writes = this.disk.writes;
    }
    return this.disk.faults >= faults;
  }

  /** What is on the disk now. */
  async survivors(): Promise<Survivors> {
    const store = this.disk.store();
    const read = async (space: "sessions" | "commands") => {
      const logs = new Map<string, readonly SessionRecord[]>();
      for (const { id } of await store.list(space)) {
        const entries = (await store.read(space, id)) ?? [];
        logs.set(
          id,
          entries.flatMap((entry) => JSON.parse(entry) as SessionRecord[]),
        );
      }
      return logs;
    };
    return { sessions: await read("sessions"), commands: await read("commands") };
  }

  /** The scripted agent; it counts the turns that it runs and the steers that it gets. */
  #agent(): Agent {
    const inner = scriptedAgent({ sleep: async () => void (await nextTurn()) });
    return {
      ...inner,
      run: (turn, tools) => {
        this.count("run", turn.commandId);
        return inner.run(turn, {
          ...tools,
          onSteer: (take) =>
            tools.onSteer((steer) => {
              this.count("agentSteer", steer.commandId);
              take(steer);
            }),
        });
      },
    };
  }

  /** Methods that a host author adds: one of a session, which may reject, and one of none. */
  #methods(): MoreMethods {
    return {
      "skill/import": async ({ commandId, source, dryRun = false }): Promise<SkillImportResult> => {
        this.count("import", commandId);
        await nextTurn();
        if (source === "codex")
          throw protocolError("commandRejected", { reason: "runtime_busy", retryable: false });
        const counts = { failed: 0, installed: 1, quarantined: 0, skipped: 0 };
        const installed = [`skill-${this.effects.size}`];
        return {
          commandId,
          status: "accepted",
          source,
          dryRun,
          counts,
          installed,
          failed: [],
          quarantined: [],
          skipped: [],
        };
      },
      "computerUseSetup/start": async ({ commandId }): Promise<ComputerUseSetupState> => {
        this.count("setup", commandId);
        await nextTurn();
        const unknown = "unknown" as const;
        return {
          accessibility: unknown,
          inputMonitoring: unknown,
          screenRecording: unknown,
          setup: "dormant",
          message: `setup ${this.effects.size}`,
        };
      },
    };
  }
}

/** A client of a scenario: keeps what it sent, and the ids of what it did. */
export class Actor {
  readonly sent: Sent[] = [];
  readonly client: TestClient;
  readonly #mint: () => string;

  constructor(client: TestClient, mint: () => string) {
    this.client = client;
    this.#mint = mint;
  }

  /** Sends a command under a new id; what came of it. */
  async send(method: string, params: object, commandId = this.#mint()): Promise<Outcome> {
    const sent: Sent = { method, params: { commandId, ...params }, outcome: undefined };
    this.sent.push(sent);
    sent.outcome = await this.client.ask(method, sent.params);
    return sent.outcome;
  }

  /** Begins a session; its id. */
  async start(params: object = {}): Promise<string> {
    const { session } = resultOf(await this.send("session/start", params));
    return (session as { sessionId: string }).sessionId;
  }

  /** Submits a turn; its id. */
  async turn(sessionId: string, text: string, more: object = {}): Promise<string> {
    const params = { sessionId, input: [{ type: "text", text }], ...more };
    return String(resultOf(await this.send("turn/start", params))["turnId"]);
  }

  /** Waits for the start of a turn. */
  async started(turnId: string): Promise<void> {
    await this.client.until(({ method, params }) => method === "turn/started" && params["turnId"] === turnId);
  }

  /** Waits for an event, and gives a member of it. */
  async heard(method: string): Promise<Readonly<Record<string, unknown>>> {
    return (await this.client.until((seen) => seen.method === method)).params;
  }
}

/** The result of a command that must have one. */
export function resultOf(outcome: Outcome): Readonly<Record<string, unknown>> {
  if ("result" in outcome) return outcome.result;
  throw new Error(`a command was refused: ${JSON.stringify(outcome.error)}`);
}
