/** Hosts for replays: one that says what a list of lines has, and recordings as another host would have made them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Transcript, TranscriptLine } from "../../src/transcripts/index.js";
import { ReplayPlayer, type ReplayPlayerOptions } from "../../src/transcripts/replay/player.js";
import type { ReplayReport } from "../../src/transcripts/replay/report.js";
import { scratchFolder } from "./repo.js";

/** What came of a replay in this process. */
export interface InProcessReplay {
  readonly report: ReplayReport;
  /** What the player sent. */
  readonly sent: readonly string[];
  readonly player: ReplayPlayer;
}

/**
 * Replays a recording to a host that says what stands in `host`, when as many client lines have come as stand before
 * it. What it waits for is said to be missing at once.
 */
export function replayAgainst(
  transcript: Transcript,
  host: readonly Pick<TranscriptLine, "dir" | "raw">[],
  options: ReplayPlayerOptions = {},
): InProcessReplay {
  const player = new ReplayPlayer(transcript, options);
  const sent = player.start();
  let clients = 0;
  for (const { dir, raw } of host) {
    if (dir === "client") clients++;
    else {
      // A host that speaks too early would be another test; this one has no patience to wait for the client.
      while (player.waiting && sent.length < clients) sent.push(...player.missing());
      sent.push(...player.receive(raw));
    }
  }
  while (player.waiting) sent.push(...player.missing());
  player.endInput();
  return { report: player.end({ code: 0, signal: null }), sent, player };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * A recording as it would be of a host that mints other ids, cursors, ranges and request numbers, that is another
 * program on another machine, and that ran at another time. Ids of the client stay.
 */
export function madeElsewhere(transcript: Transcript): Transcript {
  const known = new Set<string>();
  const own = new Map<string, string>();
  const requests = new Map<unknown, number>();
  const word = (text: string, prefix: string): string => {
    const minted = own.get(text) ?? `${prefix}-${own.size + 1}`;
    own.set(text, minted);
    return minted;
  };
  const walk = (value: unknown, name: string, dir: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item, name, dir));
    if (typeof value === "object" && value !== null) {
      if (name === "sourceRange") return { stream: word(JSON.stringify(value), "range") };
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, key, dir)]));
    }
    if (dir === "server") {
      if (name === "emittedAtMs" || name === "durationMs") return 7;
      if (name === "recordedAt" || name === "createdAt" || name === "updatedAt")
        return "2001-01-01T00:00:00Z";
      if (name === "userAgent" || name === "museHome" || name === "fingerprint") return "elsewhere";
    }
    if (typeof value !== "string") return value;
    if (dir === "client") {
      if (!own.has(value)) known.add(value);
      return own.get(value) ?? value;
    }
    if (known.has(value)) return value;
    if (value.startsWith("v:")) return word(value, "cursor");
    return UUID.test(value) ? word(value, "own") : value;
  };
  const lines = transcript.lines.map((line): TranscriptLine => {
    const frame = walk(JSON.parse(line.raw), "", line.dir) as Record<string, unknown>;
    if (Object.hasOwn(frame, "method") === (line.dir === "server") && typeof frame["id"] === "number") {
      if (line.dir === "server") requests.set(frame["id"], 100 + requests.size);
      frame["id"] = requests.get(frame["id"]) ?? frame["id"];
    }
    return { ...line, raw: JSON.stringify(frame) };
  });
  return { ...transcript, lines };
}

/** A host of a few lines of JavaScript, as words to start it. `lines` is what comes, line by line. */
export function scriptedHost(text: string): { readonly command: string; readonly args: readonly string[] } {
  const file = join(scratchFolder(), "host.mjs");
  writeFileSync(
    file,
    `import { createInterface } from "node:readline";\nconst lines = createInterface({ input: process.stdin });\n${text}`,
  );
  return { command: process.execPath, args: [file] };
}
