// One host in a process of its own, and its client: how many commands a second are acked.
import { isDeepStrictEqual } from "node:util";
import { commandId } from "../lib/command-ids.mjs";
import { bytesBelow } from "../lib/folders.mjs";
import { canPin, pinClient } from "../lib/pinning.mjs";
import { connectHost } from "./host-client.mjs";

const IN_FLIGHT = 64;
/** As many as a host takes of one connection, and some to spare: for what is not measured. */
const MANY = 512;
const BATCH = 10_000;

/**
 * @param sample `fresh`: commands that the host has never seen; `replay`: commands that it remembers
 * @param words of the host; for repeats with `lib/collect.cjs`
 * @param remembered how many commands the session has before the first sample
 * @param dir the folder where its log is; undefined where there is none
 */
export default async function prepare({ words, sample, calls, remembered = 1, dir }) {
  const pinned = canPin();
  if (pinned) pinClient();
  const { set, setAll, collect } = await connectHost(words, pinned);
  let last = remembered;
  for (let from = 1; from <= remembered; from += BATCH)
    await setAll(
      MANY,
      numbers(Math.min(BATCH, remembered - from + 1), (i) => from + i),
    );
  // A million commands in a minute leave as much garbage as a day's; what is measured is what is remembered.
  if (sample === "replay") await collect();
  await requireAck(set);
  const before = dir === undefined ? 0 : bytesBelow(dir);
  // A repeat is as likely to be of an old command as of a new one.
  const stride = Math.max(1, Math.floor(remembered / calls));
  const numberOf = {
    fresh: (i) => last + i + 1,
    replay: (i) => ((i * stride) % remembered) + 1,
  }[sample];
  return async () => {
    const ms = await setAll(IN_FLIGHT, numbers(calls, numberOf));
    if (sample === "fresh") last += calls;
    const written = dir === undefined ? 0 : bytesBelow(dir) - before;
    return { rate: (calls / ms) * 1000, written };
  };
}

function numbers(count, numberOf) {
  return Array.from({ length: count }, (_, i) => numberOf(i));
}

/** A host that did less would be fast for nothing: the same ack again, and a refusal of another payload. */
async function requireAck(set) {
  const expected = { commandId: commandId(1), status: "accepted" };
  const ack = await set(1);
  if (!isDeepStrictEqual(ack, expected)) throw new Error(`the host answered ${JSON.stringify(ack)}`);
  const refused = await set(1, "medium").then(
    () => false,
    () => true,
  );
  if (!refused) throw new Error("an id stood for two payloads");
}
