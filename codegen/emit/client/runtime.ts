/**
 * The part of a generated client that every protocol shares. Plain text, the same in every client.
 */

/** The declarations before the client's interface. */
export const DECLARATIONS = `/**
 * The connection that a client stands on. \`Options\`: what a caller may say about one request, such as a signal or a
 * time limit; the client hands it on.
 */
export interface Peer<Options extends object = object> {
  /** Whether it writes params as JSON, which drops members that are undefined; otherwise the client drops them. */
  readonly writesJson?: boolean;
  /**
   * Sends a request; \`params\` undefined means that the message has no \`params\`. Resolves with the result, rejects
   * with the error that was answered or when the connection ends.
   */
  request(method: string, params: unknown, options?: Options): Promise<unknown>;
  /** Sends a notification. */
  notify(method: string, params: unknown): void | Promise<void>;
  /** Sets what gets the notifications that the host sends. */
  onNotification(listener: (method: string, params: unknown) => void): void;
  /** Sets what answers the requests that the host sends. The promise never rejects. */
  onRequest(listener: (method: string, params: unknown) => Promise<Answer>): void;
}

/** What a request of the host is answered. */
export type Answer = { readonly result: unknown } | { readonly error: ErrorAnswer };

/** An error that answers a request of the host. */
export interface ErrorAnswer {
  readonly code: number;
  readonly message: string;
  readonly data: { readonly kind: string; readonly retryable?: boolean };
}

/** What a caller may say about a request. */
export type CallOptions<Options extends object> = {
  [K in keyof Options as K extends "commandId" ? never : K]: Options[K];
} & {
  /** Only a command has an id. */
  readonly commandId?: never;
};

/** What a caller may say about a command. */
export type CommandOptions<Options extends object> = {
  [K in keyof Options as K extends "commandId" ? never : K]: Options[K];
} & {
  /** The id of the intent: given for a retry, so that it is carried out once. Minted otherwise. */
  readonly commandId?: string;
};

/** The params of a command as a caller gives them: the id comes from the options. */
export type CommandParams<M extends MethodName> = WithoutId<MethodParams[M]>;

type WithoutId<P> = P extends unknown
  ? { [K in keyof P as K extends "commandId" ? never : K]: P[K] } & { readonly commandId?: never }
  : never;

/** What is done when the host notifies. */
export type NotificationHandlers = {
  readonly [N in ServerNotification]?: ((params: ServerNotificationParams[N]) => void) | undefined;
};

/** What answers the requests of the host. */
export type RequestHandlers = {
  readonly [R in ServerRequestName]?:
    | ((params: ServerRequestParams[R]) => ServerRequestResults[R] | Promise<ServerRequestResults[R]>)
    | undefined;
};
`;

/** The functions after the client's interface. */
export const FUNCTIONS = `type Listener = (params: never) => unknown;

/** Tables of handlers by message, the latest last. */
class Tables {
  #tables: readonly { readonly table: Readonly<Record<string, Listener | undefined>> }[] = [];

  /** Adds a table; the function that is returned removes it. */
  add(table: object): () => void {
    const entry = { table: table as Readonly<Record<string, Listener | undefined>> };
    this.#tables = [...this.#tables, entry];
    return () => {
      this.#tables = this.#tables.filter((other) => other !== entry);
    };
  }

  of(method: string): Listener[] {
    return this.#tables.flatMap(({ table }) => (Object.hasOwn(table, method) ? (table[method] ?? []) : []));
  }
}

/** Whether a member of a value, or of a value in it, is undefined. */
function hasUndefined(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (value[i] === undefined || hasUndefined(value[i])) return true;
    return false;
  }
  // Without a list of the members: most params have nothing undefined, and this runs for each of them.
  for (const name in value) {
    const member: unknown = (value as Record<string, unknown>)[name];
    if (member === undefined || (typeof member === "object" && hasUndefined(member))) return true;
  }
  return false;
}

/** A value without members that are undefined; the same value where it has none. */
function defined(value: unknown): unknown {
  return hasUndefined(value) ? withoutUndefined(value) : value;
}

function withoutUndefined(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutUndefined);
  // What is no plain object says itself how it is written.
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutUndefined(member)]));
}

/** Params as they are handed to the peer: those without content are left out. */
function sendable(params: unknown, writesJson: boolean | undefined): unknown {
  const value = writesJson === true ? params : defined(params);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  for (const name in value) if ((value as Record<string, unknown>)[name] !== undefined) return value;
  return undefined;
}
`;

/** Makes the params of a command. */
export const WITH_ID = `/** Params with the id of their command. In this order an engine copies them the fast way. */
function withId(params: object | undefined, commandId: string): object {
  const whole: { commandId?: string } = { commandId, ...params };
  // The id comes from the options, whatever stands in the params.
  if (whole.commandId !== commandId) whole.commandId = commandId;
  return whole;
}
`;

/** Makes a function that has members too. */
export const CALLABLE = `/** A method whose name is the beginning of others. */
function callable<F extends object, M extends object>(call: F, members: M): F & M {
  for (const [name, value] of Object.entries(members)) {
    // A function has members of its own, such as \`name\`, that can be defined anew but not assigned.
    Object.defineProperty(call, name, { value, enumerable: true, configurable: true });
  }
  return call as F & M;
}
`;
