/** A law of commands that were refused before they were taken in: nothing of them is kept, and their ids are free. */
import fc from "fast-check";
import { CaseVoid } from "../broken.js";
import { type AnyLaw, law } from "../law.js";
import { isAck, type JsonObject } from "../model/history.js";
import { CommandTrial, isErrorOf } from "./command-trial.js";
import { anyKind } from "./kind-cases.js";

const REFUSALS = ["invalid", "noSession", "noCapability", "experimental"] as const;
type Refusal = (typeof REFUSALS)[number];

/** Params that are refused in some way; undefined where a command cannot be refused so. */
function refusedParams(
  command: CommandTrial,
  refusal: Refusal,
  noSession: string,
): { readonly params: JsonObject; readonly kind: string } | undefined {
  const { params, kind } = command;
  switch (refusal) {
    case "invalid": {
      const [member] = Object.keys(command.arranged.params).filter((name) => name !== "sessionId");
      // A method that takes nothing else is strict, or takes no member of its own.
      const wrong = member === undefined ? { sessionId: 7 } : { [member]: 7 };
      return { params: { ...params, ...wrong }, kind: "invalidParams" };
    }
    case "noSession":
      return kind.method === "session/start"
        ? undefined
        : { params: { ...params, sessionId: noSession }, kind: "sessionNotFound" };
    case "noCapability":
      return kind.method === "turn/start"
        ? { params: { ...params, input: [], userShell: { commandText: "true" } }, kind: "capabilityRequired" }
        : undefined;
    case "experimental":
      return kind.method === "turn/start" || kind.method === "turn/steer"
        ? { params: { ...params, tokenBudget: 1000 }, kind: "experimentalRequired" }
        : undefined;
  }
}

const leaveNothing = law<{ readonly kind: number; readonly refusal: Refusal; readonly times: number }>({
  id: "transient-errors-leave-nothing",
  level: "core",
  promise:
    "A command that was refused before it was taken in leaves nothing: its id is free, and works with valid params.",
  needs: ["serves:session/start"],
  least: { refused: 30, accepted: 20, invalid: 5, noSession: 5 },
  runs: 50,
  cases: () =>
    fc.record({
      kind: anyKind,
      refusal: fc.constantFrom(...REFUSALS),
      times: fc.integer({ min: 1, max: 2 }),
    }),
  async run(trial, { kind, refusal: wanted, times }) {
    const command = await CommandTrial.arrange(trial, kind);
    const noSession = trial.mint();
    let refusal = wanted;
    let refused = refusedParams(command, refusal, noSession);
    if (refused === undefined) {
      refusal = "invalid";
      refused = refusedParams(command, refusal, noSession);
    }
    if (refused === undefined) throw new CaseVoid(`${command.kind.name} cannot be refused`);
    await trial.quiet();
    const before = command.changes();
    for (let i = 0; i < times; i++) {
      const outcome = await command.ask(refused.params);
      trial.count("refused");
      trial.count(refusal);
      trial.hold(
        isErrorOf(outcome, refused.kind),
        "a command that cannot be taken in was not refused for that",
        {
          refusal,
          params: refused.params,
          answer: outcome,
        },
      );
    }
    await trial.quiet();
    command.holdUnchanged(before, "a command that was refused did something");
    const outcome = await command.ask();
    trial.hold(isAck(outcome), "the id of a command that was refused before it was taken in is not free", {
      refused: refused.params,
      params: command.params,
      answer: outcome,
    });
    trial.count("accepted");
    await command.reveal();
    await command.holdOneEffect("a command that had been refused first was done more than once");
  },
});

/** Laws of commands that were refused before they were taken in. */
export const transientLaws: readonly AnyLaw[] = [leaveNothing];
