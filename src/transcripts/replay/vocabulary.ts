/**
 * What the members of a host's frames are to a replay, by their names: ids and cursors that a host mints, what tells
 * one host, machine or hour from another, and, by not being named here, what must be as it was recorded.
 */

/**
 * Members whose text a host mints, with the kind of thing that they name. Within a kind a recorded text and the one
 * that stands for it pair one to one. A turn may be named after the command that asked for it, so the two are one
 * kind; an item and its task are two, since they have one id at some hosts and two at others.
 */
const MINTED: Readonly<Record<string, string>> = {
  ...kind("session", "sessionId", "sessionIds", "childSessionId", "parentSessionId", "sideSessionId"),
  ...kind("session", "requesterSessionId"),
  ...kind("command", "commandId", "decidedByCommandId", "lastCommandId", "sourceCommandId"),
  ...kind("command", "turnId", "activeTurnId", "expectedTurnId", "lastTurnId", "lastGoodTurnId"),
  ...kind("item", "itemId", "afterItemId", "throughItemId", "terminalRowAfterItemId", "cellItemId"),
  ...kind("call", "callId", "toolCallId"),
  ...kind("run", "workflowRunId", "resumeFromRunId"),
  ...kind("approval", "approvalId"),
  ...kind("admission", "admissionId"),
  ...kind("userInput", "userInputId"),
  ...kind("task", "taskId"),
  ...kind("subagent", "subagentId"),
  ...kind("child", "childId"),
  ...kind("childRun", "childRunId"),
  ...kind("job", "jobId"),
  ...kind("work", "workId"),
  ...kind("monitor", "monitorId"),
  ...kind("subscription", "subscriptionId"),
  ...kind("generation", "generationId"),
  ...kind("construction", "constructionId"),
  ...kind("attachment", "attachmentId"),
  ...kind("hint", "hintId"),
  ...kind("providerItem", "providerItemId"),
  ...kind("record", "sourceRunRecordId", "causation_id"),
  ...kind("cursor", "viewCursor", "cursor", "nextCursor", "after", "next", "earliestCursor"),
  ...kind("cursor", "boundaryCursor", "latestBoundaryCursor", "cutCursor", "summarizedThrough"),
};

/** Members whose value is a host's own; that they are there is compared. */
const OWN_PATH = new Set([
  "result.serverInfo",
  "result.userAgent",
  "result.museHome",
  "result.platformFamily",
  "result.platformOs",
  "result.schema.fingerprint",
  // Text for people, on which nobody may branch.
  "error.message",
]);

/** The same of a session's row, wherever it stands: where it is kept, for whom, and since when. An item is `[]`. */
const OWN_OF_ROW = new Set([
  ...["path", "createdAt", "updatedAt", "workspaceRoot"].flatMap((name) => [
    `session.${name}`,
    `sessions[].${name}`,
  ]),
  "branch.workspaceRoot",
]);

/** Names of members whose value is a host's own wherever they stand: which model answers. */
const OWN_NAME = new Set(["modelId", "providerId", "installedProviderId"]);

/** Names of members that may also be there on one side alone: clocks, durations, usage, the sandbox of a machine. */
const PASSING = new Set([
  "emittedAtMs",
  "recordedAt",
  "decidedAt",
  "queuedAt",
  "drainedAt",
  "voidedAt",
  "startedAt",
  "expiresAt",
  "lastActivityAt",
  "lastAskedAt",
  "createdAtMs",
  "updatedAtMs",
  "observedAtMs",
  "resetsAtMs",
  "nextFireAtMs",
  "scheduledFireAtMs",
  "lastSeenAgeMs",
  "durationMs",
  "timeToFirstTokenMs",
  "startMs",
  "usage",
  "cumulative",
  "promptTokens",
  "totalTokens",
  "usedTokens",
  "windowTokens",
  "tokensBefore",
  "tokensAfter",
  "sandboxAvailability",
  "sandboxUnavailableReason",
]);

/** What a member is to a replay. */
export type Role =
  /** Minted by the host: pairs one to one within its kind. */
  | { readonly role: "minted"; readonly kind: string }
  /** Where an event comes from: opaque, and pairs one to one as a whole. */
  | { readonly role: "range" }
  /** Any value. */
  | { readonly role: "own" }
  /** Any value or none. */
  | { readonly role: "passing" }
  | { readonly role: "exact" };

const EXACT: Role = { role: "exact" };
const OWN: Role = { role: "own" };
const PASSES: Role = { role: "passing" };
const RANGE: Role = { role: "range" };

/** What the member at a path is, such as `params.item.itemId` or `result.sessions[0].path`. */
export function roleOf(path: string): Role {
  const shape = path.replace(/\[\d+\]/g, "[]");
  const [, name = ""] = /(?:^|\.)([\w$]+)(?:\[\])?$/.exec(shape) ?? [];
  const minted = mintedKind(name);
  if (minted !== undefined) return { role: "minted", kind: minted };
  // The id of stored output, whose other members tell of its content.
  if (/(?:^|\.)(?:output|patch|result)Ref\.id$/.test(shape)) return { role: "minted", kind: "output" };
  if (name === "sourceRange") return RANGE;
  if (PASSING.has(name)) return PASSES;
  const own =
    OWN_NAME.has(name) || OWN_PATH.has(shape) || OWN_OF_ROW.has(shape.split(".").slice(-2).join("."));
  return own ? OWN : EXACT;
}

/** The kind of thing that a member names, where a host mints its text; undefined for other members. */
export function mintedKind(name: string): string | undefined {
  return Object.hasOwn(MINTED, name) ? MINTED[name] : undefined;
}

function kind(of: string, ...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, of]));
}
