/** Laws of what the payload of a command is: what is the same however it is written, and what is not. */
import fc from "fast-check";
import { methods } from "../../../generated/msp/experimental/tables.js";
import { CaseVoid } from "../broken.js";
import { type AnyLaw, law } from "../law.js";
import { isAck, type JsonObject, type Outcome } from "../model/history.js";
import type { Trial } from "../trial.js";
import { CommandTrial, holdConflict, isErrorOf, kindsOf } from "./command-trial.js";
import { anyKind } from "./kind-cases.js";
import { type PayloadPair, sameButFor, sharpOn } from "./payload-pairs.js";
import { type Rewriting, rewritten } from "./rewriting.js";

const NEEDS = ["serves:session/start"] as const;

/** Holds the host to one answer and one effect for two ways to write a payload. */
async function holdSame(
  command: CommandTrial,
  texts: readonly [string, string],
  otherwise: string,
): Promise<void> {
  const { trial } = command;
  const meaning = JSON.stringify(command.params);
  const [one, other] = texts;
  const first = await command.first(JSON.parse(one), { meaning, paramsText: one });
  await trial.quiet();
  const before = command.changes();
  const again = await command.ask(JSON.parse(other), { meaning, paramsText: other });
  trial.count("replays");
  trial.hold(command.same(first, again), otherwise, { first: one, again: other, answers: [first, again] });
  await trial.quiet();
  command.holdUnchanged(before, "a payload that was written in another way was done again");
}

const blind = law<Rewriting & { readonly kind: number; readonly plainFirst: boolean }>({
  id: "payload-blind",
  level: "core",
  promise:
    "A payload is the same in whatever order its members stand, with any white space and escapes, and with members that the schema does not have.",
  needs: NEEDS,
  least: { replays: 30, order: 10, space: 10, escapes: 10, unknown: 10 },
  runs: 60,
  cases: () =>
    fc.record({
      kind: anyKind,
      plainFirst: fc.boolean(),
      order: fc.boolean(),
      space: fc.boolean(),
      escapes: fc.boolean(),
      unknown: fc.boolean(),
    }),
  async run(trial, { kind, plainFirst, ...how }) {
    const command = await CommandTrial.arrange(trial, kind);
    const plain = JSON.stringify(command.params);
    const other = rewritten(command.kind.method, command.params, how);
    for (const way of ["order", "space", "escapes", "unknown"] as const) if (how[way]) trial.count(way);
    await holdSame(
      command,
      plainFirst ? [plain, other] : [other, plain],
      "a payload that was written in another way got another answer",
    );
  },
});

const normalised = law<{ readonly pair: number; readonly fullFirst: boolean }>({
  id: "payload-normalised",
  level: "core",
  promise:
    "A default is the same as an absent member, null is where the schema allows it, and what is trimmed counts without its white space.",
  needs: NEEDS,
  least: { replays: 20 },
  runs: 40,
  cases: () => fc.record({ pair: anyKind, fullFirst: fc.boolean() }),
  async run(trial, { pair: n, fullFirst }) {
    const [command, pair] = await arrangePair(trial, n, sameButFor);
    const plain = JSON.stringify(command.params);
    const full = pair.text(command.params);
    await holdSame(command, fullFirst ? [full, plain] : [plain, full], "one payload got two answers");
  },
});

const sharp = law<{ readonly pair: number; readonly swapped: boolean }>({
  id: "payload-sharp",
  level: "core",
  promise:
    "Payloads differ by a number, by the Unicode form or the letter case of a text, by a space that is not trimmed, and by the order of a list.",
  needs: NEEDS,
  least: { conflicts: 20 },
  runs: 40,
  cases: () => fc.record({ pair: anyKind, swapped: fc.boolean() }),
  async run(trial, { pair: n, swapped }) {
    const [command, pair] = await arrangePair(trial, n, sharpOn);
    const of = { ...command.params, ...pair.first?.(command.params) };
    const texts = [JSON.stringify(of), pair.text(of)] as const;
    const [one, other] = swapped && pair.first !== undefined ? [texts[1], texts[0]] : texts;
    const first = await command.first(JSON.parse(one), { paramsText: one });
    const outcome = await command.ask(JSON.parse(other), { paramsText: other });
    holdConflict(trial, outcome, command.commandId, `two payloads are one: ${pair.name}`);
    const again = await command.ask(JSON.parse(one), { paramsText: one });
    trial.hold(command.same(first, again), "after a conflict the first command got another answer", {
      first,
      again,
    });
  },
});

/** A command of a kind that a pair of payloads is for: every way to differ is tried as often, whatever it is tried on. */
async function arrangePair(
  trial: Trial,
  n: number,
  pairs: readonly PayloadPair[],
): Promise<readonly [CommandTrial, PayloadPair]> {
  const can = pairs.filter(
    ({ kind: name }) => kindsOf(trial, { fits: (kind) => kind.name === name }).length > 0,
  );
  const names = [...new Set(can.map(({ name }) => name))];
  const name = names[n % Math.max(1, names.length)];
  const named = can.filter((pair) => pair.name === name);
  const pair = named[Math.floor(n / Math.max(1, names.length)) % Math.max(1, named.length)];
  if (pair === undefined) throw new CaseVoid("the host serves no command that this could be tried with");
  trial.count(pair.name);
  return [await CommandTrial.arrange(trial, 0, { fits: (kind) => kind.name === pair.kind }), pair];
}

/** Commands whose params may have no member that the schema does not have. */
const STRICT: readonly string[] = Object.entries<{ readonly strict: boolean; readonly commandId: string }>(
  methods,
)
  .filter(([, { strict, commandId }]) => strict && commandId === "required")
  .map(([method]) => method);

const strict = law<{ readonly method: number; readonly value: "null" | "text" | "object" }>({
  id: "payload-strict",
  level: "core",
  promise:
    "A strict method refuses a member that the schema does not have with invalidParams, and the id stays free.",
  needs: ["serves:session/start", "serves:goal/clear"],
  least: { refused: 10 },
  runs: 16,
  cases: () =>
    fc.record({
      method: anyKind,
      value: fc.constantFrom("null" as const, "text" as const, "object" as const),
    }),
  async run(trial, { method: n, value }) {
    const served = STRICT.filter((method) => trial.can(`serves:${method}`));
    const method = served[n % Math.max(1, served.length)];
    if (method === undefined) throw new CaseVoid("the host serves no strict command");
    const sessionId = await trial.session();
    const params = { sessionId, commandId: trial.mint() };
    const unknown = { null: null, text: "no", object: { of: 1 } }[value];
    const outcome = await trial.ask(method, { ...params, mspkitUnknown: unknown });
    trial.count("refused");
    trial.count(method);
    trial.hold(isErrorOf(outcome, "invalidParams"), "a strict method took a member that nobody knows", {
      method,
      answer: outcome,
    });
    const after = await trial.ask(method, params);
    trial.hold(isForItself(after), "the id of a command that was refused as invalid is not free", {
      method,
      answer: after,
    });
  },
});

/** Whether an answer is one to the command itself, and not about what came before under its id. */
function isForItself(outcome: Outcome): boolean {
  if (isAck(outcome)) return true;
  const { kind, reason } = outcome.error.data as JsonObject;
  return kind === "commandRejected" && reason !== "command_id_conflict";
}

/** Laws of what the payload of a command is. */
export const payloadLaws: readonly AnyLaw[] = [blind, normalised, sharp, strict];
