/**
 * The text of one file and the places in it.
 */
import type { Json, Scan } from "./json.js";
import { scanJson } from "./json.js";

/** A place for people: 1-based line and column (UTF-16 units). */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One JSON file, read; places are worked out when first asked for. */
export class Source {
  /** The path as it was given, for messages. */
  readonly path: string;
  readonly text: string;
  readonly value: Json;
  #scan: Scan | undefined;
  /** Where each line starts: many places may be asked for. */
  #lines: readonly number[] | undefined;

  constructor(path: string, text: string, value: Json, scan?: Scan) {
    this.path = path;
    this.text = text;
    this.value = value;
    this.#scan = scan;
  }

  /**
   * The position of the value at a pointer; of its key, where it is a member of an object.
   * A pointer to something that is not in the file gets the nearest ancestor that is.
   */
  locate(pointer: string): Position {
    this.#scan ??= scanJson(this.text);
    for (let p = pointer; ; p = p.slice(0, p.lastIndexOf("/"))) {
      const span = this.#scan.spans.get(p);
      if (span !== undefined) return positionIn((this.#lines ??= lineStarts(this.text)), span.key);
      if (p === "") return { line: 1, column: 1 };
    }
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let i = text.indexOf("\n"); i !== -1; i = text.indexOf("\n", i + 1)) starts.push(i + 1);
  return starts;
}

/** The line and column of an offset. */
export function positionAt(text: string, offset: number): Position {
  return positionIn(lineStarts(text), offset);
}

function positionIn(starts: readonly number[], offset: number): Position {
  let [line, after] = [0, starts.length];
  while (after - line > 1) {
    const middle = (line + after) >> 1;
    if ((starts[middle] as number) <= offset) line = middle;
    else after = middle;
  }
  return { line: line + 1, column: offset - (starts[line] as number) + 1 };
}
