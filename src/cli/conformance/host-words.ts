/**
 * The words of commands that play a transcript to a live host, and what is printed of how that went.
 */
import { TroubleError } from "../../../codegen/diagnostics/finding.js";
import type { Divergence } from "../../transcripts/differences.js";
import {
  isHostDiedError,
  type Replayed,
  type ReplayOptions,
  replaySession,
} from "../../transcripts/replay/replay.js";
import type { ReplayReport } from "../../transcripts/replay/report.js";
import { TRANSCRIPT_FILE, type Transcript } from "../../transcripts/transcript.js";
import { isSpawnError } from "../../wire/child-process.js";
import { type Given, type Io, type Option, UsageError } from "../command.js";
import { asTrouble } from "./roots.js";

/** Options of commands that play a transcript to a host. */
export const HOST_OPTIONS: Readonly<Record<string, Option>> = {
  transcript: { type: "string", value: "DIR", help: "the session: a folder, or a scenario below the root" },
  timeout: { type: "string", value: "MS", help: "milliseconds to wait for each frame (default: 10000)" },
  "muse-bin": { type: "string", value: "PATH", help: "short for -- PATH serve" },
  json: { type: "boolean", help: "print the report as JSON" },
};

const MOST_MS = 2_147_483_647;

/** Plays a transcript to the host that the words name. */
export async function replayByWords(
  transcript: Transcript,
  given: Given,
  io: Io,
  options: Pick<ReplayOptions, "goOn"> = {},
): Promise<Replayed> {
  const [command = "", ...args] = hostWords(given);
  const timeoutMs = timeoutOption(given);
  const host = { command, args, cwd: io.cwd, onStderr: (text: string) => io.err(text) };
  try {
    return await replaySession(transcript, { host, timeoutMs, ...options });
  } catch (error) {
    if (isHostDiedError(error)) throw new TroubleError(command, error.message);
    if (error instanceof Error && isSpawnError(error))
      throw new TroubleError(command, `cannot be started: ${(error.cause as Error).message}`);
    throw asTrouble(error);
  }
}

/** The report for a person, or as one line of JSON. */
export function reportText(report: ReplayReport, json: boolean): string {
  if (json) return `${JSON.stringify(report)}\n`;
  if (report.kind === "replayComplete")
    return `${report.scenario}: conformant: ${report.clientFrames} frames of the client, ${report.serverFrames} of the host\n`;
  const place = `${report.scenario}/${TRANSCRIPT_FILE}:${report.transcriptLine}: ${report.problem}`;
  const reasons = [...report.divergences.map(divergenceText), ...report.errors];
  const frames = (["expectedFrame", "receivedFrame"] as const).flatMap((name) =>
    report[name] === null ? [] : [`  ${name.replace("Frame", "")}: ${report[name]}\n`],
  );
  return `${reasons.map((reason) => `${place}: ${reason}\n`).join("")}${frames.join("")}`;
}

function divergenceText({ path, expected, received, note }: Divergence): string {
  const values = `expected ${JSON.stringify(expected)}, received ${JSON.stringify(received)}`;
  return `${path === "" ? "the frame" : path}: ${values}${note === null ? "" : ` (${note})`}`;
}

function hostWords({ options, rest = [] }: Given): readonly string[] {
  const bin = options["muse-bin"] as string | undefined;
  if (bin !== undefined && rest.length > 0)
    throw new UsageError("--muse-bin and -- HOST... are one or the other");
  const words = bin === undefined ? rest : [bin, "serve"];
  if (words[0] === undefined || words[0] === "")
    throw new UsageError("needs -- and the host's command, or --muse-bin");
  return words;
}

function timeoutOption({ options }: Given): number {
  const text = options["timeout"] as string | undefined;
  if (text === undefined) return 10_000;
  if (!/^\d{1,10}$/.test(text) || Number(text) < 1 || Number(text) > MOST_MS)
    throw new UsageError(`--timeout takes a whole number from 1 to ${MOST_MS}, not "${text}"`);
  return Number(text);
}
