// A server of vscode-jsonrpc on standard input and output.
import rpc from "vscode-jsonrpc/node";
import { acknowledge } from "../lib/turn-start.mjs";

const connection = rpc.createMessageConnection(
  new rpc.StreamMessageReader(process.stdin),
  new rpc.StreamMessageWriter(process.stdout),
);
connection.onRequest("turn/start", (params) => acknowledge(params));
connection.listen();
