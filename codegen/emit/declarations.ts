/**
 * Declarations printed by ts-morph. What is the same in every file stays out of it: the printer reads each character.
 */
import { IndentationText, Project, QuoteKind, type StatementStructures } from "ts-morph";

/** The text of some declarations. */
export function printDeclarations(...statements: StatementStructures[]): string {
  const project = new Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    manipulationSettings: { indentationText: IndentationText.TwoSpaces, quoteKind: QuoteKind.Double },
  });
  return outdented(project.createSourceFile("declarations.ts", { statements }).getFullText());
}

/** The printer indents what stands in a member's object type twice: two columns too far for each level. */
function outdented(text: string): string {
  let depth = 0;
  const lines = text.split("\n").map((line) => {
    const shorter = line.slice(2 * depth);
    if (/^ *(?:\*|\/\*\*)/.test(line)) return shorter;
    if (/^ *readonly .*: \{$/.test(line)) depth++;
    else if (/^ *\};$/.test(line) && depth > 0) depth--;
    return shorter;
  });
  return lines.join("\n");
}
