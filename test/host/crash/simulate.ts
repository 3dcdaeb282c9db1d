/** Runs a scenario to a crash, lets a host follow on what survived, and holds the laws to what came of it. */
import { SessionFold } from "../../../src/client/fold/index.js";
import type { Host } from "../../../src/host/host.js";
import type { SessionRecord } from "../../../src/host/session/records.js";
import { SessionViewLog } from "../../../src/host/session/view.js";
import type { Moment } from "../../../src/laws/simulation/disk.js";
import { Actor, type Sent, type StoreChange, type Survivors, World } from "../../support/crash-world.js";
import type { Outcome, TestClient } from "../../support/host.js";
import {
  type Complain,
  checkEffects,
  checkRepeat,
  checkReplay,
  isDurable,
  isKept,
  type Stand,
} from "./laws.js";

/** Where a run crashes: at the n-th write of the disk, from 1. */
export interface Crash {
  readonly write: number;
  readonly moment: Moment;
}

/** What a run came to. */
export interface Run {
  /** Writes until nothing was under way any more, or until the crash. */
  readonly writes: number;
  /** Writes of the host that follows, until everything was sent to it again. */
  readonly follows: number;
  /** The methods of the commands that were sent before the crash. */
  readonly methods: readonly string[];
  /** How the commands stood in what survived, in the order in which they were sent. */
  readonly stands: readonly Stand["kind"][];
  /** What does not hold. */
  readonly broken: readonly string[];
  /** Everything that survived, as text. */
  readonly survived: string;
}

/** How a run may differ. */
export interface Difference {
  readonly seed?: number;
  readonly change?: StoreChange;
}

/** Runs a scenario; hosts die at the given writes, one after the other. Without any, the last one lives to its end. */
export async function simulate(
  scenario: (actor: Actor) => Promise<void>,
  crashes: readonly Crash[],
  difference: Difference = {},
): Promise<Run> {
  const world = new World(difference);
  const { disk } = world;
  const broken: string[] = [];
  const complain: Complain = (law, details) => void broken.push(`${law}: ${JSON.stringify(details)}`);
  for (const { write, moment } of crashes) disk.crashAt(write, moment);

  const actor = new Actor(await world.client(world.host()), world.mint);
  let over = false;
  let failure: unknown;
  scenario(actor).then(
    () => (over = true),
    (error) => {
      failure = error;
      over = true;
    },
  );
  await world.quiet(1, () => over);
  if (failure !== undefined) throw failure;
  // What was on its way reaches its client.
  await world.quiet();
  const sent = actor.sent.map((command) => ({ ...command }));
  const seen = [actor.client.seen];
  const { writes } = disk;
  disk.crash();

  // A host that follows may die as well: while it recovers, or while everything is sent again.
  for (let life = 2; disk.faults < crashes.length; life++) {
    const { faults } = disk;
    const heard: Outcome[] = [];
    const client = await world.client(world.host());
    let replayed = false;
    void replayAll(client, sent, world, heard).then(() => (replayed = true));
    if (!(await world.quiet(faults + 1, () => replayed)))
      throw new Error(`host ${life} does not write as often as that`);
    await world.quiet();
    seen.push(client.seen);
    disk.crash();
    // What was answered last binds whoever follows.
    for (const [i, outcome] of heard.entries()) if (isKept(outcome)) sent[i]!.outcome = outcome;
  }

  const survivors = await world.survivors();
  const survived = textOf(survivors);
  const client = await world.client(world.host());
  const stands: Stand["kind"][] = [];
  const { writes: written } = disk;
  let answers = await replayAll(client, sent, world);
  const follows = disk.writes - written;
  for (const [i, command] of sent.entries())
    if (isDurable(command.method))
      stands.push(checkReplay(command, survivors, answers[i]!, crashes.length > 1, complain));
  const again = async (of: TestClient) => {
    const next = await replayAll(of, sent, world);
    for (const [i, command] of sent.entries())
      if (isDurable(command.method)) checkRepeat(command, answers[i]!, next[i]!, complain);
    answers = next;
  };
  await again(client);
  await drain(client, await world.survivors(), world, complain);
  await again(client);
  await drain(client, await world.survivors(), world, complain);
  seen.push(client.seen);
  const before = await viewsOf(client, await world.survivors(), world);
  disk.crash();

  // And once more, by a host that finds everything at rest.
  const host: Host = world.host();
  const last = await world.client(host);
  await again(last);
  await drain(last, await world.survivors(), world, complain);
  const final = await world.survivors();
  seen.push(last.seen);
  const after = await viewsOf(last, final, world);
  checkViews(final, before, after, seen, complain);
  const durable = sent.flatMap((command, i): [Sent, Outcome][] =>
    isDurable(command.method) ? [[command, answers[i]!]] : [],
  );
  checkEffects(durable, final, world.effects, complain);
  for (const error of world.errors)
    complain("no host has an error of its own", { error: String(JSON.stringify(error)) });
  disk.crash();
  return { writes, follows, methods: sent.map(({ method }) => method), stands, broken, survived };
}

/** Sends everything again under its id, in its order; loads sessions where that is asked for. */
async function replayAll(
  client: TestClient,
  sent: readonly Sent[],
  world: World,
  outcomes: Outcome[] = [],
): Promise<Outcome[]> {
  for (const { method, params } of sent) outcomes.push(await asked(client, method, params, world));
  await world.quiet();
  return outcomes;
}

async function asked(client: TestClient, method: string, params: object, world: World): Promise<Outcome> {
  const { sessionId } = params as { sessionId?: string };
  const outcome = await client.ask(method, params);
  if (!("error" in outcome) || outcome.error.data["kind"] !== "sessionNotLoaded") return outcome;
  await client.command("session/resume", { sessionId, commandId: world.mint() });
  return client.ask(method, params);
}

interface Reading {
  readonly activeTurn: { readonly turnId: string } | null;
  readonly queuedTurns: readonly unknown[];
}

/** Lets every session come to rest: what waits for a client is interrupted. */
async function drain(
  client: TestClient,
  { sessions }: Survivors,
  world: World,
  complain: Complain,
): Promise<void> {
  for (const [sessionId, records] of sessions) {
    if (records.length === 0) continue;
    for (let round = 0; ; round++) {
      await asked(client, "view/page", { sessionId, limit: 1 }, world);
      await world.quiet();
      const { history } = await client.command("session/read", { sessionId, excludeItems: false });
      const { activeTurn, queuedTurns } = (history as unknown as { snapshot: { state: Reading } }).snapshot
        .state;
      if (activeTurn === null && queuedTurns.length === 0) break;
      if (round > 20) {
        complain("every turn has one end", { sessionId, activeTurn });
        break;
      }
      if (activeTurn === null) continue;
      const { turnId } = activeTurn;
      await client.ask("turn/interrupt", { sessionId, turnId, commandId: world.mint() });
      await world.quiet();
    }
  }
}

interface View {
  readonly events: readonly { readonly method: string; readonly params: Readonly<Record<string, unknown>> }[];
  readonly history: { readonly snapshot: { readonly state: { readonly items: readonly unknown[] } } };
}

/** What clients can read of each session. */
async function viewsOf(
  client: TestClient,
  { sessions }: Survivors,
  world: World,
): Promise<Map<string, View>> {
  const views = new Map<string, View>();
  for (const [sessionId, records] of sessions) {
    if (records.length === 0) continue;
    const events: View["events"][number][] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const params = { sessionId, limit: 7, ...(cursor === undefined ? {} : { cursor }) };
      const outcome = await asked(client, "view/page", params, world);
      if (!("result" in outcome)) throw new Error(`a page is refused: ${JSON.stringify(outcome)}`);
      events.push(...(outcome.result["events"] as typeof events));
      cursor = outcome.result["nextCursor"] as string | null;
    }
    const { history } = await client.command("session/read", { sessionId, excludeItems: false });
    views.set(sessionId, { events, history: history as unknown as View["history"] });
  }
  return views;
}

/** Pages are the fold of the log; cursors are unique; what was told is what is read; snapshots are the fold of pages. */
function checkViews(
  final: Survivors,
  before: ReadonlyMap<string, View>,
  after: ReadonlyMap<string, View>,
  seen: readonly TestClient["seen"][],
  complain: Complain,
): void {
  const byCursor = new Map<unknown, View["events"][number]>();
  for (const [sessionId, { events, history }] of after) {
    const folded = eventsOf(sessionId, final.sessions.get(sessionId)!);
    if (!alike(events, folded)) complain("pages are the fold of the log", { sessionId });
    const fold = new SessionFold(sessionId);
    for (const event of events) {
      if (byCursor.has(event.params["viewCursor"])) complain("cursors are unique", event.params);
      byCursor.set(event.params["viewCursor"], event);
      fold.apply(event.method, event.params);
    }
    const items = [...fold.state.items.keys()];
    const shown = history.snapshot.state.items.map((item) => (item as { itemId: string }).itemId);
    if (!alike(items, shown)) complain("a snapshot is the fold of the pages", { sessionId, items, shown });
    if (!alike(before.get(sessionId)?.history, history))
      complain("a host that follows shows the same", { sessionId });
    if (!alike(before.get(sessionId)?.events, events))
      complain("a host that follows adds nothing to what is at rest", { sessionId });
  }
  for (const { kind, method, params } of seen.flat()) {
    if (kind !== "notification" || params["sourceRange"] === undefined) continue;
    // An event that is not kept has the cursor of a fragment.
    if (/\.\d+$/.test(String(params["viewCursor"]))) continue;
    if (!alike(byCursor.get(params["viewCursor"]), { method, params }))
      complain("what was told is in the log", { method, params });
  }
}

function eventsOf(sessionId: string, records: readonly SessionRecord[]): View["events"] {
  const view = new SessionViewLog(sessionId, 1_000_000);
  for (const record of records) view.apply(record);
  return Array.from({ length: view.ordinal }, (_, i) => {
    const { method, params } = view.event(i + 1)!;
    return { method, params: params as unknown as Readonly<Record<string, unknown>> };
  });
}

const alike = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function textOf({ sessions, commands }: Survivors): string {
  return JSON.stringify([[...sessions].sort(), [...commands].sort()]);
}
