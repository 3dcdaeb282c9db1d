/**
 * The law of a pending set: whatever is done to it in whatever order, no entry is lost, retired twice or retired by
 * anything but the named causes, and the words come back when they have to.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import type {
  Ack,
  CommandError,
  JoinTurn,
  PendingCommandSet,
  ReplayAnswer,
} from "../../../src/client/pending/index.js";
import { type Counts, Model, type Words } from "./model.js";

/** A class of pending sets: the real one, or a mutant. */
export type SetClass = typeof PendingCommandSet;

/** The set that is acted on, which a restart or a new session replaces. */
interface Real {
  readonly sets: SetClass;
  readonly dead: Set<string>;
  set: PendingCommandSet<Words>;
}

/** One thing done to both, compared by what it returns. */
type Act<Args> = (args: Args, model: Model, real: Real) => void;

const IDS = ["c0", "c1", "c2", "c3", "c4", "c5", "c6"];
const id = fc.constantFrom(...IDS);
// The turn of a queued submit has the id of its command.
const turnId = fc.constantFrom(...IDS, "running", "another");
const itemId = fc.constantFrom("i0", "i1", "i2");
const disposition: fc.Arbitrary<Ack["disposition"]> = fc.constantFrom(
  "queued",
  "started",
  "steered",
  "someday",
);
const ack: fc.Arbitrary<Ack> = fc.record({ turnId, disposition });
const rejected = fc
  .record({
    by: fc.constantFrom(
      { code: -32030, kind: "commandRejected" },
      { code: -32030, kind: "odd" },
      { code: 1, kind: "commandRejected" },
    ),
    reason: fc.constantFrom("abandoned", "command_id_conflict", "never_heard_of", undefined),
  })
  .map(({ by, reason }): CommandError => (reason === undefined ? by : { ...by, reason }));
const unsettling: fc.Arbitrary<CommandError> = fc.constantFrom(
  { code: -32001, kind: "overloaded" },
  { code: -32031, kind: "backpressured" },
  { code: -32602, kind: "invalidParams", reason: "abandoned" },
  { code: -32024, kind: "sessionNotLoaded" },
);
const error = fc.oneof({ arbitrary: rejected, weight: 1 }, { arbitrary: unsettling, weight: 2 });
const answer: fc.Arbitrary<ReplayAnswer> = fc.oneof(
  ack.map((ack) => ({ kind: "ack", ack }) as const),
  error.map((error) => ({ kind: "error", error }) as const),
);
const turn: fc.Arbitrary<JoinTurn> = fc.record({ turnId, commandId: fc.constantFrom(...IDS, "foreign") });
const facts = fc.record({
  activeTurn: fc.option(turn),
  queuedTurns: fc.uniqueArray(turn, { maxLength: 3, selector: ({ commandId }) => commandId }),
  userMessageCommandIds: fc.uniqueArray(
    fc.record({ commandId: fc.constantFrom(...IDS, "foreign"), itemId }),
    {
      maxLength: 2,
      selector: ({ commandId }) => commandId,
    },
  ),
  lastItemId: fc.option(itemId),
});

/** Whether a call is refused because the session is lost; any other error is passed on. */
function refused(call: () => void): boolean {
  try {
    call();
    return false;
  } catch (error) {
    if ((error as { kind?: unknown }).kind === "sessionDiscarded") return true;
    throw error;
  }
}

/** Compares what a set returned with what it should have, and enters it where it is a retirement. */
function settle<Got>(cause: string, model: Model, got: Got, wanted: unknown): void {
  assert.deepEqual(got, wanted);
  if (typeof got === "object" && got !== null) model.enter(cause, got as never);
  else model.count(`${cause}: ${got}`);
}

const submit: Act<{
  id: string;
  text: string;
  displayText?: string | undefined;
  anchor?: string | null | undefined;
}> = ({ id, text, displayText, anchor }, model, { set }) => {
  const input = model.words(text);
  const wanted = model.dead.has(id) || model.closed;
  const got = refused(() => set.submitted({ commandId: id, input, displayText, anchorAfterItemId: anchor }));
  assert.equal(got, wanted);
  if (got) return model.count(model.closed ? "submit: closed" : "submit: dead");
  if (model.find(id) !== undefined) return model.count("submit: again");
  model.open({
    commandId: id,
    input,
    ...(displayText === undefined ? {} : { displayText }),
    anchorAfterItemId: anchor ?? null,
    submissionIndex: model.next,
  });
};

const replay: Act<{ id: string; answer: ReplayAnswer }> = ({ id, answer }, model, { set }) => {
  let got: unknown;
  if (refused(() => (got = set.replayAnswered(id, answer)))) {
    assert.ok(model.dead.has(id));
    return model.count("replay: dead");
  }
  assert.ok(!model.dead.has(id));
  settle("replay", model, got, model.answered(id, answer));
};

const resolve: Act<{ id: string; answer: ReplayAnswer; queue: readonly string[] }> = (
  args,
  model,
  { set },
) => {
  const { id, answer, queue } = args;
  let got: unknown;
  if (refused(() => (got = set.resolveReplayAtJoin(id, answer, queue)))) {
    assert.ok(model.dead.has(id));
    return model.count("resolve: dead");
  }
  assert.ok(!model.dead.has(id));
  settle("resolve", model, got, model.resolved(id, answer, queue));
};

/** All that can be done to a set, by name. */
const ACTS = {
  submit: act(
    "submit",
    fc.record({
      id,
      text: fc.string(),
      displayText: fc.option(fc.string(), { nil: undefined }),
      anchor: fc.option(itemId, { nil: undefined }),
    }),
    submit,
  ),
  ack: act("ack", fc.record({ id, ack }), ({ id, ack }, model, { set }) => {
    set.acked(id, ack);
    model.acked(id, ack);
  }),
  error: act("error", fc.record({ id, error }), ({ id, error }, model, { sets, set }) => {
    assert.equal(sets.isSettlement(error), error.code === -32030 || error.kind === "commandRejected");
    settle("error", model, set.ackErrored(id, error), model.errored(id, error));
  }),
  replay: act("replay", fc.record({ id, answer }), replay),
  resolve: act("resolve", fc.record({ id, answer, queue: fc.subarray(IDS) }), resolve),
  movement: act("movement", turnId, (turnId, model, { set }) => {
    const wanted = model.rows.filter(({ ack }) => ack?.disposition === "queued" && ack.turnId !== turnId);
    assert.deepEqual(
      set.observedQueueMovement(turnId),
      wanted.map(({ commandId }) => commandId),
    );
    if (wanted.length > 0) model.count("movement: replays");
  }),
  reclaim: act("reclaim", id, (id, model, { set }) =>
    settle("reclaim", model, set.observedReclaim(id), model.reclaimed(id)),
  ),
  userMessage: act("userMessage", fc.record({ id, itemId }), ({ id, itemId }, model, { set }) =>
    settle(
      "userMessage",
      model,
      set.observedUserMessage(id, itemId),
      model.retire(id, { kind: "materialized", commandId: id, matchedBy: "userMessage", itemId }),
    ),
  ),
  stopRetrying: act("stopRetrying", id, stop),
  reconnect: act("reconnect", fc.constant(undefined), (_, model, { set }) => {
    const ids = (acked: boolean): string[] =>
      model
        .shown()
        .filter(({ ack }) => (ack !== undefined) === acked)
        .map(({ commandId }) => commandId);
    assert.deepEqual(set.reconnectedWithoutSnapshot(), {
      retirements: [],
      mustReplay: ids(true),
      mustResubmit: ids(false),
      kept: model.shown().map(({ commandId }) => commandId),
    });
  }),
  join: act(
    "join",
    fc.record({ facts, answers: fc.array(answer, { maxLength: 5 }) }),
    ({ facts, answers }, model, real) => {
      const plan = real.set.joinSnapshot(facts);
      assert.deepEqual(plan, model.joined(facts));
      for (const retirement of plan.retirements) model.enter("join", retirement);
      const queue = facts.queuedTurns.map(({ commandId }) => commandId);
      for (const [index, id] of plan.mustReplay.entries()) {
        const answer = answers[index];
        if (answer !== undefined) resolve({ id, answer, queue }, model, real);
      }
    },
  ),
  ephemeralDeath: act("ephemeralDeath", fc.constant(undefined), (_, model, { set }) => {
    const wanted = model
      .shown()
      .map(({ commandId, input }) => ({ kind: "terminalUnknown", commandId, input }));
    const got = set.discardEphemeral();
    assert.deepEqual(got, wanted);
    for (const retirement of got) model.enter("ephemeralDeath", retirement);
    for (const { commandId } of got) model.dead.add(commandId);
    model.rows = [];
    model.closed = true;
  }),
  /** Another session of the same client: what died with the last one stays dead. */
  newSession: act("newSession", fc.constant(undefined), (_, model, real) => {
    if (!model.closed) return;
    real.set = new real.sets<Words>({ discardedCommandIds: real.dead });
    model.closed = false;
    model.next = 0;
    model.count("newSession: opened");
  }),
  restart: act("restart", fc.constant(undefined), (_, model, real) => {
    if (model.closed) return;
    const text = JSON.stringify(real.set.save());
    real.set = real.sets.restore<Words>(JSON.parse(text), { discardedCommandIds: real.dead });
    model.count(`restart: ${model.rows.length === 0 ? "empty" : "pending"}`);
  }),
};

function stop(id: string, model: Model, { set }: Real): void {
  const input = model.find(id)?.input;
  const wanted =
    input === undefined
      ? undefined
      : model.retire(id, { kind: "retryAbandonedByClient", commandId: id, input, restoreToComposer: true });
  settle("stopRetrying", model, set.stopRetrying(id), wanted);
}

/** A command of fast-check: does one thing, and compares all that can be read. */
function act<Args>(
  name: string,
  args: fc.Arbitrary<Args>,
  run: Act<Args>,
): fc.Arbitrary<fc.Command<Model, Real>> {
  return args.map((given) => ({
    check: () => true,
    run: (model, real) => {
      model.count(name);
      run(given, model, real);
      compare(model, real);
    },
    toString: () => `${name}(${JSON.stringify(given)})`,
  }));
}

function compare(model: Model, { set, dead }: Real): void {
  assert.deepEqual(set.list(), model.shown());
  assert.equal(set.size, model.rows.length);
  assert.equal(set.discarded, model.closed);
  assert.deepEqual([...dead].sort(), [...model.dead].sort());
  for (const id of IDS) {
    assert.equal(set.has(id), model.find(id) !== undefined);
    assert.deepEqual(set.get(id), model.find(id));
  }
  model.keeps(set);
}

/** Often what fills the set, seldom what empties it at one blow: else most commands would meet nothing. */
const { ephemeralDeath, newSession, submit: submits, ack: acks, join: joins, ...others } = ACTS;
const COMMANDS = [
  { arbitrary: ephemeralDeath, weight: 2 },
  { arbitrary: newSession, weight: 5 },
  { arbitrary: fc.oneof(...Object.values(others)), weight: 20 },
  { arbitrary: joins, weight: 6 },
  { arbitrary: submits, weight: 20 },
  { arbitrary: acks, weight: 20 },
];

/** Holds a class of sets to the law; throws where it is broken. Counts what was really exercised. */
export function pendingLaw(
  sets: SetClass,
  { runs, shrink = true }: { runs: number; shrink?: boolean },
): Counts {
  const counts: Counts = {};
  const property = fc.property(
    fc.commands([fc.oneof(...COMMANDS)], { maxCommands: 60, size: "max" }),
    (commands) => {
      const dead = new Set<string>();
      const model = new Model(counts);
      const real: Real = { sets, dead, set: new sets<Words>({ discardedCommandIds: dead }) };
      fc.modelRun(() => ({ model, real }), commands);
      // What is left can still be handed back, each once.
      for (const { commandId } of real.set.list()) {
        stop(commandId, model, real);
        stop(commandId, model, real);
      }
      compare(model, real);
    },
  );
  fc.assert(property, { numRuns: runs, seed: 1, endOnFailure: !shrink });
  return counts;
}

/** The names of all commands. */
export const COMMAND_NAMES = Object.keys(ACTS);
