/**
 * A driver for the embedded host, in simulation: a disk in memory, time that is made up, crashes at a chosen write. The
 * same seeds give the same runs.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { commandIdMinter } from "../../client/command-id.js";
import { scriptedAgent } from "../../host/agents/scripted.js";
import { Host } from "../../host/host.js";
import type { HostOptions } from "../../host/host-options.js";
import { identityOf } from "../../host/identity.js";
import type { Store } from "../../ledger/store.js";
import { memoryStore } from "../../ledger/stores/memory.js";
import { inProcess } from "../../wire/in-process.js";
import type { Transport } from "../../wire/transport.js";
import { ableDriver } from "../driver/able.js";
import type { Ability, Driver, HostExit, HostPlace, RunningHost } from "../driver/driver.js";
import type { InProcessHost } from "../driver/in-process.js";
import { Random } from "../random.js";
import { type CrashableDisk, crashableDisk } from "./disk.js";
import { diskSubject } from "./subject.js";

/** What is driven: anything that is served like the embedded host. It dies with its disk. */
export type EmbeddedHost = Omit<InProcessHost, "crash">;

/** How the embedded host is driven. */
export interface EmbeddedOptions {
  /** Default: durable. */
  readonly durability?: "durable" | "ephemeral";
  /** Makes a host; a mutant, say. Default: the embedded host. */
  readonly makeHost?: (options: HostOptions) => EmbeddedHost;
  /** Stands between a store and whoever uses it, hosts and the laws of a store; a fault of it, say. */
  readonly throughStore?: (store: Store) => Store;
  /** Chooses what chance decides. Default: 1. */
  readonly seed?: number;
  readonly name?: string;
}

/** Turns of the event loop after which nothing is under way any more, where nothing waits for a client. */
const QUIET = 12;
const START = Date.UTC(2026, 0, 1);

/** A driver for the embedded host; it has asked the host what it serves. */
export async function embeddedDriver({
  durability = "durable",
  makeHost = (options) => new Host(options),
  throughStore = (store) => store,
  seed = 1,
  name = `the embedded host, ${durability}`,
}: EmbeddedOptions = {}): Promise<Driver> {
  const durable = durability === "durable";
  const abilities: readonly Ability[] = durable ? ["twoHosts", "fence", "store"] : [];
  const base = {
    name,
    abilities: new Set<Ability>(["crash", "connections", ...abilities]),
    timeoutMs: 10_000,
    maxPlaces: Number.POSITIVE_INFINITY,
    place: async () => new SimulatedPlace(durability, makeHost, throughStore, seed),
    ...(durable ? { store: diskSubject(throughStore) } : {}),
  };
  const { driver } = await ableDriver(base, { prompts: "test-agent" });
  return driver;
}

class SimulatedPlace implements HostPlace {
  readonly #durability: "durable" | "ephemeral";
  readonly #makeHost: (options: HostOptions) => EmbeddedHost;
  readonly #throughStore: (store: Store) => Store;
  readonly #disk: CrashableDisk;
  readonly #mint: () => string;
  #now = START;

  constructor(
    durability: "durable" | "ephemeral",
    makeHost: (options: HostOptions) => EmbeddedHost,
    throughStore: (store: Store) => Store,
    seed: number,
  ) {
    this.#throughStore = throughStore;
    this.#durability = durability;
    this.#makeHost = makeHost;
    const random = new Random(seed);
    this.#disk = crashableDisk({ seed, now: () => this.#now });
    this.#mint = commandIdMinter({
      now: () => this.#now,
      fill: (bytes) => {
        for (let i = 0; i < bytes.length; i++) bytes[i] = random.int(0, 255);
      },
    });
  }

  async start(): Promise<RunningHost> {
    const durable = this.#durability === "durable";
    const store = durable ? this.#disk.store() : memoryStore();
    const errors: string[] = [];
    const host = this.#makeHost({
      store: this.#throughStore(store),
      agent: scriptedAgent({ sleep: async () => void (await nextTurn()) }),
      identity: identityOf({ name: "mspkit", version: "0.0.0" }),
      grants: ["userShell"],
      isFolder: async () => true,
      surroundings: {
        now: () => ++this.#now,
        mintId: this.#mint,
        // Nothing in a simulation waits for time.
        after: () => () => undefined,
        shell: async (commandText) => {
          await nextTurn();
          return { exitCode: 0, output: commandText };
        },
      },
      log: (level, message, details) => {
        if (level === "error") errors.push(`${message} ${JSON.stringify(details, withErrors)}`);
      },
    });
    const disk = this.#disk;
    const ends = new Set<Transport>();
    let activity = 0;
    let idle: Promise<void> | undefined;
    let end!: (exit: HostExit) => void;
    const ended = new Promise<HostExit>((resolve) => {
      end = resolve;
    });
    /** Cuts what clients have; what the host still says goes nowhere. */
    const cut = () => {
      for (const transport of ends) void transport.close();
      ends.clear();
    };
    return {
      ended,
      get stderrTail() {
        return errors.join("\n");
      },
      async connect() {
        const [theirs, ours] = inProcess();
        host.accept(theirs);
        ends.add(theirs);
        return watched(ours, () => activity++);
      },
      plan: ({ write, moment }) => {
        if (durable) disk.crashAt(disk.writes + write, moment);
      },
      async crash() {
        // A write that was not come to is not one of the next life.
        disk.forget();
        if (durable) disk.crash(store);
        cut();
        await nextTurn();
        end({ code: null, signal: "SIGKILL" });
      },
      async stop() {
        // A host whose disk is gone cannot end in order.
        await Promise.race([host.close(), quiet(() => disk.writes + activity)]);
        if (durable) disk.crash(store);
        cut();
        const exit = { code: 0, signal: null };
        end(exit);
        return exit;
      },
      // One watch serves all who wait: whatever happens makes it begin again.
      idle: () => {
        idle ??= quiet(() => disk.writes + activity).finally(() => {
          idle = undefined;
        });
        return idle;
      },
    };
  }

  async fence(sessionId: string): Promise<void> {
    const store = this.#disk.store();
    await store.fence("sessions", sessionId);
    await store.close();
  }

  async remove(): Promise<void> {
    this.#disk.crash();
  }
}

/** Resolves when something has stood still for a while. */
async function quiet(position: () => number): Promise<void> {
  let last = position();
  for (let still = 0; still < QUIET; ) {
    await nextTurn();
    const now = position();
    still = now === last ? still + 1 : 0;
    last = now;
  }
}

/** A transport that tells of everything that passes. */
function watched(transport: Transport, passes: () => void): Transport {
  return {
    open: (receiver) =>
      transport.open({
        bytes: (chunk) => {
          passes();
          receiver.bytes(chunk);
        },
        drained: () => receiver.drained(),
        ended: (error) => {
          passes();
          receiver.ended(error);
        },
      }),
    write: (frames) => {
      passes();
      return transport.write(frames);
    },
    pause: () => transport.pause(),
    resume: () => transport.resume(),
    close: () => transport.close(),
  };
}

function withErrors(_: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
