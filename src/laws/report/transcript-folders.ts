/** What passed in a trial as transcripts: one for each connection and life of the host. */
import { join } from "node:path";
import { Recording } from "../../transcripts/recording.js";
import type { History, Line } from "../model/history.js";

/** The folder of the transcript where there is one only. */
const ALONE = "transcript";
const NO_FINGERPRINT = `sha256:${"0".repeat(64)}`;

/**
 * Writes the transcripts of a history below a folder: `transcript`, or where there are several `transcript/LIFE-CLIENT`,
 * both counted from 0. The names of the folders, relative to it.
 * @throws {TranscriptError} where one is there already, or cannot be written
 */
export function writeTranscripts(history: History, folder: string): string[] {
  const parts = new Map<string, Line[]>();
  const first = Math.min(...history.lines.map(({ life }) => life));
  for (const line of history.lines) {
    const key = `${line.life - first}-${line.connection}`;
    const lines = parts.get(key) ?? [];
    parts.set(key, lines);
    lines.push(line);
  }
  const names: string[] = [];
  for (const [key, lines] of parts) {
    const name = parts.size === 1 ? ALONE : join(ALONE, key);
    const recording = new Recording(join(folder, name), NO_FINGERPRINT, 0);
    for (const { dir, raw } of lines) recording.add(dir, Buffer.from(`${raw}\n`));
    recording.finish();
    names.push(name);
  }
  return names;
}
