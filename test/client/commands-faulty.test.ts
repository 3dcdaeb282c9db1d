/** Commands over connections that lose, double, delay and reorder, and that end; with reconnects. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commandIdMinter } from "../../src/client/command-id.js";
import { CommandPeer } from "../../src/client/commands.js";
import { type CommandOutcome, isClientError } from "../../src/client/errors.js";
import { UsedIds } from "../../src/client/used-ids.js";
import { type Answer, Peer } from "../../src/wire/index.js";
import { type Fate, FaultyWay, fates, transportOf } from "../support/faulty.js";
import { turn } from "../support/wire.js";

interface Params {
  readonly commandId: string;
  /** Which logical command it is, so that the host can tell when one has two ids. */
  readonly name: string;
}

/** A host that keeps what it admitted; shared by all connections, as a durable one is. */
class Host {
  readonly ledger = new Map<string, Answer>();
  readonly payloads = new Map<string, Set<string>>();
  readonly ids = new Map<string, Set<string>>();

  /** Answers one request. `load`: decided for the frame, however often it arrives. */
  answer(params: Params, load: "idle" | "overloaded" | "backpressured"): Answer {
    const add = (map: Map<string, Set<string>>, key: string, value: string) =>
      map.set(key, (map.get(key) ?? new Set()).add(value));
    add(this.payloads, params.commandId, JSON.stringify(params));
    add(this.ids, params.name, params.commandId);
    // A full ingress queue is seen before the ledger, a full admission queue behind it.
    if (load === "overloaded") return refusal(-32001, load);
    const known = this.ledger.get(params.commandId);
    if (known !== undefined) return known;
    if (load === "backpressured") return refusal(-32031, load);
    const answer: Answer = params.name.endsWith("3")
      ? { error: { code: -32030, message: "no", data: { kind: "commandRejected", reason: "missing_goal" } } }
      : { result: { commandId: params.commandId, turnId: `turn of ${params.name}` } };
    this.ledger.set(params.commandId, answer);
    return answer;
  }
}

function refusal(code: number, kind: string): Answer {
  return { error: { code, message: kind, data: { kind } } };
}

const LOADS = ["idle", "overloaded", "idle", "backpressured", "idle", "overloaded", "idle"] as const;

type End = "acked" | CommandOutcome;

/** A memory that forgets everything: what a client without one would be. */
class NoMemory extends UsedIds {
  override use(commandId: string, method: string, params: object) {
    return new UsedIds().use(commandId, method, params);
  }
}

async function tellsTheTruth(memory: () => UsedIds, numRuns: number): Promise<Record<End | Fate, number>> {
  const done = { pass: 0, drop: 0, double: 0, delay: 0, hold: 0 };
  const ends = { acked: 0, rejected: 0, nothingAdmitted: 0, outcomeUnknown: 0 };
  const lives = fc.array(fc.tuple(fates, fates, fc.integer({ min: 1, max: 4 })), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(
      lives,
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 0, max: 7 }),
      async (lives, commands, busy) => {
        const host = new Host();
        const used = memory();
        let time = 0;
        const mint = commandIdMinter({ now: () => ++time });
        const logical = Array.from({ length: commands }, (_, n) => ({
          name: `command ${n}`,
          commandId: mint(),
          end: undefined as End | undefined,
        }));
        const wrong: string[] = [];
        for (const [there, back, turns] of lives) {
          const toHost = new FaultyWay(there, done);
          const toClient = new FaultyWay(back, done);
          const peer = new Peer(transportOf(toHost, toClient), { answerMalformed: false });
          const client = new CommandPeer(peer, used, undefined, () => 0);
          const server = new Peer(transportOf(toClient, toHost));
          server.onRequest((_, params, { id }) =>
            host.answer(params as Params, LOADS[(Number(id) * 5 + busy) % 7] ?? "idle"),
          );
          const calls = logical
            // Who knows how it ended asks no more.
            .filter(({ end }) => end !== "acked" && end !== "rejected")
            .map(async (one) => {
              const params: Params = { commandId: one.commandId, name: one.name };
              one.end = await client
                .request("goal/set", params, { retryDelay: () => 0, maxAttempts: 2 })
                .then(
                  (result) => {
                    if ((result as { turnId: string }).turnId !== `turn of ${one.name}`)
                      wrong.push(`${one.name}: another's ack`);
                    return "acked" as const;
                  },
                  (error: unknown) => {
                    if (!isClientError(error) || !("outcome" in error)) throw error;
                    return error.outcome as CommandOutcome;
                  },
                );
              ends[one.end]++;
              const entry = host.ledger.get(one.commandId);
              const truth = entry === undefined ? "nothingAdmitted" : "error" in entry ? "rejected" : "acked";
              if (one.end !== "outcomeUnknown" && one.end !== truth)
                wrong.push(`${one.name}: told ${one.end}, is ${truth}`);
            });
          for (let i = 0; i < turns; i++) await turn();
          toHost.end();
          toClient.end();
          // Nobody waits for ever.
          await Promise.all(calls);
          await turn();
          for (const { name, commandId, end } of logical)
            if (end === "nothingAdmitted" && host.ledger.has(commandId))
              wrong.push(`${name}: admitted afterwards`);
        }
        expect(wrong).toEqual([]);
        for (const ids of host.ids.values()) expect(ids.size).toBe(1);
        for (const payloads of host.payloads.values()) expect(payloads.size).toBe(1);
      },
    ),
    { numRuns },
  );
  return { ...done, ...ends };
}

describe("over bad connections", () => {
  it("one command has one id, one id one payload, nobody waits for ever, and no failure is told wrongly", async () => {
    const counts = await tellsTheTruth(() => new UsedIds(), 500);
    expect(Object.keys(counts)).toHaveLength(9);
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(50);
  });

  it("a client without a memory is seen to tell a failure wrongly", async () => {
    await expect(tellsTheTruth(() => new NoMemory(), 2_000)).rejects.toThrow("Property failed");
  });
});
