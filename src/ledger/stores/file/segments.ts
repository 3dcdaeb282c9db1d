/**
 * Reads a log from its segments. The newest that was in use says how much of the one before it counts, and so on down:
 * what a fenced holder appended afterwards lies behind that and is never read.
 */
import { join } from "node:path";
import { type EntryText, StoreError, type TornTail } from "../../store.js";
import type { Files } from "./files.js";
import { type Before, type Claim, FORM_VERSION, lineEnd, readLine } from "./lines.js";

/** What a log has on the disk. */
export interface LogState {
  readonly entries: EntryText[];
  /** What the next segment has to say of those before it. */
  readonly counts: Before;
  readonly torn: TornTail | undefined;
  /** The newest segment; undefined for none. */
  readonly newest: NewestSegment | undefined;
}

/** The newest segment, which tells who holds the log. */
export interface NewestSegment {
  readonly epoch: number;
  /** Undefined where the process ended before it was written. */
  readonly claim: Claim | undefined;
  /** Whether its holder gave the log up in order. */
  readonly released: boolean;
  readonly bytes: number;
}

interface Segment {
  readonly epoch: number;
  readonly path: string;
  /** How many bytes count; undefined for as many as are sound. */
  readonly counted: number | undefined;
  readonly before: Before;
  /** Where the lines behind the first two begin. */
  readonly start: number;
}

/** More than the first two lines have. */
const HEAD_BYTES = 1024;
/** More than the line of a holder that gave the log up has. */
const LAST_BYTES = 128;
const NAME = /^\d{8,}\.ndjson$/;

/** The path of a segment. */
export function segmentPath(folder: string, epoch: number): string {
  return join(folder, `${String(epoch).padStart(8, "0")}.ndjson`);
}

/** The epochs of a log, the oldest first; empty where there is no such log. */
export function epochsOf(files: Files, folder: string): number[] {
  return files
    .names(folder)
    .filter((name) => NAME.test(name))
    .map((name) => Number.parseInt(name, 10))
    .sort((a, b) => a - b);
}

/** The newest segment of a log that has one, without reading all of it. */
export function readNewest(files: Files, folder: string, epoch: number): NewestSegment {
  const { claim, bytes, segment } = readHead(files, folder, epoch);
  const from = Math.max(0, bytes - LAST_BYTES);
  const tail = files.read(segmentPath(folder, epoch), from) ?? Buffer.alloc(0);
  const start = tail.lastIndexOf(0x0a, -2) + 1;
  const last = tail.at(-1) === 0x0a ? readLine(tail, start, tail.length - 1) : undefined;
  return { epoch, claim, released: segment !== undefined && last?.kind === "closed", bytes };
}

/** Reads a log. Fails with `damaged` or `newerVersion`, and changes nothing. */
export function readLog(files: Files, folder: string, epochs: readonly number[]): LogState {
  let newest: NewestSegment | undefined;
  let top: Segment | undefined;
  for (let i = epochs.length - 1; i >= 0 && top === undefined; i--) {
    const head = readHead(files, folder, epochs[i]!);
    newest ??= { epoch: epochs[i]!, claim: head.claim, released: false, bytes: head.bytes };
    top = head.segment;
  }
  const entries: EntryText[] = [];
  if (top === undefined || newest === undefined)
    return { entries, counts: { epoch: 0, bytes: 0, seq: 0 }, torn: undefined, newest };
  let last: Sound | undefined;
  for (const segment of chain(files, folder, top)) last = readSegment(files, segment, entries);
  const { bytes, size, torn, closed } = last!;
  return {
    entries,
    counts: { epoch: top.epoch, bytes, seq: entries.length },
    torn,
    newest: newest.epoch === top.epoch ? { ...newest, released: closed, bytes: size } : newest,
  };
}

/** The segments that count, the oldest first. */
function chain(files: Files, folder: string, top: Segment): Segment[] {
  const out = [top];
  for (let { before } = top; before.epoch !== 0; ) {
    const path = segmentPath(folder, before.epoch);
    if (before.epoch >= out.at(-1)!.epoch) throw damaged(out.at(-1)!.path, 0, 2, "it names itself");
    if (!files.exists(path)) throw damaged(path, 0, 1, "the file is gone");
    const { segment } = readHead(files, folder, before.epoch);
    if (segment === undefined) throw damaged(path, 0, 1, "its first lines are gone");
    out.push({ ...segment, counted: before.bytes });
    before = segment.before;
  }
  return out.reverse();
}

interface Head {
  readonly bytes: number;
  readonly claim: Claim | undefined;
  /** Undefined where the segment never was in use. */
  readonly segment: Segment | undefined;
}

function readHead(files: Files, folder: string, epoch: number): Head {
  const path = segmentPath(folder, epoch);
  const bytes = files.read(path, 0, HEAD_BYTES) ?? Buffer.alloc(0);
  const size = bytes.length < HEAD_BYTES ? bytes.length : files.stat(path)!.bytes;
  const unused = (from: number, line: number): boolean => {
    if (isUnwritten(bytes, from)) return true;
    throw damaged(path, from, line, "the bytes are not what was written");
  };
  const firstEnd = lineEnd(bytes, 0);
  const first = firstEnd < 0 ? undefined : readLine(bytes, 0, firstEnd);
  if (first?.kind !== "claim") {
    unused(0, 1);
    return { bytes: size, claim: undefined, segment: undefined };
  }
  const { claim } = first;
  if (claim.version > FORM_VERSION) throw newerVersion(path, claim.version);
  if (claim.epoch !== epoch) throw damaged(path, 0, 1, `it is the segment of epoch ${claim.epoch}`);
  const secondEnd = lineEnd(bytes, firstEnd + 1);
  const second = secondEnd < 0 ? undefined : readLine(bytes, firstEnd + 1, secondEnd);
  if (second?.kind !== "before") {
    unused(firstEnd + 1, 2);
    return { bytes: size, claim, segment: undefined };
  }
  return {
    bytes: size,
    claim,
    segment: { epoch, path, counted: undefined, before: second.before, start: secondEnd + 1 },
  };
}

/** What a crash leaves of a short line: nothing, its beginning, or the zeros of a block that was never filled. */
function isUnwritten(bytes: Buffer, from: number): boolean {
  return bytes.indexOf(0x0a, from) < 0 || bytes.subarray(from).every((byte) => byte === 0);
}

interface Sound {
  /** How many bytes are sound. */
  readonly bytes: number;
  readonly size: number;
  readonly torn: TornTail | undefined;
  readonly closed: boolean;
}

/** Adds the entries of a segment to those before. */
function readSegment(files: Files, segment: Segment, entries: EntryText[]): Sound {
  const { path, counted } = segment;
  const bytes = files.read(path, 0, counted) ?? Buffer.alloc(0);
  const size = bytes.length;
  if (counted !== undefined && size < counted) throw damaged(path, size, 0, "the end is gone");
  if (segment.before.seq !== entries.length) throw damaged(path, 0, 2, "entries are missing before it");
  let at = segment.start;
  let line = 3;
  let closed = false;
  for (; at < size; line++) {
    const end = lineEnd(bytes, at);
    const read = end < 0 ? undefined : readLine(bytes, at, end);
    if (read === undefined) break;
    const expected = entries.length + (read.kind === "entry" ? 1 : 0);
    if (closed || (read.kind !== "entry" && read.kind !== "closed") || read.seq !== expected)
      throw damaged(path, at, line, `entry ${entries.length + 1} does not stand here`);
    if (read.kind === "entry") entries.push(read.text);
    else closed = true;
    at = end + 1;
  }
  if (at === size) return { bytes: size, size, torn: undefined, closed };
  if (counted !== undefined || syncedAfter(bytes, at, entries.length + 1))
    throw damaged(path, at, line, "the bytes are not what was written");
  return { bytes: at, size, torn: { place: `${path}:${at}`, bytes: size - at }, closed };
}

/** Whether behind a bad place stands what was written only after the entry that belongs there had been synced. */
function syncedAfter(bytes: Buffer, bad: number, seq: number): boolean {
  for (let at = bad; ; ) {
    const end = lineEnd(bytes, at);
    if (end < 0) return false;
    const read = readLine(bytes, at, end);
    if (read?.kind === "entry" ? read.group > seq : read !== undefined) return true;
    at = end + 1;
  }
}

function damaged(path: string, byte: number, line: number, why: string): StoreError {
  const place = `${path}:${byte}`;
  const spoken = line === 0 ? place : `${place} (line ${line})`;
  return new StoreError("damaged", `the log is damaged at ${spoken}: ${why}`, { place });
}

/** What is said of a form that is newer than this code. */
export function newerVersion(path: string, version: unknown): StoreError {
  return new StoreError(
    "newerVersion",
    `${path} was written by a later version of this store (form ${String(version)}; this one knows ${FORM_VERSION})`,
    { place: path },
  );
}
