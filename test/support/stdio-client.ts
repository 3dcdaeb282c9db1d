/** The official client of MCP on the standard streams of a door in this process. */
import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ReadBuffer, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import type { App } from "../../src/commands/app.js";
import type { Workspaces } from "../../src/commands/index.js";
import { Desk, type Identity, loadMcpSdk, mcpServers, serveMcpStdio } from "../../src/doors/index.js";

/** Streams of a client in this process. */
class StreamsTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  readonly #buffer = new ReadBuffer();
  readonly #input: PassThrough;
  readonly #output: PassThrough;

  constructor(input: PassThrough, output: PassThrough) {
    this.#input = input;
    this.#output = output;
  }
  async start(): Promise<void> {
    this.#input.on("data", (chunk: Buffer) => {
      this.#buffer.append(chunk);
      for (let message = this.#buffer.readMessage(); message !== null; message = this.#buffer.readMessage())
        this.onmessage?.(message);
    });
  }
  async send(message: JSONRPCMessage): Promise<void> {
    this.#output.write(serializeMessage(message));
  }
  async close(): Promise<void> {
    this.#output.end();
    this.onclose?.();
  }
}

/** What the door is made of. */
export interface StdioDoorOptions {
  readonly app: App;
  readonly workspaces: Workspaces;
  readonly identity?: Identity;
  readonly requireCommandId?: boolean;
}

/** A client whose door is open; closed after the test. */
export async function stdioClient({
  app,
  workspaces,
  identity = { tenant: "orchard", participant: "ann" },
  requireCommandId = false,
}: StdioDoorOptions): Promise<Client> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const sdk = await loadMcpSdk();
  await serveMcpStdio({
    sdk,
    servers: mcpServers({ sdk, desk: new Desk({ app, workspaces }), requireCommandId }),
    identity,
    input,
    output,
    limitBytes: 1 << 23,
    drainMs: 30_000,
    onError: (error) => {
      throw error;
    },
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamsTransport(output, input));
  onTestFinished(() => client.close());
  return client;
}
