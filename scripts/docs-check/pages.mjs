// The documents of the project, and the parts of a page.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder. */
export const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

/** The text of each document below a folder, by its path there. */
export function pages(folder = PROJECT) {
  const names = [".", "docs"].flatMap((below) =>
    readdirSync(join(folder, below))
      .filter((name) => name.endsWith(".md"))
      .map((name) => (below === "." ? name : `${below}/${name}`)),
  );
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** The text of a page without its fenced blocks. */
export function prose(text) {
  return text.replace(/^```[\s\S]*?^```$/gm, "");
}

/** The fenced blocks of a page, each with its language and the line at which its code begins. */
export function blocks(text, language) {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .map(({ 1: name, 2: code, index }) => ({
      language: name,
      line: text.slice(0, index).split("\n").length + 1,
      code,
    }))
    .filter((block) => language === undefined || block.language === language);
}
