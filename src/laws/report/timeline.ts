/** What passed in a trial, for people: one line for each frame, with short names for ids. */
import type { Happening, History, Line } from "../model/history.js";

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
/** The longest that is shown of a frame; letters. */
const LONGEST = 240;

/** The letter of an id's short name, by the member that it is first seen in. */
const LETTERS: Readonly<Record<string, string>> = {
  sessionId: "s",
  commandId: "c",
  turnId: "t",
  itemId: "i",
};

const HAPPENED: Readonly<Record<Happening["what"], string>> = {
  started: "the host is started",
  crashed: "the host is killed",
  stopped: "the host is asked to end",
  connected: "connects",
  disconnected: "is disconnected",
};

/** A history as text; ends with a line feed. Handshakes are one line each. */
export function timeline(history: History): string {
  const names = new Names();
  const first = Math.min(
    ...history.lines.map(({ life }) => life),
    ...history.happenings.map(({ life }) => life),
  );
  const shaken = new Set<string>();
  const events: { readonly moment: number; readonly text: string }[] = [];
  for (const { moment, life, what, connection } of history.happenings) {
    const who = connection === undefined ? `-- life ${life - first}:` : `-- client ${connection}`;
    events.push({ moment, text: `${who} ${HAPPENED[what]}` });
  }
  for (const line of history.lines) {
    const key = `${line.life}-${line.connection}`;
    if (!line.handshake) events.push({ moment: line.moment, text: frameText(line, names) });
    else if (!shaken.has(key)) {
      shaken.add(key);
      events.push({ moment: line.moment, text: `-- client ${line.connection}: handshake` });
    }
  }
  const lines = events.sort((a, b) => a.moment - b.moment).map(({ text }) => text);
  const legend = names.legend();
  return `${[...lines, ...(legend.length === 0 ? [] : ["", ...legend])].join("\n")}\n`;
}

/** How many frames clients sent, handshakes not counted. */
export function clientFrames({ lines }: History): number {
  return lines.filter(({ dir, handshake }) => dir === "client" && !handshake).length;
}

function frameText({ dir, connection, raw }: Line, names: Names): string {
  const arrow = `${connection} ${dir === "client" ? "->" : "<-"}`;
  const frame = parsed(raw);
  if (frame === undefined) return `${arrow} ${shortened(JSON.stringify(raw))}`;
  names.see(frame);
  const { jsonrpc: _, id, method, params, result, error, ...rest } = frame;
  const parts = [
    ...(id === undefined ? [] : [`#${JSON.stringify(id)}`]),
    ...(typeof method === "string" ? [method] : []),
    ...(params === undefined ? [] : [JSON.stringify(params)]),
    ...(result === undefined ? [] : [`result ${JSON.stringify(result)}`]),
    ...(error === undefined ? [] : [`error ${JSON.stringify(error)}`]),
    ...(Object.keys(rest).length === 0 ? [] : [JSON.stringify(rest)]),
  ];
  return `${arrow} ${shortened(names.shorten(parts.join(" ")))}`;
}

function parsed(raw: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined; // shown as it is
  }
}

function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)} ... (${text.length} letters)`;
}

/** Short names of the ids of a trial. */
class Names {
  readonly #names = new Map<string, string>();
  readonly #counts: Record<string, number> = {};

  /** Names the ids of a value, in the order in which they stand. */
  see(value: unknown, member = ""): void {
    if (typeof value === "string") {
      for (const [id] of value.matchAll(UUID)) this.#name(id, LETTERS[member] ?? "u");
    } else if (typeof value === "object" && value !== null)
      for (const [name, inner] of Object.entries(value))
        this.see(inner, Array.isArray(value) ? member : name);
  }

  #name(id: string, letter: string): void {
    // Ids that differ in letter case alone are told apart here, since a host may be wrong in just that.
    if (this.#names.has(id)) return;
    this.#counts[letter] = (this.#counts[letter] ?? 0) + 1;
    this.#names.set(id, `${letter}${this.#counts[letter]}`);
  }

  shorten(text: string): string {
    return text.replace(UUID, (id) => this.#names.get(id) ?? id);
  }

  legend(): string[] {
    return [...this.#names].map(([id, name]) => `${name} = ${id}`);
  }
}
