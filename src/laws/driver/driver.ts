/** The port to a host under trial: a process, an address, an object in this process. Whoever brings a host fills it in. */
import type { Transport } from "../../wire/index.js";
import type { StoreSubject } from "../store/subject.js";

/**
 * What a host can do, beside answering on one connection. `durable` and `ephemeral` exclude each other, by what the host
 * says at the handshake. `crash`: it can be killed and started again. `connections`: several at once. `twoHosts`: a
 * second one can be started on the same place. `fence`: a session can be taken from the host that has it. The next six:
 * there is a prompt for it. `echo`: the agent repeats the text of a steer as a message. `serves:METHOD`: it serves the
 * method. `store`: its store can be had as an object of this process. `experimental`: it gives what is experimental to
 * who asks for it.
 */
export type Ability =
  | "durable"
  | "ephemeral"
  | "crash"
  | "connections"
  | "twoHosts"
  | "fence"
  | "store"
  | "experimental"
  | keyof Prompts
  | "echo"
  | `serves:${string}`;

/** What makes the agent of a host do something: texts of prompts. */
export interface Prompts {
  /** A turn that ends as completed, soon. */
  readonly quick?: string;
  /** A turn that runs until it is interrupted, and hears an interrupt. */
  readonly busy?: string;
  /** A turn that starts, and ends as failed. */
  readonly failing?: string;
  /** A turn that cannot be launched. */
  readonly failingLaunch?: string;
  /** A turn that asks for one approval, and goes on whatever is decided. */
  readonly approval?: string;
  /** A turn that asks the user one question. */
  readonly question?: string;
}

/** How a host ended; both null where that cannot be known. */
export interface HostExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A crash that is planned: at the n-th write from now on where writes can be seen, else so many milliseconds from now. */
export interface CrashPoint {
  /** From 1. */
  readonly write: number;
  /** What of that write is there afterwards: nothing, its first entries, or all of it and nobody was told. */
  readonly moment: "before" | "torn" | "after";
  readonly delayMs: number;
}

/** A host that lives. */
export interface RunningHost {
  /**
   * A new connection: the client's end, not opened, no handshake done.
   * @throws {DriverError} `noConnection` where the host takes no further one
   */
  connect(): Promise<Transport>;
  /** Lets it die at a point, without waiting for that. Where it has not come to that point, `crash` kills it. */
  plan(point: CrashPoint): void;
  /**
   * Kills it at once; resolves when it is dead, with all that it started.
   * @throws {DriverError} `survivor` where something lives on
   */
  crash(): Promise<void>;
  /** Asks it to end in order; resolves when it has ended. */
  stop(): Promise<HostExit>;
  /** Resolves when it has ended, of itself or not. */
  readonly ended: Promise<HostExit>;
  /** The last that it wrote to standard error; empty where it has none. */
  readonly stderrTail: string;
  /** Where time is made up: resolves when nothing is under way any more. Elsewhere undefined, and waiting takes time. */
  readonly idle?: () => Promise<void>;
  /** Bytes of memory that it uses now, where that can be known. */
  readonly memoryBytes?: () => number | undefined;
}

/** Where a host keeps what is durable. A new one is empty, as far as that can be arranged. */
export interface HostPlace {
  /** Starts a host on it. Starting a second one while the first lives needs the ability `twoHosts`. */
  start(): Promise<RunningHost>;
  /** Takes a session from the host that has it, as its keeper would who knows that host to be lost. Ability `fence`. */
  fence?(sessionId: string): Promise<void>;
  /** A copy of what is durable, put into a folder; false where there is nothing to copy. */
  copyTo?(folder: string): Promise<boolean>;
  /** Takes the place away; its hosts are dead. */
  remove(): Promise<void>;
}

/** A host that laws can be tried on. */
export interface Driver {
  /** What it is called in reports: a command, an address, a name. */
  readonly name: string;
  readonly abilities: ReadonlySet<Ability>;
  readonly prompts: Prompts;
  /** Milliseconds to wait for what must come, before it is said not to come. */
  readonly timeoutMs: number;
  /** How many places may be in use at once. */
  readonly maxPlaces: number;
  /** What its hosts keep their logs in. Ability `store`. */
  readonly store?: StoreSubject;
  place(): Promise<HostPlace>;
}

const IS_DRIVER_ERROR = Symbol.for("mspkit.driverError");

/** Why the surroundings of a trial failed: no verdict on the host. */
export type DriverErrorKind =
  /** The host could not be started. */
  | "cannotStart"
  /** It takes no further connection. */
  | "noConnection"
  /** Something of it lived on after it was killed. */
  | "survivor"
  /** The description of the host is wrong. */
  | "badConfig";

/** The surroundings of a trial failed. */
export class DriverError extends Error {
  readonly [IS_DRIVER_ERROR] = true;
  override readonly name = "DriverError";
  readonly kind: DriverErrorKind;

  constructor(kind: DriverErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Whether a value is a {@link DriverError}. */
export function isDriverError(value: unknown): value is DriverError {
  return typeof value === "object" && value !== null && IS_DRIVER_ERROR in value;
}

/** The methods that hosts serve, by their abilities. */
export function methodsServed({ abilities }: Pick<Driver, "abilities">): Set<string> {
  const served = [...abilities].filter((ability) => ability.startsWith("serves:"));
  return new Set(served.map((ability) => ability.slice("serves:".length)));
}
