/**
 * The law of the model: whatever three processes do with two keys, in whatever order, they are told what a model says.
 * A sequence that breaks it is cut down to the steps that are needed.
 */
import type { CommandResult } from "../../commands/app.js";
import type { Claim } from "../../commands/results.js";
import { trySequences } from "../places/sequences.js";
import { Random } from "../random.js";
import type { ResultsLaw } from "./law.js";
import { type Keeper, keyOf, outcome, type ResultsTrial } from "./trial.js";

const PROCESSES = 3;
const IDS = ["a", "b"] as const;
/** Sequences of a run, and the steps of each. */
const SEQUENCES = 30;
const STEPS = 40;

type Kind = "claim" | "settle" | "release" | "read";

interface Step {
  readonly kind: Kind;
  readonly process: number;
  readonly id: (typeof IDS)[number];
}

/** What stands under a key. */
interface ModelRow {
  readonly claim: Claim;
  readonly signature: string;
  result?: CommandResult;
}

/** See above. */
export const modelLaw: ResultsLaw = {
  id: "model",
  promise: "Three processes with two keys are told what the model says, in any order of their steps.",
  least: { sequences: SEQUENCES, steps: SEQUENCES * STEPS, claims: 300, settlements: 20, releases: 100 },
  run(begin, seed) {
    const random = new Random(seed);
    const sequences = Array.from({ length: SEQUENCES }, () =>
      Array.from({ length: STEPS }, () => anyStep(random)),
    );
    return trySequences(begin, sequences, takeAll);
  },
};

async function takeAll(trial: ResultsTrial, steps: readonly Step[]): Promise<void> {
  const keepers: Keeper[] = [];
  for (let i = 0; i < PROCESSES; i++) keepers.push(await trial.keeper());
  const rows = new Map<string, ModelRow>();
  // Every claim that was ever got, by process and key: stale ones are tried too.
  const held = new Map<string, Claim>();
  const epochs = new Map<string, number>();
  for (const [n, step] of steps.entries())
    await take(trial, keepers[step.process]!, n, step, rows, held, epochs);
}

async function take(
  trial: ResultsTrial,
  keeper: Keeper,
  n: number,
  { kind, process, id }: Step,
  rows: Map<string, ModelRow>,
  held: Map<string, Claim>,
  epochs: Map<string, number>,
): Promise<void> {
  const key = keyOf(id);
  const row = rows.get(id);
  const mine = `${process} ${id}`;
  const claim = held.get(mine);
  const stands = claim !== undefined && row?.claim.epoch === claim.epoch;
  if (kind === "claim") {
    const signature = `s${n}`;
    const found = await keeper.claim(key, { signature });
    const wanted = row === undefined ? "claimed" : row.result === undefined ? "pending" : "settled";
    trial.kind(found, wanted, `${keeper.name} claims ${id}`);
    if (found.kind === "claimed") {
      trial.hold(
        found.claim.epoch > (epochs.get(id) ?? 0),
        `epoch ${found.claim.epoch} after ${epochs.get(id)}`,
      );
      epochs.set(id, found.claim.epoch);
      rows.set(id, { claim: found.claim, signature });
      held.set(mine, found.claim);
    } else if (found.kind === "pending" || found.kind === "settled") {
      trial.hold(
        found.signature === row?.signature,
        `${keeper.name} is told the command ${found.signature} of ${id}`,
      );
      if (found.kind === "settled") trial.result(found.result, row!.result!, `${keeper.name} claims ${id}`);
    }
  } else if (kind === "read") {
    const found = await keeper.read(key);
    const wanted = row === undefined ? "absent" : row.result === undefined ? "pending" : "settled";
    trial.kind(found, wanted, `${keeper.name} reads ${id}`);
    if (found.kind === "settled") trial.result(found.result, row!.result!, `${keeper.name} reads ${id}`);
  } else if (kind === "settle" && claim !== undefined) {
    const found = await keeper.settle(claim, outcome(n));
    trial.kind(found, stands ? "settled" : "fenced", `${keeper.name} settles ${id}`);
    if (stands) row!.result ??= outcome(n);
    if (row?.result !== undefined) trial.result(found.result, row.result, `${keeper.name} settles ${id}`);
  } else if (kind === "release" && claim !== undefined) {
    const goes = stands && row?.result === undefined;
    trial.hold(
      (await keeper.release(claim)) === goes,
      `${keeper.name} ${goes ? "cannot release" : "releases"} ${id}`,
    );
    if (goes) rows.delete(id);
  }
}

function anyStep(random: Random): Step {
  return {
    kind: random.pick([
      "claim",
      "claim",
      "claim",
      "claim",
      "release",
      "release",
      "release",
      "settle",
      "read",
    ]),
    process: random.int(0, PROCESSES - 1),
    id: random.pick(IDS),
  };
}
