/**
 * A canned host on a transport: within the process of its client, for tests, or wherever a transport leads.
 */
import { inProcess } from "../wire/in-process.js";
import type { Transport } from "../wire/transport.js";
import type { CannedHostOptions, CannedStep } from "./canned-host.js";
import type { ServeFixtureReport } from "./report.js";
import { CannedPlayer } from "./serve.js";
import type { Transcript } from "./transcript.js";

/** A canned host and the way to it. */
export interface InProcessHost {
  /** The client's end. */
  readonly transport: Transport;
  /** How it ended: at the last recorded frame, or at the first that was not recorded. Never rejects. */
  readonly report: Promise<ServeFixtureReport>;
}

/**
 * A canned host that plays a transcript in this process.
 * @throws {TranscriptError} when the transcript cannot be played
 */
export function serveInProcess(transcript: Transcript, options: CannedHostOptions = {}): InProcessHost {
  const [client, host] = inProcess();
  return { transport: client, report: serveTransport(transcript, host, options) };
}

/**
 * Plays a transcript to the other end of a transport. Resolves with how it ended; never rejects.
 * @throws {TranscriptError} when the transcript cannot be played
 */
export function serveTransport(
  transcript: Transcript,
  transport: Transport,
  options: CannedHostOptions = {},
): Promise<ServeFixtureReport> {
  const player = new CannedPlayer(transcript, options);
  return new Promise<ServeFixtureReport>((resolve) => {
    const carryOut = ({ send, report }: CannedStep): void => {
      // No pause here: what the client has not read waits in the transport, no more than was recorded.
      if (send.length > 0) transport.write(`${send.join("\n")}\n`);
      if (report === undefined) return;
      resolve(report);
      if (player.failed) void transport.close();
    };
    transport.open({
      bytes: (chunk) => player.push(chunk).forEach(carryOut),
      drained: () => undefined,
      ended: () => {
        player.end().forEach(carryOut);
        void transport.close();
      },
    });
    carryOut(player.start());
  });
}
