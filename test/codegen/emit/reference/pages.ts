/** Reads the emitted Markdown back: entries by anchor, with their facts, tables, lists, examples and nodes. */
import type { Json } from "../../../../codegen/index.js";

/** Pages by their path. */
export type Pages = Readonly<Record<string, string>>;

/** One row of a table, by the heads of its columns. */
export type Row = Readonly<Record<string, string>>;

/** A part of an entry: the entry itself, or one of its alternatives. */
export interface Part {
  readonly title: string;
  /** The facts of the list below the text, by their labels. */
  readonly facts: Map<string, string>;
  readonly rows: Row[];
  readonly bullets: string[];
  readonly examples: Json[];
  readonly text: string[];
}

/** What stands under one anchor. */
export interface Entry {
  readonly page: string;
  readonly anchor: string;
  readonly title: string;
  /** The entry itself, then its alternatives by number. */
  readonly parts: Map<string, Part>;
  /** The JSON that is shown on demand. */
  readonly nodes: Json[];
  /** What stands above that JSON. */
  readonly sources: string[];
}

const ANCHOR = /^<a id="([^"]*)"><\/a>$/;

/** All entries of some pages by anchor. */
export function entriesOf(pages: Pages): Map<string, Entry[]> {
  const entries = new Map<string, Entry[]>();
  for (const [page, text] of Object.entries(pages)) {
    for (const entry of pageEntries(page, text.split("\n")))
      entries.set(entry.anchor, [...(entries.get(entry.anchor) ?? []), entry]);
  }
  return entries;
}

function emptyPart(title: string): Part {
  return { title, facts: new Map(), rows: [], bullets: [], examples: [], text: [] };
}

function pageEntries(page: string, lines: readonly string[]): Entry[] {
  const entries: Entry[] = [];
  let entry: Entry | undefined;
  let part: Part | undefined;
  let heads: string[] | undefined;
  let hidden = false;
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string;
    const anchor = ANCHOR.exec(line)?.[1];
    if (anchor !== undefined) {
      part = undefined;
      const title = lines[i + 2] ?? "";
      entry = { page, anchor, title, parts: new Map(), nodes: [], sources: [] };
      part = emptyPart(title);
      entry.parts.set("", part);
      entries.push(entry);
      i += 2;
      continue;
    }
    if (line === "```json") {
      const end = lines.indexOf("```", i);
      const value = JSON.parse(lines.slice(i + 1, end).join("\n")) as Json;
      (hidden ? entry?.nodes : part?.examples)?.push(value);
      i = end;
      continue;
    }
    if (!line.startsWith("|")) heads = undefined;
    if (entry === undefined || part === undefined || line === "") continue;
    const alternative = /^#+ Alternative ([\d.]+)/.exec(line)?.[1];
    if (alternative !== undefined) {
      part = emptyPart(line);
      entry.parts.set(alternative, part);
    } else if (line === "<details>") hidden = true;
    else if (line === "</details>") hidden = false;
    else if (hidden) entry.sources.push(decode(line));
    else if (line.startsWith("| ")) {
      const cells = line.slice(2, -2).split(" | ");
      if (heads === undefined) {
        heads = cells;
        i++;
      } else {
        const columns = heads;
        part.rows.push(Object.fromEntries(cells.map((cell, n) => [columns[n] as string, cell])));
      }
    } else if (line.startsWith("- **")) {
      const [, label, value] = /^- \*\*(.*?)\*\*: (.*)$/.exec(line) ?? [];
      if (label === undefined || value === undefined) throw new Error(`not a fact: ${line}`);
      part.facts.set(label, value);
    } else if (line.startsWith("- ")) part.bullets.push(line.slice(2));
    else part.text.push(line);
  }
  return entries;
}

const INLINE =
  /\\([!-/:-@[-`{-~])|<code>(.*?)<\/code>|`([^`]*)`|(<br>)|<\/?kbd>|\]\(([^)]*)\)|\[|&(?:#\d+|amp|lt|gt);/g;

/** Markdown of one line as the text that a reader sees; code, links and badges as plain words. */
export function decode(markdown: string): string {
  return markdown.replace(INLINE, (whole, escaped, html, code, newline) => {
    if (whole.startsWith("&")) return entities(whole);
    if (newline !== undefined) return "\n";
    return escaped ?? (html === undefined ? (code ?? "") : entities(html));
  });
}

function entities(text: string): string {
  return text
    .replace(/&#(\d+);/g, (_, digits: string) => String.fromCharCode(Number(digits)))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** The texts in code type of a line, in order. */
export function codesOf(markdown: string): string[] {
  return [...markdown.matchAll(/<code>(.*?)<\/code>|`([^`]*)`/g)].map(([, html, code]) =>
    html === undefined ? (code as string) : entities(html),
  );
}

/** The targets of the links of a page, outside of code blocks. */
export function linksOf(text: string): string[] {
  const prose = text.replace(/^```json\n.*?^```$/gms, "");
  return [...prose.matchAll(INLINE)].flatMap((match) => match[5] ?? []);
}
