/**
 * The transport of a host that its client has spawned: standard input and output of this process.
 */
import { StreamsTransport } from "./streams.js";
import type { Transport } from "./transport.js";

/**
 * The connection to whoever started this process. Standard output carries frames alone: write logs to standard error.
 * A process has one; once it is closed, the process ends as soon as nothing else keeps it.
 */
export function stdioTransport(): Transport {
  return new StreamsTransport({ input: process.stdin, output: process.stdout, endsInput: true });
}
