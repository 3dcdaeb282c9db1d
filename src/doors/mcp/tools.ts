/** The tools of MCP: one for each method of the bundle. */
import type { JsonObject } from "../../commands/app.js";
import { MAX_ID_CHARACTERS } from "../../commands/ids.js";
import { DoorError } from "../door-error.js";
import { isJsonObject, resolved, selfContained, withoutMember } from "../schema.js";
import { COMMAND_ID, type DoorMethod, type Surface } from "../surface.js";

/** The argument of a tool that has the id of a command. */
export const COMMAND_ID_ARGUMENT = "command_id";

/** A tool, as it is listed. */
export interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonObject & { readonly type: "object" };
  readonly outputSchema: JsonObject & { readonly type: "object" };
  readonly annotations: { readonly readOnlyHint: boolean; readonly idempotentHint?: true };
}

/** A tool with its method. */
export interface MethodTool {
  readonly tool: Tool;
  readonly method: DoorMethod;
  /** Whether results are no objects, and stand in one under `result`. */
  readonly wrapped: boolean;
}

/** How tools are made. */
export interface ToolOptions {
  /** Whether a command has to have an id: only then is a call that is repeated known to change nothing. */
  readonly requireCommandId: boolean;
  /** Whether a repeated id is answered the first result, be it another command's. */
  readonly firstResult: boolean;
}

/**
 * The tools of a bundle, by name.
 * @throws {DoorError} where the params of a command have a member `command_id` already
 */
export function toolsOf(
  surface: Surface,
  { requireCommandId: requireId, firstResult }: ToolOptions,
): ReadonlyMap<string, MethodTool> {
  return new Map(
    [...surface.methods.values()].map((method): [string, MethodTool] => {
      const { kind, tool: name, description } = method;
      const wrapped = resolved(method.result, surface.definitions)["type"] !== "object";
      const tool: Tool = {
        name,
        ...(description === undefined ? {} : { description }),
        inputSchema: selfContained(
          { ...inputOf(method, requireId), type: "object" },
          surface.definitions,
        ) as Tool["inputSchema"],
        outputSchema: selfContained(
          outputOf(method, wrapped, firstResult),
          surface.definitions,
        ) as Tool["outputSchema"],
        annotations: {
          readOnlyHint: kind === "query",
          ...(kind === "command" && requireId ? { idempotentHint: true } : {}),
        },
      };
      return [name, { tool, method, wrapped }];
    }),
  );
}

function inputOf({ name, kind, params }: DoorMethod, requireId: boolean): JsonObject {
  if (kind !== "command") return params;
  const { properties = {}, required = [], ...rest } = withoutMember(params, COMMAND_ID);
  if (isJsonObject(properties) && Object.hasOwn(properties, COMMAND_ID_ARGUMENT))
    throw new DoorError(
      "nameTaken",
      `the params of ${name} have a member ${COMMAND_ID_ARGUMENT} of their own`,
    );
  const needed = [...(required as readonly string[]), ...(requireId ? [COMMAND_ID_ARGUMENT] : [])];
  return {
    ...rest,
    properties: { ...(properties as JsonObject), [COMMAND_ID_ARGUMENT]: requireId ? ID : OPTIONAL_ID },
    ...(needed.length === 0 ? {} : { required: needed }),
  };
}

const ID: JsonObject = {
  type: "string",
  minLength: 1,
  maxLength: MAX_ID_CHARACTERS,
  description: "The id of this change. The same id again changes nothing more, and gives the first result.",
};
const OPTIONAL_ID: JsonObject = {
  ...ID,
  description: `${ID["description"] as string} Without one, every call changes something.`,
};

const TEXT: JsonObject = { type: "string" };
/** What a rejection says, beside what else it says. */
const REJECTION: JsonObject = {
  description: "Where the tool failed: why. `reason` is the word to branch on.",
  type: "object",
  properties: { reason: TEXT, message: TEXT, kind: TEXT, retryable: { type: "boolean" }, commandId: TEXT },
  required: ["reason", "message", "kind", "retryable"],
};

const ANOTHER: JsonObject = {
  description: "Where the id was given before: the first result, which may be that of another tool.",
  type: "object",
};

// Clients hold the content of errors to the schema as well.
function outputOf({ kind, result }: DoorMethod, wrapped: boolean, firstResult: boolean): JsonObject {
  const output: JsonObject = wrapped
    ? { type: "object", properties: { result }, required: ["result"] }
    : result;
  const another = kind === "command" && firstResult ? [ANOTHER] : [];
  return { type: "object", anyOf: [output, REJECTION, ...another] };
}
