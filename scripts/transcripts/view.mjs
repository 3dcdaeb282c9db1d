// Views with a hole, and views that are taken up again.
import { Approval, ONCE_OR_ABORT } from "./asks.mjs";
import { Item, Session, Turn } from "./session.mjs";
import { open } from "./turns.mjs";

/** A turn of long ago: its command was sent on another connection. */
function earlier(rec, session, text) {
  return new Turn(session, { params: { commandId: rec.id(), input: [{ type: "text", text }] } });
}

/** Stored events are delivered as notifications. */
const deliver = (rec, events) => events.forEach(({ method, params }) => rec.emit(method, params));

/** A connection that takes up a stored session. */
function resume(rec, session, params, result) {
  const request = session.command("session/resume", params);
  rec.result(request, { viewCursor: session.head(), pendingRequests: [], ...result });
}

/** The scenarios by name. */
export const view = {
  "gap-splice-fill": (rec) => {
    const session = open(rec);
    const turn = session.run("Survey the ponds.");
    rec.shows("A turn runs.");
    const after = session.head();
    const lost = rec.lose(() => {
      const tool = turn.tool("shell", { command: "survey ponds" });
      tool.delta("north: 2.1 m\n", { field: "output", target: "visibleOutput" });
      tool.finish("completed", { truncated: false });
      turn.streamed(["The north pond", " is deep enough."], "commentary");
      turn.message("The south pond is silted up.", "commentary");
    });
    rec.emit("view/gap", { sessionId: session.sessionId, after, next: session.following() });
    const reached = turn.message("One pond of two can feed the drip lines.");
    rec.shows(
      "The client could not keep up, and events were dropped: the marker names the last event before the hole and the first one after it, neither of them lost.",
    );
    const page = (cursor, events, nextCursor) => {
      const request = rec.request("view/page", { sessionId: session.sessionId, cursor, limit: 200 });
      rec.result(request, { events, nextCursor });
      return nextCursor;
    };
    const first = lost.slice(0, 3);
    const cursor = page(after, first, first.at(-1).params.viewCursor);
    rec.shows(
      "The client asks for what follows the last event it has. The host may serve less than the limit; what it did not store, deltas above all, is not served at all.",
    );
    page(cursor, [...lost.slice(3), reached.event], null);
    rec.shows(
      "The next page reaches the event after the hole and is the end of the view: no further cursor.",
    );
    turn.completed();
    rec.shows("Events go on as before.");
  },

  "gap-reanchor": (rec) => {
    const session = open(rec);
    const turn = session.run("Sort all survey notes of the last ten years.");
    rec.shows("A turn runs.");
    const after = session.head();
    let boundary;
    const kept = rec
      .lose(() => {
        const tool = turn.tool("shell", { command: "notes --all" });
        tool.finish("completed", { visibleOutput: "1,204 notes\n", truncated: false });
        const compaction = new Item(turn, { kind: "compaction" });
        compaction.members = { trigger: "auto" };
        compaction.open();
        compaction.finish("completed", {
          outcome: "compacted",
          strategyId: "summary",
          summarizedThrough: `run:${turn.turnId}:4`,
          tokensBefore: 148_000,
          tokensAfter: 21_500,
        });
        boundary = session.head();
        turn.message("Sorted up to 2021.", "commentary");
      })
      .slice(-1);
    const next = session.following();
    const reached = turn.message("All notes are sorted by pond.");
    rec.emit("view/gap", { sessionId: session.sessionId, after, next });
    rec.shows("A hole, told only after the event that follows it, which is allowed.");
    const request = rec.request("view/page", {
      sessionId: session.sessionId,
      anchor: "latestCompaction",
      limit: 200,
    });
    rec.result(request, {
      events: [...kept, reached.event],
      nextCursor: null,
      resolvedAnchor: { boundaryCursor: boundary },
    });
    rec.shows(
      "Instead of filling the hole, the client drops what it has and starts anew at the latest compaction: the host says which cursor that is, and serves what follows it. A client that fills every hole by itself cannot play this scenario.",
    );
    turn.completed();
    rec.shows("Events go on as before.");
  },

  "resume-with-suffix": (rec) => {
    const session = new Session(rec, { head: 2 });
    const turn = earlier(rec, session, "Draft the letter to the water board.");
    let held;
    rec.lose(() => {
      turn.started();
      turn.input();
      held = session.head();
    });
    const suffix = rec.lose(() => {
      turn.streamed(["Dear board, the south pond is silted up."]);
      turn.completed();
    });
    rec.wait(3_600_000);
    rec.handshake();
    rec.shows("The handshake of a new connection.");
    resume(
      rec,
      session,
      { cursor: held },
      {
        session: session.row({ turnCount: 1, updatedAt: suffix[0].params.item.recordedAt }),
        history: { mode: "none", items: null, snapshot: null, noneReason: "cursorSuffix" },
        lastTurn: { turnId: turn.turnId, terminal: "completed" },
      },
    );
    rec.shows(
      "A session is taken up again at a cursor that the client holds: no history, and the head of the view.",
    );
    deliver(rec, suffix);
    rec.shows(
      "Then exactly the events between that cursor and the head, with the cursors they had from the first.",
    );
    const next = session.run("Make it more polite.");
    next.message("Dear members of the board, may we draw your attention to the south pond?");
    next.completed();
    rec.shows("The session goes on.");
  },

  "resume-pending-approval": (rec) => {
    const session = new Session(rec, { head: 2 });
    const turn = earlier(rec, session, "Dredge the south pond.");
    const command = "dredge --pond south";
    let approval;
    const past = rec.lose(() => {
      turn.started();
      turn.input();
      approval = new Approval(turn, {
        tool: "shell",
        args: { command },
        subject: { kind: "shell", toolName: "shell", command },
        choices: ONCE_OR_ABORT,
      });
      approval.tell();
    });
    rec.wait(60_000);
    rec.handshake();
    rec.shows("The handshake of a new connection.");
    const { approvalId } = approval;
    resume(
      rec,
      session,
      {},
      {
        session: session.row({
          status: "running",
          activeTurnId: turn.turnId,
          turnCount: 1,
          attention: ["approvalPending"],
        }),
        history: {
          mode: "inline",
          items: past.flatMap(({ params }) => params.item ?? []),
          snapshot: null,
        },
        pendingRequests: [{ kind: "approval", approvalId, viewCursor: approval.params.viewCursor }],
      },
    );
    rec.shows(
      "A session is taken up again while it waits: the history is given whole, and what waits is pointed at.",
    );
    approval.ask();
    approval.receipt();
    rec.shows(
      "The request is sent again to whoever took up the session, with the cursor of the event that told it.",
    );
    approval.decide("allow_once");
    approval.resolve();
    approval.item.finish("completed", { visibleOutput: "14 m3 of silt\n", truncated: false });
    turn.completed();
    rec.shows("It is decided as on the first connection; the call that had begun there ends here.");
  },

  "resume-unknown-cursor": (rec) => {
    rec.handshake();
    rec.shows("The handshake.");
    const session = new Session(rec);
    const request = session.command("session/resume", { cursor: session.cursor(999) });
    rec.error(request, "notFound", "no event has this cursor", { reason: "missingAnchor", retryable: false });
    rec.shows("A cursor that the host never gave out is not found; the session is not taken up.");
  },
};
