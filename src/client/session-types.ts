/**
 * What happens to a session, how it behaves, and what it needs of its client.
 */
import type { MethodParams } from "../../generated/msp/experimental/types.js";
import type { CommandName, Connection, WithoutId } from "./connection.js";
import type { FollowOutcome, GapError, GapRecovery, JoinOutcome } from "./fold/index.js";
import type { PendingRetirement } from "./pending/index.js";
import type { TurnInput } from "./submissions.js";

/** What happened to a session. */
export type SessionEvent =
  /** A frame of the host, and what the fold did with it. */
  | {
      readonly kind: "frame";
      readonly method: string;
      readonly params: unknown;
      readonly outcome: FollowOutcome;
    }
  /** A submit left the pending set. With `restoreToComposer`, the input belongs back in front of the user. */
  | { readonly kind: "retired"; readonly retirement: PendingRetirement<TurnInput> }
  /** Missing events could not be had; `view.gap` says which. */
  | { readonly kind: "gapError"; readonly error: GapError }
  /** The connection is gone. */
  | { readonly kind: "disconnected"; readonly error: Error | undefined }
  /** There is a new connection, and the host refused to go on with the session there; `resumeSession` tries again. */
  | { readonly kind: "rejoinFailed"; readonly error: unknown }
  /** The session goes on over a new connection. */
  | { readonly kind: "rejoined"; readonly join: JoinOutcome };

/** How a session behaves. */
export interface SessionOptions {
  /** How missing events are had. Default: splice. */
  readonly recovery?: GapRecovery;
  /** Gets what handlers threw and what could not be answered. Default: nothing is told. */
  readonly onError?: (error: unknown) => void;
}

/** What a session needs of its client. */
export interface SessionHost {
  /** The connection, where there is one. */
  readonly connection: Connection | undefined;
  readonly mintCommandId: () => string;
  /** Ids that died with an ephemeral host; shared by all sessions of a client. */
  readonly discardedCommandIds: Set<string>;
}

/** A frame of the host. */
export type Frame = readonly [method: string, params: unknown];

/** The params of a command as a session takes them: it adds itself and the id. */
export type SessionCommand<M extends CommandName> = Omit<WithoutId<MethodParams[M]>, "sessionId">;
