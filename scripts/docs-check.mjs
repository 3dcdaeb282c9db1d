// Checks the documents: frames that are shown are frames of the golden sessions, links lead somewhere, code compiles,
// and what is said to run runs.
// One line a problem; exit code 1 where there is one. FOLDER: other pages than the project's own, laid out alike.
//   node scripts/docs-check.mjs [FOLDER]
import { failedExamples } from "./docs-check/examples.mjs";
import { strangeFrames } from "./docs-check/frames.mjs";
import { deadLinks } from "./docs-check/links.mjs";
import { PROJECT, pages } from "./docs-check/pages.mjs";
import { brokenSnippets } from "./docs-check/snippets.mjs";

const [folder = PROJECT, ...more] = process.argv.slice(2);
if (more.length > 0 || folder.startsWith("--")) {
  console.error("usage: npm run docs:check [-- FOLDER]");
  process.exit(2);
}
const all = pages(folder);
const frames = strangeFrames(all);
const links = deadLinks(all);
const snippets = brokenSnippets(all);
const examples = await failedExamples(all);
const problems = [...frames.problems, ...links.problems, ...snippets.problems, ...examples.problems];
for (const problem of problems) console.error(problem);
console.log(
  `${all.size} pages, ${frames.shown} frames, ${links.followed} links, ${snippets.compiled} blocks of code, ${examples.ran} examples${examples.skipped === undefined ? "" : ` (skipped: ${examples.skipped})`}, ${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
