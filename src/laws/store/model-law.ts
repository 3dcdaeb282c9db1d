/**
 * The law of the model: whatever three hosts do with three logs, in whatever order, they are told what a model of a
 * store says. A sequence that breaks it is cut down to the steps that are needed.
 */
import { trySequences } from "../places/sequences.js";
import { Random } from "../random.js";
import type { StoreLaw } from "./law.js";
import type { Held, Host, Trial } from "./trial.js";

const HOSTS = 3;
const IDS = ["a", "b", "c"] as const;
const EXPECT = ["new", "existing", "any"] as const;
/** Sequences of a run, and the steps of each. */
const SEQUENCES = 30;
const STEPS = 40;

type Kind = "open" | "write" | "closeLog" | "fence" | "read" | "state";

interface Step {
  readonly kind: Kind;
  readonly host: number;
  readonly id: (typeof IDS)[number];
  readonly expect: (typeof EXPECT)[number];
}

interface ModelLog {
  epoch: number;
  readonly entries: string[];
  holder: { readonly host: number } | undefined;
}

/** See above. */
export const modelLaw: StoreLaw = {
  id: "model",
  promise:
    "Three hosts with three logs are told what the model of a store says, in any order of their steps.",
  least: { sequences: SEQUENCES, steps: SEQUENCES * STEPS, writes: 50, fences: 50, opens: 100 },
  run(begin, seed) {
    const random = new Random(seed);
    const sequences = Array.from({ length: SEQUENCES }, () =>
      Array.from({ length: STEPS }, () => anyStep(() => random.next())),
    );
    return trySequences(begin, sequences, takeAll);
  },
};

async function takeAll(trial: Trial, steps: readonly Step[]): Promise<void> {
  const hosts: Host[] = [];
  for (let i = 0; i < HOSTS; i++) hosts.push(await trial.host());
  const model = new Map<string, ModelLog>();
  const held = new Map<string, Held>();
  let written = 0;
  for (const step of steps) written = await take(trial, hosts[step.host]!, step, model, held, written);
}

async function take(
  trial: Trial,
  host: Host,
  step: Step,
  model: Map<string, ModelLog>,
  held: Map<string, Held>,
  written: number,
): Promise<number> {
  const { id, expect, kind } = step;
  const known = model.get(id);
  const key = `${step.host} ${id}`;
  const log = held.get(key);
  if (kind === "open") {
    const answer = await host.open(id, expect);
    trial.told(answer, openAnswer(known, expect), `${host.name} opens ${id}`);
    if (answer.value === undefined) return written;
    const now = known ?? { epoch: 0, entries: [], holder: undefined };
    model.set(id, now);
    trial.hold(answer.value.log.epoch > now.epoch, `epoch ${answer.value.log.epoch} after ${now.epoch}`);
    trial.same(answer.value.log.entries, now.entries, `${host.name} opens ${id}`);
    now.epoch = answer.value.log.epoch;
    now.holder = { host: step.host };
    held.set(key, answer.value);
  } else if (kind === "write" && log !== undefined) {
    const entries = Array.from({ length: 1 + (written % 3) }, (_, i) => `${written + i}`);
    const holds = known?.holder?.host === step.host && known.epoch === log.log.epoch;
    trial.told(await log.write(...entries), holds ? "ok" : "fenced", `${host.name} writes to ${id}`);
    if (holds) known.entries.push(...entries);
    else held.delete(key);
    return written + entries.length;
  } else if (kind === "closeLog" && log !== undefined) {
    trial.told(await log.close(), "ok", `${host.name} closes ${id}`);
    held.delete(key);
    if (known?.epoch === log.log.epoch) known.holder = undefined;
  } else if (kind === "fence") {
    trial.told(await host.fence(id), known === undefined ? "notFound" : "ok", `${host.name} fences ${id}`);
    if (known !== undefined) known.holder = undefined;
  } else if (kind === "read") {
    const found = await host.read(id);
    if (known === undefined) trial.hold(found === undefined, `${id} is there and was never made`);
    else trial.same(found, known.entries, `${host.name} reads ${id}`);
  } else if (kind === "state") {
    const right = known === undefined ? "absent" : known.holder === undefined ? "free" : "held";
    const found = await host.state(id);
    trial.hold(found === right, `${host.name} is told that ${id} is ${found}, and it is ${right}`);
  }
  return written;
}

function openAnswer(known: ModelLog | undefined, expect: Step["expect"]): string {
  if (known === undefined) return expect === "existing" ? "notFound" : "ok";
  if (expect === "new") return "exists";
  return known.holder === undefined ? "ok" : "inUse";
}

function anyStep(next: () => number): Step {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
  return {
    kind: pick(["open", "open", "open", "write", "write", "write", "closeLog", "fence", "read", "state"]),
    host: Math.floor(next() * HOSTS),
    id: pick(IDS),
    expect: pick(EXPECT),
  };
}
