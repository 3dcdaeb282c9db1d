/**
 * The product `client`: one typed function per method, grouped as the methods' names are. It stands on a peer that
 * its user brings, and imports types only.
 */
import {
  type CodeBlockWriter,
  type FunctionDeclarationStructure,
  type InterfaceDeclarationStructure,
  type MethodSignatureStructure,
  type OptionalKind,
  type PropertySignatureStructure,
  StructureKind,
  type TypeElementMemberedNodeStructure,
  Writers,
} from "ts-morph";
import type { Method, Notification, Protocol } from "../../model/protocol.js";
import { propertyKey, quote } from "../../plan/names.js";
import type { SurfacePlan } from "../../plan/plan.js";
import { printDeclarations } from "../declarations.js";
import { scriptHeader } from "../header.js";
import { literalKey } from "../literal.js";
import { standardErrorsOf } from "../server/standard-errors.js";
import { commentText, docLines } from "../text.js";
import { type Group, groupsOf, needsParams } from "./groups.js";
import { CALLABLE, DECLARATIONS, FUNCTIONS, WITH_ID } from "./runtime.js";

/** The file of the product. */
export function emitClient(plan: SurfacePlan): Readonly<Record<string, string>> {
  const { protocol } = plan;
  const methods = groupsOf(protocol.methods);
  const sent = protocol.notifications.filter(({ direction }) => direction === "client-to-host");
  const notifications = groupsOf(sent);
  const parts = [
    imports(sent),
    DECLARATIONS,
    printDeclarations(clientOptions(protocol), clientInterface(protocol, methods, notifications)),
    FUNCTIONS,
    ...(hasCommands(protocol) ? [WITH_ID] : []),
    ...(isCallable(methods) || isCallable(notifications) ? [CALLABLE] : []),
    printDeclarations(createClient(protocol, methods, notifications)),
  ];
  return { "client.ts": scriptHeader(plan) + parts.join("\n") };
}

function imports(notifications: readonly Notification[]): string {
  const hasParams = notifications.some(({ params }) => params !== undefined);
  return `import type {
${hasParams ? "  ClientNotificationParams,\n" : ""}  MethodName,
  MethodParams,
  MethodResults,
  ServerNotification,
  ServerNotificationParams,
  ServerRequestName,
  ServerRequestParams,
  ServerRequestResults,
} from "./types.js";
`;
}

const OPTIONS = { name: "Options", constraint: "object", default: "object" } as const;

function hasCommands({ methods }: Protocol): boolean {
  return methods.some(({ commandId }) => commandId !== "none");
}

function clientOptions(protocol: Protocol): InterfaceDeclarationStructure {
  const properties: OptionalKind<PropertySignatureStructure>[] = [
    {
      name: "onError",
      isReadonly: true,
      hasQuestionToken: true,
      type: "(error: unknown, method: string) => void",
      docs: [
        "Gets what a handler threw. Without it, an error of a notification's handler goes to the peer, once all handlers ran.",
      ],
    },
  ];
  if (hasCommands(protocol)) {
    properties.unshift({
      name: "mintCommandId",
      isReadonly: true,
      type: "() => string",
      docs: ["Makes the id of a command that is given none: a new one at every call."],
    });
  }
  return {
    kind: StructureKind.Interface,
    name: "ClientOptions",
    isExported: true,
    docs: ["What a client needs besides its peer."],
    properties,
  };
}

function clientInterface(
  protocol: Protocol,
  methods: Group<Method>,
  notifications: Group<Notification>,
): InterfaceDeclarationStructure {
  const own = membersOf(methods, (method) => methodSignature(protocol, method));
  const notify = membersOf(notifications, (notification) => notifySignature(protocol, notification));
  const unsubscribe = { returnType: "() => void" };
  return {
    kind: StructureKind.Interface,
    name: "Client",
    isExported: true,
    docs: [
      `The methods of ${commentText(protocol.title).join(" ")} as functions. A promise rejects as the peer's \`request\` does.`,
    ],
    typeParameters: [OPTIONS],
    methods: [
      ...(own.methods ?? []),
      {
        name: "on",
        docs: ["Adds handlers of notifications; the function that is returned removes them."],
        parameters: [{ name: "handlers", type: "NotificationHandlers" }],
        ...unsubscribe,
      },
      {
        name: "handle",
        docs: [
          "Adds handlers of the host's requests, in place of earlier ones; the function that is returned removes them. A request without a handler is answered `methodNotFound`, one whose handler throws `internal`.",
        ],
        parameters: [{ name: "handlers", type: "RequestHandlers" }],
        ...unsubscribe,
      },
    ],
    properties: [
      ...(own.properties ?? []),
      {
        name: "notify",
        isReadonly: true,
        docs: ["What a client notifies the host of."],
        type: Writers.objectType(notify),
      },
    ],
  };
}

type Signature = Omit<OptionalKind<MethodSignatureStructure>, "name">;

/** The members of a group's type: its messages are methods, its groups properties. */
function membersOf<T>(
  group: Group<T>,
  signature: (message: T) => Signature,
): TypeElementMemberedNodeStructure {
  const methods: OptionalKind<MethodSignatureStructure>[] = [];
  const properties: OptionalKind<PropertySignatureStructure>[] = [];
  for (const [word, { message, members }] of group.members) {
    const name = propertyKey(word);
    if (members.size === 0) {
      if (message !== undefined) methods.push({ name, ...signature(message) });
      continue;
    }
    const inner = membersOf({ members }, signature);
    if (message === undefined) {
      properties.push({ name, isReadonly: true, type: Writers.objectType(inner) });
      continue;
    }
    const { docs, parameters = [], returnType = "void" } = signature(message);
    properties.push({
      name,
      isReadonly: true,
      ...(docs === undefined ? {} : { docs }),
      type: Writers.objectType({ ...inner, callSignatures: [{ parameters, returnType }] }),
    });
  }
  return { methods, properties };
}

function methodSignature(protocol: Protocol, method: Method): Signature {
  const name = quote(method.name);
  const isCommand = method.commandId !== "none";
  const options = {
    name: "options",
    hasQuestionToken: true,
    type: isCommand ? "CommandOptions<Options>" : "CallOptions<Options>",
  };
  const params = {
    name: "params",
    hasQuestionToken:
      method.params === undefined ||
      !needsParams(protocol, method.params, isCommand ? "commandId" : undefined),
    type: isCommand ? `CommandParams<${name}>` : `MethodParams[${name}]`,
  };
  return {
    ...docsOf(method),
    parameters: method.params === undefined ? [options] : [params, options],
    returnType: `Promise<MethodResults[${name}]>`,
  };
}

function notifySignature(protocol: Protocol, notification: Notification): Signature {
  const { name, params } = notification;
  const parameter = {
    name: "params",
    hasQuestionToken: params === undefined || !needsParams(protocol, params),
    type: `ClientNotificationParams[${quote(name)}]`,
  };
  return {
    ...docsOf(notification),
    parameters: params === undefined ? [] : [parameter],
    returnType: "void | Promise<void>",
  };
}

function docsOf(message: Method | Notification): { docs?: string[] } {
  const lines = docLines(message);
  return lines.length === 0 ? {} : { docs: [lines.join("\n")] };
}

function createClient(
  protocol: Protocol,
  methods: Group<Method>,
  notifications: Group<Notification>,
): FunctionDeclarationStructure {
  const commands = hasCommands(protocol);
  const { methodNotFound, internal } = standardErrorsOf(protocol);
  const answer = (error: unknown): string => {
    const { code, kind } = error as { readonly code: number; readonly kind: string };
    const retryable = protocol.errors.find((row) => row.kind === kind)?.retryable;
    return `${code}, ${quote(kind)}${retryable === undefined ? "" : `, ${retryable}`}`;
  };
  return {
    kind: StructureKind.Function,
    name: "createClient",
    isExported: true,
    docs: [`A client of ${commentText(protocol.title).join(" ")} on a peer.`],
    typeParameters: [OPTIONS],
    parameters: [
      { name: "peer", type: "Peer<Options>" },
      { name: "options", type: "ClientOptions", ...(commands ? {} : { initializer: "{}" }) },
    ],
    returnType: "Client<Options>",
    statements: [
      SETUP(answer(methodNotFound), answer(internal)),
      CALL,
      ...(commands ? [COMMAND] : []),
      (writer): void => {
        writer.write("return ").inlineBlock(() => {
          writeGroup(writer, methods, ({ name, params, commandId }) => {
            const maker = commandId !== "none" ? "command" : params === undefined ? "bare" : "call";
            return `${maker}(${quote(name)})`;
          });
          writer.write("notify: ").inlineBlock(() => {
            writeGroup(writer, notifications, ({ name }) => `notify(${quote(name)})`);
          });
          writer.write(",").newLine();
          writer.write("on: (handlers) => notificationTables.add(handlers),").newLine();
          writer.write("handle: (handlers) => requestTables.add(handlers),").newLine();
        });
        writer.write(";");
      },
    ],
  };
}

/** The members of an object literal, one a line. */
function writeGroup<T>(writer: CodeBlockWriter, group: Group<T>, expression: (message: T) => string): void {
  for (const [word, { message, members }] of group.members) {
    const inner = (): void => writeGroup(writer, { members }, expression);
    writer.write(`${literalKey(word)}: `);
    if (members.size === 0) writer.write(message === undefined ? "{}" : expression(message));
    else if (message === undefined) writer.inlineBlock(inner);
    else
      writer
        .write(`callable(${expression(message)}, `)
        .inlineBlock(inner)
        .write(")");
    writer.write(",").newLine();
  }
}

/** Whether some message has members. */
function isCallable<T>({ members }: Group<T>): boolean {
  return [...members.values()].some(
    (group) => (group.message !== undefined && group.members.size > 0) || isCallable(group),
  );
}

const SETUP = (notFound: string, internal: string): string => `const notificationTables = new Tables();
const requestTables = new Tables();
peer.onNotification((method, params) => {
  const thrown: unknown[] = [];
  for (const listener of notificationTables.of(method)) {
    try {
      listener(params as never);
    } catch (error) {
      if (options.onError === undefined) thrown.push(error);
      else options.onError(error, method);
    }
  }
  if (thrown.length > 0) throw thrown[0];
});
const refusal = (message: string, code: number, kind: string, retryable?: boolean): Answer => ({
  error: { code, message, data: retryable === undefined ? { kind } : { kind, retryable } },
});
peer.onRequest(async (method, params) => {
  const handler = requestTables.of(method).at(-1);
  if (handler === undefined) return refusal("there is no handler of " + method, ${notFound});
  try {
    return { result: defined(await handler(params as never)) };
  } catch (error) {
    options.onError?.(error, method);
    return refusal("internal error", ${internal});
  }
});`;

// What is returned sends before it returns, so that messages leave in the order of the calls.
const CALL = `const send = (method: string, params: unknown, options: object | undefined): Promise<never> =>
  peer.request(method, sendable(params, peer.writesJson), options as Options | undefined) as Promise<never>;
const call = (method: string) => (params?: unknown, options?: object) => send(method, params, options);
const bare = (method: string) => (options?: object) => send(method, undefined, options);
const notify = (method: string) => (params?: unknown) => peer.notify(method, sendable(params, peer.writesJson));`;

const COMMAND = `const command = (method: string) => (params?: object, how?: CommandOptions<object>): Promise<never> => {
  try {
    if (how === undefined) return send(method, withId(params, options.mintCommandId()), undefined);
    const { commandId = options.mintCommandId(), ...rest } = how;
    return send(method, withId(params, commandId), rest);
  } catch (error) {
    return Promise.reject(error);
  }
};`;
