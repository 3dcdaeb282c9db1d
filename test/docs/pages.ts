/** The documents of the project, and their checks, as scripts/docs-check has them. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../support/repo.js";

/** The text of each document, by its path in the repository. */
export type Pages = ReadonlyMap<string, string>;

async function load<T>(name: string): Promise<T> {
  return (await import(pathToFileURL(join(ROOT, `scripts/docs-check/${name}.mjs`)).href)) as T;
}

const parts = await load<{ pages: (folder?: string) => Pages }>("pages");
const frames = await load<{
  goldenFrames: () => unknown[];
  strangeFrames: (pages: Pages) => { readonly problems: readonly string[]; readonly shown: number };
}>("frames");
const links = await load<{
  deadLinks: (pages: Pages) => { readonly problems: readonly string[]; readonly followed: number };
}>("links");
const snippets = await load<{
  brokenSnippets: (pages: Pages) => { readonly problems: readonly string[]; readonly compiled: number };
}>("snippets");

const examples = await load<{
  failedExamples: (
    pages: Pages,
  ) => Promise<{ readonly problems: readonly string[]; readonly ran: number; readonly skipped?: string }>;
}>("examples");

/** The documents. */
export const { pages } = parts;
/** The frames of all golden sessions, and those of pages that are none of them. */
export const { goldenFrames, strangeFrames } = frames;
/** Links of pages that lead nowhere. */
export const { deadLinks } = links;
/** Blocks of pages that do not compile. */
export const { brokenSnippets } = snippets;
/** Examples of pages that do not run, or print something else. */
export const { failedExamples } = examples;
