/** Hosts and disks that break a promise about crashes: each is caught, by the law that it breaks. */
import { describe, expect, test, vi } from "vitest";
import type { DurableLine, InLine } from "../../src/host/durable-line.js";
import type { recovered, started } from "../../src/host/session/decide/lifecycle.js";
import type { Decision, Draft } from "../../src/host/session/decision.js";
import type { Moment } from "../../src/laws/simulation/disk.js";
import { SCENARIOS } from "../host/crash/scenarios.js";
import { simulate } from "../host/crash/simulate.js";
import type { StoreChange } from "../support/crash-world.js";

/** What the host does otherwise now. */
interface Mutant {
  readonly recovered?: (real: typeof recovered, draft: Draft, epoch: number) => Decision;
  readonly started?: (real: typeof started, draft: Draft, turnId: string) => Decision;
  readonly inLine?: <Item extends InLine>(item: Item) => Item;
}

const now = vi.hoisted((): { mutant: Mutant } => ({ mutant: {} }));

vi.mock("../../src/host/session/decide/lifecycle.js", async (original) => {
  const real = await original<typeof import("../../src/host/session/decide/lifecycle.js")>();
  return {
    ...real,
    recovered: (draft: Draft, epoch: number) =>
      now.mutant.recovered?.(real.recovered, draft, epoch) ?? real.recovered(draft, epoch),
    started: (draft: Draft, turnId: string) =>
      now.mutant.started?.(real.started, draft, turnId) ?? real.started(draft, turnId),
  };
});

vi.mock("../../src/host/durable-line.js", async (original) => {
  const real = await original<{ DurableLine: typeof DurableLine<InLine> }>();
  return {
    DurableLine: class extends real.DurableLine {
      override add(item: InLine): void {
        super.add(now.mutant.inLine?.(item) ?? item);
      }
    },
  };
});

/** The laws that are broken when hosts die at every write of some scenarios. */
async function lawsBroken(
  mutant: Mutant,
  scenarios: readonly string[],
  change?: StoreChange,
  moments: readonly Moment[] = ["before", "after"],
): Promise<string[]> {
  now.mutant = mutant;
  const laws = new Set<string>();
  for (const name of scenarios) {
    const scenario = SCENARIOS[name]!;
    const difference = change === undefined ? {} : { change };
    const { writes, broken } = await simulate(scenario, [], difference);
    for (const found of broken) laws.add(found);
    for (let write = 1; write <= writes; write++)
      for (const moment of moments)
        for (const found of (await simulate(scenario, [{ write, moment }], difference)).broken)
          laws.add(found);
  }
  now.mutant = {};
  return [...new Set([...laws].map((found) => found.slice(0, found.indexOf(":"))))].sort();
}

/** Leaves records out of a decision. */
function without(decision: Decision, leftOut: (record: Decision["records"][number]) => boolean): Decision {
  return { ...decision, records: decision.records.filter((record) => !leftOut(record)) };
}

const ANSWERED = "what was answered is in the log";
const TWICE = "nothing happens twice";
const NOT_ABANDONED = "what was not settled is answered as abandoned";
const ONLY_ABANDONED = "nothing else is answered as abandoned";

describe("a host that breaks a promise is caught", () => {
  const scenarios = ["a turn", "queued turns", "steer"];

  test("without a mutant no law is broken", async () => {
    expect(await lawsBroken({}, scenarios)).toEqual([]);
  });

  test("an ack before it is durable", async () => {
    const early = <Item extends InLine>(item: Item): Item => {
      item.answer?.();
      return { ...item, answer: undefined };
    };
    expect(await lawsBroken({ inLine: early }, scenarios)).toContain(ANSWERED);
  });

  test("events and effects before they are durable", async () => {
    const early = <Item extends InLine>(item: Item): Item => ({ ...item, position: 0 });
    const laws = await lawsBroken({ inLine: early }, scenarios);
    expect(laws).toEqual(expect.arrayContaining([ANSWERED, "what was told is in the log"]));
  });

  test("a disk that says too early that something is durable", async () => {
    const early: StoreChange = (store) => ({
      ...store,
      open: async (space, id, options) => {
        const log = await store.open(space, id, options);
        let last: Promise<void> = Promise.resolve();
        return {
          ...log,
          write(entries) {
            last = last.then(() => log.write(entries));
          },
          close: () => last.then(() => log.close()),
        };
      },
    });
    expect(await lawsBroken({}, scenarios, early)).toContain(ANSWERED);
  });

  test("a recovery that runs again what ran", async () => {
    const rerun: Mutant["recovered"] = (real, draft, epoch) => {
      const { active } = draft.state;
      if (active?.started !== true) return real(draft, epoch);
      const { turnId } = active;
      draft.records.push({ type: "resumed", epoch, at: draft.at });
      draft.effects.push({ type: "launch", turnId }, { type: "run", turnId });
      return draft.done();
    };
    expect(await lawsBroken({ recovered: rerun }, scenarios)).toEqual(
      expect.arrayContaining([NOT_ABANDONED, TWICE]),
    );
  });

  test("a recovery that keeps a stale ack", async () => {
    const keep: Mutant["recovered"] = (real, draft, epoch) =>
      without(real(draft, epoch), ({ type }) => type === "settled");
    expect(await lawsBroken({ recovered: keep }, scenarios)).toContain(NOT_ABANDONED);
  });

  test("a recovery that forgets the end of what ran", async () => {
    const forget: Mutant["recovered"] = (real, draft, epoch) =>
      without(real(draft, epoch), (record) => record.type === "event" && record.method === "turn/completed");
    expect(await lawsBroken({ recovered: forget }, ["a turn"])).toContain("every turn has one end");
  });

  test("a recovery that gives up turns that wait", async () => {
    const giveUp: Mutant["recovered"] = (real, draft, epoch) => {
      const queue = [...draft.state.queue];
      const decision = real(draft, epoch);
      const at = draft.at;
      const answer = { rejection: { reason: "abandoned", retryable: false } };
      const records = queue.flatMap(({ commandId: id }) =>
        draft.state.ledger.open.has(id)
          ? [{ type: "settled", id, outcome: "rejected", answer, at } as const]
          : [],
      );
      return { ...decision, records: [...decision.records, ...records] };
    };
    expect(await lawsBroken({ recovered: giveUp }, ["queued turns"])).toContain(ONLY_ABANDONED);
  });

  test("trap A8: a recovery that settles what came in its own life", async () => {
    // The sweep runs late, and takes by the clock whatever is not settled.
    const sweep: Mutant["started"] = (real, draft, turnId) => {
      const answer = { rejection: { reason: "abandoned", retryable: false } } as const;
      for (const id of draft.state.ledger.open)
        draft.records.push({ type: "settled", id, outcome: "rejected", answer, at: draft.at });
      return real(draft, turnId);
    };
    expect(await lawsBroken({ started: sweep }, ["a turn"])).toContain(
      "an answer is repeated value for value",
    );
  });
});
