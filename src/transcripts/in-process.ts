/**
 * A canned host within the process of its client, for tests.
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
  const player = new CannedPlayer(transcript, options);
  const [client, host] = inProcess();
  const report = new Promise<ServeFixtureReport>((resolve) => {
    const carryOut = ({ send, report }: CannedStep): void => {
      // The client asks for no pause here: what it has not read waits in the pair, no more than was recorded.
      if (send.length > 0) host.write(`${send.join("\n")}\n`);
      if (report === undefined) return;
      resolve(report);
      if (player.failed) void host.close();
    };
    host.open({
      bytes: (chunk) => player.push(chunk).forEach(carryOut),
      drained: () => undefined,
      ended: () => {
        player.end().forEach(carryOut);
        void host.close();
      },
    });
    carryOut(player.start());
  });
  return { transport: client, report };
}
