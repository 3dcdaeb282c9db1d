/** Peers over a connection that loses, doubles, delays and reorders frames, and that ends at any moment. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWireError, Peer, type Receiver, type Transport } from "../../src/wire/index.js";

/** What happens to one frame. */
type Fate = "pass" | "drop" | "double" | "delay" | "hold";

/** One way of a connection that treats each frame as a list of fates says. */
class FaultyWay {
  receiver: Receiver | undefined;
  readonly #fates: readonly Fate[];
  #count = 0;
  #held: string[] = [];
  #open = true;
  readonly done: Record<Fate, number>;

  constructor(fates: readonly Fate[], done: Record<Fate, number>) {
    this.#fates = fates;
    this.done = done;
  }

  carry(frames: string): void {
    for (const frame of frames.split(/(?<=\n)/)) {
      if (frame === "") continue;
      const fate = this.#fates[this.#count++ % this.#fates.length] ?? "pass";
      this.done[fate]++;
      if (fate === "drop") continue;
      if (fate === "delay") setImmediate(() => this.#deliver(frame));
      // Until another frame has gone by: the two change places.
      else if (fate === "hold") this.#held.push(frame);
      else {
        this.#deliver(frame);
        if (fate === "double") this.#deliver(frame);
        for (const held of this.#held.splice(0)) this.#deliver(held);
      }
    }
  }

  #deliver(frame: string): void {
    queueMicrotask(() => {
      if (this.#open) this.receiver?.bytes(Buffer.from(frame));
    });
  }

  end(): void {
    this.#open = false;
    this.receiver?.ended();
  }
}

function transportOf(out: FaultyWay, back: FaultyWay): Transport {
  return {
    open: (receiver) => {
      back.receiver = receiver;
    },
    write: (frames) => {
      out.carry(frames);
      return true;
    },
    pause: () => undefined,
    resume: () => undefined,
    close: () => Promise.resolve(),
  };
}

const fates = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<Fate>("pass") },
    fc.constantFrom<Fate>("drop", "double", "delay", "hold"),
  ),
  { minLength: 1, maxLength: 40 },
);

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
