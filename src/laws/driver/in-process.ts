/** A driver for a host that is an object of this process: for hosts in TypeScript or JavaScript. */
import { inProcess } from "../../wire/in-process.js";
import type { Transport } from "../../wire/transport.js";
import { ableDriver, type Said } from "./able.js";
import type { Ability, Driver, HostExit, HostPlace, RunningHost } from "./driver.js";
import { copyStore, freshFolder, removeFolder } from "./folders.js";
import { tracked } from "./places.js";

/** What is driven. */
export interface InProcessHost {
  /** Gets the host's end of each connection, not opened yet. */
  accept(transport: Transport): unknown;
  /** Ends the host in order. */
  close(): Promise<void>;
  /**
   * Lets it die: what it still does must reach neither its place nor a client. Where all hosts have it they have the
   * ability `crash`.
   */
  crash?(): Promise<void>;
}

/** How a host of this process is driven, and what is said of it. */
export interface InProcessOptions extends Said {
  /** What it is called in reports. */
  readonly name: string;
  /**
   * Makes a host.
   * @param folder where it keeps what is durable: a fresh one for each place, and the same for each life on it
   */
  readonly start: (folder: string) => InProcessHost | Promise<InProcessHost>;
  /** Whether it can be crashed and whether two may be on one folder. Default: neither. */
  readonly can?: readonly ("crash" | "twoHosts")[];
  /** Milliseconds to wait for what must come. Default: 5,000. */
  readonly timeoutMs?: number;
}

/** A driver that has asked its host, and takes its folders away in the end. */
export interface InProcessDriver extends Driver {
  /** Ends what lives of its hosts, and takes their folders away. */
  close(): Promise<void>;
}

/** Makes a driver; asks the host what is not said of it. */
export async function inProcessDriver({
  name,
  start,
  can = [],
  timeoutMs = 5_000,
  ...said
}: InProcessOptions): Promise<InProcessDriver> {
  const all = tracked(() => placeFor(start));
  const abilities = new Set<Ability>(["connections", ...can]);
  const base = { name, abilities, timeoutMs, maxPlaces: Number.POSITIVE_INFINITY, place: all.place };
  try {
    const { driver } = await ableDriver(base, said);
    return { ...driver, close: all.close };
  } catch (error) {
    await all.close();
    throw error;
  }
}

async function placeFor(start: InProcessOptions["start"]): Promise<HostPlace> {
  const folder = await freshFolder();
  return {
    start: async () => running(await start(folder)),
    copyTo: (to) => copyStore(folder, to),
    remove: () => removeFolder(folder),
  };
}

function running(host: InProcessHost): RunningHost {
  const clients = new Set<Transport>();
  let end!: (exit: HostExit) => void;
  const ended = new Promise<HostExit>((resolve) => {
    end = resolve;
  });
  /** Ends the host's ends of its connections, so that nothing of it is heard any more. */
  const over = (exit: HostExit) => {
    for (const transport of clients) void transport.close();
    clients.clear();
    end(exit);
    return exit;
  };
  let planned: NodeJS.Timeout | undefined;
  let dying: Promise<void> | undefined;
  const crash = async () => {
    clearTimeout(planned);
    dying ??= (host.crash?.() ?? host.close()).then(() => void over({ code: null, signal: "SIGKILL" }));
    await dying;
  };
  return {
    connect: async () => {
      const [theirs, ours] = inProcess();
      clients.add(theirs);
      host.accept(theirs);
      return ours;
    },
    plan: ({ delayMs }) => {
      planned = setTimeout(() => void crash().catch(() => undefined), delayMs);
    },
    crash,
    stop: async () => {
      clearTimeout(planned);
      await host.close();
      return over({ code: 0, signal: null });
    },
    ended,
    stderrTail: "",
  };
}
