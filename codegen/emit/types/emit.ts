/**
 * The product `types`: one TypeScript file with a type for each definition and arm, a guard for each arm of an open
 * union, and the maps from method to params and result.
 */
import type { Definition, Protocol } from "../../model/protocol.js";
import { type NamedArm, namedArms } from "../../plan/exports.js";
import { quote, typeName } from "../../plan/names.js";
import type { SurfacePlan } from "../../plan/plan.js";
import { scriptHeader } from "../header.js";
import { commentText, docComment, docLines } from "../text.js";
import { memberBlock, typeOf } from "./type.js";

/** The text of `types.ts`. */
export function emitTypes(plan: SurfacePlan): string {
  const { protocol } = plan;
  const parts: string[] = [scriptHeader(plan)];
  for (const definition of protocol.definitions.values()) {
    let text = texts.get(definition);
    if (text === undefined) text = definitionType(definition, protocol);
    if (definition.schema.union === undefined) texts.set(definition, text);
    parts.push(text);
  }
  parts.push(messageMaps(protocol));
  return parts.join("");
}

/**
 * The projection keeps definitions that it need not change, so their text serves both surfaces. A union's does not:
 * the tags of its arms may stand in other definitions.
 */
const texts = new WeakMap<Definition, string>();

function definitionType(definition: Definition, protocol: Protocol): string {
  const { schema } = definition;
  const name = typeName(definition.name);
  const doc = docComment(docLines(definition, schema), "");
  const plain = schema.types?.length === 1 && schema.types[0] === "object" && schema.ref === undefined;
  if (plain && schema.constant === undefined && schema.members !== undefined && schema.members.length > 0) {
    return `${doc}export interface ${name} ${memberBlock(schema.members, schema.additional, "")}\n\n`;
  }
  const arms = namedArms(definition, protocol);
  if (arms.length === 0) return `${doc}export type ${name} = ${typeOf(schema, "")};\n\n`;
  return unionType(definition, arms, doc);
}

/** A union whose arms have names, the arms, and the guards that narrow an open union. */
function unionType(definition: Definition, arms: readonly NamedArm[], doc: string): string {
  const name = typeName(definition.name);
  const union = definition.schema.union!;
  const identifier = new Map(arms.map((arm) => [arm.schema, arm.identifier]));
  const alternatives = union.arms.map((arm) => identifier.get(arm) ?? typeOf(arm, ""));
  let text = `${doc}export type ${name} = ${[...new Set(alternatives)].join(" | ")};\n\n`;
  for (const arm of arms) {
    const values = arm.values.map(quote);
    if (arm.own) {
      const lines = docLines(arm.schema, arm.schema);
      if (lines.length === 0)
        lines.push(
          ...commentText(
            arm.catchAll ? `Any other ${name}.` : `${name} with \`${arm.tag}\` ${values.join(" or ")}.`,
          ),
        );
      text += `${docComment(lines, "")}export type ${arm.identifier} = ${armType(arm)};\n\n`;
    }
    if (union.open) text += guard(name, arm, values, arms.length < union.arms.length);
  }
  return text;
}

function armType({ schema }: NamedArm): string {
  if (schema.ref === undefined) return typeOf(schema, "");
  return `${typeName(schema.ref)} & ${memberBlock(schema.members ?? [], schema.additional, "")}`;
}

function guard(union: string, arm: NamedArm, values: readonly string[], mixed: boolean): string {
  const member = `value[${quote(arm.tag)}]`;
  let test = values
    .map((value) => `${member} ${arm.catchAll ? "!==" : "==="} ${value}`)
    .join(arm.catchAll ? " && " : " || ");
  // Beside arms that are not objects, a value may have no members to ask for.
  if (mixed) test = `typeof value === "object" && value !== null && !Array.isArray(value) && (${test})`;
  return (
    `/** Whether a valid {@link ${union}} is its arm {@link ${arm.identifier}}. */\n` +
    `export function ${arm.guard}(value: ${union}): value is ${arm.identifier} {\n  return ${test};\n}\n\n`
  );
}

/** What one map has: entries by method name. */
interface Entry {
  readonly name: string;
  readonly type: string | undefined;
  readonly doc: readonly string[];
}

function messageMaps(protocol: Protocol): string {
  const { methods, requests, notifications } = protocol;
  const params = (entry: { name: string; params?: string }): Entry => ({
    name: entry.name,
    type: entry.params,
    doc: docLines(entry as never),
  });
  const result = (entry: { name: string; result: string }): Entry => ({
    name: entry.name,
    type: entry.result,
    doc: [],
  });
  const sent = (direction: string): Entry[] =>
    notifications.filter((n) => n.direction === direction).map(params);
  return [
    map(
      "MethodParams",
      "The params of each method; `undefined` where a method takes none.",
      methods.map(params),
    ),
    map("MethodResults", "The result of each method.", methods.map(result)),
    keys("MethodName", "The name of a method.", "MethodParams"),
    map("ServerRequestParams", "The params of each request that the host sends.", requests.map(params)),
    map("ServerRequestResults", "What a client answers to each of them.", requests.map(result)),
    keys("ServerRequestName", "The name of a request that the host sends.", "ServerRequestParams"),
    map(
      "ServerNotificationParams",
      "The params of each notification that the host sends.",
      sent("host-to-client"),
    ),
    keys("ServerNotification", "The name of a notification that the host sends.", "ServerNotificationParams"),
    map(
      "ClientNotificationParams",
      "The params of each notification that a client sends.",
      sent("client-to-host"),
    ),
    keys("ClientNotification", "The name of a notification that a client sends.", "ClientNotificationParams"),
  ].join("\n");
}

function map(name: string, doc: string, entries: readonly Entry[]): string {
  const lines = entries.map(
    (entry) =>
      `${docComment(entry.doc, "  ")}  ${quote(entry.name)}: ${entry.type === undefined ? "undefined" : typeName(entry.type)};\n`,
  );
  return `/** ${doc} */\nexport interface ${name} {\n${lines.join("")}}\n`;
}

function keys(name: string, doc: string, of: string): string {
  return `/** ${doc} */\nexport type ${name} = keyof ${of};\n`;
}
