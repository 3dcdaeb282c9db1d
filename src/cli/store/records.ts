/** The records in a log, for a person. What they mean is the host's business: here they are objects with a type. */
import type { EntryText } from "../../ledger/store.js";

/** A record with the place of its entry. */
export interface LogRecord {
  /** Of the entry, from 1. */
  readonly seq: number;
  readonly record: unknown;
}

/** Commands that were taken in, and what became of them. */
export interface CommandCounts {
  readonly received: number;
  readonly settled: number;
  readonly withdrawn: number;
  readonly pending: readonly { readonly id: string; readonly what: string }[];
}

const SHOWN = 60;

/** The records of entries: an entry is a list of them, or one. */
export function recordsOf(entries: readonly EntryText[]): LogRecord[] {
  return entries.flatMap((text, i) => {
    const value: unknown = JSON.parse(text);
    const records = Array.isArray(value) ? (value as unknown[]) : [value];
    return records.map((record) => ({ seq: i + 1, record }));
  });
}

/** One line: seq, time, kind, and the other members, cut short. */
export function recordLine({ seq, record }: LogRecord): string {
  if (!isObject(record)) return `${seq} ${short(record)}`;
  const { type, at, ...rest } = record;
  const members = Object.entries(rest).map(([name, value]) => `${name}=${short(value)}`);
  const time = typeof at === "number" && Number.isFinite(at) ? new Date(at).toISOString() : "-";
  return [seq, time, typeof type === "string" ? type : "?", ...members].join(" ");
}

/** Counts commands by their records. */
export function pendingCommands(records: readonly LogRecord[]): CommandCounts {
  const open = new Map<string, string>();
  let received = 0;
  const over = { settled: 0, withdrawn: 0 };
  for (const { record } of records) {
    if (!isObject(record) || typeof record["id"] !== "string") continue;
    const { type, id, method } = record;
    if (type === "received") {
      received++;
      open.set(id as string, String(method ?? ""));
    } else if ((type === "settled" || type === "withdrawn") && open.delete(id as string)) over[type]++;
  }
  return { received, ...over, pending: [...open].map(([id, what]) => ({ id, what })) };
}

function short(value: unknown): string {
  // Control characters of a text would speak to the terminal; JSON writes them as escapes, but for some.
  const text = (JSON.stringify(value) ?? "").replace(/[\u007f-\u009f]/g, "?");
  return text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
