/** Texts with their places marked, so that a test says where a finding belongs by pointing at it. */

/** Stands before the character that a finding is expected at. */
const MARK = "▸";

/** A text without its marks, and where they stood, as `line:column`. */
export function unmark(marked: string): { readonly text: string; readonly places: readonly string[] } {
  const pieces = marked.split(MARK);
  const places = pieces.slice(0, -1).map((_, i) => {
    const lines = pieces
      .slice(0, i + 1)
      .join("")
      .split("\n");
    return `${lines.length}:${lines.at(-1)!.length + 1}`;
  });
  return { text: pieces.join(""), places };
}

/** A bundle text that names its dialect, with a body. */
export function bundleText(body: string): string {
  return `{\n  "$schema": "https://json-schema.org/draft/2020-12/schema",\n  ${body.trim()}\n}\n`;
}
