/**
 * The client's side of a recorded session, played to a live host: each line is sent when all that the host said
 * before it has come, and each frame of the host is compared with the recorded one, in order. No input or output and
 * no clock here; the player is a function of the frames and of the moments at which somebody lost patience.
 */
import { parseFrame } from "../../wire/parse.js";
import { type Divergence, type Frame, isObject } from "../differences.js";
import { TranscriptError } from "../error.js";
import { type Side, TRANSCRIPT_FILE, type Transcript, type TranscriptLine } from "../transcript.js";
import { Minted } from "./minted.js";
import type { ReplayFailure, ReplayReport } from "./report.js";
import { OpenEnds } from "./shutdown.js";

/** How a session is replayed. */
export interface ReplayPlayerOptions {
  /** Goes on after the first difference, as far as that makes sense, to record what the host does. Default: false. */
  readonly goOn?: boolean;
}

/** A frame that passed. */
export interface Passed {
  readonly dir: Side;
  readonly raw: string;
}

/** One replay. */
export class ReplayPlayer {
  readonly #transcript: Transcript;
  readonly #lines: readonly TranscriptLine[];
  readonly #goOn: boolean;
  readonly #minted = new Minted();
  readonly #open = new OpenEnds();
  readonly #passed: Passed[] = [];
  #at = 0;
  #inputEnded = false;
  #failure: ReplayFailure | undefined;

  /** @throws {TranscriptError} when the transcript has no frame, or one that cannot be played */
  constructor(transcript: Transcript, { goOn = false }: ReplayPlayerOptions = {}) {
    const file = `${transcript.folder}/${TRANSCRIPT_FILE}`;
    if (transcript.lines.length === 0) throw new TranscriptError("empty", file, "has no frame");
    for (const { base64, line } of transcript.lines)
      if (base64 !== undefined)
        throw new TranscriptError("badFrame", file, "raw was not UTF-8, so it cannot be played", line);
    this.#transcript = transcript;
    this.#lines = transcript.lines;
    this.#goOn = goOn;
  }

  /** The first difference; undefined while there is none. */
  get failure(): ReplayFailure | undefined {
    return this.#failure;
  }

  /** Whether nothing is judged any more. */
  get over(): boolean {
    return this.#failure !== undefined && !this.#goOn;
  }

  /** 1-based line of the transcript that is next; the last one at the end. */
  get line(): number {
    return (this.#lines[this.#at] ?? this.#last).line;
  }

  /** Whether a frame of the host is recorded that has not come. */
  get waiting(): boolean {
    return !this.over && this.#at < this.#lines.length;
  }

  /** What passed so far, in order; what belongs to the host's shutdown is not in it. */
  get passed(): readonly Passed[] {
    return this.#passed;
  }

  /** Begins: what is sent before the host's first frame. */
  start(): string[] {
    return this.#send();
  }

  /** Takes a frame of the host; what is sent after it, without line ends. */
  receive(raw: string): string[] {
    if (this.over) return [];
    const parsed = parseFrame(raw);
    if ("fault" in parsed || !isObject(parsed.value)) {
      const why = "fault" in parsed ? "the frame is not JSON, or nests too deep" : "the frame is no object";
      return this.malformed(raw, [why]);
    }
    const frame = parsed.value;
    if (this.#inputEnded && this.#open.ends(frame)) return [];
    this.#passed.push({ dir: "server", raw });
    if (this.#at >= this.#lines.length) this.#extra(raw, frame);
    else this.#compare(raw, frame);
    return this.#send();
  }

  /** Takes what the host sent in place of a frame, with the reasons why it is none. */
  malformed(raw: string, errors: readonly string[]): string[] {
    if (this.over) return [];
    const line = this.#lines[this.#at];
    this.#fail({
      problem: "malformedHostFrame",
      transcriptLine: (line ?? this.#last).line,
      expectedFrame: line?.raw ?? null,
      receivedFrame: raw,
      divergences: [],
      errors,
    });
    if (line !== undefined) this.#at++;
    return this.#send();
  }

  /** Hears that the host's next frame does not come; what is sent nevertheless. */
  missing(): string[] {
    for (let line = this.#next(); line !== undefined; line = this.#next()) {
      this.#fail({
        problem: "frameMissing",
        transcriptLine: line.line,
        expectedFrame: line.raw,
        receivedFrame: null,
        divergences: [{ ...named(line), received: null, note: "missing frame" }],
        errors: [],
      });
      this.#at++;
    }
    return this.#send();
  }

  /** Hears that the host's input is closed: from now on it may say what belongs to its end. */
  endInput(): void {
    this.#inputEnded = true;
  }

  /** Hears how the host ended, after its last frame; the report. */
  end({ code, signal }: { readonly code: number | null; readonly signal: string | null }): ReplayReport {
    this.missing();
    if (code !== 0) {
      const how = signal === null ? `exit code ${code}` : `ended by ${signal}`;
      this.#fail({
        problem: "hostExit",
        transcriptLine: this.#last.line,
        expectedFrame: null,
        receivedFrame: null,
        divergences: [],
        errors: [`${how} where an orderly end was due`],
      });
    }
    return this.#failure ?? this.#complete();
  }

  get #last(): TranscriptLine {
    return this.#lines[this.#lines.length - 1] as TranscriptLine;
  }

  /** The host's next recorded line; undefined where the client is next. */
  #next(): TranscriptLine | undefined {
    const line = this.#lines[this.#at];
    return line?.dir === "server" ? line : undefined;
  }

  #compare(raw: string, frame: Frame): void {
    const line = this.#resume(frame);
    const expected = line === undefined ? undefined : frameOf(line);
    if (line === undefined || expected === undefined) {
      this.#differs(line ?? this.#next() ?? this.#last, raw, [
        { path: "", expected: line?.raw ?? null, received: raw, note: "not expected here" },
      ]);
      if (line !== undefined) this.#at++;
      return;
    }
    const apart = headOf(expected);
    const divergences = alike(expected, frame)
      ? this.#minted.divergencesOf(expected, frame)
      : [{ path: apart.path, expected: apart.word, received: headOf(frame).word, note: "another frame" }];
    if (divergences.length > 0) this.#differs(line, raw, divergences);
    this.#open.note(frame);
    this.#at++;
  }

  /**
   * The recorded line that a frame is compared with: the next one. After a difference, the next one of its kind before
   * the client's next line; what is passed over is missing, and undefined says that the frame is too much.
   */
  #resume(frame: Frame): TranscriptLine | undefined {
    const next = this.#next();
    if (!this.#goOn) return next;
    for (let at = this.#at; this.#lines[at]?.dir === "server"; at++) {
      const line = this.#lines[at] as TranscriptLine;
      const expected = frameOf(line);
      if (expected === undefined || !alike(expected, frame)) continue;
      if (line !== next && next !== undefined)
        this.#fail({
          problem: "frameMissing",
          transcriptLine: next.line,
          expectedFrame: next.raw,
          receivedFrame: null,
          divergences: [{ ...named(next), received: null, note: "missing frame" }],
          errors: [],
        });
      this.#at = at;
      return line;
    }
    return undefined;
  }

  #extra(raw: string, frame: Frame): void {
    const { path, word } = headOf(frame);
    this.#fail({
      problem: "frameExtra",
      transcriptLine: this.#last.line,
      expectedFrame: null,
      receivedFrame: raw,
      divergences: [{ path, expected: null, received: word, note: "extra frame" }],
      errors: [],
    });
  }

  #differs({ line, raw: expectedFrame }: TranscriptLine, raw: string, divergences: Divergence[]): void {
    this.#fail({
      problem: "frameDivergence",
      transcriptLine: line,
      expectedFrame,
      receivedFrame: raw,
      divergences,
      errors: [],
    });
  }

  /** The client's lines up to the host's next one. */
  #send(): string[] {
    const out: string[] = [];
    if (this.over || this.#inputEnded) return out;
    for (; this.#lines[this.#at]?.dir === "client"; this.#at++) {
      const raw = this.#minted.told((this.#lines[this.#at] as TranscriptLine).raw);
      this.#passed.push({ dir: "client", raw });
      out.push(raw);
    }
    return out;
  }

  /** The first failure counts. */
  #fail(failure: Omit<ReplayFailure, "kind" | "scenario">): void {
    this.#failure ??= { kind: "replayFailure", scenario: this.#transcript.scenario, ...failure };
  }

  #complete(): ReplayReport {
    const clientFrames = this.#lines.filter(({ dir }) => dir === "client").length;
    return {
      kind: "replayComplete",
      scenario: this.#transcript.scenario,
      clientFrames,
      serverFrames: this.#lines.length - clientFrames,
    };
  }
}

function frameOf({ raw }: TranscriptLine): Frame | undefined {
  const parsed = parseFrame(raw);
  return "value" in parsed && isObject(parsed.value) ? parsed.value : undefined;
}

/** What a frame is, in one word with its place: a message by its method, an answer by what it answers. */
function headOf(frame: Frame): { readonly path: string; readonly word: unknown } {
  return typeof frame["method"] === "string"
    ? { path: "method", word: frame["method"] }
    : { path: "id", word: frame["id"] ?? null };
}

function named(line: TranscriptLine): { readonly path: string; readonly expected: unknown } {
  const { path, word } = headOf(frameOf(line) ?? {});
  return { path, expected: word };
}

/** Whether two frames are the same message, or answers to the same request. */
function alike(one: Frame, other: Frame): boolean {
  const [a, b] = [headOf(one), headOf(other)];
  return a.path === b.path && a.word === b.word;
}
