/** The pages of the protocol's tables: errors with rejections, capabilities, reserved identifiers. */
import type { Json, JsonObject } from "../../bundle/json.js";
import { type Annotated, type ErrorRow, forEachSchema, type Rejection } from "../../model/protocol.js";
import { anchorName } from "../../plan/names.js";
import { type Book, EXAMPLE, factList, paragraphs } from "./definition.js";
import { badges, code, details, heading, jsonBlock, plain, prose, table } from "./markdown.js";

/** The errors and the reasons of durable rejections. */
export function errorPage(book: Book): string[] {
  const { protocol, places, page } = book;
  const data = protocol.errorData;
  return [
    ...heading(1, "Errors"),
    ...(data === undefined
      ? []
      : [`The \`data\` of every error is ${places.definitionLink(data, page)}.`, ""]),
    ...(protocol.errors.length === 0 ? ["The protocol has no errors of its own.", ""] : []),
    ...table(
      ["Kind", "Code", "Retryable"],
      protocol.errors.map((row) => [
        places.errorLink(row.kind, page) + badges(row),
        String(row.code),
        retryable(row),
      ]),
    ).filter(() => protocol.errors.length > 0),
    ...protocol.errors.flatMap((row) => errorEntry(row, book)),
    ...heading(1, "Rejections"),
    ...(protocol.rejections.length === 0
      ? ["The protocol has no reasons of its own for rejecting a command.", ""]
      : ["Why a command is durably rejected. The set is open: an unknown reason is final too.", ""]),
    ...protocol.rejections.flatMap((row) => rejectionEntry(row, book)),
  ];
}

function retryable({ retryable: may }: ErrorRow): string {
  return may === undefined ? "not said" : may ? "yes" : "no";
}

function errorEntry(row: ErrorRow, book: Book): string[] {
  return [
    ...heading(2, plain(row.kind) + badges(row), anchorName("error", row.kind)),
    ...paragraphs(row, book),
    ...factList([
      `Code: ${row.code}`,
      `Retryable: ${retryable(row)}`,
      ...(row.overrideKinds.length === 0 ? [] : [`Other kinds: ${row.overrideKinds.map(code).join(", ")}`]),
      ...descriptorOf(row),
    ]),
    EXAMPLE,
    "",
    ...jsonBlock(errorExample(row, book)),
    ...rowSource(row.pointer, {
      code: row.code,
      kind: row.kind,
      ...(row.retryable === undefined ? {} : { retryable: row.retryable }),
      ...(row.overrideKinds.length === 0 ? {} : { overrideKinds: [...row.overrideKinds] }),
    }),
  ];
}

/** The error as it is answered. Its data names its kind, where the definition has a member for it. */
function errorExample(row: ErrorRow, { protocol, examples }: Book): JsonObject {
  const plainError: JsonObject = { code: row.code, message: row.title ?? row.kind };
  if (protocol.errorData === undefined) return plainError;
  const schema = protocol.definitions.get(protocol.errorData)?.schema;
  const data = examples.of(protocol.errorData, 0);
  if (schema === undefined || data === undefined) return plainError;
  const named = schema.members?.some(
    ({ name, schema: { types } }) => name === "kind" && types?.join() === "string",
  );
  if (typeof data !== "object" || data === null || Array.isArray(data) || named !== true)
    return { ...plainError, data };
  return { ...plainError, data: { ...data, kind: row.kind } };
}

function rejectionEntry({ reason, description, methods, definedBy }: Rejection, book: Book): string[] {
  return [
    ...heading(2, plain(reason), anchorName("rejection", reason)),
    ...paragraphs(description === undefined ? {} : { description }, book),
    ...factList([
      `Answered by: ${methods === undefined ? "any command" : methods.map((name) => book.places.messageLink(name, book.page)).join(", ")}`,
      `Word chosen by: the ${definedBy}`,
    ]),
    ...rowSource("/rejections", {
      reason,
      ...(methods === undefined ? {} : { methods: [...methods] }),
      definedBy,
    }),
  ];
}

/** What a client may be granted, and what for. */
export function capabilityPage(book: Book): string[] {
  const { protocol } = book;
  return [
    ...heading(1, "Capabilities"),
    ...(protocol.capabilities.length === 0 ? ["The protocol has no capabilities.", ""] : []),
    ...protocol.capabilities.flatMap((row) => {
      const gated = gatedBy(row.name, book);
      return [
        ...heading(2, plain(row.name) + badges(row), anchorName("capability", row.name)),
        ...paragraphs(row, book),
        ...factList([
          ...(gated.length === 0 ? [] : [`Needed for: ${gated.join(", ")}`]),
          ...descriptorOf(row),
        ]),
        ...rowSource(row.pointer, row.name),
      ];
    }),
    ...(protocol.reservedCapabilities.length === 0
      ? []
      : [
          ...heading(2, "Kept for later"),
          ...table(
            ["Name", "Reference"],
            protocol.reservedCapabilities.map(({ name, reference = "" }) => [
              code(name),
              prose(reference).join("<br>"),
            ]),
          ),
        ]),
  ];
}

/** Links to the messages and members that need a capability. */
function gatedBy(capability: string, { protocol, places, page }: Book): string[] {
  const messages = [...protocol.methods, ...protocol.notifications]
    .filter((entry) => entry.capability === capability)
    .map(({ name }) => places.messageLink(name, page));
  const members = [...protocol.definitions.values()].flatMap(({ name, schema }) => {
    const links: string[] = [];
    forEachSchema(schema, (node) => {
      for (const member of node.members ?? []) {
        if (member.schema.capability === capability)
          links.push(`${code(member.name)} of ${places.definitionLink(name, page)}`);
      }
    });
    return links;
  });
  return [...messages, ...members];
}

/** The identifiers that are never assigned. */
export function reservedPage({ protocol }: Book): string[] {
  return [
    ...heading(1, "Reserved identifiers"),
    ...(protocol.reserved.length === 0
      ? ["The protocol reserves none.", ""]
      : [
          "These are never assigned; `/reserved` in the schema bundle lists them.",
          "",
          ...table(
            ["Identifier", "Reference"],
            protocol.reserved.map(({ identifier, reference = "" }) => [
              code(identifier),
              prose(reference).join("<br>"),
            ]),
          ),
        ]),
  ];
}

function descriptorOf({ descriptor }: Annotated): string[] {
  return descriptor === undefined ? [] : [`Descriptor: ${code(descriptor)}`];
}

function rowSource(pointer: string, row: Json): string[] {
  return details("Source", [`${code(pointer)} in the schema bundle:`, "", ...jsonBlock(row)]);
}
