/**
 * The lines of a segment. Each is an object that begins with the CRC-32 of all that follows it:
 *
 *     {"crc":"0a1b2c3d","seq":7,"group":5,"records":[...]}
 *
 * `group` is the seq of the first entry of the same write. So an entry with a greater group than the seq of a bad line
 * says that the bad line was synced before, and is damaged; without one, its write may never have been finished.
 */
import { crc32 } from "node:zlib";
import type { EntryText } from "../../store.js";

/** The version of the form. A later one is refused. */
export const FORM_VERSION = 1;

/** The first line of a segment, written with its name: whose it is. */
export interface Claim {
  readonly version: number;
  readonly epoch: number;
  /** The token of the holder; null for a segment that only fences, which nobody holds. */
  readonly owner: string | null;
}

/** The second line: what counts of the segments before. Without it the segment was never in use. */
export interface Before {
  /** The last segment before that counts; 0 for none. Those between do not. */
  readonly epoch: number;
  /** How many of its bytes count: what a fenced holder writes after them is never read. */
  readonly bytes: number;
  /** The seq of its last entry; 0 for none. */
  readonly seq: number;
}

/** What a line says. */
export type Line =
  | { readonly kind: "claim"; readonly claim: Claim }
  | { readonly kind: "before"; readonly before: Before }
  | { readonly kind: "entry"; readonly seq: number; readonly group: number; readonly text: EntryText }
  | { readonly kind: "closed"; readonly seq: number };

const NEWLINE = 0x0a;
/** Bytes of `{"crc":"xxxxxxxx",`. */
const FRONT = 18;
const OPENING = Buffer.from('{"crc":"');
const SEQ = Buffer.from('"seq":');
const GROUP = Buffer.from(',"group":');
const RECORDS = Buffer.from(',"records":');

/** The first line of a segment. */
export function claimLine({ version, epoch, owner }: Claim): string {
  return sealed(`"segment":${JSON.stringify({ version, epoch, owner })}}`);
}

/** The second line of a segment. */
export function beforeLine({ epoch, bytes, seq }: Before): string {
  return sealed(`"before":${JSON.stringify({ epoch, bytes, seq })}}`);
}

/** The lines of one write. `first` is the seq of its first entry. */
export function entryLines(first: number, entries: readonly EntryText[]): string {
  let text = "";
  for (let i = 0; i < entries.length; i++)
    text += sealed(`"seq":${first + i},"group":${first},"records":${entries[i]}}`);
  return text;
}

/** The last line of a segment whose holder gave it up in order. `seq`: of the last entry. */
export function closedLine(seq: number): string {
  return sealed(`"closed":${seq}}`);
}

function sealed(rest: string): string {
  return `{"crc":"${crc32(rest).toString(16).padStart(8, "0")}",${rest}\n`;
}

/** Reads the line that ends before `end`; undefined where it is not what was written. */
export function readLine(bytes: Buffer, start: number, end: number): Line | undefined {
  if (end - start <= FRONT || !matches(bytes, start, OPENING)) return undefined;
  const crc = hex(bytes, start + OPENING.length);
  if (crc === undefined || bytes[start + 16] !== 0x22 || bytes[start + 17] !== 0x2c) return undefined;
  if (crc32(bytes.subarray(start + FRONT, end)) !== crc) return undefined;
  // From here on it is what some version of this module wrote.
  const from = start + FRONT;
  if (!matches(bytes, from, SEQ)) return readOther(bytes.toString("utf8", from, end));
  const seq = digits(bytes, from + SEQ.length);
  if (!matches(bytes, seq.end, GROUP)) return undefined;
  const group = digits(bytes, seq.end + GROUP.length);
  if (!matches(bytes, group.end, RECORDS)) return undefined;
  const text = bytes.toString("utf8", group.end + RECORDS.length, end - 1);
  return { kind: "entry", seq: seq.value, group: group.value, text };
}

function readOther(rest: string): Line | undefined {
  let value: { segment?: Claim; before?: Before; closed?: number };
  try {
    value = JSON.parse(`{${rest}`) as typeof value;
  } catch {
    return undefined;
  }
  if (value.segment !== undefined) return { kind: "claim", claim: value.segment };
  if (value.before !== undefined) return { kind: "before", before: value.before };
  return value.closed === undefined ? undefined : { kind: "closed", seq: value.closed };
}

/** Where the line that starts at `start` ends; -1 where it has no end. */
export function lineEnd(bytes: Buffer, start: number): number {
  return bytes.indexOf(NEWLINE, start);
}

function matches(bytes: Buffer, at: number, wanted: Buffer): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

function digits(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  let end = start;
  for (; bytes[end]! >= 0x30 && bytes[end]! <= 0x39; end++) value = value * 10 + (bytes[end]! - 0x30);
  return { value, end };
}

/** Eight small hex digits. */
function hex(bytes: Buffer, start: number): number | undefined {
  let value = 0;
  for (let i = start; i < start + 8; i++) {
    const byte = bytes[i]!;
    if (byte >= 0x30 && byte <= 0x39) value = value * 16 + byte - 0x30;
    else if (byte >= 0x61 && byte <= 0x66) value = value * 16 + byte - 0x57;
    else return undefined;
  }
  return value;
}
