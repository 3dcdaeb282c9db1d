/**
 * What the params of a command must be beyond their schema, by the words of the protocol. What is refused here admits
 * nothing and leaves no record.
 */
import { type ProtocolError, protocolError } from "../../generated/msp/experimental/server.js";
import type { TurnInputPart } from "../../generated/msp/experimental/types.js";
import { isUuid } from "./payloads.js";

type Params = Readonly<Record<string, unknown>>;

/** Members that name a session or a turn, by a UUID of any version. */
const UUIDS = ["sessionId", "turnId", "expectedTurnId"] as const;

/** Why params are refused: where, by which rule, and for people. */
export function invalidParams(instanceLocation: string, keyword: string, message: string): ProtocolError {
  const violations = [{ instanceLocation, keyword, message }];
  return protocolError(
    "invalidParams",
    { details: { violations } },
    `${instanceLocation || "the params"} ${message}`,
  );
}

/** Checks the params of a command; undefined where nothing is wrong. They fit their schema. */
export function refusalOf(method: string, params: Params): ProtocolError | undefined {
  for (const name of UUIDS) {
    const value = params[name];
    if (value !== undefined && !isUuid(value)) return invalidParams(`/${name}`, "format", "must be a UUID");
  }
  switch (method) {
    case "turn/start":
      return startRefusal(params) ?? inputRefusal(params, true);
    case "turn/steer":
      return inputRefusal(params, false);
    case "session/start":
      return rootsRefusal(params);
    case "session/rename":
      return String(params["name"]).trim() === ""
        ? invalidParams("/name", "minLength", "must not be empty")
        : undefined;
    default:
      return undefined;
  }
}

function startRefusal(params: Params): ProtocolError | undefined {
  const { workspaceRoots, ifBusy, userShell, input } = params as {
    workspaceRoots?: readonly string[];
    ifBusy?: string;
    userShell?: object;
    input: readonly TurnInputPart[];
  };
  if (workspaceRoots !== undefined && ifBusy === "steer")
    return invalidParams("/workspaceRoots", "not", "must not be there when the turn steers");
  if (workspaceRoots?.length === 0) return invalidParams("/workspaceRoots", "minItems", "must not be empty");
  if (userShell !== undefined && input.some(({ type }) => type === "text" || type === "skill"))
    return invalidParams("/userShell", "not", "must not be there beside texts and skills");
  if (input.length === 0 && userShell === undefined)
    return invalidParams("/input", "minItems", "must not be empty");
  return undefined;
}

function inputRefusal(params: Params, starts: boolean): ProtocolError | undefined {
  const input = params["input"] as readonly TurnInputPart[];
  if (!starts && input.length === 0) return invalidParams("/input", "minItems", "must not be empty");
  const skills = input.filter(({ type }) => type === "skill").length;
  for (const [i, part] of input.entries()) {
    const missing = (name: string) => invalidParams(`/input/${i}/${name}`, "required", "must be there");
    switch (part.type) {
      case "text":
        if (part.text === undefined) return missing("text");
        if (skills > 0) return invalidParams(`/input/${i}`, "not", "must not stand beside a skill");
        break;
      case "image":
        if (part.mediaType === undefined) return missing("mediaType");
        if (part.base64Data === undefined) return missing("base64Data");
        if (!isBase64(part.base64Data))
          return invalidParams(`/input/${i}/base64Data`, "contentEncoding", "must be base64, and not empty");
        break;
      case "skill":
        if (!starts) return invalidParams(`/input/${i}`, "not", "must not be sent into a running turn");
        if (part.selector === undefined) return missing("selector");
        if (skills > 1) return invalidParams(`/input/${i}`, "maxContains", "must be the only skill");
        break;
      case "video":
        if (part.uploadId === undefined) return missing("uploadId");
        if (skills > 0) return invalidParams(`/input/${i}`, "not", "must not stand beside a skill");
        break;
    }
  }
  return undefined;
}

function rootsRefusal(params: Params): ProtocolError | undefined {
  const { workspaceRoot, workspaceRoots } = params as {
    workspaceRoot?: string;
    workspaceRoots?: readonly string[];
  };
  if (workspaceRoots?.length === 0) return invalidParams("/workspaceRoots", "minItems", "must not be empty");
  if (workspaceRoot !== undefined && workspaceRoots !== undefined && workspaceRoots[0] !== workspaceRoot)
    return invalidParams("/workspaceRoots/0", "const", "must be the folder that workspaceRoot names");
  return undefined;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function isBase64(text: string): boolean {
  return text !== "" && text.length % 4 === 0 && BASE64.test(text);
}

/** What a turn refers to that this host does not have. Found anew each time: it is no rejection. */
export function missingOf(params: Params, sessionId: string): ProtocolError | undefined {
  for (const { type, selector, uploadId } of (params["input"] ?? []) as readonly TurnInputPart[]) {
    if (type === "skill") return protocolError("skillNotFound", { sessionId, selector: selector! });
    if (type === "video") return protocolError("uploadNotFound", { sessionId, uploadId: uploadId! });
  }
  return undefined;
}
