/**
 * What changed from each release to the next, as it was last reviewed. After a change that is meant, re-record with
 * `UPDATE_GOLDEN=1 npx vitest run test/codegen/drift/releases.test.ts` and read the difference against both bundles.
 * The bundles are reference data that lies beside the project; where it is not there, nothing is compared.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type Change,
  type Drift,
  PAIRINGS,
  type Pairing,
  type Witness,
} from "../../../codegen/drift/change.js";
import { driftOf, loadForDrift } from "../../../codegen/drift/drift.js";
import {
  Findings,
  type Loaded,
  planSurface,
  SURFACES,
  type Surface,
  type SurfacePlan,
} from "../../../codegen/index.js";
import { isRecording, mistakesIn, record } from "../../support/golden.js";
import { hasReference, REFERENCE, ROOT } from "../../support/repo.js";
import { loadGenerated } from "../../support/samples.js";
import { textOfDrift } from "./release-text.js";
import { doubtsOf } from "./witness-check.js";

const GOLDEN = join(ROOT, "test/codegen/drift/releases");
const RELEASES = ["1.3.1", "1.4.2", "1.4.4", "1.4.6", "1.4.8", "1.4.9", "1.4.10", "1.4.12", "1.4.13"];
const STEPS = RELEASES.slice(1).map((to, i) => ({ from: RELEASES[i] as string, to }));

const loaded = new Map<string, Loaded>();
const drifts = new Map<string, Promise<Drift>>();

function bundleOf(release: string): Loaded {
  let found = loaded.get(release);
  if (found === undefined) {
    const table = join(REFERENCE, "releases.json");
    const rows = JSON.parse(readFileSync(table, "utf8")) as { release: string; surface?: string }[];
    const path = rows.find((row) => row.release === release)?.surface;
    found = loadForDrift(join(dirname(table), path as string)).loaded as Loaded;
    loaded.set(release, found);
  }
  return found;
}

/** What changed up to a release; worked out once. */
function driftTo(release: string): Promise<Drift> {
  let found = drifts.get(release);
  if (found === undefined) {
    const { from } = STEPS.find(({ to }) => to === release) as { from: string };
    found = driftOf(bundleOf(from), bundleOf(release), { evidence: { load: loadGenerated } });
    drifts.set(release, found);
  }
  return found;
}

function planOf(release: string, surface: Surface): SurfacePlan {
  return planSurface(bundleOf(release), surface, new Findings()) as SurfacePlan;
}

/** The witnesses of changes, by the surface on which they were found. */
function witnessesOf({ changes }: Drift, surface: Surface): Witness[] {
  return changes
    .filter((change) => change.surface === surface)
    .flatMap(({ evidence }) => Object.values(evidence?.witnesses ?? {}));
}

/** Surface, verdict, rule, pointer and who breaks, of some changes up to a release. */
async function told(release: string, keep: (change: Change) => boolean): Promise<string[]> {
  const { changes } = await driftTo(release);
  return changes
    .filter(keep)
    .map(({ surface, verdict, rule, pointer, breaks }) =>
      [surface, verdict, rule, pointer, ...breaks].join(" "),
    );
}

describe.skipIf(!hasReference)("from each release of the protocol to the next", () => {
  test.each(STEPS)(
    "$from to $to: what breaks is shown, and no rule is at odds with what was tried",
    async ({ to }) => {
      const { changes } = await driftTo(to);
      expect(changes.filter(({ evidence }) => evidence?.disagreement !== undefined)).toEqual([]);
      const unshown = changes.filter(
        ({ verdict, breaks, witness, evidence }) =>
          (verdict === "breaking") !== breaks.length > 0 ||
          (verdict === "breaking" && witness?.pairing !== breaks[0]) ||
          breaks.some((pairing) => evidence?.witnesses[pairing]?.pairing !== pairing),
      );
      expect(unshown).toEqual([]);
      // What a message carries and nobody refuses was really sent.
      const untried = changes.filter(
        ({ rule, verdict, evidence }) =>
          /^(?:member|value)-added$/.test(rule) &&
          verdict === "additive" &&
          PAIRINGS.some((pairing) => (evidence?.accepted[pairing] ?? 0) === 0),
      );
      expect(untried).toEqual([]);
    },
  );

  test.each(STEPS)(
    "$from to $to: ajv takes each witness in its sender's version alone",
    async ({ from, to }) => {
      const drift = await driftTo(to);
      for (const surface of SURFACES) {
        const [base, head] = [planOf(from, surface), planOf(to, surface)];
        expect(await doubtsOf(witnessesOf(drift, surface), base, head)).toEqual([]);
      }
    },
  );

  test("ajv was asked about every kind of witness", async () => {
    const kinds = new Map<string, number>();
    for (const { to } of STEPS)
      for (const surface of SURFACES)
        for (const { refusal, sender, use } of witnessesOf(await driftTo(to), surface)) {
          const kind = `${refusal.keyword} ${sender} ${use.kind} ${use.part}`;
          kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
        }
    expect(Object.fromEntries([...kinds].sort())).toEqual({
      "enum client method params": 1,
      "method client method params": 53,
      "method host request params": 1,
      "required client method params": 3,
      "required host method result": 2,
      "required host notification params": 7,
      "type host method result": 3,
      "type host notification params": 5,
    });
  });

  test("ajv is not content with a witness of the other pairing", async () => {
    const witnesses = witnessesOf(await driftTo("1.4.6"), "stable").filter(
      ({ refusal }) => refusal.keyword !== "method",
    );
    const turned = witnesses.map((witness) => ({
      ...witness,
      pairing: PAIRINGS.find((pairing) => pairing !== witness.pairing) as Pairing,
    }));
    const doubts = await doubtsOf(turned, planOf("1.4.4", "stable"), planOf("1.4.6", "stable"));
    expect(witnesses.length).toBe(12);
    expect(doubts.filter((doubt) => doubt.endsWith("is not accepted by its sender"))).toHaveLength(12);
    expect(doubts.filter((doubt) => doubt.endsWith("is accepted by its reader"))).toHaveLength(12);
  });

  test("session/delete and its definitions are gone after 1.4.2", async () => {
    expect(await told("1.4.4", ({ kind }) => kind === "removed")).toEqual([
      "stable none definition-removed /$defs/SessionDeleteCompletedParams",
      "stable none definition-removed /$defs/SessionDeleteFailureReason",
      "stable none definition-removed /$defs/SessionDeleteOutcome",
      "stable none definition-removed /$defs/SessionDeleteParams",
      "stable none definition-removed /$defs/SessionDeletePhysicalChange",
      "stable breaking method-removed /methods/session~1delete old-client-new-host",
      "stable unknown notification-removed /notifications/session~1deleteCompleted",
    ]);
  });

  test("a member of userInput/settled must be there from 1.4.4 on", async () => {
    expect(await told("1.4.4", ({ rule }) => rule === "required-member-added")).toEqual([
      "stable breaking required-member-added /$defs/UserInputSettledParams/properties/decidedAt new-client-old-host",
    ]);
  });

  test("a closed list of what a client sends got a word: an old host refuses it, and nobody breaks", async () => {
    const { changes } = await driftTo("1.4.4");
    const found = changes.find(({ pointer }) => pointer === "/$defs/TurnInputPartType/enum");
    expect(found).toMatchObject({ rule: "value-added", after: "video", verdict: "additive", breaks: [] });
    expect(found?.pairings["new-client-old-host"].refusedBy).toBe("old-host");
    expect(found?.witness).toMatchObject({
      sender: "client",
      value: { input: [{ type: "video" }] },
      refusal: { keyword: "enum", instanceLocation: "/input/0/type" },
    });
  });

  test("members of events must be there and may be null from 1.4.6 on", async () => {
    const stable = (rule: string) =>
      told("1.4.6", (change) => change.surface === "stable" && change.rule === rule);
    const both = [
      "SessionBranchChangedParams/properties/branch",
      "SessionGoalChangedParams/properties/goal",
      "SessionModelChangedParams/properties/providerId",
      "SessionModelRouteUnservedParams/properties/providerId",
      "SessionTokenUsageParams/properties/modelId",
    ];
    expect(await stable("member-required")).toEqual(
      both.map((place) => `stable breaking member-required /$defs/${place} new-client-old-host`),
    );
    expect(await stable("null-added")).toEqual(
      ["Session/properties/sideFrom", ...both, "SnapshotState/properties/name"].map(
        (place) => `stable breaking null-added /$defs/${place} old-client-new-host`,
      ),
    );
  });

  test("nothing changed from 1.4.9 to 1.4.10", async () => {
    const { changes, hints, fingerprints } = await driftTo("1.4.10");
    expect({ changes, hints }).toEqual({ changes: [], hints: [] });
    expect(fingerprints.head).toBe(fingerprints.base);
  });

  test("each step is as it was reviewed", async () => {
    const files = new Map<string, string>();
    for (const { from, to } of STEPS)
      files.set(`${from}-${to}.txt`, textOfDrift(from, to, await driftTo(to)));
    if (isRecording) record(GOLDEN, files);
    expect(mistakesIn(GOLDEN, files)).toEqual([]);
  });
});
