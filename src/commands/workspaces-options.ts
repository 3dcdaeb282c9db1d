/** How commands are carried out: what `Workspaces` is made with. */
import type { Clock } from "./clock.js";
import type { Identity, PayloadTables } from "./identity.js";
import type { CommandResults } from "./results.js";
import type { Telemetry } from "./telemetry.js";

/** How commands are carried out. */
export interface WorkspacesOptions {
  /** Where results are remembered. Default: in memory, the newest 10,000. Closed with it. */
  readonly results?: CommandResults;
  /**
   * What a repeated id stands for. `first-result`, the default: for the first result, whatever command it comes with.
   * `checked`: for one command; another one is refused as `command_id_conflict`.
   */
  readonly identity?: Identity;
  /** The tables of the bundle, which say what of the params counts. Without them all of it does. For `checked`. */
  readonly tables?: PayloadTables;
  /** How long a repeat waits for the first attempt before it is told `still_running`. Default: 30,000 ms. */
  readonly waitMs?: number;
  /** How long a command may take before it is abandoned. Default: 60,000 ms. */
  readonly deadlineMs?: number;
  /** How far the time in an id may lie ahead of the clock. Default: 600,000 ms. */
  readonly aheadMs?: number;
  /** Is told of commands. Default: nothing is told; see `openTelemetry`. */
  readonly telemetry?: Telemetry;
  /** Hears what went wrong behind a rejection: clients are not told. Must not throw. */
  readonly onError?: (error: unknown, doing: "claim" | "carryOut" | "settle" | "wait" | "execute") => void;
  readonly clock?: Clock;
}
