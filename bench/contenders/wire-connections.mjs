// How a client of each library starts a server, and calls `turn/start` once.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connectFloor } from "../floors/wire-client.mjs";
import { COMMAND_ID, PARAMS } from "../lib/turn-start.mjs";

const ALL_PARAMS = { ...PARAMS, commandId: COMMAND_ID };

/** Ends the server by the end of its input. */
async function hangUp(child) {
  child.stdin.end();
  if (child.exitCode === null) await once(child, "exit");
}

/** By library: loads it, and gives what connects. Loading is not what is measured. */
export const LIBRARIES = {
  floor: async () => async (command, words) => {
    const { child, request } = connectFloor(command, words);
    return {
      pid: child.pid,
      call: (params = ALL_PARAMS) => request("turn/start", params),
      close: () => hangUp(child),
    };
  },

  mspkit: async () => {
    const { createClient } = await import("../../dist/generated/msp/stable/client.js");
    const { Peer } = await import("../../dist/src/wire/index.js");
    const { spawnHost } = await import("../../dist/src/wire/node.js");
    return async (command, words) => {
      const transport = spawnHost({
        command,
        args: words,
        onStderr: (text) => process.stderr.write(text),
      });
      const peer = new Peer(transport, { answerMalformed: false });
      const client = createClient(peer, { mintCommandId: () => COMMAND_ID });
      return {
        pid: transport.pid,
        call: (params = PARAMS) => client.turn.start(params),
        close: () => peer.close(),
      };
    };
  },

  "vscode-jsonrpc": async () => {
    const { default: rpc } = await import("vscode-jsonrpc/node");
    return async (command, words) => {
      const child = spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] });
      const connection = rpc.createMessageConnection(
        new rpc.StreamMessageReader(child.stdout),
        new rpc.StreamMessageWriter(child.stdin),
      );
      connection.listen();
      return {
        pid: child.pid,
        call: () => connection.sendRequest("turn/start", ALL_PARAMS),
        close: () => {
          connection.dispose();
          return hangUp(child);
        },
      };
    };
  },

  "MCP tool call": async () => {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    return async (command, words) => {
      const transport = new StdioClientTransport({ command, args: words });
      const client = new Client({ name: "bench", version: "1" });
      await client.connect(transport);
      const answered = ({ content: [{ text }] }) => JSON.parse(text);
      return {
        pid: transport.pid,
        call: () => client.callTool({ name: "turn/start", arguments: ALL_PARAMS }),
        answered,
        close: () => client.close(),
      };
    };
  },
};
