/**
 * The part of a generated server that every protocol shares: contexts, errors, dispatch, and what is sent. Plain
 * text, the same in every server.
 */

/** The declarations before the handler table. */
export const DECLARATIONS = `/** What a connection may use. */
export interface Connection {
  /** The capabilities that the peer was granted. */
  readonly grants: ReadonlySet<string> | readonly string[];
  /** The peer's opt-in: to all that is experimental, to nothing, or to what these descriptors name. */
  readonly experimental: boolean | readonly string[];
}

/** Handles a method: gets valid params, gives the result or a {@link ProtocolError}, which may be thrown too. */
export type Handler<M extends MethodName, Context extends object> = (
  params: MethodParams[M],
  context: Connection & Context,
) => MethodResults[M] | ProtocolError | Promise<MethodResults[M] | ProtocolError>;

/** Handles a notification of a client: gets valid params, and answers nothing. */
export type NotificationHandler<N extends ClientNotification, Context extends object> = (
  params: ClientNotificationParams[N],
  context: Connection & Context,
) => void | Promise<void>;

/** Says that a host does not serve a method: it answers \`methodNotFound\`. */
export const withheld: "withheld" = "withheld";
/** The type of {@link withheld}. */
export type Withheld = typeof withheld;

/** An error as it leaves the server: data, to be told by \`kind\`. On the wire it has \`code\`, \`message\` and \`data\`. */
export interface ErrorAnswer {
  readonly kind: string;
  readonly code: number;
  /** For people; not to be branched on. */
  readonly message: string;
  /** Has \`kind\`, and \`retryable\` where the protocol makes the claim. */
  readonly data: { readonly kind: string; readonly retryable?: boolean; readonly [name: string]: unknown };
}

/** What a request is answered. */
export type Answer<Result = unknown> = { readonly result: Result } | { readonly error: ErrorAnswer };

/** A message as it is sent; without \`params\` where it has none. */
export interface OutgoingMessage {
  readonly method: string;
  readonly params?: unknown;
}

/** How a server behaves. */
export interface ServerOptions<Context extends object = object> {
  /** Handlers of what clients notify; a notification without one is checked and dropped. */
  readonly notifications?: NotificationHandlers<Context>;
  /** The profile of the host. An ephemeral host withholds some methods. Default: durable. */
  readonly profile?: "durable" | "ephemeral";
  /** Checks what is sent as well: a wrong result is answered with \`internal\`, a wrong message is not sent. */
  readonly checkResults?: boolean;
  /** Gets what a handler threw, what was wrong with a message that should have been sent, and refused notifications. */
  readonly onError?: (error: unknown, method: string, context: Connection & Context) => void;
}

/** A server: dispatches what a peer sends, and makes what is sent fit for the peer. */
export interface Server<Context extends object = object> {
  /**
   * Answers a request, in the order gate, capability, params, handler; at once where the handler does. Never throws or
   * rejects; what goes wrong is an error that the protocol knows. \`params\` is undefined where the request has none.
   */
  dispatch(method: string, params: unknown, context: Connection & Context): Answer | Promise<Answer>;
  /** Takes a notification of a client, by the same rules; what is refused goes to \`onError\`. Never rejects. */
  dispatchNotification(method: string, params: unknown, context: Connection & Context): Promise<void>;
  /** A result as the peer may see it. The value itself is never changed, and is the answer where it needs no change. */
  result<M extends MethodName>(
    method: M,
    value: MethodResults[M],
    context: Connection & Context,
  ): Answer<MethodResults[M]>;
  /** A notification as the peer may see it; undefined where it may not. */
  notification<N extends ServerNotification>(
    method: N,
    params: ServerNotificationParams[N],
    context: Connection & Context,
  ): OutgoingMessage | undefined;
  /** A request to the peer, as it may see it; undefined where it may not. */
  request<R extends ServerRequestName>(
    method: R,
    params: ServerRequestParams[R],
    context: Connection & Context,
  ): OutgoingMessage | undefined;
}

const IS_PROTOCOL_ERROR = Symbol.for("mspkit.protocolError");

/** An error of the protocol: made by {@link protocolError}, thrown or returned by a handler. */
export class ProtocolError extends Error {
  /** Told by this mark and not by its class, since a program may hold two copies of this module. */
  readonly [IS_PROTOCOL_ERROR] = true;
  readonly kind: string;
  readonly code: number;
  readonly data: ErrorAnswer["data"];

  constructor({ kind, code, message, data }: ErrorAnswer) {
    super(message);
    this.name = "ProtocolError";
    this.kind = kind;
    this.code = code;
    this.data = data;
  }
}

/** Whether a value is a {@link ProtocolError}. */
export function isProtocolError(value: unknown): value is ProtocolError {
  return typeof value === "object" && value !== null && IS_PROTOCOL_ERROR in value;
}

/**
 * Makes an error of the protocol. \`data.retryable\` is what the registry says of the kind, unless \`data\` has it;
 * given as undefined, no claim is made. \`code\` is needed for an override kind of several codes, of which the first
 * is taken.
 */
export function protocolError(
  kind: ErrorName,
  data: ErrorDetails = {},
  message: string = kind,
  code?: number,
): ProtocolError {
  const row = Object.entries(errorRows).find(
    ([name, { code: its, overrideKinds }]) =>
      (name === kind || overrideKinds.includes(kind)) && (code === undefined || its === code),
  )?.[1];
  if (row === undefined) throw new TypeError("the protocol has no error " + String(kind));
  return new ProtocolError({ kind, code: row.code, message, data: errorData(kind, row, data) });
}

function errorData(kind: string, { retryable }: Partial<ErrorRow>, data: object): ErrorAnswer["data"] {
  const all: Record<string, unknown> = { kind, retryable, ...data };
  all["kind"] = kind;
  if (all["retryable"] === undefined) delete all["retryable"];
  return all as ErrorAnswer["data"];
}

interface MessageRow {
  readonly params?: string;
  readonly capability?: string;
  readonly stability?: string;
  readonly descriptor?: string;
}

interface MethodRow extends MessageRow {
  readonly result: string;
  readonly strict: boolean;
  readonly withheld: readonly string[];
}

interface ErrorRow {
  readonly code: number;
  readonly retryable?: boolean;
  readonly overrideKinds: readonly string[];
}

type Check = (value: unknown, options?: { readonly all?: boolean }) => readonly Violation[] | null;
interface Checks {
  readonly params?: Check | undefined;
  readonly result: Check;
}

const methodRows: Readonly<Record<string, MethodRow>> = methods;
const notificationRows: Readonly<Record<string, MessageRow & { readonly direction: string }>> = notifications;
const requestRows: Readonly<Record<string, MessageRow>> = requests;
const errorRows: Readonly<Record<string, ErrorRow>> = errors;
const methodValidators: Readonly<Record<string, Checks>> = methodChecks;
const notificationValidators: Readonly<Record<string, Check | undefined>> = notificationChecks;
const requestValidators: Readonly<Record<string, Checks>> = requestChecks;
const errorValidators: Readonly<Record<string, Check | undefined>> = errorChecks;
`;

/** The dispatch, after the tables. */
export const DISPATCH = `function standardError(
  base: keyof typeof standardErrors,
  message: string,
  data: object = {},
  override?: string,
): ErrorAnswer {
  const { kind, code } = standardErrors[base];
  const told = override ?? kind;
  return { kind: told, code, message, data: errorData(told, own(errorRows, kind) ?? {}, data) };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

function notFound(method: string): ErrorAnswer {
  return standardError("methodNotFound", "there is no method " + method);
}

function experimental(base: "methodNotFound" | "invalidParams", descriptor: string): ErrorAnswer {
  return standardError(base, descriptor + " is experimental", { descriptor }, "experimentalRequired");
}

function notGranted(capability: string): ErrorAnswer {
  return standardError("capabilityRequired", "the capability " + capability + " is not granted", { capability });
}

/** More reasons than this are not told. */
const MAX_VIOLATIONS = 100;

function violationsOf(check: Check | undefined, params: unknown, strict: readonly string[] | undefined): Violation[] {
  const found: Violation[] = [];
  if (check !== undefined) {
    if (check(params) !== null) found.push(...(check(params, { all: true }) ?? []).slice(0, MAX_VIOLATIONS));
  } else if (!isMembers(params)) {
    found.push({ instanceLocation: "", keyword: "type", message: "must be object" });
  }
  if (strict !== undefined && isMembers(params)) {
    for (const name of Object.keys(params)) {
      if (strict.includes(name) || params[name] === undefined || found.length >= MAX_VIOLATIONS) continue;
      const instanceLocation = "/" + name.replaceAll("~", "~0").replaceAll("/", "~1");
      found.push({ instanceLocation, keyword: "additionalProperties", message: "must not be there" });
    }
  }
  return found;
}

function assertValid(check: Check | undefined, value: unknown, what: string): void {
  const violations = check === undefined || check(value) === null ? null : check(value, { all: true });
  if (violations === null) return;
  const places = violations.map(({ instanceLocation, message }) => instanceLocation + " " + message);
  throw Object.assign(new TypeError(what + ": " + places.join("; ")), { violations });
}

/** Why a peer's params are refused; undefined where they are not. */
function refusalOf(
  row: MessageRow,
  check: Check | undefined,
  params: unknown,
  strict: readonly string[] | undefined,
  connection: Connection,
): ErrorAnswer | undefined {
  const refused: Refused = {};
  if (row.params !== undefined) refuse({ ref: row.params }, params, connection, refused, 0);
  if (refused.experimental !== undefined) return experimental("invalidParams", refused.experimental);
  const capability =
    row.capability !== undefined && !isGranted(connection, row.capability) ? row.capability : refused.capability;
  if (capability !== undefined) return notGranted(capability);
  const violations = violationsOf(check, params, strict);
  if (violations.length === 0) return undefined;
  return standardError("invalidParams", "the params are not valid", { details: { violations } });
}

/** Makes a server of the handlers of a host. */
export function createServer<Context extends object = object>(
  handlers: Handlers<Context>,
  options: ServerOptions<Context> = {},
): Server<Context> {
  type Here = Connection & Context;
  type AnyHandler = (params: never, context: Here) => unknown;
  const check = options.checkResults === true;
  const profile = options.profile ?? "durable";
  const table = tableOf<AnyHandler | Withheld>(handlers, Object.keys(methodRows));
  const listeners = tableOf<AnyHandler>(options.notifications ?? {}, Object.keys(notificationRows));

  const report = (error: unknown, method: string, context: Here): void => {
    try {
      options.onError?.(error, method, context);
    } catch {
      // What the host does about an error must not become the answer of a request.
    }
  };
  const internal = (error: unknown, method: string, context: Here): { readonly error: ErrorAnswer } => {
    report(error, method, context);
    return { error: standardError("internal", "internal error") };
  };

  /** An error of a handler as the peer may see it. */
  const failure = (error: ProtocolError, method: string, context: Here): { readonly error: ErrorAnswer } => {
    try {
      const { kind, code, message } = error;
      const data = errorDataDefinition === undefined
        ? error.data
        : show({ ref: errorDataDefinition }, error.data, { connection: context, check }, false, 0);
      if (data === HIDDEN) throw new TypeError("nothing of the error may be sent");
      if (check) {
        const base = Object.entries(errorRows).find(([, row]) => row.code === code)?.[0];
        assertValid(base === undefined ? undefined : errorValidators[base], data, "the data of " + kind);
      }
      return { error: { kind, code, message, data: data as ErrorAnswer["data"] } };
    } catch (problem) {
      return internal(problem, method, context);
    }
  };

  const result = (method: string, value: unknown, context: Here): Answer => {
    try {
      const row = own(methodRows, method);
      if (row === undefined) throw new TypeError("there is no method " + method);
      if (check) assertValid(methodValidators[method]?.result, value, "the result of " + method);
      const shown = show({ ref: row.result }, value, { connection: context, check }, false, 0);
      if (shown === HIDDEN) throw new TypeError("nothing of the result of " + method + " may be sent");
      return { result: shown };
    } catch (error) {
      return internal(error, method, context);
    }
  };

  /** A message to the peer. */
  const outgoing = (
    rows: Readonly<Record<string, MessageRow>>,
    validate: Check | undefined,
    method: string,
    params: unknown,
    context: Here,
  ): OutgoingMessage | undefined => {
    try {
      const row = own(rows, method);
      if (row === undefined) throw new TypeError("there is no message " + method);
      if (!maySee(method, row, context)) return undefined;
      if (check) assertValid(validate, params, "the params of " + method);
      if (row.params === undefined || params === undefined) return { method };
      const shown = show({ ref: row.params }, params, { connection: context, check }, false, 0);
      return shown === HIDDEN ? undefined : { method, params: shown };
    } catch (error) {
      report(error, method, context);
      return undefined;
    }
  };

  const refused = (error: unknown, method: string, context: Here): Answer =>
    isProtocolError(error) ? failure(error, method, context) : internal(error, method, context);
  const answered = (value: unknown, method: string, context: Here): Answer => {
    try {
      return isProtocolError(value) ? failure(value, method, context) : result(method, value, context);
    } catch (error) {
      return refused(error, method, context);
    }
  };
  const dispatch = (method: string, params: unknown, context: Here): Answer | Promise<Answer> => {
    try {
      const row = own(methodRows, method);
      const handler = table.get(method);
      if (row === undefined || handler === withheld || row.withheld.includes(profile)) {
        return { error: notFound(method) };
      }
      const descriptor = row.descriptor ?? method;
      if (row.stability !== undefined && !optedIn(context, descriptor)) {
        return { error: experimental("methodNotFound", descriptor) };
      }
      if (handler === undefined) return { error: notFound(method) };
      const given = params === undefined ? {} : params;
      const refusal = refusalOf(row, methodValidators[method]?.params, given, own(strictMembers, method), context);
      if (refusal !== undefined) return { error: refusal };
      const valid = row.params === undefined ? undefined : given;
      const value: unknown = handler.call(handlers, valid as never, context);
      if (!isThenable(value)) return answered(value, method, context);
      const later = (it: unknown) => answered(it, method, context);
      return Promise.resolve(value).then(later, (error) => refused(error, method, context));
    } catch (error) {
      return refused(error, method, context);
    }
  };

  const dispatchNotification = async (method: string, params: unknown, context: Here): Promise<void> => {
    try {
      const row = own(notificationRows, method);
      let refusal: ErrorAnswer | undefined;
      const given = params === undefined ? {} : params;
      if (row === undefined || row.direction !== "client-to-host") refusal = notFound(method);
      else if (row.stability !== undefined && !optedIn(context, row.descriptor ?? method)) {
        refusal = experimental("methodNotFound", row.descriptor ?? method);
      } else refusal = refusalOf(row, notificationValidators[method], given, undefined, context);
      if (refusal !== undefined) throw new ProtocolError(refusal);
      const valid = row?.params === undefined ? undefined : given;
      await listeners.get(method)?.call(options.notifications, valid as never, context);
    } catch (error) {
      report(error, method, context);
    }
  };

  return {
    dispatch,
    dispatchNotification,
    result: (method, value, context) => result(method, value, context) as never,
    notification: (method, params, context) =>
      outgoing(notificationRows, notificationValidators[method], method, params, context),
    request: (method, params, context) =>
      outgoing(requestRows, requestValidators[method]?.params, method, params, context),
  };
}

/** The entries of a table by name. What every object inherits is none of them. */
function tableOf<T>(table: object, names: readonly string[]): Map<string, T> {
  const entries = table as Readonly<Record<string, T | undefined>>;
  const found = new Map<string, T>();
  for (const name of names) {
    const entry = Object.hasOwn(table, name) || !(name in Object.prototype) ? entries[name] : undefined;
    if (entry !== undefined) found.set(name, entry);
  }
  return found;
}
`;
