/** Connections that lose, double, delay and reorder frames, and that end at any moment. */
import fc from "fast-check";
import type { Receiver, Transport } from "../../src/wire/index.js";

/** What happens to one frame. */
export type Fate = "pass" | "drop" | "double" | "delay" | "hold";

/** One way of a connection that treats each frame as a list of fates says. */
export class FaultyWay {
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

/** One end of a connection: what it writes goes one way, what it reads comes the other. */
export function transportOf(out: FaultyWay, back: FaultyWay): Transport {
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

/** Fates of the frames of one way, in turn. */
export const fates = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<Fate>("pass") },
    fc.constantFrom<Fate>("drop", "double", "delay", "hold"),
  ),
  { minLength: 1, maxLength: 40 },
);
