/**
 * Markdown that says what it is given and nothing else: no text of a bundle can end a table cell, open a tag or
 * start a list. It reads the same in CommonMark with tables, as GitHub and the usual site generators have it.
 */
import type { Json } from "../../bundle/json.js";

/** Characters that show nothing, end a line somewhere, or change how their neighbours show. */
const HIDDEN = /[\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\p{Cs}/gu;
const CONTROL = /\p{Cc}/gu;

const escapeUnit = (c: string): string => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A text on one line in which every character can be seen. */
export function visible(text: string): string {
  if (!/[^ -~]/.test(text)) return text;
  return text.replace(CONTROL, escapeUnit).replace(HIDDEN, escapeUnit);
}

/** A word in code type. */
export function code(text: string): string {
  const shown = visible(text === "" ? '""' : text);
  if (!/[`|]|\\$|^ | $/.test(shown)) return `\`${shown}\``;
  return `<code>${shown.replace(/[!-/:-@[-`{-~ ]/g, (c) => `&#${c.charCodeAt(0)};`)}</code>`;
}

/** A JSON value in code type, on one line. */
export function jsonCode(value: Json): string {
  return code(JSON.stringify(value));
}

/** Texts in which nothing has a meaning of its own: most of them. */
const HARMLESS = /^(?![+\-=\d])[A-Za-z0-9 ,.;:'"()?%/@^+=-]*$/;

/** Plain words on one line. */
export function plain(text: string): string {
  if (HARMLESS.test(text)) return text;
  return visible(text)
    .replace(/[\\`*[\]{}~$#]|!(?=\[)|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, "\\$&")
    .replace(/&(?=[#A-Za-z])/g, "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("|", "&#124;")
    .replace(/^([+\-=])|^(\d+)(?=[.)])/, (_, sign?: string, digits?: string) =>
      sign === undefined ? `${digits}\\` : `\\${sign}`,
    );
}

/** Turns a word in code type into a link, where there is something to link to. */
export type Linker = (word: string) => string | undefined;

/** The lines of a description; what stands between backticks is in code type. */
export function prose(text: string, linker: Linker = () => undefined): string[] {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/u).map((line) => line.trim());
  return lines.filter((line) => line !== "").map((line) => proseLine(line, linker));
}

function proseLine(line: string, linker: Linker): string {
  const parts = line.split(/`([^`]+)`/);
  return parts
    .map((part, i) => {
      if (i % 2 === 1) return linker(part) ?? code(part);
      // A sign at the start of a line means something; after a word in code type it does not.
      return i === 0 || part === "" ? plain(part) : plain(`x${part}`).slice(1);
    })
    .join("");
}

/** The badge of something experimental. */
export const EXPERIMENTAL = "<kbd>experimental</kbd>";
/** The badge of something that is to go. */
export const DEPRECATED = "<kbd>deprecated</kbd>";

/** The badges of a node, each with a space before it. */
export function badges(node: { readonly stability?: string; readonly deprecated?: boolean }): string {
  return (
    (node.stability === undefined ? "" : ` ${EXPERIMENTAL}`) +
    (node.deprecated === true ? ` ${DEPRECATED}` : "")
  );
}

/** A table. Columns without a cell are left out. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const kept = heads.flatMap((_, i) => (i === 0 || rows.some((row) => row[i] !== "") ? [i] : []));
  const line = (cells: readonly string[]): string => `| ${kept.map((i) => cells[i]).join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line), ""];
}

/** A JSON value as a block. Every text stays what it is, and none can end the block or the page's markup. */
export function jsonBlock(value: Json): string[] {
  const text = JSON.stringify(value, null, 2);
  // Most blocks have nothing to escape.
  if (!/[^\n -~]|<[/!]/.test(text)) return ["```json", text, "```", ""];
  const safe = text.replace(HIDDEN, escapeUnit).replace(/<(?=[/!])/g, "\\u003c");
  return ["```json", safe, "```", ""];
}

/** Lines that are shown on demand. */
export function details(summary: string, lines: readonly string[]): string[] {
  return ["<details>", `<summary>${summary}</summary>`, "", ...lines, "</details>", ""];
}

/** A heading with the anchor by which others refer to it. */
export function heading(level: number, title: string, anchor?: string): string[] {
  const line = `${"#".repeat(level)} ${title}`;
  return anchor === undefined ? [line, ""] : [`<a id="${anchor}"></a>`, "", line, ""];
}
