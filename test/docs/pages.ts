/** The documents of the project. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/repo.js";

/** The text of each document, by its path in the repository. */
export function pages(): ReadonlyMap<string, string> {
  const names = [".", "docs"].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(folder, name)),
  );
  return new Map(names.map((name) => [name, readFileSync(join(ROOT, name), "utf8")]));
}

/** The text of a page without its fenced blocks. */
export function prose(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, "");
}

/** The fenced blocks of a page in some language, each with the line it begins at. */
export function blocks(text: string, language: string): { readonly line: number; readonly code: string }[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(({ 1: name, 2: code = "", index }) =>
    name === language ? [{ line: text.slice(0, index).split("\n").length + 1, code }] : [],
  );
}
