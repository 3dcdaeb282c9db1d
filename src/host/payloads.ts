/**
 * What the payload of an MSP command is: the rules that the bundle states in words, on top of what its schemas say.
 */
import { methods, payloads } from "../../generated/msp/experimental/tables.js";
import type {
  MethodParams,
  ModelSelection,
  SessionForkParams,
  SessionLeaveParams,
  SessionResumeParams,
  SkillImportParams,
  TurnInterruptParams,
  TurnStartParams,
} from "../../generated/msp/experimental/types.js";
import {
  checkPayload,
  decodePayload,
  type Frozen,
  type FrozenObject,
  type PayloadFault,
  type PayloadShape,
  type PayloadShapes,
  signatureOf,
} from "../ledger/signature.js";

/** The methods that take a command id. */
export type CommandName = {
  [M in keyof typeof methods]: (typeof methods)[M]["commandId"] extends "required" ? M : never;
}[keyof typeof methods];

/** Why a host refuses the params of a command before it looks at the id. A reason for `invalidParams`. */
export interface PayloadRefusal {
  /** `emptyText`: nothing is left of a text that is trimmed. `notCommandId`: not a UUID of version 7. */
  readonly fault: PayloadFault | "emptyText" | "notCommandId";
  /** Where in the params: a JSON Pointer. */
  readonly pointer: string;
}

/** What counts of a command's params. */
export interface CommandPayload {
  /** A frozen copy: known members, texts trimmed, UUIDs in lower case; without what is absent by its value. */
  readonly payload: FrozenObject;
  /** Present where the command must be refused: it leaves no record. */
  readonly refusal?: PayloadRefusal;
}

/** The values that stand for absence, by the words of the bundle. An empty text in a choice of a model is one, too. */
const DEFAULTS = {
  ModelSelection: { displayLabel: "", profileId: "", providerId: "" },
  SessionForkParams: { excludeItems: false },
  SessionLeaveParams: { stop: false },
  SessionResumeParams: { excludeItems: false },
  SkillImportParams: { dryRun: false, force: false },
  TurnInterruptParams: { retract: false },
  TurnStartParams: { ifBusy: "queue" },
} as const satisfies {
  readonly ModelSelection: Partial<ModelSelection>;
  readonly SessionForkParams: Partial<SessionForkParams>;
  readonly SessionLeaveParams: Partial<SessionLeaveParams>;
  readonly SessionResumeParams: Partial<SessionResumeParams>;
  readonly SkillImportParams: Partial<SkillImportParams>;
  readonly TurnInterruptParams: Partial<TurnInterruptParams>;
  readonly TurnStartParams: Partial<TurnStartParams>;
};

/** The text that a command is trimmed of white space in, by method. */
const TRIMMED = {
  "goal/edit": "objective",
  "goal/set": "objective",
  "subagent/followupTask": "body",
  "subagent/sendMessage": "body",
} as const satisfies { readonly [M in CommandName]?: keyof MethodParams[M] };

/** The id that names a new session, and not the session that a command is for. */
const STARTS_SESSION: CommandName = "session/start";

const SHAPES: PayloadShapes = {
  ...payloads,
  ...Object.fromEntries(
    Object.entries(DEFAULTS).map(([definition, defaults]) => [
      definition,
      withDefaults(payloads[definition]!, defaults),
    ]),
  ),
};

function withDefaults(shape: PayloadShape, defaults: Readonly<Record<string, unknown>>): PayloadShape {
  const members = { ...shape.members };
  for (const [name, value] of Object.entries(defaults)) members[name] = { ...members[name], default: value };
  return { ...shape, members };
}

/** Whether the id of a command is one of the host's, and not of the session that its params name. */
export function isHostScoped(method: CommandName, params: object): boolean {
  return method === STARTS_SESSION || (params as { readonly sessionId?: unknown }).sessionId === undefined;
}

/**
 * The payload of a command, taken once, at admission: later changes of `params` do not reach it. The params have been
 * validated. The command id does not belong to it, and the session id only where it names a session to be made.
 *
 * UUIDs are compared without letter case: in the payload they are in lower case. A UUID is one where a known member whose
 * name ends in `Id` has a text of that form; the same text in another member is a text.
 */
export function payloadOf(method: CommandName, params: object): CommandPayload {
  const trimmed: string | undefined = TRIMMED[method as keyof typeof TRIMMED];
  const payload = decodePayload(SHAPES, methods[method].params, params, {
    leaveOut: method === STARTS_SESSION ? HOST_KEY : SESSION_KEY,
    scalar:
      trimmed === undefined
        ? lowerCaseId
        : (value, name) => trimText(lowerCaseId(value, name), name === trimmed),
  });
  const found = checkPayload(payload);
  if (found !== undefined) return { payload, refusal: found };
  if (trimmed !== undefined && payload[trimmed] === "")
    return { payload, refusal: { fault: "emptyText", pointer: `/${trimmed}` } };
  return { payload };
}

const HOST_KEY = ["commandId"];
const SESSION_KEY = ["commandId", "sessionId"];

/** The signature of a payload: two commands under one id are the same exactly where it is. 43 characters. */
export function signature(method: CommandName, payload: FrozenObject): string {
  return signatureOf(method, payload);
}

/**
 * The key of a command id: the id in lower case.
 * It is refused where it is not a UUID of version 7 in the text form of RFC 9562.
 */
export function parseCommandId(
  text: unknown,
):
  | { readonly key: string; readonly refusal?: never }
  | { readonly key?: never; readonly refusal: PayloadRefusal } {
  if (isUuid(text) && text[14] === "7" && /[89ab]/i.test(text[19]!)) return { key: text.toLowerCase() };
  return { refusal: { fault: "notCommandId", pointer: "/commandId" } };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a value is the text of a UUID, of any version. */
export function isUuid(value: unknown): value is string {
  return typeof value === "string" && value.length === 36 && UUID.test(value);
}

function lowerCaseId(value: Frozen, name: string): Frozen {
  // The length is asked first, since it tells most texts from a UUID.
  return typeof value === "string" && value.length === 36 && name.endsWith("Id") && isUuid(value)
    ? value.toLowerCase()
    : value;
}

function trimText(value: Frozen, isTrimmed: boolean): Frozen {
  return isTrimmed && typeof value === "string" ? trimWhiteSpace(value) : value;
}

const WHITE_SPACE = /\p{White_Space}/u;

/**
 * A text without the white space at its ends, by Unicode's property White_Space. It has U+0085 and not U+FEFF, unlike
 * what `trim` takes away.
 */
export function trimWhiteSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && WHITE_SPACE.test(text[start]!)) start++;
  while (end > start && WHITE_SPACE.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}
