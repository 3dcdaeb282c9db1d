/** Laws of one command that comes several times at once, or again on another connection. */
import fc from "fast-check";
import { type AnyLaw, law } from "../law.js";
import { isAck, type Outcome, rejectionReason } from "../model/history.js";
import type { Trial } from "../trial.js";
import { CommandTrial, isConflict } from "./command-trial.js";
import { anyKind } from "./kind-cases.js";

interface AtOnce {
  readonly kind: number;
  /** How many are sent. */
  readonly copies: number;
  /** Which of them has another payload; none where there are not so many. */
  readonly odd: number;
}

/** Whether a command was accepted, or rejected for good, for what it is. */
const isDecided = (outcome: Outcome) =>
  isAck(outcome) || (rejectionReason(outcome) !== undefined && !isConflict(outcome));

const cases = (most: number) =>
  fc.record({
    kind: anyKind,
    copies: fc.integer({ min: 2, max: most }),
    odd: fc.oneof(fc.constant(NOBODY), fc.nat({ max: most - 1 })),
  });

const NOBODY = 99;

/** Sends copies of a command before any of them is answered, and holds the host to one of them. */
async function sendAtOnce(trial: Trial, { kind, copies, odd }: AtOnce, connections: number): Promise<void> {
  const command = await CommandTrial.arrange(trial, kind, { needsOther: true });
  // All connections are there before the first copy is sent, so that nothing comes between them.
  for (let by = 0; by < connections; by++) await trial.client(by);
  const sent = [];
  for (let i = 0; i < copies; i++) {
    const isOdd = i === odd;
    sent.push({
      isOdd,
      sent: await command.send(isOdd ? command.other : command.params, { by: i % connections }),
    });
  }
  const outcomes: { readonly isOdd: boolean; readonly outcome: Outcome }[] = [];
  for (const { isOdd, sent: one } of sent) outcomes.push({ isOdd, outcome: await trial.answer(one) });
  trial.count("copies", copies);
  const details = { command: command.params, outcomes };
  // Which payload came first is for the host to say; the other one is a conflict.
  const winner = outcomes.find(({ outcome }) => isDecided(outcome));
  if (winner === undefined) {
    trial.hold(
      !outcomes.some(({ outcome }) => isConflict(outcome)),
      "every copy of a command is in conflict with what nobody was told of",
      details,
    );
    trial.count("none accepted");
    return;
  }
  trial.count("rounds");
  for (const { isOdd, outcome } of outcomes) {
    if (isOdd === winner.isOdd)
      trial.hold(
        command.same(outcome, winner.outcome),
        "copies of one command got different answers",
        details,
      );
    else {
      if (isConflict(outcome)) trial.count("odd");
      // One that came first may have been refused for what it said, and left nothing.
      trial.hold(!isDecided(outcome), "two payloads were taken under one id", details);
    }
  }
  await trial.quiet();
  if (winner.isOdd || !isAck(winner.outcome)) return;
  await command.reveal();
  await command.holdOneEffect("copies of one command were done more than once");
}

const atOnce = law<AtOnce>({
  id: "duplicates-at-once",
  level: "core",
  promise:
    "Copies of a command that come before the first is answered all get one ack and have one effect; at most one payload is taken.",
  needs: ["serves:session/start"],
  least: { copies: 60, rounds: 20, odd: 5 },
  runs: 40,
  cases: () => cases(5),
  run: (trial, of) => sendAtOnce(trial, of, 1),
});

const acrossConnections = law<AtOnce>({
  id: "duplicates-across-connections",
  level: "connections",
  promise:
    "Copies of a command that come at once on several connections all get one ack and have one effect.",
  needs: ["serves:session/start", "connections"],
  least: { copies: 50, rounds: 15, odd: 4 },
  runs: 30,
  cases: () => cases(4),
  run: (trial, of) => sendAtOnce(trial, of, 3),
});

const acrossReconnect = law<{ readonly kind: number; readonly answered: boolean }>({
  id: "duplicates-across-reconnect",
  level: "connections",
  promise:
    "A command that is sent again on a new connection, answered before or not, gets the same ack and is done once.",
  needs: ["serves:session/start", "connections"],
  least: { reconnects: 20, answered: 5, unanswered: 5 },
  runs: 30,
  cases: () => fc.record({ kind: anyKind, answered: fc.boolean() }),
  async run(trial, { kind, answered }) {
    const command = await CommandTrial.arrange(trial, kind);
    await trial.client(1);
    let first: Outcome | undefined;
    if (answered) first = await command.first(command.params, { by: 1 });
    else await command.send(command.params, { by: 1 });
    trial.count(answered ? "answered" : "unanswered");
    await trial.reconnect(1);
    trial.count("reconnects");
    const again = await command.first(command.params, { by: 1 });
    trial.hold(
      first === undefined || command.same(first, again),
      "a replay on a new connection got another answer",
      { command: command.params, first, again },
    );
    const third = await command.ask();
    trial.hold(command.same(again, third), "a replay on another connection got another answer", {
      command: command.params,
      again,
      third,
    });
    await command.reveal();
    await command.holdOneEffect("a command that was sent again on a new connection was done again");
  },
});

/** Laws of duplicates. */
export const duplicateLaws: readonly AnyLaw[] = [atOnce, acrossConnections, acrossReconnect];
