/** A client against a golden session, in this process. */
import { join } from "node:path";
import {
  MspClient,
  type MspClientOptions,
  type PendingRetirement,
  type Session,
  type TurnInput,
} from "../../src/client/index.js";
import { loadTranscript, type ServeFixtureReport, serveInProcess } from "../../src/transcripts/index.js";
import { ROOT } from "./repo.js";

/** Who plays the golden sessions. Any name does. */
export const CLIENT_INFO = { name: "mspkit_test", version: "0.0.0" };

/** A client that has shaken hands with a canned host. */
export interface Played {
  readonly client: MspClient;
  /** What left the pending sets, in order. */
  readonly retired: PendingRetirement<TurnInput>[];
  /** What handlers threw and what could not be answered. */
  readonly errors: unknown[];
  /** The host's report; the connection is closed for it. */
  readonly report: () => Promise<ServeFixtureReport>;
}

/** Connects a client to the canned host of a session. It mints its own ids. */
export async function play(
  scenario: string,
  options: Partial<MspClientOptions> = {},
  root: string = join(ROOT, "schema/msp/transcripts"),
): Promise<Played> {
  const { transport, report } = serveInProcess(loadTranscript(join(root, scenario)), {
    rewriteCommandIds: true,
  });
  const errors: unknown[] = [];
  const client = new MspClient({
    clientInfo: CLIENT_INFO,
    connect: () => transport,
    fingerprint: "ignore",
    ...options,
    session: { onError: (error) => errors.push(error), ...options.session },
  });
  await client.connect();
  return {
    client,
    retired: [],
    errors,
    report: async () => {
      await client.close();
      return report;
    },
  };
}

/** Notes what leaves a session's pending set. */
export function note({ retired }: Played, session: Session): void {
  session.on((event) => {
    if (event.kind === "retired") retired.push(event.retirement);
  });
}
