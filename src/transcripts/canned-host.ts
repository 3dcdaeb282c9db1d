/**
 * A host that replays a recorded session: it waits for the frames that the client sent then, and answers with what
 * the host sent then, byte for byte, but for the ids that the client chose. It improvises nothing: the first frame
 * that was not recorded ends the run. No input or output here; the host is a function of the frames.
 */
import { membersOf } from "../wire/members.js";
import { parseFrame } from "../wire/parse.js";
import { WordReplacer } from "./command-ids.js";
import { type Frame, isObject } from "./differences.js";
import { TranscriptError } from "./error.js";
import { divergencesOf } from "./matching.js";
import { Pairing } from "./pairing.js";
import type { ServeFixtureFailure, ServeFixtureReport } from "./report.js";
import { TRANSCRIPT_FILE, type Transcript, type TranscriptLine } from "./transcript.js";

/** How a canned host plays. */
export interface CannedHostOptions {
  /**
   * Puts the client's own command ids in place of the recorded ones, everywhere in what the host sends, and takes
   * them for the recorded ones in what the client sends. Default: false, which leaves every frame as recorded.
   */
  readonly rewriteCommandIds?: boolean;
}

/** What the host does next. */
export interface CannedStep {
  /** Frames to send, without line ends. */
  readonly send: readonly string[];
  /** How it ended; given once, with the step that ends it. */
  readonly report?: ServeFixtureReport;
}

/** A recorded frame, parsed where it has to be. */
interface Entry {
  readonly line: TranscriptLine;
  /** Undefined for a frame of the host that is not an object: it is sent as it is. */
  readonly frame: Frame | undefined;
}

const NOTHING: CannedStep = { send: [] };

/** One session of a canned host. */
export class CannedHost {
  readonly #scenario: string;
  readonly #entries: readonly Entry[];
  readonly #rewrite: boolean;
  readonly #ids = new Pairing();
  readonly #commandIds = new Pairing();
  /** The client's ids as it spelt them, by the recorded ones. */
  readonly #spelling = new Map<unknown, string>();
  #at = 0;
  #report: ServeFixtureReport | undefined;

  /** @throws {TranscriptError} when the transcript has no frame, or a client's frame that no client could send */
  constructor(transcript: Transcript, { rewriteCommandIds = false }: CannedHostOptions = {}) {
    const file = `${transcript.folder}/${TRANSCRIPT_FILE}`;
    if (transcript.lines.length === 0) throw new TranscriptError("empty", file, "has no frame");
    this.#scenario = transcript.scenario;
    this.#rewrite = rewriteCommandIds;
    this.#entries = transcript.lines.map((line) => entryOf(line, file));
  }

  /** How it ended; undefined while it goes on. */
  get report(): ServeFixtureReport | undefined {
    return this.#report;
  }

  /** Begins: what the host sends before the client's first frame. */
  start(): CannedStep {
    return this.#play();
  }

  /** Takes a frame of the client. After the end nothing is judged. */
  receive(raw: string): CannedStep {
    if (this.#report !== undefined) return NOTHING;
    const parsed = parseFrame(raw);
    if ("fault" in parsed) return this.malformed(raw, [explain(raw, parsed.fault)]);
    if (!isObject(parsed.value)) return this.malformed(raw, ["the frame is not a JSON object"]);
    const { line, frame: expected } = this.#entries[this.#at]!;
    const divergences = divergencesOf(expected!, parsed.value, this.#matching());
    if (divergences.length > 0) return this.#fail("frameDivergence", line, { raw, divergences });
    if (typeof expected!["method"] === "string" && Object.hasOwn(expected!, "id"))
      this.#spelling.set(expected!["id"], lastMember(raw, "id") ?? JSON.stringify(parsed.value["id"]));
    this.#at++;
    return this.#play();
  }

  /** Takes what the client sent in place of a frame, with the reasons why it is none. */
  malformed(raw: string, errors: readonly string[]): CannedStep {
    if (this.#report !== undefined) return NOTHING;
    return this.#fail("malformedClientFrame", this.#entries[this.#at]!.line, { raw, errors });
  }

  /** Hears that the client sends no more. */
  end(): CannedStep {
    if (this.#report !== undefined) return NOTHING;
    return this.#fail("clientEof", this.#entries[this.#at]!.line, { raw: null });
  }

  /** The host's frames up to the client's next one, or to the end. */
  #play(): CannedStep {
    const send: string[] = [];
    const words = this.#rewrite ? new WordReplacer(this.#commandIds.texts()) : undefined;
    for (; this.#entries[this.#at]?.line.dir === "server"; this.#at++) {
      const { line, frame } = this.#entries[this.#at]!;
      const text = words === undefined ? line.raw : words.json(line.raw);
      send.push(frame === undefined ? text : this.#underClientsId(text, frame));
    }
    if (this.#at < this.#entries.length || this.#report !== undefined) return { send };
    const clientFrames = this.#entries.filter(({ line }) => line.dir === "client").length;
    this.#report = {
      kind: "serveFixtureComplete",
      scenario: this.#scenario,
      clientFrames,
      serverFrames: this.#entries.length - clientFrames,
    };
    return { send, report: this.#report };
  }

  /** An answer carries the id that the client used, spelt as it spelt it. */
  #underClientsId(text: string, frame: Frame): string {
    if (Object.hasOwn(frame, "method") || !Object.hasOwn(frame, "id")) return text;
    const spelling = this.#spelling.get(frame["id"]);
    if (spelling === undefined) return text;
    const id = [...membersOf(text)].findLast(({ name }) => name === "id");
    if (id?.valueEnd === undefined) return text;
    return text.slice(0, id.valueStart) + spelling + text.slice(id.valueEnd);
  }

  #matching(): Parameters<typeof divergencesOf>[2] {
    const pairs = { ids: this.#ids, commandIds: this.#commandIds };
    if (!this.#rewrite) return pairs;
    const recorded = new WordReplacer(
      new Map([...this.#commandIds.texts()].map(([recorded, received]) => [received, recorded])),
    );
    return { ...pairs, recorded: (text) => recorded.text(text) };
  }

  #fail(
    problem: ServeFixtureFailure["problem"],
    line: TranscriptLine,
    {
      raw,
      divergences = [],
      errors = [],
    }: { raw: string | null } & Partial<Pick<ServeFixtureFailure, "divergences" | "errors">>,
  ): CannedStep {
    this.#report = {
      kind: "serveFixtureFailure",
      problem,
      scenario: this.#scenario,
      transcriptLine: line.line,
      expectedFrame: line.raw,
      receivedFrame: raw,
      divergences,
      errors,
    };
    return { send: [], report: this.#report };
  }
}

function entryOf(line: TranscriptLine, file: string): Entry {
  const bad = (why: string): TranscriptError => new TranscriptError("badFrame", file, why, line.line);
  if (line.base64 !== undefined) throw bad("raw was not UTF-8, so it cannot be played");
  const parsed = parseFrame(line.raw);
  const frame = "value" in parsed && isObject(parsed.value) ? parsed.value : undefined;
  if (line.dir === "client" && frame === undefined) throw bad("raw is not a JSON object");
  return { line, frame };
}

function explain(raw: string, fault: "notJson" | "tooDeep"): string {
  if (fault === "tooDeep") return "the frame nests too deep";
  try {
    JSON.parse(raw);
  } catch (error) {
    return `the frame is not JSON: ${(error as Error).message}`;
  }
  return "the frame is not JSON";
}

/** A member's value as it is spelt; of several with one name the last counts. */
function lastMember(text: string, name: string): string | undefined {
  const member = [...membersOf(text)].findLast((one) => one.name === name);
  return member?.valueEnd === undefined ? undefined : text.slice(member.valueStart, member.valueEnd);
}
