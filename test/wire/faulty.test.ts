/** Peers over a connection that loses, doubles, delays and reorders frames, and that ends at any moment. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWireError, Peer } from "../../src/wire/index.js";
import { type Fate, FaultyWay, fates, transportOf } from "../support/faulty.js";

/** What the other side answers to params. */
type Echo = (params: unknown) => unknown;

/** Runs both sides over connections of every kind; counts what happened to frames, and how requests ended. */
async function settlesEachOnce(makeEcho: () => Echo, numRuns: number): Promise<Record<string, number>> {
  const done: Record<Fate, number> = { pass: 0, drop: 0, double: 0, delay: 0, hold: 0 };
  const ends = { answered: 0, unknown: 0 };
  await fc.assert(
    fc.asyncProperty(fates, fates, fc.integer({ min: 1, max: 60 }), async (there, back, calls) => {
      const toHost = new FaultyWay(there, done);
      const toClient = new FaultyWay(back, done);
      const client = new Peer(transportOf(toHost, toClient), { answerMalformed: false });
      const host = new Peer(transportOf(toClient, toHost));
      const answer = makeEcho();
      const echo = async (_: string, params: unknown) => ({ result: { echo: answer(params) } });
      client.onRequest(echo);
      host.onRequest(echo);
      const settled = new Map<string, number>();
      const wrong: string[] = [];
      const ask = async (peer: Peer, name: string): Promise<void> => {
        const end = await peer.request("echo", { name }).then(
          (result) => {
            if ((result as { echo: { name: string } }).echo.name !== name) wrong.push(name);
            return "answered" as const;
          },
          (error: unknown) => {
            if (!isWireError(error) || error.kind !== "outcomeUnknown") wrong.push(name);
            return "unknown" as const;
          },
        );
        ends[end]++;
        settled.set(name, (settled.get(name) ?? 0) + 1);
      };
      const asked = Array.from({ length: calls }, (_, i) => [
        ask(client, `client ${i}`),
        ask(host, `host ${i}`),
      ]).flat();
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
      toHost.end();
      toClient.end();
      await Promise.all(asked);
      expect(wrong).toEqual([]);
      expect([...settled.values()].every((times) => times === 1)).toBe(true);
      expect(settled.size).toBe(2 * calls);
      expect(client.pending + host.pending).toBe(0);
    }),
    { numRuns },
  );
  return { ...done, ...ends };
}

describe("over a connection that loses, doubles, delays and reorders", () => {
  it("each request is settled exactly once when it has ended, and none gets another's answer", async () => {
    const counts = await settlesEachOnce(() => (params) => params, 300);
    expect(Object.keys(counts)).toHaveLength(7);
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(500);
  });

  it("an answer that belongs to another request is noticed", async () => {
    const late = (): Echo => {
      let last: unknown;
      return (params) => {
        const answer = last ?? params;
        last = params;
        return answer;
      };
    };
    await expect(settlesEachOnce(late, 300)).rejects.toThrow("Property failed");
  });
});
