/** A host that is too fast for its client: it drops events, tells of the holes, and serves pages of what it stores. */
import fc from "fast-check";
import { expect } from "vitest";
import type { SessionFold } from "../../../src/client/fold/index.js";
import { foldOf } from "./laws.js";
import { cursorAt, type FoldModule, type Frame, plain, SESSION, type ViewEvent, word } from "./session.js";

/** What chance decides for one frame of a history. */
export interface Dice {
  /** Whether the event is dropped, unless it must not be. */
  readonly drops: boolean;
  /** Whether the gap comes before the frame with which delivery goes on. */
  readonly gapFirst: boolean;
  readonly gapTwice: boolean;
  /** Whether a protected event in a hole ends the hole. */
  readonly splits: boolean;
  /** Whether a page that was asked for is answered after this frame. */
  readonly answers: boolean;
  /** How many frames the host is ahead of what it delivered. */
  readonly lead: number;
  readonly pageSize: number;
  /** Whether a page that is asked for is refused, where pages may be. */
  readonly fails: boolean;
  /** Whether a request that waits is sent again. */
  readonly resends: boolean;
}

/** Chance for a history of up to this many frames. */
export const dice: fc.Arbitrary<readonly Dice[]> = fc.array(
  fc.record({
    // Holes of some length, and stretches without any.
    drops: fc.oneof(
      { weight: 2, arbitrary: fc.constant(true) },
      { weight: 3, arbitrary: fc.constant(false) },
    ),
    gapFirst: fc.boolean(),
    gapTwice: fc.nat(4).map((n) => n === 0),
    splits: fc.boolean(),
    answers: fc.nat(2).map((n) => n === 0),
    lead: fc.nat(8),
    pageSize: fc.integer({ min: 1, max: 6 }),
    fails: fc.nat(5).map((n) => n === 0),
    resends: fc.nat(5).map((n) => n === 0),
  }),
  { minLength: 1, maxLength: 40, size: "max" },
);

/** What really happened in the runs of a law. */
export interface GapCounts {
  dropped: number;
  gaps: number;
  extended: number;
  held: number;
  pages: number;
  twins: number;
  orders: number;
  failures: number;
}

/** No counts yet. */
export function noCounts(): GapCounts {
  return { dropped: 0, gaps: 0, extended: 0, held: 0, pages: 0, twins: 0, orders: 0, failures: 0 };
}

const PROTECTED = ["approval/resolved", "userInput/settled"];

/** A recovery from every hole ends in the view of one who missed nothing; a new anchor in that of one who began there. */
export async function gapLaw(
  kit: FoldModule,
  events: readonly ViewEvent[],
  chance: readonly Dice[],
  recovery: "splice" | "reanchor",
  counts: GapCounts = noCounts(),
  mayFail = false,
): Promise<void> {
  const host = new Host(events, chance);
  host.mayFail = mayFail;
  const fold = new kit.SessionFold(SESSION);
  const follower = new kit.ViewFollower(fold, {
    recovery,
    page: (params) => host.page(params),
    onGapError: () => counts.failures++,
    onFolded: (_, __, outcome) => {
      if (outcome.kind === "ignoredDuplicate") counts.twins++;
    },
  });
  const deliveries = deliveriesOf(events, chance, counts);
  for (const { method, params, index } of deliveries) {
    host.delivered = index;
    const kind = word(follower.receive(method, params));
    if (kind === "gapOpened") counts.gaps++;
    if (kind === "gapExtended") counts.extended++;
    if (kind === "held") counts.held++;
    if (kind === "ignoredDuplicate") counts.twins++;
    if (chanceAt(chance, index).answers) await host.answer();
  }
  host.delivered = events.length;
  await finish(host, follower);
  host.mayFail = false;
  const failed = !fold.current;
  if (failed) {
    const again = follower.retry();
    await finish(host, follower);
    expect(await again).toBeUndefined();
  }
  counts.pages += host.served;

  expect(fold.current).toBe(true);
  if (recovery === "splice" || host.anchored === undefined)
    compareWhole(kit, fold, events, mayFail ? undefined : counts);
  else compareAnchored(kit, fold, events, host.anchored);
}

/** Answers until nothing is asked for. No walk is longer than all pages of all holes. */
async function finish(host: Host, follower: InstanceType<FoldModule["ViewFollower"]>): Promise<void> {
  await host.answer();
  for (let turns = 0; follower.recovering && turns < 1_000; turns++) await host.answer();
  expect(follower.recovering).toBe(false);
}

function compareWhole(
  kit: FoldModule,
  fold: SessionFold,
  events: readonly ViewEvent[],
  counts: GapCounts | undefined,
): void {
  const whole = foldOf(kit, events);
  const { items, ...rest } = plain(kit, fold.state);
  const { items: expected, ...others } = plain(kit, whole.state);
  expect(rest).toEqual(others);
  expect(fold.state.states).toEqual(whole.state.states);
  const byId = (list: typeof items) => Object.fromEntries(list.map((item) => [item.itemId, item]));
  expect(byId(items)).toEqual(byId(expected));
  // What was delivered after a hole that could not be filled was shown before what was missing.
  if (counts === undefined) return;
  // Where an item first appeared is lost with an event that nobody stores; all others stand in their order.
  const ephemerals = startedUnstored(events);
  const order = (list: typeof items) => list.map(({ itemId }) => itemId).filter((id) => !ephemerals.has(id));
  counts.orders += order(items).length;
  expect(order(items)).toEqual(order(expected));
}

function compareAnchored(
  kit: FoldModule,
  fold: SessionFold,
  events: readonly ViewEvent[],
  boundary: string,
): void {
  const since = events.findIndex(({ cursor }) => cursor === boundary) + 1;
  const whole = plain(kit, foldOf(kit, events).state);
  const expected = plain(kit, foldOf(kit, events.slice(since)).state);
  const { items, turns, approvals, userInputs, states } = plain(kit, fold.state);
  const ids = (list: typeof items) => list.map(({ itemId }) => itemId);
  expect(ids(items)).toEqual(expect.arrayContaining(ids(expected.items)));
  expect(Object.keys(turns)).toEqual(expect.arrayContaining(Object.keys(expected.turns)));
  // Delivery may be behind the boundary: then there is more, and that is true as well.
  for (const item of items) expect(whole.items).toContainEqual(item);
  for (const [id, { state, completed }] of Object.entries(turns))
    expect(whole.turns[id]).toMatchObject(completed === undefined ? { state } : { state, completed });
  for (const [family, state] of Object.entries(states))
    if (state !== null || expected.states[family] !== null)
      expect(state, family).toEqual(whole.states[family]);
  // Requests and their ends are never dropped, so what was known of them is kept. What nobody was asked may be lost.
  const asked = Object.entries(whole.approvals).filter(([id]) =>
    events.some(({ method, params }) => method === "approval/requested" && params["approvalId"] === id),
  );
  for (const [id, approval] of asked) expect(approvals[id]).toEqual(approval);
  expect(userInputs).toEqual(whole.userInputs);
}

function startedUnstored(events: readonly ViewEvent[]): ReadonlySet<unknown> {
  const started = events.filter(({ method, kind }) => method === "item/started" && kind === "ephemeral");
  return new Set(started.map(({ params }) => (params["item"] as { itemId: string }).itemId));
}

interface Delivery extends Frame {
  /** The frame of the history up to which the host has come. */
  readonly index: number;
}

/** What comes over the wire. */
function deliveriesOf(events: readonly ViewEvent[], chance: readonly Dice[], counts: GapCounts): Delivery[] {
  const out: Delivery[] = [];
  const waiting = new Map<unknown, Frame>();
  let last = cursorAt(0);
  let after: string | undefined;
  events.forEach(({ method, params, kind, cursor }, index) => {
    const { drops, gapFirst, gapTwice, splits, resends } = chanceAt(chance, index);
    const frame = { method, params, index };
    const id = params["approvalId"] ?? params["userInputId"];
    if (kind === "request") {
      out.push(frame);
      waiting.set(id, frame);
      return;
    }
    const isProtected = PROTECTED.includes(method);
    if (isProtected) waiting.delete(id);
    if (drops && !isProtected && index < events.length - 1) {
      counts.dropped++;
      after ??= last;
      return;
    }
    last = cursor;
    if (after === undefined || (isProtected && !splits && index < events.length - 1)) {
      out.push(frame);
    } else {
      const gap = { method: "view/gap", params: { sessionId: SESSION, after, next: cursor }, index };
      const gaps = gapTwice ? [gap, gap] : [gap];
      out.push(...(gapFirst ? [...gaps, frame] : [frame, ...gaps]));
      after = undefined;
    }
    const [again] = waiting.values();
    if (resends && again !== undefined) out.push({ ...again, index });
  });
  return out;
}

function chanceAt(chance: readonly Dice[], index: number): Dice {
  return chance[index % chance.length]!;
}

type PageParams = { readonly cursor?: string; readonly anchor?: string; readonly limit: number };
type Page = Awaited<ReturnType<import("../../../src/client/fold/index.js").Pager>>;

/** Stores the durable events, and answers when it is told to. */
class Host {
  readonly #events: readonly ViewEvent[];
  readonly #chance: readonly Dice[];
  #asked: (() => void)[] = [];
  #head = 0;
  #refused = 0;
  mayFail = false;
  /** How many frames were delivered. */
  delivered = 0;
  served = 0;
  /** The boundary to which an anchor came last. */
  anchored: string | undefined;

  constructor(events: readonly ViewEvent[], chance: readonly Dice[]) {
    this.#events = events;
    this.#chance = chance;
  }

  page(params: PageParams): Promise<Page> {
    return new Promise((resolve, reject) =>
      this.#asked.push(() => {
        if (this.mayFail && chanceAt(this.#chance, this.delivered + this.#refused).fails) {
          this.#refused++;
          reject(new Error("refused"));
        } else resolve(this.#serve(params));
      }),
    );
  }

  /** Answers what was asked for, and lets the follower get on with it. */
  async answer(): Promise<void> {
    for (const answer of this.#asked.splice(0)) answer();
    for (let i = 0; i < 5; i++) await Promise.resolve();
  }

  #serve({ cursor, anchor, limit }: PageParams): Page {
    this.served++;
    const { lead, pageSize } = chanceAt(this.#chance, this.delivered);
    this.#head = Math.max(this.#head, this.delivered + 1 + lead);
    const known = this.#events.slice(0, this.#head);
    const boundary = known.findLastIndex(
      ({ params }) => (params["item"] as { kind?: string })?.kind === "compaction",
    );
    const from = anchor === undefined ? known.findLastIndex((one) => one.cursor === cursor) : boundary;
    expect(from >= 0 || cursor === cursorAt(0), `asks after ${cursor}`).toBe(true);
    const stored = known.slice(from + 1).filter(({ kind }) => kind === "durable");
    const events = stored.slice(0, Math.min(limit, pageSize));
    const page = {
      events: events.map(({ method, params }) => ({ method, params })),
      nextCursor: events.length < stored.length ? events.at(-1)?.cursor : null,
    };
    if (anchor !== undefined) this.anchored = known[boundary]?.cursor;
    const resolved = anchor === undefined ? {} : { resolvedAnchor: { boundaryCursor: this.anchored } };
    // In JSON, as over a wire: a page shares nothing with what was delivered.
    return JSON.parse(JSON.stringify({ ...page, ...resolved })) as Page;
  }
}
