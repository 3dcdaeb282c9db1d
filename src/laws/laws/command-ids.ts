/** Laws of the ids of commands: each command has one, minted by the client, and what has none is not carried out. */
import fc from "fast-check";
import { methods } from "../../../generated/msp/experimental/tables.js";
import { CaseVoid } from "../broken.js";
import { type AnyLaw, law } from "../law.js";
import { answerText } from "../model/answers.js";
import { errorKind, isAck, type JsonObject } from "../model/history.js";
import type { Trial } from "../trial.js";
import { CommandTrial, isErrorOf } from "./command-trial.js";
import { anyKind } from "./kind-cases.js";

const NEEDS = ["serves:session/start"] as const;

interface Row {
  readonly commandId: string;
  readonly capability?: string;
}

/** Commands that the host serves. */
function served(trial: Trial): readonly (readonly [string, Row])[] {
  return Object.entries<Row>(methods).filter(
    ([method, { commandId }]) => commandId === "required" && trial.can(`serves:${method}`),
  );
}

const required = law<{ readonly method: number; readonly absent: "missing" | "null" }>({
  id: "command-id-required",
  level: "core",
  promise: "Every command that the host serves is refused with invalidParams where it has no commandId.",
  needs: NEEDS,
  least: { refused: 30 },
  runs: 50,
  cases: () => fc.record({ method: anyKind, absent: fc.constantFrom("missing" as const, "null" as const) }),
  async run(trial, { method: n, absent }) {
    const all = served(trial);
    const [method, { capability }] = all[n % Math.max(1, all.length)] ?? noCommands();
    const params = { sessionId: await trial.session(), ...(absent === "null" ? { commandId: null } : {}) };
    const outcome = await trial.ask(method, params);
    trial.count("refused");
    trial.count(method);
    // What needs a capability that was not granted is refused for that before.
    if (capability !== undefined && isErrorOf(outcome, "capabilityRequired")) return;
    trial.hold(isErrorOf(outcome, "invalidParams"), "a command without an id was not refused as invalid", {
      method,
      params,
      answer: outcome,
    });
  },
});

function noCommands(): never {
  throw new CaseVoid("the host serves no commands");
}

/** Texts and values that are no UUID of version 7, by what is wrong with them. */
const MALFORMED = {
  empty: () => "",
  word: () => "first",
  version4: (id: string) => `${id.slice(0, 14)}4${id.slice(15)}`,
  version1: (id: string) => `${id.slice(0, 14)}1${id.slice(15)}`,
  variant: (id: string) => `${id.slice(0, 19)}c${id.slice(20)}`,
  noHyphens: (id: string) => id.replaceAll("-", ""),
  braces: (id: string) => `{${id}}`,
  short: (id: string) => id.slice(0, -1),
  spaceAfter: (id: string) => `${id} `,
  notHex: (id: string) => `${id.slice(0, -1)}g`,
  number: () => 7,
  list: (id: string) => [id],
} as const satisfies Readonly<Record<string, (id: string) => unknown>>;

type Malformed = keyof typeof MALFORMED;

const format = law<{ readonly kind: number; readonly wrong: Malformed }>({
  id: "command-id-format",
  level: "core",
  promise:
    "A commandId that is no UUID of version 7 is refused with invalidParams, and the command is not carried out.",
  needs: NEEDS,
  least: { refused: 30 },
  runs: 50,
  cases: () =>
    fc.record({ kind: anyKind, wrong: fc.constantFrom(...(Object.keys(MALFORMED) as Malformed[])) }),
  async run(trial, { kind, wrong }) {
    const command = await CommandTrial.arrange(trial, kind);
    await trial.quiet();
    const before = command.changes();
    const outcome = await command.ask({
      ...command.params,
      commandId: MALFORMED[wrong](command.commandId),
    });
    trial.count("refused");
    trial.count(wrong);
    trial.hold(isErrorOf(outcome, "invalidParams"), "a malformed command id was not refused as invalid", {
      wrong,
      answer: outcome,
    });
    await trial.quiet();
    command.holdUnchanged(before, "a command with a malformed id did something");
  },
});

const mintsNone = law<{ readonly kind: number; readonly times: number }>({
  id: "server-mints-none",
  level: "core",
  promise:
    "The host mints no id for a command that has none: nothing happens, and the command is accepted as new when it comes with an id.",
  needs: NEEDS,
  least: { refused: 30, accepted: 20 },
  runs: 40,
  cases: () => fc.record({ kind: anyKind, times: fc.integer({ min: 1, max: 2 }) }),
  async run(trial, { kind, times }) {
    const command = await CommandTrial.arrange(trial, kind);
    await trial.quiet();
    const before = command.changes();
    for (let i = 0; i < times; i++) {
      const outcome = await command.ask(command.arranged.params);
      trial.count("refused");
      trial.hold(!isAck(outcome), "a command without an id was accepted", {
        params: command.arranged.params,
        answer: outcome,
      });
    }
    await trial.quiet();
    command.holdUnchanged(before, "a command without an id did something");
    const outcome = await command.ask();
    trial.hold(isAck(outcome), "a command was refused that had been sent without an id before", {
      params: command.params,
      answer: outcome,
    });
    trial.count("accepted");
    await command.reveal();
    await command.holdOneEffect("a command that was sent without an id first was done twice");
  },
});

const letterCase = law<{ readonly kind: number; readonly upperFirst: boolean }>({
  id: "command-id-letter-case",
  level: "core",
  promise:
    "An id in another letter case does not carry a command out a second time: it gets the same answer, or a typed refusal.",
  needs: NEEDS,
  least: { replays: 20 },
  runs: 40,
  cases: () => fc.record({ kind: anyKind, upperFirst: fc.boolean() }),
  async run(trial, { kind, upperFirst }) {
    const command = await CommandTrial.arrange(trial, kind);
    const upper: JsonObject = { ...command.params, commandId: command.commandId.toUpperCase() };
    const meaning = JSON.stringify(command.params);
    const [one, other] = upperFirst ? [upper, command.params] : [command.params, upper];
    const first = await command.first(one, { meaning });
    await trial.quiet();
    const before = command.changes();
    const again = await command.ask(other, { meaning });
    trial.count("replays");
    const { method } = command.kind;
    const isSame =
      answerText(method, again, { spelling: true }) === answerText(method, first, { spelling: true });
    trial.hold(isSame || errorKind(again) !== undefined, "an id in another letter case got another answer", {
      first,
      again,
    });
    await trial.quiet();
    command.holdUnchanged(before, "an id in another letter case carried the command out again");
  },
});

/** Laws of the ids of commands. */
export const commandIdLaws: readonly AnyLaw[] = [required, format, mintsNone, letterCase];
