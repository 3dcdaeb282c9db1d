/** The OpenAPI 3.1 document of a bundle. */
import type { JsonObject, JsonValue } from "../../commands/app.js";
import { REASONS, type ReasonRow } from "../reasons.js";
import { isJsonObject, withoutRequired, withReferences } from "../schema.js";
import { COMMAND_ID, type DoorMethod, type Surface } from "../surface.js";
import { PROBLEM_TYPE, PROBLEM_URN } from "./problem.js";
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
  return {
    openapi: "3.1.1",
    info: {
      title: surface.title,
      version: String(surface.version),
      ...(surface.description === undefined ? {} : { description: surface.description }),
    },
    security: anonymous ? [{ bearer: [] }, {}] : [{ bearer: [] }],
    tags: [...new Set([...surface.methods.values()].map(tagOf))].sort().map((name) => ({ name })),
    paths: Object.fromEntries(
      [...surface.methods.values()].map((method) => [
        method.path,
        { [verbOf(method).toLowerCase()]: operation(method, convert, firstResult) },
      ]),
    ),
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
      responses: problemResponses(),
    },
  };
}

const PROBLEM = "mspkit.Problem";

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
): JsonObject {
  const { kind, description, flat, params } = method;
  const statuses = kind === "query" ? QUERY_STATUSES : COMMAND_STATUSES;
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
      ...Object.fromEntries(
        statuses
          .filter((status) => flat === undefined || !BODY_STATUSES.has(status))
          .map((status) => [String(status), { $ref: `#/components/responses/Problem${status}` }]),
      ),
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

const rows: readonly (readonly [string, ReasonRow])[] = Object.entries(REASONS);
const ALL_STATUSES = [...new Set(rows.map(([, { status }]) => status))].sort((a, b) => a - b);
/** Statuses of other requests than those that the document has. */
const NOT_OF_OPERATIONS = new Set([405, 408, 426]);
const BODY_STATUSES = new Set([413, 415]);
const COMMAND_STATUSES = ALL_STATUSES.filter((status) => !NOT_OF_OPERATIONS.has(status));
const QUERY_STATUSES = COMMAND_STATUSES.filter((status) => ![410, 422].includes(status));

const STATUS_WORDS: Readonly<Record<number, string>> = {
  404: "There is no such thing. A reason of the application ends in `_not_found`.",
  409: "What was asked for does not go with how things stand: a reason of the application; or the first attempt still runs.",
};

function problemResponses(): JsonObject {
  return Object.fromEntries(
    COMMAND_STATUSES.map((status) => {
      const reasons = rows.filter(([, row]) => row.status === status);
      const told = reasons.map(
        ([reason, { message }]) => `- \`${reason}\`${message === undefined ? "" : `: ${message}`}`,
      );
      const words = [STATUS_WORDS[status] ?? "Rejected.", ...(told.length === 0 ? [] : ["", ...told])].join(
        "\n",
      );
      return [
        `Problem${status}`,
        {
          description: words,
          ...(status === 401
            ? { headers: { "WWW-Authenticate": { required: true, schema: { type: "string" } } } }
            : {}),
          ...(reasons.some(([, { retryAfterMs }]) => retryAfterMs !== undefined)
            ? {
                headers: {
                  "Retry-After": {
                    description: "Seconds after which it may be asked again, with the same id.",
                    schema: { type: "integer", minimum: 1 },
                  },
                },
              }
            : {}),
          content: { [PROBLEM_TYPE]: { schema: { $ref: `#/components/schemas/${PROBLEM}` } } },
        },
      ];
    }),
  );
}

const IDEMPOTENCY_KEY: JsonObject = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: `The id of the command, bare or in quotes, where the body has no \`${COMMAND_ID}\`. One of the two has to be there; where both are, they have to be the same.`,
  schema: { type: "string", minLength: 1, pattern: KEY_PATTERN },
};

const TEXT: JsonObject = { type: "string" };
const PROBLEM_SCHEMA: JsonObject = {
  type: "object",
  description: "Problem details of RFC 9457. `reason` is what programs branch on; an open set.",
  required: ["type", "title", "status", "kind", "reason", "retryable"],
  properties: {
    type: { type: "string", description: `\`${PROBLEM_URN}\` and the reason.` },
    title: { type: "string", description: "For people." },
    status: { type: "integer", minimum: 400, maximum: 599 },
    kind: { type: "string", description: "The kind of the error of JSON-RPC." },
    reason: TEXT,
    retryable: {
      type: "boolean",
      description: "Whether the same request may be sent again, with the same id.",
    },
    commandId: TEXT,
    retryAfterMs: { type: "integer", minimum: 0 },
    limitBytes: { type: "integer", minimum: 0 },
    details: { type: "object", description: "More of it; `violations` where the params are invalid." },
  },
};
