/** Recorded sessions for tests, and a client that plays its side of one. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  CannedHost,
  type CannedHostOptions,
  loadTranscripts,
  type Manifest,
  type ServeFixtureReport,
  type Transcript,
  type TranscriptLine,
} from "../../src/transcripts/index.js";
import { hasReference, REFERENCE, ROOT } from "./repo.js";

/** A JSON object. */
export type Frame = Readonly<Record<string, unknown>>;

/** The folder of the project's own recordings. */
export const OWN_TRANSCRIPTS = join(ROOT, "schema/msp/transcripts");
/** The folder of the protocol's recordings; see `hasReference`. */
export const REFERENCE_TRANSCRIPTS = join(REFERENCE, "transcripts");

/** Every recording that is there: the project's own, and the protocol's. */
export function everyTranscript(): Transcript[] {
  return [
    ...loadTranscripts(OWN_TRANSCRIPTS),
    ...(hasReference ? loadTranscripts(REFERENCE_TRANSCRIPTS) : []),
  ];
}

/** A manifest with nothing special about it. */
export function manifestOf(scenario: string, changes: object = {}): Manifest {
  return {
    kind: "mspTranscript",
    schemaVersion: 1,
    scenario,
    provenance: "hand-authored",
    fingerprint: `sha256:${"0".repeat(64)}`,
    viewSchemaVersion: 1,
    serverConfig: { frameLimitBytes: 10_485_760 },
    transports: ["stdio", "in-process"],
    normalize: ["id"],
    seeds: { idSeed: 1, clockStartMs: 1 },
    source: [],
    ...changes,
  };
}

/** A recording of frames: `>` stands before a client's, `<` before the host's. */
export function transcriptOf(frames: readonly string[], changes: object = {}): Transcript {
  const lines = frames.map((text, i): TranscriptLine => {
    const dir = text.startsWith(">") ? "client" : "server";
    return { line: i + 1, dir, raw: text.slice(1).trimStart() };
  });
  return { folder: "made/up", scenario: "up", manifest: manifestOf("up", changes), lines };
}

/** Writes a recording to a folder named after its scenario, below a root; the folder. */
export function writeTranscript(root: string, { scenario, manifest, lines }: Transcript): string {
  const folder = join(root, scenario);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const rows = lines.map(({ dir, raw, base64 }) => `${JSON.stringify({ dir, raw, base64 })}\n`);
  writeFileSync(join(folder, "transcript.ndjson"), rows.join(""));
  return folder;
}

/** Whether a frame asks for an answer. */
export function isRequest(frame: Frame): boolean {
  return typeof frame["method"] === "string" && Object.hasOwn(frame, "id");
}

/** A client that plays its side of a recording under names of its own. */
export class ScriptedClient {
  readonly #mintsCommandIds: boolean;
  readonly #ids = new Map<unknown, string>();
  readonly #commandIds = new Map<string, string>();

  /** @param mintsCommandIds whether command ids are its own too, in whatever it sends */
  constructor({ mintsCommandIds = false }: { mintsCommandIds?: boolean } = {}) {
    this.#mintsCommandIds = mintsCommandIds;
  }

  /** What it sends where the recording has this frame. */
  frame(raw: string): string {
    const frame = JSON.parse(raw) as Frame;
    const id = isRequest(frame) ? { id: this.idOf(frame["id"]) } : {};
    if (!this.#mintsCommandIds) return JSON.stringify({ ...frame, ...id });
    const commandId = (frame["params"] as Frame | undefined)?.["commandId"];
    if (typeof commandId === "string" && !this.#commandIds.has(commandId))
      this.#commandIds.set(commandId, `own-${this.#commandIds.size + 1}`);
    const echoed = JSON.stringify(frame, (_, value: unknown) =>
      typeof value === "string" ? this.inOwnWords(value) : value,
    );
    return JSON.stringify({ ...(JSON.parse(echoed) as Frame), ...id });
  }

  /** Its own id for a recorded one. */
  idOf(recorded: unknown): string {
    const own = this.#ids.get(recorded) ?? `c/${this.#ids.size + 1}`;
    this.#ids.set(recorded, own);
    return own;
  }

  /** A text of the recording with the client's command ids. */
  inOwnWords(text: string): string {
    let out = text;
    for (const [recorded, own] of this.#commandIds) out = out.replaceAll(recorded, own);
    return out;
  }
}

/** What came of a session in which the client sent what it sends. */
export interface Played {
  readonly report: ServeFixtureReport;
  readonly received: readonly string[];
}

/** Plays a recording against the canned host; `send` makes of each recorded client frame what is sent, or nothing more. */
export function play(
  transcript: Transcript,
  send: (raw: string, line: number) => string | undefined,
  options: CannedHostOptions = {},
): Played {
  const host = new CannedHost(transcript, options);
  const received = [...host.start().send];
  for (const { dir, raw, line } of transcript.lines) {
    if (dir === "server" || host.report !== undefined) continue;
    const sent = send(raw, line);
    if (sent === undefined) break;
    received.push(...host.receive(sent).send);
  }
  const report = host.report ?? host.end().report;
  if (report === undefined) throw new Error("a session that ended has no report");
  return { report, received };
}
