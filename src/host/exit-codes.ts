/**
 * How a host ends, as the process that started it sees it. The codes are the protocol's, and not those of this program's
 * other commands.
 */

/** A way to end. */
export interface HostExit {
  readonly code: number;
  /** When it may be started again with hope. */
  readonly retry: string;
  /** What is true of the sessions afterwards. */
  readonly meaning: string;
}

/** The ways to end, by the protocol's names. */
export const HOST_EXITS = {
  cleanShutdown: {
    code: 0,
    retry: "",
    meaning: "every session was given up in order",
  },
  unhandledError: {
    code: 1,
    retry: "no claim",
    meaning: "something that nobody expected; logs are whole, turns that ran are closed by the next host",
  },
  usageError: { code: 2, retry: "never", meaning: "wrong words; nothing was opened" },
  configError: {
    code: 3,
    retry: "once it is mended",
    meaning:
      "what it was told to use cannot be used: the store, the folder, the address, the agent; nothing was opened",
  },
} as const satisfies Readonly<Record<string, HostExit>>;
