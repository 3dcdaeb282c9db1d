/** A client that writes its lines as text, and reads frames as they come. */
import { mintCommandId } from "../../src/client/index.js";
import type { Transport } from "../../src/wire/index.js";

/** A frame of a host, read as JSON. */
export interface Frame {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly data: Readonly<Record<string, unknown>> };
}

/** A client that writes its lines itself. */
export class RawClient {
  readonly #transport: Transport;
  readonly frames: Frame[] = [];
  #watchers: (() => void)[] = [];
  #ids = 0;

  constructor(transport: Transport) {
    this.#transport = transport;
    let rest = Buffer.alloc(0);
    transport.open({
      bytes: (chunk) => {
        rest = Buffer.concat([rest, chunk]);
        for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
          this.frames.push(JSON.parse(rest.subarray(0, end).toString()) as Frame);
          rest = rest.subarray(end + 1);
        }
        const watchers = this.#watchers;
        this.#watchers = [];
        for (const wake of watchers) wake();
      },
      drained: () => undefined,
      ended: () => void transport.close(),
    });
  }

  /** A client with its handshake done; `quiet`: it does not say that it is ready. */
  static async of(transport: Transport, capabilities = "{}", quiet = false): Promise<RawClient> {
    const client = new RawClient(transport);
    const { result } = await client.ask(
      "initialize",
      `{"clientInfo":{"name":"raw","version":"1"},"capabilities":${capabilities}}`,
    );
    if (result === undefined) throw new Error("the handshake was refused");
    if (!quiet) client.ready();
    return client;
  }

  /** Says that it is ready for what nobody asked for. */
  ready(): void {
    this.say('{"jsonrpc":"2.0","method":"initialized"}');
  }

  /** Writes a line. */
  say(line: string): void {
    this.#transport.write(`${line}\n`);
  }

  /** Waits until a frame fits; gives it. */
  async until(fits: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  /** Sends params as text. Ids of requests are numbers and texts in turn. */
  ask(method: string, params: string): Promise<Frame> {
    const number = ++this.#ids;
    const id = number % 2 === 0 ? number : `n${number}`;
    this.say(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"${method}","params":${params}}`);
    return this.until((frame) => frame.id === id && frame.method === undefined);
  }

  /** Starts a session; its id. */
  async start(): Promise<string> {
    const { result } = await this.ask("session/start", `{"commandId":"${mintCommandId()}"}`);
    return (result as { session: { sessionId: string } }).session.sessionId;
  }

  /** Ends the connection. */
  close(): Promise<void> {
    return this.#transport.close();
  }
}
