/** Late joiners: what a snapshot and the events after it come to is what all events come to. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { armOf } from "../../../src/client/fold/events.js";
import type { JoinResult, SessionFold } from "../../../src/client/fold/index.js";
import { loadTranscript, loadTranscripts } from "../../../src/transcripts/index.js";
import { hasReference, MSP_SCHEMA } from "../../support/repo.js";
import { OWN_TRANSCRIPTS, REFERENCE_TRANSCRIPTS } from "../../support/transcripts.js";
import { history } from "./history.js";
import { BASE, foldOf, replayLaw, snapshotLaw } from "./laws.js";
import { hostFrames, kit, plain, resultsOf, sessionOf, withoutRecordIds } from "./session.js";

/** The notifications of the schema. */
function notifications(): string[] {
  const bundle = JSON.parse(readFileSync(MSP_SCHEMA, "utf8")) as { readonly notifications: object };
  return Object.keys(bundle.notifications);
}

describe("a snapshot and the events after it", () => {
  it("come to what a random history comes to, wherever it is cut", () => {
    const counts = { cuts: 0, openItems: 0, streams: 0, pending: 0 };
    const seen = new Set<string>();
    const check = fc.property(history(), (events) => {
      for (const { method } of events) seen.add(method);
      replayLaw(kit, events);
      snapshotLaw(kit, events, counts);
    });
    fc.assert(check, { numRuns: 250, seed: 6 });
    const folded = notifications().filter((name) => typeof armOf(name) === "function" && name !== "view/gap");
    expect(folded.length).toBeGreaterThan(25);
    expect(folded.filter((name) => !seen.has(name))).toEqual([]);
    expect(counts.cuts).toBeGreaterThan(5_000);
    expect(counts.openItems).toBeGreaterThan(5_000);
    expect(counts.streams).toBeGreaterThan(1_500);
    expect(counts.pending).toBeGreaterThan(300);
  });

  it("come to what each golden session comes to, wherever it is cut", () => {
    const transcripts = loadTranscripts(OWN_TRANSCRIPTS);
    const counts = { cuts: 0, openItems: 0, streams: 0, pending: 0 };
    for (const transcript of transcripts) {
      const frames = hostFrames(transcript).filter(({ method }) => method !== "view/gap");
      snapshotLaw(kit, frames, counts, sessionOf(transcript) ?? "none");
    }
    expect(transcripts.length).toBeGreaterThan(30);
    expect(counts.cuts).toBeGreaterThan(200);
    expect(counts.pending).toBeGreaterThan(3);
  });
});

describe.skipIf(!hasReference)("the protocol's recordings", () => {
  it("come to what their sessions come to, wherever they are cut", () => {
    let cuts = 0;
    for (const transcript of loadTranscripts(REFERENCE_TRANSCRIPTS)) {
      const counts = { cuts: 0, openItems: 0, streams: 0, pending: 0 };
      const frames = hostFrames(transcript).filter(({ method }) => method !== "view/gap");
      snapshotLaw(kit, frames, counts, sessionOf(transcript) ?? "none");
      cuts += counts.cuts;
    }
    expect(cuts).toBeGreaterThan(100);
  });

  it("join an approval that waits as one who was there", () => {
    const there = loadTranscript(`${REFERENCE_TRANSCRIPTS}/approval-round-trip`);
    const late = loadTranscript(`${REFERENCE_TRANSCRIPTS}/snapshot-suffix-pending-approval`);
    const sessionId = sessionOf(there) ?? "";
    expect(sessionOf(late)).toBe(sessionId);

    const frames = hostFrames(there);
    const cut = frames.findIndex(({ params }) => params["viewCursor"] === `v:${sessionId}:7`) + 1;
    expect(frames[cut - 1]?.method).toBe("approval/requested");
    const first = foldOf(kit, frames.slice(0, cut), sessionId);
    const joined = new kit.SessionFold(sessionId);
    const snapshot = kit.snapshotOf(first, BASE);
    joined.seed({ ...snapshot.state, viewCursor: snapshot.viewCursor });
    for (const { method, params } of frames.slice(cut)) joined.apply(method, params);

    const resumed = new kit.SessionFold(sessionId);
    const [reply] = resultsOf(late, "session/resume");
    const outcome = kit.joinSession(resumed, reply as unknown as JoinResult);
    expect(outcome).toEqual({ kind: "seeded", from: "snapshot" });
    for (const { method, params } of hostFrames(late)) resumed.apply(method, params);

    const seen = (fold: SessionFold) => {
      const { items, turns, approvals } = plain(kit, fold.state);
      return withoutRecordIds({ items, turns, approvals });
    };
    expect(seen(joined)).toEqual(seen(resumed));
    expect(seen(foldOf(kit, frames, sessionId))).toEqual(seen(resumed));
    expect(Object.values(seen(resumed).approvals)).toMatchObject([
      {
        state: "resolved",
        request: { toolName: "write_file" },
        resolved: { decision: "approvedForSession" },
      },
    ]);
    expect(Object.values(seen(resumed).turns)).toMatchObject([{ state: "completed" }]);
    expect(seen(resumed).items).toHaveLength(2);
  });
});
