/** The OpenAPI 3.1 document of a bundle. */
import type { JsonObject, JsonValue } from "../../commands/app.js";
import { isJsonObject, withoutRequired, withReferences } from "../schema.js";
import { COMMAND_ID, type DoorMethod, type Surface } from "../surface.js";
import { PROBLEM, PROBLEM_SCHEMA, ProblemResponses } from "./problem-responses.js";
import { verbOf } from "./rest.js";

/** How the document is made. */
export interface OpenApiOptions {
  /** Whether requests without a token are let in. */
  readonly anonymous: boolean;
  /** Whether a repeated id is answered the first result, be it another command's. */
  readonly firstResult: boolean;
}

// Bare, or a string of RFC 9651.
const KEY_PATTERN = '^([!#-~]([ -~]*[!-~])?|"([ !#-\\[\\]-~]|\\\\["\\\\])+")$';

/** Makes the document. */
export function openApiDocument(surface: Surface, { anonymous, firstResult }: OpenApiOptions): JsonObject {
  const components = componentNames(Object.keys(surface.definitions));
  const convert = (schema: JsonValue): JsonValue =>
    withReferences(schema, (name) => `#/components/schemas/${components.get(name) ?? name}`);
  const problems = new ProblemResponses(surface, firstResult);
  const paths = Object.fromEntries(
    [...surface.methods.values()].map((method) => [
      method.path,
      { [verbOf(method).toLowerCase()]: operation(method, convert, firstResult, problems) },
    ]),
  );
  return {
    openapi: "3.1.1",
    info: {
      title: surface.title,
      version: String(surface.version),
      ...(surface.description === undefined ? {} : { description: surface.description }),
    },
    security: anonymous ? [{ bearer: [] }, {}] : [{ bearer: [] }],
    tags: [...new Set([...surface.methods.values()].map(tagOf))].sort().map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      schemas: {
        ...Object.fromEntries(
          Object.entries(surface.definitions).map(([name, schema]) => [
            components.get(name)!,
            convert(schema),
          ]),
        ),
        [PROBLEM]: PROBLEM_SCHEMA,
      },
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY },
      responses: problems.shared(),
    },
  };
}

/** Names as components may have them: letters, digits and `.-_`, each still different. */
function componentNames(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set([PROBLEM]);
  return new Map(
    names.map((name) => {
      const plain = name.replace(/[^A-Za-z0-9._-]/g, "_");
      let free = plain;
      for (let at = 2; taken.has(free); at++) free = `${plain}_${at}`;
      taken.add(free);
      return [name, free];
    }),
  );
}

function tagOf({ name }: DoorMethod): string {
  return name.split("/")[0]!;
}

function operation(
  method: DoorMethod,
  convert: (schema: JsonValue) => JsonValue,
  firstResult: boolean,
  problems: ProblemResponses,
): JsonObject {
  const { kind, description, flat, params } = method;
  return {
    operationId: method.tool,
    tags: [tagOf(method)],
    ...(description === undefined ? {} : { description }),
    ...(flat === undefined ? {} : { parameters: queryParameters(params, convert) }),
    ...(kind === "command" ? { parameters: [{ $ref: "#/components/parameters/IdempotencyKey" }] } : {}),
    ...(flat === undefined
      ? {
          requestBody: {
            required: true,
            content: {
              "application/json": {
                // The id may be in the header.
                schema: convert(kind === "command" ? withoutRequired(params, COMMAND_ID) : params),
              },
            },
          },
        }
      : {}),
    responses: {
      "200": {
        description:
          kind === "query" ? "The answer." : "What came of it; of a repeated id, what came of it first.",
        content: { "application/json": { schema: resultSchema(method, convert, firstResult) } },
      },
      ...problems.of(method),
    },
  };
}

function resultSchema(
  { kind, result }: DoorMethod,
  convert: (schema: JsonValue) => JsonValue,
  firstResult: boolean,
): JsonValue {
  const own = convert(result);
  return kind === "command" && firstResult ? { anyOf: [own, ANOTHER] } : own;
}

const ANOTHER: JsonObject = {
  description: "Where the id was given before: the first result, which may be that of another command.",
};

function queryParameters(params: JsonObject, convert: (schema: JsonValue) => JsonValue): JsonValue {
  const { properties, required } = params;
  const needed = Array.isArray(required) ? (required as readonly JsonValue[]) : [];
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]) => {
    const described = isJsonObject(schema) ? schema["description"] : undefined;
    return {
      name,
      in: "query",
      required: needed.includes(name),
      ...(typeof described === "string" ? { description: described } : {}),
      schema: convert(schema),
    };
  });
}

const IDEMPOTENCY_KEY: JsonObject = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: `The id of the command, bare or in quotes, where the body has no \`${COMMAND_ID}\`. One of the two has to be there; where both are, they have to be the same.`,
  schema: { type: "string", minLength: 1, pattern: KEY_PATTERN },
};
