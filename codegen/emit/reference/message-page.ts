/** The page of a family of messages: its methods, notifications and server requests. */
import type { Json } from "../../bundle/json.js";
import { compareNames } from "../../bundle/pointer.js";
import type { Annotated, Method, Notification, Protocol, ServerRequest } from "../../model/protocol.js";
import { anchorName, familyOf } from "../../plan/names.js";
import { reference } from "../schema/translate.js";
import { type Book, definitionEntry, factList, paragraphs } from "./definition.js";
import { badges, code, details, heading, jsonBlock, plain } from "./markdown.js";
import { link, messagePageOf } from "./places.js";

/** The messages of one page. */
export interface Family {
  readonly title: string;
  readonly methods: readonly Method[];
  readonly notifications: readonly Notification[];
  readonly requests: readonly ServerRequest[];
}

/** The codes that JSON-RPC itself gives a meaning. */
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

/** The lines of the page, without its head. */
export function messagePage(family: Family, book: Book): string[] {
  const { methods, notifications, requests } = family;
  return [
    ...heading(1, plain(family.title)),
    ...contents("Methods", "method", methods, book),
    ...contents("Notifications", "notification", notifications, book),
    ...contents("Server requests", "request", requests, book),
    ...methods.flatMap((method) => methodEntry(method, book)),
    ...notifications.flatMap((notification) => notificationEntry(notification, book)),
    ...requests.flatMap((request) => requestEntry(request, book)),
  ];
}

function contents(
  title: string,
  kind: keyof typeof HEADS,
  entries: readonly (Annotated & { readonly name: string })[],
  { page }: Book,
): string[] {
  if (entries.length === 0) return [];
  const links = entries.map(
    (entry) => link(plain(entry.name), { page, anchor: anchorName(kind, entry.name) }, page) + badges(entry),
  );
  return [`**${title}**: ${links.join(" · ")}`, ""];
}

/** What the kind of a method means. */
export const KINDS: Readonly<Record<Method["kind"], string>> = {
  command: "command, which changes something once for each `commandId`",
  query: "query, which changes nothing",
  action: "action, which changes something each time it is called",
};

/** How long the record of a command lives. */
const RECORDS: Readonly<Record<NonNullable<Method["record"]>, string>> = {
  durable: "durable",
  "host-lifetime": "kept while the host runs",
};

function methodEntry(method: Method, book: Book): string[] {
  const { places, page, protocol } = book;
  const rejections = protocol.rejections.filter(
    ({ methods }) => method.kind === "command" && (methods === undefined || methods.includes(method.name)),
  );
  return [
    ...messageHead("method", method, book),
    ...factList([
      `Kind: ${KINDS[method.kind]}`,
      ...(method.kind === "command" ? [`\`commandId\`: ${method.commandId}`] : []),
      ...(method.record === undefined ? [] : [`Record: ${RECORDS[method.record]}`]),
      ...needs(method, book),
      ...(method.params === undefined
        ? []
        : [`Unknown members of the params: ${method.strict ? "refused" : "ignored"}`]),
      ...method.withheld.map((profile) => `Withheld by: ${profile} hosts`),
      ...errorFacts(method, book),
      ...(rejections.length === 0
        ? []
        : [`Rejections: ${rejections.map(({ reason }) => places.rejectionLink(reason, page)).join(", ")}`]),
    ]),
    ...entrySource(method, {
      ...(method.params === undefined ? {} : { params: method.params }),
      result: method.result,
    }),
    ...part("Params", method.params, book),
    ...part("Result", method.result, book),
  ];
}

/** The errors that follow from what the model says of a method. */
function errorFacts(method: Method, { places, page, protocol }: Book): string[] {
  const kinds = new Set<string>();
  const byCode = (wanted: number): void => {
    for (const { code: number, kind } of protocol.errors) if (number === wanted) kinds.add(kind);
  };
  if (method.withheld.length > 0 || method.stability !== undefined) byCode(METHOD_NOT_FOUND);
  if (method.params !== undefined) byCode(INVALID_PARAMS);
  if (method.capability !== undefined && protocol.errors.some(({ kind }) => kind === "capabilityRequired"))
    kinds.add("capabilityRequired");
  return kinds.size === 0
    ? []
    : [`Errors: ${[...kinds].map((kind) => places.errorLink(kind, page)).join(", ")}`];
}

function notificationEntry(notification: Notification, book: Book): string[] {
  return [
    ...messageHead("notification", notification, book),
    ...factList([
      `Direction: ${notification.direction === "client-to-host" ? "from the client to the host" : "from the host to the client"}`,
      ...(notification.direction === "client-to-host"
        ? []
        : [
            `Scope: ${notification.scope === "view" ? "an event of a session's view, with a cursor" : "outside any view"}`,
          ]),
      ...(notification.protected ? ["Protected: never dropped, replaced by a gap, or opted out of"] : []),
      ...needs(notification, book),
    ]),
    ...entrySource(notification, notification.params === undefined ? {} : { params: notification.params }),
    ...part("Params", notification.params, book),
  ];
}

function requestEntry(request: ServerRequest, book: Book): string[] {
  return [
    ...messageHead("request", request, book),
    ...factList([
      "Direction: from the host to the client, which answers it",
      ...(request.protected ? ["Protected: never dropped or opted out of"] : []),
      ...needs(request, book),
    ]),
    ...entrySource(request, {
      ...(request.params === undefined ? {} : { params: request.params }),
      result: request.result,
    }),
    ...part("Params", request.params, book),
    ...part("Result", request.result, book),
  ];
}

const HEADS = { method: "", notification: " (notification)", request: " (server request)" } as const;

function messageHead(
  kind: keyof typeof HEADS,
  entry: Annotated & { readonly name: string },
  book: Book,
): string[] {
  return [
    "---",
    "",
    ...heading(2, plain(entry.name) + HEADS[kind] + badges(entry), anchorName(kind, entry.name)),
    ...paragraphs(entry, book),
  ];
}

function needs(
  entry: { readonly capability?: string; readonly descriptor?: string },
  { places, page }: Book,
): string[] {
  return [
    ...(entry.capability === undefined
      ? []
      : [`Capability: ${places.capabilityLink(entry.capability, page)}`]),
    ...(entry.descriptor === undefined ? [] : [`Descriptor: ${code(entry.descriptor)}`]),
  ];
}

/** The params or the result of a message: in full where only this message has them. */
function part(title: string, definition: string | undefined, book: Book): string[] {
  if (definition === undefined)
    return [...heading(3, title), "None; the message has no `params` member.", ""];
  const target = book.protocol.definitions.get(definition);
  if (target !== undefined && book.places.isInMessage(definition)) {
    return definitionEntry(target, 3, book, `${title}: ${plain(definition)}`);
  }
  return [
    ...heading(3, title),
    `${book.places.definitionLink(definition, book.page)}, as other messages.`,
    "",
  ];
}

/** The place of the message in the bundle, and what it says of its shape there. */
function entrySource(entry: Annotated, definitions: Readonly<Record<string, string>>): string[] {
  const node: Json = Object.fromEntries(
    Object.entries(definitions).map(([key, name]) => [key, { $ref: reference(name) }]),
  );
  return details("Source", [`${code(entry.pointer)} in the schema bundle:`, "", ...jsonBlock(node)]);
}

/** The families of a surface by page, in the order of the pages. */
export function familiesOf({ methods, notifications, requests }: Protocol): Map<string, Family> {
  const names = [...methods, ...notifications, ...requests].map(({ name }) => name);
  const pages = [...new Set(names.map(messagePageOf))].sort(compareNames);
  return new Map(
    pages.map((page) => {
      const here = ({ name }: { readonly name: string }): boolean => messagePageOf(name) === page;
      const families = new Set(names.filter((name) => messagePageOf(name) === page).map(familyOf));
      return [
        page,
        {
          title: [...families].sort(compareNames).join(", "),
          methods: methods.filter(here),
          notifications: notifications.filter(here),
          requests: requests.filter(here),
        },
      ];
    }),
  );
}
