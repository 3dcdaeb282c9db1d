/**
 * Follows the view of a session over holes: events that a host dropped because the client was slow are paged in, and
 * what is delivered meanwhile waits for them.
 */
import type { ViewPageParams, ViewPageResult } from "../../../generated/msp/experimental/types.js";
import { isHostRequest } from "./events.js";
import type { FoldOutcome } from "./outcome.js";
import type { SessionFold } from "./session-fold.js";

/** Events to a page. */
export const PAGE_LIMIT = 200;

/** Asks the host for a page of the view. It rejects when there is no answer, or an error. */
export type Pager = (params: ViewPageParams) => Promise<ViewPageResult>;

/** Why missing events could not be had. */
export type GapErrorKind =
  /** There is nobody to ask. */
  | "noConnection"
  /** The host answered an error, or something that is no page of this session. */
  | "pageFailed"
  /** The pages do not go on. */
  | "pageStalled";

/** What was missing and could not be had. The gap stays outstanding. */
export interface GapError {
  readonly kind: GapErrorKind;
  readonly sessionId: string;
  /** Ends of the gap, both exclusive; undefined where the whole view was asked for. */
  readonly after: string | undefined;
  readonly next: string | undefined;
  /** What the pager rejected with. */
  readonly cause?: unknown;
}

/**
 * How a hole is mended. `splice`: the missing events are paged in and what was known stays. `reanchor`: what was known
 * is discarded, and the view begins anew at the latest compaction, which costs less where much is missing.
 */
export type GapRecovery = "splice" | "reanchor";

/** How a view is followed. */
export interface ViewFollowerOptions {
  /** Asks for pages; it may be given later, by {@link ViewFollower.connected}. */
  readonly page?: Pager;
  readonly recovery?: GapRecovery;
  /** Gets each frame that was folded later than it was received, and each event of a page. It must not throw. */
  readonly onFolded?: (method: string, params: unknown, outcome: FoldOutcome) => void;
  /** Gets each failure. It must not throw. */
  readonly onGapError?: (error: GapError) => void;
}

/** What came of a frame: what the fold did with it, or that it waits until a hole is filled. */
export type FollowOutcome = FoldOutcome | { readonly kind: "held" };

const HELD: FollowOutcome = { kind: "held" };

type Frame = readonly [method: string, params: unknown];

/** A page event as far as the follower knows it. */
interface PagedEvent {
  readonly method: string;
  readonly params: { readonly viewCursor: string; readonly item?: { readonly itemId?: unknown } };
}

/** One filling of a hole. */
interface Walk {
  readonly from: Pick<ViewPageParams, "cursor" | "anchor">;
  /** Whether it ends where the gap ends, and not only at the head. */
  readonly toGap: boolean;
  /** Events that replace the view once all are there; undefined where each is folded as it comes. */
  readonly anew: PagedEvent[] | undefined;
  /** The item with which delivery went on after the hole, before the hole was told: its place is further back. */
  early: string | undefined;
  /** How many frames waited when the last page was asked for: what they tell, the host had stored by then. */
  known: number;
  /** What kept it from its end. */
  error: GapError | undefined;
}

const BEGUN = { early: undefined, known: 0, error: undefined };

/** Folds a session's frames, and fills the holes. */
export class ViewFollower {
  readonly fold: SessionFold;
  readonly #options: ViewFollowerOptions;
  #page: Pager | undefined;
  #walk: Walk | undefined;
  #done: Promise<unknown> = Promise.resolve();
  readonly #held: Frame[] = [];
  /** Cursors of paged events: each may be delivered once more, since pages reach further than what was delivered. */
  readonly #paged = new Set<string>();

  constructor(fold: SessionFold, options: ViewFollowerOptions = {}) {
    this.fold = fold;
    this.#options = options;
    this.#page = options.page;
  }

  /** Whether a hole is being filled, and frames wait for it. */
  get recovering(): boolean {
    return this.#walk !== undefined;
  }

  /** Resolves when no hole is being filled. */
  async settled(): Promise<void> {
    while (this.#walk !== undefined) await this.#done;
  }

  /** Takes a notification or a request of the host. */
  receive(method: string, params: unknown): FollowOutcome {
    const walk = this.#walk;
    // Only a gap passes by the queue: it says that the walk has further to go.
    if (walk !== undefined && method !== "view/gap" && this.#isOwn(params)) {
      this.#held.push([method, params]);
      return HELD;
    }
    const outcome = this.#deliver(method, params);
    const opened = outcome.kind === "gapOpened" || outcome.kind === "gapExtended";
    if (opened && walk === undefined) this.#start(true);
    return outcome;
  }

  /**
   * Tries again to fill the gap that is outstanding.
   * @returns what went wrong this time; undefined when nothing is missing now
   */
  async retry(): Promise<GapError | undefined> {
    await this.settled();
    // Events from after the gap were folded meanwhile. They are gone through again, so that of two states of one
    // thing the later one stands.
    return this.fold.state.gap === undefined ? undefined : this.#start(false);
  }

  /**
   * Reads the whole view anew, where a host has no history to join with.
   * @returns what went wrong; then the view is as it was
   */
  async pageFromStart(): Promise<GapError | undefined> {
    await this.settled();
    return this.#run({ from: {}, toGap: false, anew: [], ...BEGUN });
  }

  /** Tells that the connection is gone: no page will come. What waits is folded without it. */
  disconnected(): void {
    this.#page = undefined;
    if (this.#walk !== undefined) this.#end(this.#walk, { kind: "noConnection" });
    this.#paged.clear();
  }

  /** Tells that there is a connection again. A gap that is outstanding is not filled of itself; see {@link retry}. */
  connected(page: Pager): void {
    this.#page = page;
  }

  /** Folds a frame, unless it is one that was paged. */
  #deliver(method: string, params: unknown): FoldOutcome {
    return this.#isTwin(method, params) ? { kind: "ignoredDuplicate" } : this.fold.apply(method, params);
  }

  #isTwin(method: string, params: unknown): boolean {
    if (this.#paged.size === 0 || isHostRequest(method) || !this.#isOwn(params)) return false;
    const { viewCursor, sourceRange } = params as Readonly<Record<string, unknown>>;
    // Pages have only what is stored, and that has a source range.
    if (sourceRange === undefined || typeof viewCursor !== "string") return false;
    if (this.#paged.delete(viewCursor)) return true;
    // Cursors are delivered in order and pages have no holes: nothing that was paged can come after this one.
    this.#paged.clear();
    return false;
  }

  #isOwn(params: unknown): boolean {
    const { sessionId } = (params ?? {}) as { readonly sessionId?: unknown };
    return sessionId === this.fold.sessionId;
  }

  #start(toGap: boolean): Promise<GapError | undefined> {
    const { gap } = this.fold.state;
    if (gap === undefined) return Promise.resolve(undefined);
    if (this.#options.recovery === "reanchor")
      return this.#run({ from: { anchor: "latestCompaction" }, toGap: false, anew: [], ...BEGUN });
    const early = this.fold.lastItemSince(gap.next);
    return this.#run({ from: { cursor: gap.after }, toGap, anew: undefined, ...BEGUN, early });
  }

  #run(walk: Walk): Promise<GapError | undefined> {
    this.#walk = walk;
    // What an earlier walk had read ahead is read again where it is needed, and else delivered after this one.
    this.#paged.clear();
    const done = this.#fill(walk).then((failure) => {
      // It may have been ended from outside.
      if (this.#walk === walk) this.#end(walk, failure);
      return walk.error;
    });
    this.#done = done;
    return done;
  }

  /** Pages through a hole; what kept it from the end. */
  async #fill(walk: Walk): Promise<Pick<GapError, "kind" | "cause"> | undefined> {
    const asked = new Set([walk.from.cursor]);
    let from = walk.from;
    for (;;) {
      const end = this.fold.state.gap?.next;
      if (this.#page === undefined) return { kind: "noConnection" };
      walk.known = this.#held.length;
      let page: ViewPageResult;
      try {
        page = await this.#page({ sessionId: this.fold.sessionId, ...from, limit: PAGE_LIMIT });
      } catch (cause) {
        return { kind: "pageFailed", cause };
      }
      if (this.#walk !== walk) return undefined;
      const events = this.#eventsOf(page);
      if (events === undefined) return { kind: "pageFailed" };
      for (const event of events) this.#take(walk, event);

      const gap = this.fold.state.gap;
      if (walk.toGap && (gap === undefined || this.#paged.has(gap.next))) return undefined;
      const { nextCursor } = page;
      if (nextCursor === null) {
        // The hole ended in events that are not stored, unless it grew while the page was under way.
        if (gap === undefined || gap.next === end) return undefined;
        from = { cursor: events.at(-1)?.params.viewCursor ?? from.cursor ?? gap.after };
      } else {
        if (typeof nextCursor !== "string" || events.length === 0 || asked.has(nextCursor))
          return { kind: "pageStalled" };
        asked.add(nextCursor);
        from = { cursor: nextCursor };
      }
    }
  }

  /** The events of a page; undefined where it is none of this session. */
  #eventsOf(page: ViewPageResult): readonly PagedEvent[] | undefined {
    const events: unknown = page?.events;
    const isEvent = (event: unknown): event is PagedEvent => {
      const { method, params } = (event ?? {}) as Partial<PagedEvent>;
      return typeof method === "string" && this.#isOwn(params) && typeof params?.viewCursor === "string";
    };
    return Array.isArray(events) && events.every(isEvent) ? events : undefined;
  }

  #take(walk: Walk, event: PagedEvent): void {
    const { method, params } = event;
    this.#paged.add(params.viewCursor);
    if (walk.anew !== undefined) {
      walk.anew.push(event);
      return;
    }
    this.#tell(method, params, this.fold.apply(method, params));
    // Its first event tells its place, be it one of the hole or the one that was delivered.
    if (walk.early !== undefined && params.item?.itemId === walk.early) this.#seat(walk);
  }

  #seat(walk: Walk): void {
    if (walk.early !== undefined) this.fold.moveToEnd(walk.early);
    walk.early = undefined;
  }

  #end(walk: Walk, failure: Pick<GapError, "kind" | "cause"> | undefined): void {
    const { gap } = this.fold.state;
    if (failure === undefined) {
      if (walk.anew !== undefined) this.#replace(walk.anew, walk.known);
      if (gap !== undefined) this.fold.gapFilled(gap.next);
    } else if (walk.anew !== undefined) {
      // None of them was folded.
      this.#paged.clear();
    }
    this.#seat(walk);
    this.#walk = undefined;
    for (const [method, params] of this.#held.splice(0))
      this.#tell(method, params, this.#deliver(method, params));
    if (failure === undefined) return;
    const { sessionId } = this.fold;
    walk.error = { ...failure, sessionId, after: gap?.after, next: gap?.next };
    this.#options.onGapError?.(walk.error);
  }

  /**
   * Puts the events from a boundary on in the place of the view. Frames that are older than the last page stand in the
   * pages too, or come before the boundary: they are for what {@link SessionFold.forget} keeps.
   */
  #replace(events: readonly PagedEvent[], known: number): void {
    for (const [method, params] of this.#held.splice(0, known))
      this.#tell(method, params, this.fold.apply(method, params));
    this.fold.forget();
    for (const { method, params } of events) this.#tell(method, params, this.fold.apply(method, params));
  }

  #tell(method: string, params: unknown, outcome: FoldOutcome): void {
    this.#options.onFolded?.(method, params, outcome);
  }
}
