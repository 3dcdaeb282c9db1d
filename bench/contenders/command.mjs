// 64 calls in flight to a host in a child process: requests of a bare peer, or commands of a client, which have an id
// of their own, a signature and a memory.
import { MspClient } from "../../dist/src/client/index.js";
import { Peer } from "../../dist/src/wire/index.js";
import { spawnHost } from "../../dist/src/wire/node.js";
import { COMMAND_ID, PARAMS } from "../lib/turn-start.mjs";

const IN_FLIGHT = 64;

export default async function prepare({ what, words, calls }) {
  const connect = () => spawnHost({ command: process.execPath, args: words });
  const call = await CALLS[what](connect);
  const { commandId, status } = await call();
  if (status !== "accepted" || typeof commandId !== "string") throw new Error(`${what}: no ack`);
  return async () => {
    const start = performance.now();
    let left = calls;
    const worker = async () => {
      while (left-- > 0) await call();
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
    return (calls / (performance.now() - start)) * 1000;
  };
}

const CALLS = {
  async request(connect) {
    const peer = new Peer(connect(), { answerMalformed: false });
    return () => peer.request("turn/start", { ...PARAMS, commandId: COMMAND_ID });
  },
  async command(connect) {
    const client = new MspClient({ clientInfo: { name: "bench", version: "0" }, connect });
    const connection = await client.connect();
    return () => connection.command("turn/start", PARAMS);
  },
};
