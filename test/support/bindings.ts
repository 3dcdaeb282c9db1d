/** A generated client and a generated server, loaded, and the peer in memory that lies between them. */
import { emitClient } from "../../codegen/emit/client/emit.js";
import { emitServer } from "../../codegen/emit/server/emit.js";
import type { SurfacePlan } from "../../codegen/index.js";
import { clientMember } from "../../codegen/plan/names.js";
import { loadModule, textOf, type Validators } from "./compile.js";
import { erase } from "./typescript.js";

/** An error as a generated server answers it. */
export interface ErrorAnswer {
  readonly kind: string;
  readonly code: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a request is answered. */
export interface Answer {
  readonly result?: unknown;
  readonly error?: ErrorAnswer;
}

/** What a connection may use. */
export interface Connection {
  readonly grants: ReadonlySet<string> | readonly string[];
  readonly experimental: boolean | readonly string[];
}

/** A handler of anything. */
export type Handler = (params: unknown, context?: unknown) => unknown;

interface Message {
  readonly method: string;
  readonly params?: unknown;
}

/** A generated server, without its types. */
export interface Server {
  dispatch(method: string, params: unknown, context: Connection): Answer | Promise<Answer>;
  dispatchNotification(method: string, params: unknown, context: Connection): Promise<void>;
  result(method: string, value: unknown, context: Connection): Answer;
  notification(method: string, params: unknown, context: Connection): Message | undefined;
  request(method: string, params: unknown, context: Connection): Message | undefined;
}

/** What a generated server module exports. */
export interface ServerModule {
  readonly withheld: "withheld";
  readonly standardErrors: Readonly<Record<string, { readonly code: number; readonly kind: string }>>;
  createServer(handlers: object, options?: object): Server;
  protocolError(kind: string, data?: object, message?: string, code?: number): Error & ErrorAnswer;
  isProtocolError(value: unknown): boolean;
}

/** What a client stands on. */
export interface Peer {
  request(method: string, params: unknown, options?: object): Promise<unknown>;
  notify(method: string, params: unknown): void | Promise<void>;
  onNotification(listener: (method: string, params: unknown) => void): void;
  onRequest(listener: (method: string, params: unknown) => Promise<Answer>): void;
}

/** A generated client, without its types. */
export interface Client {
  readonly notify: object;
  on(handlers: object): () => void;
  handle(handlers: object): () => void;
}

/** What a generated client module exports. */
export interface ClientModule {
  createClient(peer: Peer, options?: object): Client;
}

/** One row of a table of methods, notifications or requests. */
export interface Row {
  readonly params?: string;
  readonly result: string;
  readonly commandId?: string;
  readonly direction?: string;
  readonly stability?: string;
  readonly descriptor?: string;
  readonly gates?: readonly { readonly path: string; readonly descriptor?: string }[];
  readonly capability?: string;
  readonly strict?: boolean;
  readonly withheld?: readonly string[];
}

/** What a generated tables module exports. */
export interface Tables {
  readonly methods: Readonly<Record<string, Row>>;
  readonly notifications: Readonly<Record<string, Row>>;
  readonly requests: Readonly<Record<string, Row>>;
  readonly capabilities: Readonly<Record<string, object>>;
  readonly errors: Readonly<
    Record<
      string,
      { readonly code: number; readonly retryable?: boolean; readonly overrideKinds: readonly string[] }
    >
  >;
}

/** The bindings of one surface. */
export interface Bindings {
  readonly plan: SurfacePlan;
  readonly server: ServerModule;
  readonly client: ClientModule;
  readonly tables: Tables;
  readonly validators: Validators;
}

/** What a poisoned product has instead of what the emitter printed. */
export interface Poison {
  readonly client?: (text: string) => string;
  readonly server?: (text: string) => string;
  readonly validators?: (text: string) => string;
}

/** The bindings of a plan, loaded from their texts; a poison changes a text before. */
export async function bindingsOf(plan: SurfacePlan, poison: Poison = {}): Promise<Bindings> {
  const { client = same, server = same, validators = same } = poison;
  const texts = {
    "./tables.js": await textOf(plan, "tables", "tables.js"),
    "./validators.js": validators(await textOf(plan, "validators", "validators.js")),
  };
  let code = erase(server(emitServer(plan)["server.ts"] as string));
  for (const [name, text] of Object.entries(texts)) code = code.replace(`"${name}"`, `"${address(text)}"`);
  return {
    plan,
    server: (await loadModule(code)) as ServerModule,
    client: (await loadModule(erase(client(emitClient(plan)["client.ts"] as string)))) as ClientModule,
    tables: (await loadModule(texts["./tables.js"])) as Tables,
    validators: (await loadModule(texts["./validators.js"])) as Validators,
  };
}

function same(text: string): string {
  return text;
}

function address(text: string): string {
  return `data:text/javascript;base64,${Buffer.from(text).toString("base64")}`;
}

/** A text with one part of it replaced; a part that is not there fails the test. */
export function replaced(text: string, part: string | RegExp, by: string): string {
  const out = text.replace(part, by);
  if (out === text) throw new Error(`${String(part)} is not in the text`);
  return out;
}

/** A value as it is after a trip over the wire; undefined where there is none. */
export function wired<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}

/** A peer in memory, on a server, with what it sent. */
export class MemoryPeer implements Peer {
  readonly sent: {
    readonly method: string;
    readonly params: unknown;
    readonly options?: object | undefined;
  }[] = [];
  readonly #server: Server;
  readonly #connection: Connection;
  #notified: (method: string, params: unknown) => void = () => {};
  #asked: (method: string, params: unknown) => Promise<Answer> = () => Promise.reject(new Error("no client"));

  constructor(server: Server, connection: Connection) {
    this.#server = server;
    this.#connection = connection;
  }

  async request(method: string, params: unknown, options?: object): Promise<unknown> {
    this.sent.push({ method, params, options });
    const answer = wired(await this.#server.dispatch(method, wired(params), this.#connection));
    if (answer.error !== undefined) throw answer.error;
    return answer.result;
  }

  async notify(method: string, params: unknown): Promise<void> {
    this.sent.push({ method, params });
    await this.#server.dispatchNotification(method, wired(params), this.#connection);
  }

  onNotification(listener: (method: string, params: unknown) => void): void {
    this.#notified = listener;
  }

  onRequest(listener: (method: string, params: unknown) => Promise<Answer>): void {
    this.#asked = listener;
  }

  /** Sends a notification of the host to the client. */
  tell(message: Message | undefined): void {
    if (message !== undefined) this.#notified(message.method, wired(message.params));
  }

  /** Sends a request of the host to the client. */
  async ask(message: Message | undefined): Promise<Answer | undefined> {
    return message === undefined
      ? undefined
      : wired(await this.#asked(message.method, wired(message.params)));
  }
}

/** The function of a client, or of its notifications, that sends a message; undefined where it has none. */
export function functionOf(client: object, method: string): ((...args: unknown[]) => unknown) | undefined {
  let part: unknown = client;
  for (const word of method.split("/")) {
    if ((typeof part !== "object" && typeof part !== "function") || part === null) return undefined;
    part = Object.getOwnPropertyDescriptor(part, clientMember(word))?.value;
  }
  return typeof part === "function" ? (part as (...args: unknown[]) => unknown) : undefined;
}
