// One client and its server. What a sample is depends on what is measured.
import { isDeepStrictEqual } from "node:util";
import { pinClient, serverCommand } from "../lib/pinning.mjs";
import { peakOf } from "../lib/process-peak.mjs";
import { acknowledge, COMMAND_ID } from "../lib/turn-start.mjs";
import { LIBRARIES } from "./wire-connections.mjs";

const IN_FLIGHT = 64;
const ANSWER = acknowledge({ commandId: COMMAND_ID });

export default async function prepare({ library, words, pinned = false, sample, calls, refuses }) {
  if (pinned) pinClient();
  const connect = await LIBRARIES[library]();
  const start = () => {
    const { command, words: all } = serverCommand(words, pinned);
    return connect(command, all);
  };
  const first = await start();
  await requireAnswer(library, first);
  if (refuses !== undefined) await requireRefusal(library, first, refuses);
  if (SAMPLES[sample] !== undefined) return () => SAMPLES[sample](first.call, calls);
  await first.close();
  return () => FRESH[sample](start, calls);
}

/** Samples of one connection that stays. */
const SAMPLES = {
  /** One call after the other: microseconds of the middle one, and of the slowest but one in a hundred. */
  async sequential(call, calls) {
    const times = new Float64Array(calls);
    for (let i = 0; i < calls; i++) {
      const start = performance.now();
      await call();
      times[i] = performance.now() - start;
    }
    times.sort();
    return { p50: times[calls >> 1] * 1000, p99: times[Math.floor(calls * 0.99)] * 1000 };
  },
  /** Many calls under way: calls a second. */
  async inFlight(call, calls) {
    const start = performance.now();
    await callAll(call, calls);
    return (calls / (performance.now() - start)) * 1000;
  },
};

/** Samples with a server that was started for them. */
const FRESH = {
  /** From the start of the server to its first answer: ms. */
  async ready(start) {
    const begin = performance.now();
    const { call, close } = await start();
    await call();
    const ms = performance.now() - begin;
    await close();
    return ms;
  },
  /** The most memory that the server had: MiB. */
  async memory(start, calls) {
    const { call, close, pid } = await start();
    await callAll(call, calls);
    const mib = peakOf(pid);
    await close();
    return mib;
  },
};

function callAll(call, calls) {
  let left = calls;
  const worker = async () => {
    while (left-- > 0) await call();
  };
  return Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}

/** A server that did less would be fast for nothing. */
async function requireAnswer(library, { call, answered = (answer) => answer }) {
  const answer = answered(await call());
  if (!isDeepStrictEqual(answer, ANSWER)) throw new Error(`${library} answered ${JSON.stringify(answer)}`);
}

/** Whether the server checks what it gets is what one of the measurements is about. */
async function requireRefusal(library, { call }, refuses) {
  const refused = await call({ sessionId: 7 }).then(
    () => false,
    ({ code }) => code === -32602,
  );
  if (refused !== refuses)
    throw new Error(`${library} ${refused ? "refused" : "did not refuse"} params of a wrong type`);
}
