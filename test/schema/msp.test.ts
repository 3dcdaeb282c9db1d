import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Findings, fingerprintOf, loadSchema, project, type Schema } from "../../codegen/index.js";
import { forEachSchema } from "../../codegen/model/protocol.js";
import { hasReference, MSP_SCHEMA, REFERENCE } from "../support/repo.js";

type Node = { [key: string]: Json };
type Json = null | boolean | number | string | Json[] | Node;

const PROSE = new Set(["description", "title", "$comment", "descriptions"]);

/** What our dialect adds to what the owners' bundles say. */
const OUR_MARKS = new Set([
  "x-msp-kind",
  "x-msp-command-id",
  "x-msp-record",
  "x-msp-capability",
  "x-msp-strict",
  "x-msp-withheld",
  "x-msp-direction",
  "x-msp-scope",
  "x-msp-protected",
  "x-msp-role",
  "x-msp-carries",
]);
/** Sections that the owners' bundles do not have. */
const OUR_SECTIONS = new Set(["protocol", "rejections"]);

/** A bundle without prose and without what our dialect adds; members may be named like keywords, so names are kept. */
function bare(value: Json, named: boolean): Json {
  if (Array.isArray(value)) return value.map((item) => bare(item, false));
  if (typeof value !== "object" || value === null) return value;
  const out: Node = {};
  for (const [key, inner] of Object.entries(value)) {
    if (!named && (PROSE.has(key) || OUR_MARKS.has(key))) continue;
    out[key] = bare(
      inner,
      !named && ["$defs", "properties", "methods", "notifications", "requests"].includes(key),
    );
  }
  return out;
}

function withoutOurs(root: Node): Node {
  return bare(
    Object.fromEntries(Object.entries(root).filter(([key]) => !OUR_SECTIONS.has(key))),
    false,
  ) as Node;
}

/** The stable projection of a bundle as JSON, by the rule in words: nothing that is marked experimental is left. */
function stable(value: Json, named: boolean): Json {
  if (Array.isArray(value)) {
    return value.filter((item) => !isExperimental(item)).map((item) => stable(item, false));
  }
  if (typeof value !== "object" || value === null) return value;
  const out: Node = {};
  const gone = new Set(
    Object.entries((value["properties"] ?? {}) as Node).flatMap(([name, node]) =>
      isExperimental(node) ? [name] : [],
    ),
  );
  for (const [key, inner] of Object.entries(value)) {
    if (isExperimental(inner)) continue;
    if (!named && key === "x-msp-value-stability") continue;
    if (!named && key === "required") out[key] = (inner as string[]).filter((name) => !gone.has(name));
    else if (!named && key === "enum") {
      const marks = (value["x-msp-value-stability"] ?? {}) as Node;
      out[key] = (inner as Json[]).filter(
        (word) => !(typeof word === "string" && Object.hasOwn(marks, word)),
      );
    } else if (!named && key === "capabilities") {
      const { experimental: _, ...rest } = inner as Node;
      out[key] = rest;
    } else
      out[key] = stable(
        inner,
        !named && ["$defs", "properties", "methods", "notifications", "requests"].includes(key),
      );
  }
  return out;
}

function isExperimental(value: Json): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    value["x-msp-stability"] === "experimental"
  );
}

const read = (path: string): Node => JSON.parse(readFileSync(path, "utf8")) as Node;

describe.skipIf(!hasReference)("our schema against the reference", () => {
  const ours = withoutOurs(read(MSP_SCHEMA));

  it("is, without prose and our marks, the whole published surface", () => {
    expect(ours).toEqual(read(join(REFERENCE, "surface.json")));
  });

  it("is, projected, the published stable surface", () => {
    expect(stable(ours, false)).toEqual(read(join(REFERENCE, "stable.json")));
  });

  it("projects in the model to what the published stable surface is in the model", () => {
    const of = (path: string): unknown => {
      const { protocol } = loadSchema(path, new Findings())!;
      const { parts } = fingerprintOf(project(protocol, "stable"));
      return { parts, definitions: [...project(protocol, "stable").definitions.keys()] };
    };
    expect(of(MSP_SCHEMA)).toEqual(of(join(REFERENCE, "stable.json")));
  });

  it("is caught when a member, an enum value or a bound is changed", () => {
    for (const change of [
      (root: Node) =>
        delete ((root["$defs"] as Node)["Goal"] as { properties: Node }).properties["objective"],
      (root: Node) => ((root["$defs"] as Node)["ItemKind"] as { enum: string[] }).enum.pop(),
      (root: Node) =>
        delete (
          ((root["$defs"] as Node)["TurnSteerParams"] as { properties: Node }).properties[
            "tokenBudget"
          ] as Node
        )["minimum"],
    ]) {
      const changed = structuredClone(ours);
      change(changed);
      expect(changed).not.toEqual(read(join(REFERENCE, "surface.json")));
    }
  });
});

describe("our schema", () => {
  const { protocol } = loadSchema(MSP_SCHEMA, new Findings())!;
  const stablePart = project(protocol, "stable");

  it("has the counts of the release", () => {
    const counts = ({
      methods,
      notifications,
      requests,
      errors,
      capabilities,
      definitions,
    }: typeof protocol): number[] => [
      methods.length,
      methods.filter(({ kind }) => kind === "command").length,
      notifications.length,
      requests.length,
      errors.length,
      capabilities.length,
      definitions.size,
    ];
    expect(counts(protocol)).toEqual([102, 53, 55, 3, 50, 10, 498]);
    expect(counts(stablePart)).toEqual([70, 51, 45, 2, 37, 7, 380]);
  });

  it("describes every message, error, capability and definition", () => {
    const { methods, notifications, requests, errors, capabilities, definitions, rejections } = protocol;
    const all = [
      ...methods,
      ...notifications,
      ...requests,
      ...errors,
      ...capabilities,
      ...definitions.values(),
      ...rejections,
    ];
    expect(all.filter(({ description }) => (description ?? "").trim() === "")).toEqual([]);
    expect(all.length).toBeGreaterThan(700);
  });

  it("describes every member of the definitions", () => {
    const silent: string[] = [];
    let members = 0;
    for (const definition of protocol.definitions.values()) {
      forEachSchema(definition.schema, (node: Schema) => {
        for (const member of node.members ?? []) {
          members++;
          if ((member.schema.description ?? "").trim() === "") silent.push(member.schema.pointer);
        }
      });
    }
    expect(silent).toEqual([]);
    expect(members).toBeGreaterThan(1_500);
  });

  it("says what only prose carried: actions, records, strictness, profiles, directions, scopes, protection", () => {
    const named = (list: readonly { name: string }[]): string[] => list.map(({ name }) => name);
    const { methods, notifications } = protocol;
    expect(named(methods.filter(({ kind }) => kind === "action"))).toContain("feedback/submit");
    expect(named(methods.filter(({ record }) => record === "host-lifetime"))).toEqual([
      "media/upload",
      "session/resume",
      "task/stop",
      "task/stopAll",
      "turn/cancel",
      "turn/interrupt",
    ]);
    expect(named(methods.filter(({ strict }) => strict))).toEqual([
      "admission/decide",
      "admission/listPending",
      "goal/clear",
      "goal/pause",
      "goal/resume",
      "peer/list",
      "recap/cancel",
      "recap/request",
    ]);
    expect(named(methods.filter(({ withheld }) => withheld.includes("ephemeral")))).toEqual([
      "session/fork",
      "session/read",
      "session/rename",
      "session/resume",
    ]);
    expect(named(notifications.filter(({ direction }) => direction === "client-to-host"))).toEqual([
      "initialized",
      "userInput/engaged",
    ]);
    expect(named(notifications.filter((n) => n.protected))).toEqual([
      "approval/resolved",
      "log/gap",
      "session/leaveCompleted",
      "userInput/settled",
      "view/gap",
    ]);
    // An event of a view carries its cursor; only the gap, which names two, does not.
    const cursorless = notifications.filter(({ scope, params }) => {
      const members = params === undefined ? [] : (protocol.definitions.get(params)!.schema.members ?? []);
      return scope === "view" && !members.some(({ name }) => name === "viewCursor");
    });
    expect(named(cursorless)).toEqual(["view/gap"]);
  });
});

describe("the table of releases", () => {
  const { releases } = read(join(MSP_SCHEMA, "../releases.json")) as unknown as {
    releases: {
      release: string;
      published: { stable: string };
      stable?: { fingerprint: string; parts: { methods: Node } };
    }[];
  };

  it("knows our schema as the release that it is", () => {
    const ours = fingerprintOf(project(loadSchema(MSP_SCHEMA, new Findings())!.protocol, "stable"));
    const entry = releases.find(({ release }) => release === "1.4.13")!;
    expect(entry.stable).toEqual({ fingerprint: ours.fingerprint, parts: ours.parts });
  });

  it("has one fingerprint for two releases of one protocol, and different ones otherwise", () => {
    const known = new Map(
      releases.flatMap(({ release, stable: own }) => (own === undefined ? [] : [[release, own.fingerprint]])),
    );
    expect(known.get("1.4.9")).toBe(known.get("1.4.10"));
    expect(known.size).toBe(9);
    expect(new Set(known.values()).size).toBe(8);
  });

  it.skipIf(!hasReference)(
    "has what the owners publish, and our own fingerprint of each bundle that is there",
    () => {
      const table = read(join(REFERENCE, "releases.json")) as unknown as {
        release: string;
        stableFingerprint: string;
        surface?: string;
      }[];
      expect(releases.map(({ release }) => release)).toEqual(table.map(({ release }) => release));
      for (const { release, stableFingerprint, surface } of table) {
        const entry = releases.find((e) => e.release === release)!;
        expect(entry.published.stable).toBe(stableFingerprint);
        if (surface === undefined) expect(entry.stable).toBeUndefined();
        else {
          const { protocol } = loadSchema(join(REFERENCE, surface), new Findings())!;
          expect(entry.stable!.fingerprint).toBe(fingerprintOf(project(protocol, "stable")).fingerprint);
        }
      }
    },
  );
});
