/**
 * The problems of the OpenAPI document: which reasons each operation may be answered, by their statuses, with an example of
 * each. A reason is told by what doors do with it, so that the document has no status that is not answered.
 */
import type { JsonObject } from "../../commands/app.js";
import { REJECTIONS } from "../../commands/rejections.js";
import { REASONS, type ReasonRow, reasonRow } from "../reasons.js";
import type { DoorMethod, Surface } from "../surface.js";
import { PROBLEM_TYPE, PROBLEM_URN, problemOf } from "./problem.js";

/** Name of the schema of all problems. */
export const PROBLEM = "mspkit.Problem";

/** A reason that may be answered. */
interface Told {
  readonly reason: string;
  readonly status: number;
  readonly words: string | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  /** Whether it is told with the id. */
  readonly withId: boolean;
}

const ROWS: Readonly<Record<string, ReasonRow>> = REASONS;
const WORDS: Readonly<Record<string, { readonly message: string; readonly retryable: boolean }>> = REJECTIONS;

/** The same responses for all operations of a kind. */
const KINDS = {
  command: "Command",
  action: "Action",
  query: "Query",
  postedQuery: "PostedQuery",
} as const;

/** See above. */
export class ProblemResponses {
  readonly #surface: Surface;
  readonly #firstResult: boolean;
  readonly #shared = new Map<string, JsonObject>();

  constructor(surface: Surface, firstResult: boolean) {
    this.#surface = surface;
    this.#firstResult = firstResult;
  }

  /** The responses of an operation that are problems, by their statuses. */
  of(method: DoorMethod): JsonObject {
    const ofAll = [...this.#ofDoors(method), ...this.#ofApplication(method, undefined)];
    const own = this.#ofApplication(method, method.name);
    // A reason that the bundle does not list is answered one of these.
    const statuses = new Set([
      404,
      409,
      ...ofAll.map(({ status }) => status),
      ...own.map(({ status }) => status),
    ]);
    return Object.fromEntries(
      [...statuses]
        .sort((a, b) => a - b)
        .map((status) => {
          const at = (told: readonly Told[]) => told.filter((row) => row.status === status);
          const mine = at(own);
          const all = [...mine, ...at(ofAll)];
          if (mine.length > 0) return [String(status), response(status, all, method)];
          const name = `${KINDS[method.kind === "query" && method.flat === undefined ? "postedQuery" : method.kind]}Problem${status}`;
          if (!this.#shared.has(name)) this.#shared.set(name, response(status, all, method));
          return [String(status), { $ref: `#/components/responses/${name}` }];
        }),
    );
  }

  /** The responses that operations share, by their names: those of which {@link of} was asked. */
  shared(): JsonObject {
    return Object.fromEntries([...this.#shared].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #ofDoors(method: DoorMethod): Told[] {
    return Object.entries(ROWS)
      .filter(([, row]) => this.#isAnswered(row, method))
      .map(([reason, row]) => ({
        reason,
        status: row.status,
        words: row.message ?? WORDS[reason]?.message,
        retryable: row.retryable ?? WORDS[reason]?.retryable ?? false,
        retryAfterMs: row.retryAfterMs,
        withId: row.to === "checked" || (row.to === "change" && reason !== "command_id_malformed"),
      }));
  }

  #isAnswered({ to }: ReasonRow, { kind, flat }: DoorMethod): boolean {
    switch (to) {
      case "body":
        return flat === undefined;
      case "change":
        return kind !== "query";
      case "command":
        return kind === "command";
      case "checked":
        return kind !== "query" && !this.#firstResult;
      case "other":
        return false;
      default:
        return true;
    }
  }

  /** Of the reasons that the bundle lists, and doors do not have, those of one method, or of all. */
  #ofApplication({ kind }: DoorMethod, name: string | undefined): Told[] {
    return this.#surface.rejections
      .filter(({ reason }) => !Object.hasOwn(ROWS, reason))
      .filter(({ methods }) =>
        name === undefined ? methods === undefined : methods?.includes(name) === true,
      )
      .map(({ reason, description }) => ({
        reason,
        status: reasonRow(reason, kind === "query" ? "query" : "command").status,
        words: description,
        retryable: false,
        retryAfterMs: undefined,
        withId: kind !== "query",
      }));
  }
}

const STATUS_WORDS: Readonly<Record<number, string>> = {
  404: "There is no such thing. A reason of the application ends in `_not_found`.",
  409: "What was asked for does not go with how things stand: a reason of the application.",
};

function response(status: number, told: readonly Told[], { kind }: DoorMethod): JsonObject {
  const lines = told.map(({ reason, words }) => `- \`${reason}\`${words === undefined ? "" : `: ${words}`}`);
  const again = told.some(({ retryAfterMs }) => retryAfterMs !== undefined);
  return {
    description: [STATUS_WORDS[status] ?? "Rejected.", ...(lines.length === 0 ? [] : ["", ...lines])].join(
      "\n",
    ),
    ...(status === 401 || again
      ? { headers: { ...(status === 401 ? WWW_AUTHENTICATE : {}), ...(again ? RETRY_AFTER : {}) } }
      : {}),
    content: {
      [PROBLEM_TYPE]: {
        schema: {
          allOf: [{ $ref: `#/components/schemas/${PROBLEM}` }],
          properties: {
            status: { const: status },
            // An open set.
            reason: {
              type: "string",
              ...(told.length === 0 ? {} : { examples: told.map(({ reason }) => reason) }),
            },
          },
        },
        ...(told.length === 0
          ? {}
          : { examples: Object.fromEntries(told.map((row) => [row.reason, { value: example(row, kind) }])) }),
      },
    },
  };
}

/** What would be answered. */
function example({ reason, words, retryable, withId }: Told, kind: DoorMethod["kind"]): JsonObject {
  const commandId = withId && kind === "command" ? EXAMPLE_ID : undefined;
  const asked = kind === "query" ? "query" : "command";
  return { ...problemOf({ reason, message: words ?? reason, retryable }, { asked, commandId }) };
}

const EXAMPLE_ID = "0199c1a4-7d1e-7c3b-9a64-2f6f0d1e8b57";

const WWW_AUTHENTICATE: JsonObject = { "WWW-Authenticate": { required: true, schema: { type: "string" } } };

const RETRY_AFTER: JsonObject = {
  "Retry-After": {
    description: "Seconds after which it may be asked again, with the same id.",
    schema: { type: "integer", minimum: 1 },
  },
};

const TEXT: JsonObject = { type: "string" };
/** The schema of all problems. */
export const PROBLEM_SCHEMA: JsonObject = {
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
