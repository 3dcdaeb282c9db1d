/** Laws of a session's view: what a client sees of it is the same from wherever it begins to look. */
import fc from "fast-check";
import { notifications } from "../../../generated/msp/experimental/tables.js";
import { SessionFold } from "../../client/fold/index.js";
import { snapshotOf } from "../../client/fold/serve-snapshot.js";
import { type JoinResult, joinSession } from "../../client/fold/snapshot.js";
import { canonicalJson } from "../../ledger/canonical.js";
import { CaseVoid, law } from "../law.js";
import { isAck, type JsonObject, type Told } from "../model/history.js";
import { type Trial, textInput } from "../trial.js";
import { Conversation, conversations, type Step, told } from "./conversation.js";

/** An event of a view, as it was pushed and as pages have it. */
interface Event {
  readonly method: string;
  readonly params: JsonObject;
}

const rows: Readonly<Record<string, { readonly scope: string } | undefined>> = notifications;

/** Events of a session's view that a connection was told, from a place of the history on. */
function events({ history }: Trial, sessionId: string, connection: number, from = 0): readonly Told[] {
  return history.told.slice(from).filter(({ kind, method, params, connection: of }) => {
    if (kind !== "notification" || of !== connection || params["sessionId"] !== sessionId) return false;
    // What is newer than the schema is an event where it has a place in the view.
    return (rows[method]?.scope ?? "view") === "view" && typeof params["viewCursor"] === "string";
  });
}

const isKept = ({ params }: Event): boolean => "sourceRange" in params;
const bare = ({ method, params }: Event): Event => ({ method, params });
const cursorOf = ({ params }: Event): string => String(params["viewCursor"]);

/** What waits when somebody joins. */
interface Waiting {
  readonly queued: number;
  /** What the running turn waits for. */
  readonly asks: "nothing" | "approval" | "question";
  /** Whether the first of the queue is taken back. */
  readonly unqueues: boolean;
  /** Whether the joiner repeats the commands that it sees. */
  readonly repeats: boolean;
}

/** Who comes late sees what is under way and what waits. */
export const lateJoiner = law<Waiting>({
  id: "late-joiner",
  level: "core",
  promise:
    "Who joins a session late sees the turn that runs, the turns that wait in the order of their launch, and what waits for the user, is asked it again, and gets the first acks for the commands it sees.",
  needs: ["busy", "quick", "serves:session/resume"],
  least: { joined: 8, queued: 4, repeated: 3 },
  runs: 20,
  cases: () =>
    fc.record({
      queued: fc.nat({ max: 3 }),
      asks: fc.constantFrom("nothing" as const, "approval" as const, "question" as const),
      unqueues: fc.boolean(),
      repeats: fc.boolean(),
    }),
  async run(trial, { queued, asks, unqueues, repeats }) {
    const sessionId = await trial.session();
    const what = asks !== "nothing" && trial.can(asks) ? asks : "busy";
    const { prompts } = trial;
    const submit = async (prompt: string | undefined) => {
      const params = { sessionId, commandId: trial.mint(), input: textInput(prompt ?? "") };
      return { params, ack: await trial.command("turn/start", params) };
    };
    const running = await submit(prompts[what]);
    const turnId = String(running.ack["turnId"]);
    const asked =
      what === "busy"
        ? await trial.need(told("turn/started", { turnId }), "a turn did not start")
        : await trial.need(
            told(what === "approval" ? "approval/requested" : "userInput/requested", { turnId }),
            "a turn did not ask",
          );
    const waiting = [];
    for (let i = 0; i < queued; i++) waiting.push(await submit(prompts.quick));
    if (unqueues && waiting.length > 0) {
      const [first] = waiting.splice(0, 1);
      await trial.command("turn/unqueue", { sessionId, turnId: first?.ack["turnId"] });
    }
    const by = trial.can("connections") ? 1 : 0;
    await trial.client(by);
    // An ack comes before what is told of it.
    await trial.quiet();
    if (by === 0) await trial.ask("view/unsubscribe", { sessionId });
    const from = trial.history.told.length;
    const joined = await trial.command("session/resume", { sessionId, history: "snapshot" }, { by });
    const { snapshot } = joined["history"] as { readonly snapshot?: JsonObject | null };
    if (snapshot == null) throw new CaseVoid("the host gave no snapshot");
    trial.count("joined");
    const state = snapshot["state"] as JsonObject;
    const active = state["activeTurn"] as JsonObject | null;
    const details = { snapshot: { ...state, items: undefined }, running, waiting };
    trial.hold(
      active?.["turnId"] === turnId && active["commandId"] === running.params.commandId,
      "a snapshot does not have the turn that runs",
      details,
    );
    const refs = state["queuedTurns"] as readonly JsonObject[];
    trial.count("queued", waiting.length);
    trial.hold(
      refs.length === waiting.length &&
        waiting.every(
          ({ params, ack }, i) =>
            refs[i]?.["turnId"] === ack["turnId"] && refs[i]?.["commandId"] === params.commandId,
        ),
      "a snapshot does not have the turns that wait, in their order",
      details,
    );
    if (what !== "busy") await isAskedAgain(trial, joined, state, asked, by, from);
    if (!repeats) return;
    for (const { params, ack } of [running, ...waiting]) {
      const again = await trial.ask("turn/start", params, { by });
      trial.count("repeated");
      trial.hold(
        isAck(again) && canonicalJson(again.result) === canonicalJson(ack),
        "a command that is under way got another ack when who joined repeated it",
        { first: ack, again },
      );
    }
  },
});

/** Checks that what waits for the user is pointed to, and that who joined is asked it. */
async function isAskedAgain(
  trial: Trial,
  joined: JsonObject,
  state: JsonObject,
  { method, params }: Told,
  by: number,
  from: number,
): Promise<void> {
  const approval = method === "approval/requested";
  const name = approval ? "approvalId" : "userInputId";
  const id = params[name];
  const has = (list: unknown): boolean =>
    Array.isArray(list) && list.some((row: JsonObject) => row[name] === id);
  trial.count("asked");
  trial.hold(
    has(joined["pendingRequests"]),
    "the answer to who joined does not point to what waits for the user",
    { pendingRequests: joined["pendingRequests"], id },
  );
  trial.hold(
    has(state[approval ? "pendingApprovals" : "pendingUserInputs"]),
    "a snapshot does not have what waits for the user",
    { id },
  );
  const request = approval ? "approval/request" : "userInput/request";
  const { told: messages } = trial.history;
  const found = await trial.when(() =>
    messages
      .slice(from)
      .some(
        ({ kind, connection, method: asked, params: of }) =>
          kind === "request" && connection === by && asked === request && of[name] === id,
      ),
  );
  trial.hold(found, "who joined was not asked what waits for the user", { id });
}

interface Cut {
  readonly before: readonly Step[];
  readonly after: readonly Step[];
  /** How the joiner begins: by a snapshot, or after an event that it has. */
  readonly by: "snapshot" | "cursor";
  /** Which event that is, of those that can be; counted from the last. */
  readonly back: number;
}

/** A snapshot and what follows it are the whole. */
export const snapshotAndSuffix = law<Cut>({
  id: "snapshot-and-suffix",
  level: "core",
  promise:
    "What who joins is given and what is pushed afterwards make the same view as all that was pushed from the beginning.",
  needs: ["quick", "serves:session/resume"],
  least: { folds: 5, suffixes: 5 },
  runs: 30,
  cases: () =>
    fc.record({
      before: conversations(3),
      after: conversations(2),
      by: fc.constantFrom("snapshot" as const, "cursor" as const),
      back: fc.nat({ max: 8 }),
    }),
  async run(trial, { before, after, by, back }) {
    const sessionId = await trial.session();
    const beginning = (await trial.resume(sessionId, { history: "snapshot" })) as unknown as JoinResult;
    const talk = new Conversation(trial, sessionId);
    await talk.play(before);
    await trial.quiet();
    const joiner = trial.can("connections") ? 1 : 0;
    await trial.client(joiner);
    const cut = trial.history.told.length;
    const soFar = events(trial, sessionId, 0);
    const kept = soFar.filter(isKept);
    const last = by === "cursor" ? kept.at(-1 - Math.min(back, kept.length - 1)) : undefined;
    const how = last === undefined ? { history: "snapshot" } : { cursor: cursorOf(last) };
    const join = (await trial.resume(sessionId, how, joiner)) as unknown as JoinResult;
    await talk.play(after);
    await trial.quiet();
    // What was told to who listened from the beginning: on one connection it listens anew from the join on.
    const wholeEvents = joiner === 0 ? soFar : events(trial, sessionId, 0);
    const suffix = afterCursor(events(trial, sessionId, joiner, cut), join.viewCursor, last);
    if (last !== undefined && join.history.mode === "none") {
      trial.count("suffixes");
      const missed = joiner === 0 ? [...soFar, ...suffix] : wholeEvents;
      const expected = afterCursor(missed, undefined, last).filter(isKept);
      trial.hold(
        canonicalJson(uniqueByCursor(suffix.filter(isKept)).map(bare)) ===
          canonicalJson(uniqueByCursor(expected).map(bare)),
        "what was pushed after a cursor is not what had been pushed after it",
        { cursor: cursorOf(last), pushed: suffix.map(brief), expected: expected.map(brief) },
      );
      return;
    }
    const whole = folded(sessionId, beginning, joiner === 0 ? [...soFar, ...suffix] : wholeEvents);
    const joined = folded(sessionId, join, suffix);
    if (whole === undefined || joined === undefined) throw new CaseVoid("the host gave no snapshot");
    trial.count("folds");
    trial.hold(
      canonicalJson(joined) === canonicalJson(whole),
      "a snapshot and what was pushed after it make another view than all that was pushed",
      differenceOf(joined, whole),
    );
  },
});

const brief = ({ method, params }: Event): string => `${method} ${String(params["viewCursor"])}`;

/** Events after a cursor, where it is among them; after an event, where that is. All of them where neither is. */
function afterCursor(
  list: readonly Told[],
  cursor: string | undefined,
  last: Told | undefined,
): readonly Told[] {
  const at = last === undefined ? cursor : cursorOf(last);
  const place = list.findLastIndex((event) => cursorOf(event) === at);
  return list.slice(place + 1);
}

function uniqueByCursor(list: readonly Told[]): readonly Told[] {
  const seen = new Set<string>();
  return list.filter((event) => {
    const cursor = cursorOf(event);
    return !seen.has(cursor) && seen.add(cursor);
  });
}

/** The view that a client folds of a join and what follows; undefined where the join has nothing to begin with. */
function folded(sessionId: string, join: JoinResult, suffix: readonly Event[]): JsonObject | undefined {
  const fold = new SessionFold(sessionId);
  const outcome = joinSession(fold, join);
  if (outcome.kind !== "seeded" || outcome.from !== "snapshot") return undefined;
  for (const { method, params } of suffix) fold.apply(method, params);
  const { state } = snapshotOf(fold, {
    viewCursor: "",
    approvalMode: join.session.approvalMode ?? {
      mode: "promptUnmatched",
      source: "startup",
      lastCommandId: null,
    },
    tokenUsage: { outputTokens: 0, promptTokens: 0, totalTokens: 0 },
  });
  return state as unknown as JsonObject;
}

function differenceOf(joined: JsonObject, whole: JsonObject): JsonObject {
  const names = [...new Set([...Object.keys(joined), ...Object.keys(whole)])];
  const different = names.filter((name) => JSON.stringify(joined[name]) !== JSON.stringify(whole[name]));
  return Object.fromEntries(different.map((name) => [name, { joined: joined[name], whole: whole[name] }]));
}

/** Cursors name one event each. */
export const cursorsUnique = law<{ readonly steps: readonly Step[]; readonly again: boolean }>({
  id: "cursors-unique",
  level: "core",
  promise: "Within one subscription no two events have the same cursor.",
  needs: ["quick"],
  least: { cursors: 80 },
  runs: 15,
  cases: () => fc.record({ steps: conversations(4), again: fc.boolean() }),
  async run(trial, { steps, again }) {
    const sessionId = await trial.session();
    const talk = new Conversation(trial, sessionId);
    await talk.play(steps);
    await trial.quiet();
    let from = 0;
    if (again) {
      unique(trial, events(trial, sessionId, 0));
      from = trial.history.told.length;
      await trial.ask("view/subscribe", { sessionId });
      await talk.play(steps);
      await trial.quiet();
    }
    unique(trial, events(trial, sessionId, 0, from));
  },
});

function unique(trial: Trial, list: readonly Told[]): void {
  const seen = new Map<string, Told>();
  for (const event of list) {
    const cursor = cursorOf(event);
    trial.count("cursors");
    const first = seen.get(cursor);
    trial.hold(first === undefined, "two events of one subscription have the same cursor", {
      first: first && bare(first),
      second: bare(event),
    });
    seen.set(cursor, event);
  }
}

interface Paging {
  readonly steps: readonly Step[];
  readonly limit: number;
  readonly direction: "forward" | "backward";
}

/** Pages are what was pushed. */
export const pageEqualsPush = law<Paging>({
  id: "page-equals-push",
  level: "core",
  promise:
    "The pages of a view, in either direction and of any size, are the pushed events that have a source range, in their order and value for value.",
  needs: ["quick", "serves:view/page"],
  least: { pages: 15, events: 40 },
  runs: 20,
  cases: () =>
    fc.record({
      steps: conversations(3),
      limit: fc.integer({ min: 1, max: 9 }),
      direction: fc.constantFrom("forward" as const, "backward" as const),
    }),
  async run(trial, { steps, limit, direction }) {
    const sessionId = await trial.session();
    await new Conversation(trial, sessionId).play(steps);
    await trial.quiet();
    const pushed = events(trial, sessionId, 0).filter(isKept).map(bare);
    const paged = await pages(trial, sessionId, limit, direction, pushed.length + 2);
    trial.count("events", paged.length);
    const at = paged.findIndex((event, i) => canonicalJson(bare(event)) !== canonicalJson(pushed[i] ?? null));
    trial.hold(
      at === -1 && paged.length === pushed.length,
      "the pages of a view are not what was pushed",
      at === -1
        ? { paged: paged.map(brief), pushed: pushed.map(brief) }
        : { at, paged: paged[at], pushed: pushed[at] },
    );
  },
});

/** All events of a view, page by page; `most`: after so many pages something is wrong. */
async function pages(
  trial: Trial,
  sessionId: string,
  limit: number,
  direction: Paging["direction"],
  most: number,
): Promise<readonly Event[]> {
  const found: Event[] = [];
  let cursor: unknown;
  for (let count = 0; cursor !== null; count++) {
    const outcome = await trial.ask("view/page", {
      ...{ sessionId, limit, direction },
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (!isAck(outcome)) throw new CaseVoid(`a page was refused: ${JSON.stringify(outcome.error)}`);
    trial.count("pages");
    const page = outcome.result["events"] as readonly Event[];
    trial.hold(page.length <= limit, "a page has more events than were asked for", { limit, page });
    trial.hold(count <= most, "the pages of a view have no end", { cursor });
    if (direction === "forward") found.push(...page);
    else found.unshift(...page);
    cursor = outcome.result["nextCursor"] ?? null;
  }
  return found;
}

/** In the order in which they are tried. */
export const viewLaws = [lateJoiner, snapshotAndSuffix, cursorsUnique, pageEqualsPush];
