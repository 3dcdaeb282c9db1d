/** Laws of a command that is sent again: the answer is the first one, and nothing happens twice. */
import fc from "fast-check";
import { CaseVoid } from "../broken.js";
import { type AnyLaw, law } from "../law.js";
import { answerText } from "../model/answers.js";
import { rejectionReason } from "../model/history.js";
import { rejectionsOf } from "./command-rejections.js";
import { CommandTrial } from "./command-trial.js";
import { anyKind } from "./kind-cases.js";

/** Every ack is repeated value for value. */
export const replayIdentity = law<{ readonly kind: number; readonly times: number; readonly over: boolean }>({
  id: "replay-identity",
  level: "core",
  promise:
    "A command that is sent again with the same payload gets the ack that it got first, value for value.",
  needs: ["serves:session/start"],
  least: { replays: 30 },
  runs: 50,
  cases: () => fc.record({ kind: anyKind, times: fc.integer({ min: 1, max: 3 }), over: fc.boolean() }),
  async run(trial, { kind, times, over }) {
    const command = await CommandTrial.arrange(trial, kind);
    const first = await command.first();
    if (over) await command.reveal();
    for (let i = 0; i < times; i++) {
      const again = await command.ask();
      trial.count("replays");
      trial.hold(command.same(first, again), "a replay got another answer", {
        command: command.params,
        first,
        again,
      });
    }
  },
});

/** What a command does is done once. */
export const exactlyOneEffect = law<{
  readonly kind: number;
  readonly times: number;
  readonly between: boolean;
}>({
  id: "exactly-one-effect",
  level: "core",
  promise: "However often a command is sent, the view shows its effect once, also after an opposite command.",
  needs: ["serves:session/start"],
  least: { replays: 30, effects: 15, between: 10 },
  runs: 60,
  cases: () => fc.record({ kind: anyKind, times: fc.integer({ min: 1, max: 2 }), between: fc.boolean() }),
  async run(trial, { kind, times, between }) {
    const command = await CommandTrial.arrange(
      trial,
      kind,
      between ? { fits: ({ hasBetween }) => hasBetween === true } : {},
    );
    await command.first();
    await trial.quiet();
    const opposite = between ? command.arranged.between : undefined;
    if (opposite === undefined) await command.reveal();
    else {
      await trial.command(opposite.method, opposite.params);
      await trial.quiet();
      trial.count("between");
    }
    const before = command.changes();
    for (let i = 0; i < times; i++) {
      await command.ask();
      trial.count("replays");
    }
    await trial.quiet();
    command.holdUnchanged(before, "a replay did something");
    await command.reveal();
    await command.holdOneEffect("what was sent again was done again");
  },
});

/** What was rejected stays rejected. */
export const rejectionReplay = law<{
  readonly kind: number;
  readonly times: number;
  readonly crash: boolean;
}>({
  id: "rejection-replay",
  level: "core",
  promise:
    "A command that was rejected for good gets the same rejection whenever it is sent again, also when it would be accepted by now.",
  needs: ["serves:session/start"],
  least: { replays: 10, changes: 5 },
  runs: 20,
  cases: () => fc.record({ kind: anyKind, times: fc.integer({ min: 1, max: 2 }), crash: fc.boolean() }),
  async run(trial, { kind: n, times, crash }) {
    const kinds = rejectionsOf((ability) => trial.can(ability));
    const kind = kinds[n % Math.max(1, kinds.length)];
    if (kind === undefined) throw new CaseVoid("the host serves no command that could be rejected");
    const sessionId = await trial.session();
    const scene = { trial, sessionId };
    const params = { ...kind.params(scene), commandId: trial.mint() };
    const first = await trial.ask(kind.method, params);
    if (rejectionReason(first) === undefined)
      throw new CaseVoid(`${kind.name} was not rejected: ${JSON.stringify(first)}`);
    if (crash && trial.can("durable") && trial.can("crash") && trial.can("serves:session/resume")) {
      await trial.crash();
      await trial.resume(sessionId);
      trial.count("crashes");
    }
    if (kind.change !== undefined) {
      await kind.change(scene, params);
      trial.count("changes");
    }
    for (let i = 0; i < times; i++) {
      const again = await trial.ask(kind.method, params);
      trial.count("replays");
      trial.hold(
        answerText(kind.method, again) === answerText(kind.method, first),
        "what was rejected got another answer when it was sent again",
        { command: params, first, again },
      );
    }
  },
});

/** Laws of commands that are sent again. */
export const replayLaws: readonly AnyLaw[] = [replayIdentity, exactlyOneEffect, rejectionReplay];
