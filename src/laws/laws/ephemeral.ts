/** Laws of a host that keeps nothing: all promises hold while it lives, and it claims nothing beyond. */
import fc from "fast-check";
import { methods } from "../../../generated/msp/experimental/tables.js";
import { CaseVoid } from "../broken.js";
import { type AnyLaw, law } from "../law.js";
import { isAck } from "../model/history.js";
import { CommandTrial, holdConflict, isErrorOf } from "./command-trial.js";
import { anyKind } from "./kind-cases.js";

const withinLife = law<{ readonly kind: number; readonly over: boolean; readonly other: boolean }>({
  id: "ephemeral-within-life",
  level: "ephemeral",
  promise: "While it lives an ephemeral host keeps every promise of commands: replay, conflict, one effect.",
  needs: ["ephemeral", "serves:session/start"],
  least: { replays: 20, conflicts: 5, effects: 10 },
  runs: 40,
  cases: () => fc.record({ kind: anyKind, over: fc.boolean(), other: fc.boolean() }),
  async run(trial, { kind, over, other }) {
    const command = await CommandTrial.arrange(trial, kind, { needsOther: other });
    const first = await command.first();
    if (over) await command.reveal();
    if (other) {
      const outcome = await command.ask(command.other);
      holdConflict(trial, outcome, command.commandId, "an id was taken for another payload");
    }
    const again = await command.ask();
    trial.count("replays");
    trial.hold(command.same(first, again), "a replay got another answer", { first, again });
    await command.reveal();
    await command.holdOneEffect("what was sent again was done again");
  },
});

/** Methods that an ephemeral host does not serve. */
const WITHHELD: readonly string[] = Object.entries<{ readonly withheld: readonly string[] }>(methods)
  .filter(([, { withheld }]) => withheld.includes("ephemeral"))
  .map(([method]) => method);

const claimsNothing = law<{ readonly kind: number; readonly orderly: boolean; readonly method: number }>({
  id: "ephemeral-claims-nothing",
  level: "ephemeral",
  promise:
    "An ephemeral host does not know the sessions and commands of the one before it, and serves no method that would claim that it does.",
  needs: ["ephemeral", "crash", "serves:session/start"],
  least: { restarts: 15, replays: 15, withheld: 15 },
  runs: 24,
  cases: () => fc.record({ kind: anyKind, orderly: fc.boolean(), method: anyKind }),
  async run(trial, { kind, orderly, method: n }) {
    const command = await CommandTrial.arrange(trial, kind, { inSession: true });
    await command.first();
    if (orderly) await trial.restart();
    else await trial.crash();
    trial.count("restarts");
    const outcome = await command.ask();
    trial.count("replays");
    trial.hold(!isAck(outcome), "an ephemeral host acked a command of a session that is gone", {
      command: command.params,
      answer: outcome,
    });
    trial.hold(
      isErrorOf(outcome, "sessionNotFound", "sessionNotLoaded"),
      "a session that is gone is not refused as unknown",
      { command: command.params, answer: outcome },
    );
    const method = WITHHELD[n % Math.max(1, WITHHELD.length)];
    if (method === undefined) throw new CaseVoid("the schema withholds nothing");
    const { sessionId } = command;
    const withheld = await trial.ask(method, { sessionId, commandId: trial.mint() });
    trial.count("withheld");
    trial.hold(
      isErrorOf(withheld, "methodNotFound"),
      "an ephemeral host serves a method that it cannot keep",
      {
        method,
        answer: withheld,
      },
    );
  },
});

/** Laws of ephemeral hosts. */
export const ephemeralLaws: readonly AnyLaw[] = [withinLife, claimsNothing];
