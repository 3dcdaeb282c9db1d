/** What holds for every history. Each law takes the fold as a module, so that poisoned ones can be held to it, too. */
import { expect } from "vitest";
import type { SessionFold, SessionView } from "../../../src/client/fold/index.js";
import { cursorAt, type FoldModule, type Frame, plain, SESSION, type ViewEvent, word } from "./session.js";

/** What a session has before anything happens in it. */
export const BASE = {
  viewCursor: cursorAt(0),
  approvalMode: { mode: "promptUnmatched", source: "startup", lastCommandId: null },
  tokenUsage: { promptTokens: 0, outputTokens: 0, totalTokens: 0 },
} as const;

/** Folds frames. */
export function foldOf(kit: FoldModule, frames: readonly Frame[], sessionId: string = SESSION): SessionFold {
  const fold = new kit.SessionFold(sessionId);
  for (const { method, params } of frames) fold.apply(method, params);
  return fold;
}

/** What is done to a history besides folding it. */
export interface CutCounts {
  cuts: number;
  openItems: number;
  streams: number;
  pending: number;
}

/**
 * A history cut after each of its frames: a snapshot of the first part, served to a late joiner who then gets the
 * second, comes to what the whole comes to, but for what snapshots leave out.
 */
export function snapshotLaw(
  kit: FoldModule,
  frames: readonly Frame[],
  counts: CutCounts = { cuts: 0, openItems: 0, streams: 0, pending: 0 },
  sessionId: string = SESSION,
): void {
  const first = new kit.SessionFold(sessionId);
  const whole = new kit.SessionFold(sessionId);
  // Records of turns and approvals change in place.
  const views = [structuredClone(plain(kit, whole.state))];
  for (const { method, params } of frames) {
    whole.apply(method, params);
    views.push(structuredClone(plain(kit, whole.state)));
  }
  for (let cut = 0; cut <= frames.length; cut++) {
    const joined = lateJoiner(kit, first, sessionId);
    const left = endedIn(first.state);
    counts.cuts++;
    for (const { item, streams } of first.state.items.values()) {
      if (kit.isOpen(item)) counts.openItems++;
      if (streams !== undefined) counts.streams++;
    }
    for (const { state } of first.state.approvals.values()) if (state === "pending") counts.pending++;
    for (let at = cut; at <= frames.length; at++) {
      const since = at - cut;
      // At once, a few times soon after it, and at the end.
      if (at === frames.length || (since & (since - 1)) === 0)
        expect(comparable(plain(kit, joined.state), left), `cut after ${cut}, seen after ${at}`).toEqual(
          comparable(views[at]!, left),
        );
      const frame = frames[at];
      if (frame !== undefined) joined.apply(frame.method, frame.params);
    }
    const next = frames[cut];
    if (next !== undefined) first.apply(next.method, next.params);
  }
}

/** A fold that begins with what a host serves of another, in JSON, and with the requests that it sends again. */
function lateJoiner(kit: FoldModule, first: SessionFold, sessionId: string): SessionFold {
  const snapshot = JSON.parse(JSON.stringify(kit.snapshotOf(first, BASE))) as ReturnType<
    FoldModule["snapshotOf"]
  >;
  const joined = new kit.SessionFold(sessionId);
  const history = { mode: "snapshot", items: null, snapshot };
  const reply = { history, pendingRequests: [], viewCursor: snapshot.viewCursor };
  const outcome = kit.joinSession(joined, reply as unknown as Parameters<FoldModule["joinSession"]>[1]);
  expect(outcome).toEqual({ kind: "seeded", from: "snapshot" });
  const waiting = ({ approvals, userInputs }: SessionView) =>
    [...approvals, ...userInputs].flatMap(([id, { state }]) => (state === "pending" ? [id] : []));
  expect(waiting(joined.state)).toEqual(waiting(first.state));
  const again = [...first.state.approvals.values(), ...first.state.userInputs.values()];
  for (const one of again) {
    if (one.state !== "pending" || one.request === undefined) continue;
    const method = "approvalId" in one ? "approval/request" : "userInput/request";
    expect(word(joined.apply(method, one.request))).toBe("applied");
  }
  return joined;
}

/** What a snapshot has no place for: what has ended, and reviews that ask nobody. */
interface Left {
  readonly turns: ReadonlySet<string>;
  readonly approvals: ReadonlySet<string>;
  readonly userInputs: ReadonlySet<string>;
}

function endedIn({ turns, approvals, userInputs }: SessionView): Left {
  const keys = <T extends { readonly state: string }>(map: ReadonlyMap<string, T>, kept: readonly string[]) =>
    new Set([...map].flatMap(([id, { state }]) => (kept.includes(state) ? [] : [id])));
  return {
    turns: keys(turns, ["queued", "running"]),
    approvals: keys(approvals, ["pending"]),
    userInputs: keys(userInputs, ["pending"]),
  };
}

function comparable(view: ReturnType<typeof plain>, left: Left) {
  const { turns, approvals, userInputs, states, ...rest } = view;
  const without = <T>(record: Record<string, T>, ids: ReadonlySet<string>) =>
    Object.entries(record).filter(([id]) => !ids.has(id));
  return {
    ...rest,
    // A declined retraction, a hint and a stage in force are no part of a snapshot.
    turns: without(turns, left.turns).map(([id, turn]) => {
      const { retraction, retry, foreground, ...kept } = turn;
      return [id, { ...kept, retraction: turn.state === "retracted" ? retraction : undefined }];
    }),
    approvals: without(approvals, left.approvals).map(([id, { update, ...kept }]) => [id, kept]),
    userInputs: without(userInputs, left.userInputs),
    states: {
      ...states,
      approvalMode: states["approvalMode"] ?? BASE.approvalMode,
      tokenUsage: states["tokenUsage"] ?? BASE.tokenUsage,
    },
  };
}

/** Two folds of the same frames are equal, and no frame comes to anything but these outcomes. */
export function replayLaw(kit: FoldModule, events: readonly ViewEvent[]): void {
  const words = (fold: SessionFold) => events.map(({ method, params }) => word(fold.apply(method, params)));
  const [one, other] = [new kit.SessionFold(SESSION), new kit.SessionFold(SESSION)];
  const outcomes = words(one);
  expect(words(other)).toEqual(outcomes);
  expect(other.state).toEqual(one.state);
  const expected = events.map(({ method, kind }) => {
    if (kind === "request") return "ignoredDuplicate";
    if (method === "session/auraChanged") return "unrecognised:method";
    return method.startsWith("monitor/") ? "notFolded" : "applied";
  });
  expect(outcomes).toEqual(expected);
}
