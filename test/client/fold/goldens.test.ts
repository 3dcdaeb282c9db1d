/** Recorded sessions: every frame comes to what it should, and two folds of the same frames are equal. */
import { describe, expect, it } from "vitest";
import * as kit from "../../../src/client/fold/index.js";
import { loadTranscripts, type Transcript } from "../../../src/transcripts/index.js";
import { hasReference } from "../../support/repo.js";
import { OWN_TRANSCRIPTS, REFERENCE_TRANSCRIPTS } from "../../support/transcripts.js";
import { hostFrames, resultsOf, sessionOf, word } from "./session.js";

/** What is neither taken in nor a message outside the view, by session: line, method and outcome. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  "approval-deny": ["13 approval/request ignoredDuplicate"],
  "approval-round-trip": ["13 approval/request ignoredDuplicate"],
  "approval-two-stages": ["13 approval/request ignoredDuplicate"],
  "cursor-retained": ["6 item/delta bufferedDelta"],
  "gap-reanchor": ["12 view/gap gapOpened"],
  "gap-recovery-reanchor": ["7 view/gap gapOpened"],
  "gap-recovery-splice-fill": ["9 view/gap gapOpened"],
  "gap-splice-fill": ["11 view/gap gapOpened"],
  "queued-launch": ["13 approval/request ignoredDuplicate"],
  "queued-reject": ["13 approval/request ignoredDuplicate"],
  "tolerance-unknown-state-method": ["7 session/auraChanged unrecognised:method"],
  "unknown-vocabulary": ["14 session/weatherChanged unrecognised:method"],
  "user-input-cancel": ["13 userInput/request ignoredDuplicate"],
  "user-input-round-trip": ["13 userInput/request ignoredDuplicate"],
};

/** The fold of a session as a client lives it: what the reply to a resume brings, and the frames after it. */
function lived(transcript: Transcript): { readonly fold: kit.SessionFold; readonly odd: readonly string[] } {
  const fold = new kit.SessionFold(sessionOf(transcript) ?? "none");
  for (const reply of resultsOf(transcript, "session/resume"))
    kit.joinSession(fold, reply as unknown as kit.JoinResult);
  const odd = hostFrames(transcript).flatMap(({ method, params, line }) => {
    const outcome = word(fold.apply(method, params));
    const isOutside = outcome === "notFolded" && method.startsWith("session/");
    return outcome === "applied" || isOutside ? [] : [`${line} ${method} ${outcome}`];
  });
  return { fold, odd };
}

function behaves(root: string): { readonly sessions: number; readonly frames: number } {
  const transcripts = loadTranscripts(root);
  const odd: Record<string, readonly string[]> = {};
  for (const transcript of transcripts) {
    const one = lived(transcript);
    if (one.odd.length > 0) odd[transcript.scenario] = one.odd;
    expect(lived(transcript).fold.state, transcript.scenario).toEqual(one.fold.state);
    // No item, approval or question is left without its end, but where the recording ends in mid-turn.
    const open = [...one.fold.state.items.values()].filter(({ item }) => kit.isOpen(item));
    expect(open, transcript.scenario).toEqual([]);
    for (const { state } of one.fold.state.approvals.values()) expect(state).toBe("resolved");
    for (const { state } of one.fold.state.userInputs.values()) expect(state).toBe("settled");
  }
  const scenarios = transcripts.map(({ scenario }) => scenario);
  const expected = Object.entries(EXPECTED).filter(([name]) => scenarios.includes(name));
  expect(odd).toEqual(Object.fromEntries(expected));
  return { sessions: transcripts.length, frames: transcripts.flatMap(hostFrames).length };
}

describe("the golden sessions", () => {
  it("are folded without an outcome that nobody expects", () => {
    const { sessions, frames } = behaves(OWN_TRANSCRIPTS);
    expect(sessions).toBeGreaterThan(30);
    expect(frames).toBeGreaterThan(150);
  });
});

describe.skipIf(!hasReference)("the protocol's recordings", () => {
  it("are folded without an outcome that nobody expects", () => {
    const { sessions, frames } = behaves(REFERENCE_TRANSCRIPTS);
    expect(sessions).toBe(34);
    expect(frames).toBeGreaterThan(100);
  });
});
