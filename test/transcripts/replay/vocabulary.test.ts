/** What members are to a replay is told for every id that the schema has. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { mintedKind, roleOf } from "../../../src/transcripts/replay/vocabulary.js";
import { MSP_SCHEMA } from "../../support/repo.js";

/** Ids that a host does not mint: they come from the client, from the agent, or from what is installed. */
const NOT_MINTED = [
  "bundleId",
  "choiceId",
  "entryId",
  "modelId",
  "installedProviderId",
  "pluginId",
  "profileId",
  "providerId",
  "questionId",
  "reminderAgentId",
  "scriptId",
  "strategyId",
  "uploadId",
];

/** The names of string members that end in Id, Ids or Cursor. */
function idMembers(schema: unknown): Set<string> {
  const names = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { properties } = node as {
      properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    };
    for (const [name, member] of Object.entries(properties ?? {}))
      if (/(?:Id|Ids|_id|Cursor)$/.test(name) && !("$ref" in member)) names.add(name);
    Object.values(node).forEach(visit);
  };
  visit(schema);
  return names;
}

/** Ids of which nothing is said. */
function untold(names: Iterable<string>): string[] {
  return [...names].filter((name) => mintedKind(name) === undefined && !NOT_MINTED.includes(name));
}

describe("the ids of the schema", () => {
  it("are each known as a host's or as somebody else's", () => {
    const names = idMembers(JSON.parse(readFileSync(MSP_SCHEMA, "utf8")));
    expect(names.size).toBeGreaterThan(40);
    expect(untold(names)).toEqual([]);
  });

  it("would be missed if a new one came", () => {
    expect(untold(idMembers({ properties: { orchardId: { type: "string" } } }))).toEqual(["orchardId"]);
  });
});

describe("the role of a member", () => {
  it.each([
    ["params.turnId", "minted"],
    ["result.sessionIds[3]", "minted"],
    ["params.item.outputRef.id", "minted"],
    ["params.questions[0].id", "exact"],
    ["result.events[2].params.sourceRange", "range"],
    ["result.session.path", "own"],
    ["result.sessions[12].workspaceRoot", "own"],
    ["params.subject.path", "exact"],
    ["params.subject.workspaceRoot", "exact"],
    ["error.message", "own"],
    ["params.error.message", "exact"],
    ["error.data.reason", "exact"],
    ["result.events[0].params.usage", "passing"],
    ["params.autoResolutionMs", "exact"],
    ["params.retryDelayMs", "exact"],
    ["result.sessionDurability", "exact"],
  ])("%s is %s", (path, role) => {
    expect(roleOf(path).role).toBe(role);
  });
});
