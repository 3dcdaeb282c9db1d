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
  const file = project.createSourceFile("declarations.ts", { statements });
  // The printer indents a nested object type twice.
  file.formatText({ indentSize: 2 });
  return file.getFullText();
}
