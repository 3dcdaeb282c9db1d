/**
 * The product `server`: a typed handler table, and the dispatch that stands between it and a peer.
 */
import {
  type InterfaceDeclarationStructure,
  type OptionalKind,
  type PropertySignatureStructure,
  StructureKind,
} from "ts-morph";
import type { Json } from "../../bundle/json.js";
import type { Annotated, Protocol, Schema } from "../../model/protocol.js";
import { quote, typeName } from "../../plan/names.js";
import type { SurfacePlan } from "../../plan/plan.js";
import { printDeclarations } from "../declarations.js";
import { scriptHeader } from "../header.js";
import { VALUE, write } from "../literal.js";
import { record } from "../schema/translate.js";
import { docLines, sortedNames } from "../text.js";
import { restrictionsOf } from "./restrictions.js";
import { DECLARATIONS, DISPATCH } from "./runtime.js";
import { standardErrorsOf } from "./standard-errors.js";
import { WALKS } from "./walks.js";

/** The file of the product. */
export function emitServer(plan: SurfacePlan): Readonly<Record<string, string>> {
  const { protocol } = plan;
  const parts = [
    imports(protocol),
    DECLARATIONS,
    errorTypes(protocol),
    printDeclarations(handlers(protocol), notificationHandlers(protocol)),
    tables(protocol),
    WALKS,
    DISPATCH,
  ];
  return { "server.ts": scriptHeader(plan) + parts.join("\n") };
}

const TYPES = [
  "ClientNotification",
  "ClientNotificationParams",
  "MethodName",
  "MethodParams",
  "MethodResults",
  "ServerNotification",
  "ServerNotificationParams",
  "ServerRequestName",
  "ServerRequestParams",
];

function imports({ errorData }: Protocol): string {
  const types = [...TYPES];
  // Under a name of its own, since a definition may be called like something in this file.
  if (errorData !== undefined) types.push(`${typeName(errorData)} as ErrorDataOfProtocol`);
  return `import { errors, methods, notifications, requests } from "./tables.js";
import type {
${types.map((name) => `  ${name},\n`).join("")}} from "./types.js";
import {
  errors as errorChecks,
  methods as methodChecks,
  notifications as notificationChecks,
  requests as requestChecks,
  type Violation,
} from "./validators.js";
`;
}

function errorTypes({ errors, errorData }: Protocol): string {
  const kinds = sortedNames(new Set(errors.flatMap(({ kind, overrideKinds }) => [kind, ...overrideKinds])));
  const names = kinds.length === 0 ? "never" : kinds.map((kind) => `\n  | ${quote(kind)}`).join("");
  const details =
    errorData === undefined
      ? "{ readonly [name: string]: unknown; readonly retryable?: boolean | undefined }"
      : `Partial<Omit<ErrorDataOfProtocol, "kind" | "retryable">> & { readonly retryable?: boolean | undefined }`;
  return `/** A kind of error: one of the registry, or a kind that stands in for one. */
export type ErrorName = ${names};

/** What an error says besides its kind. */
export type ErrorDetails = ${details};
`;
}

function handlers({ methods }: Protocol): InterfaceDeclarationStructure {
  return table(
    "Handlers",
    "The methods that a host serves. A stable method has a handler or is {@link withheld}; an experimental one may be left out.",
    methods.map((method) => ({
      ...entry(method),
      hasQuestionToken: method.stability !== undefined,
      type: `Handler<${quote(method.name)}, Context> | Withheld${method.stability === undefined ? "" : " | undefined"}`,
    })),
  );
}

function notificationHandlers({ notifications }: Protocol): InterfaceDeclarationStructure {
  return table(
    "NotificationHandlers",
    "What a host does when a client notifies it.",
    notifications
      .filter(({ direction }) => direction === "client-to-host")
      .map((notification) => ({
        ...entry(notification),
        hasQuestionToken: true,
        type: `NotificationHandler<${quote(notification.name)}, Context> | undefined`,
      })),
  );
}

function table(
  name: string,
  doc: string,
  properties: OptionalKind<PropertySignatureStructure>[],
): InterfaceDeclarationStructure {
  return {
    kind: StructureKind.Interface,
    name,
    isExported: true,
    docs: [doc],
    typeParameters: [{ name: "Context", constraint: "object", default: "object" }],
    properties,
  };
}

function entry(message: Annotated & { readonly name: string }): OptionalKind<PropertySignatureStructure> {
  const lines = docLines(message);
  return {
    name: quote(message.name),
    isReadonly: true,
    ...(lines.length === 0 ? {} : { docs: [lines.join("\n")] }),
  };
}

function tables(protocol: Protocol): string {
  const strict = protocol.methods.flatMap((method): [string, Json][] => {
    const names = method.strict ? memberNames(protocol, method.params) : undefined;
    return names === undefined ? [] : [[method.name, names]];
  });
  const { errorData } = protocol;
  const restrictions = restrictionsOf(protocol);
  const ofErrors = errorData !== undefined && Object.hasOwn(restrictions, errorData);
  return `/** The errors that the server answers of its own accord. */
export const standardErrors = ${write(standardErrorsOf(protocol), "", VALUE)} as const;

/** Of each method that refuses unknown members of its params: the known ones. */
const strictMembers: Readonly<Record<string, readonly string[]>> = ${write(record(strict), "", VALUE)};

/** The definition by which the data of an error is restricted. */
const errorDataDefinition: string | undefined = ${ofErrors ? quote(errorData) : "undefined"};

/** What not every peer may send or be sent, by definition. */
const restrictions: Readonly<Record<string, Restriction>> = ${write(restrictions, "", VALUE)};
`;
}

/**
 * The members that the params of a strict method declare, whichever arm of a union declares them; nothing where they
 * declare what every other member must be, since then none is unknown.
 */
function memberNames({ definitions }: Protocol, params: string | undefined): string[] | undefined {
  const names = new Set<string>();
  let others = false;
  const visit = ({ ref, members, additional, union }: Schema): void => {
    others ||= additional !== undefined;
    for (const { name } of members ?? []) names.add(name);
    for (const arm of union?.arms ?? []) visit(arm);
    const target = ref === undefined ? undefined : definitions.get(ref);
    if (target !== undefined) visit(target.schema);
  };
  const definition = params === undefined ? undefined : definitions.get(params);
  if (definition !== undefined) visit(definition.schema);
  return others ? undefined : sortedNames(names);
}
