/** How large a condition or an expression may be: what is read by recursion has to be bounded. */

/** The deepest nesting. */
export const MAX_DEPTH = 16;
/** The most parts. */
export const MAX_PARTS = 256;

/** What is wrong with a part of a rule. */
export interface Problem {
  /** Where, as a JSON pointer into the definition. */
  readonly path: string;
  /** For people. */
  readonly problem: string;
}

/** Counts the parts of one condition or expression. */
export class Budget {
  #parts = 0;

  /** Counts one part; what is wrong where it is one too many, or too deep. */
  spend(path: string, depth: number): Problem | undefined {
    if (depth > MAX_DEPTH) return { path, problem: `it is nested more than ${MAX_DEPTH} deep` };
    if (++this.#parts > MAX_PARTS) return { path, problem: `it has more than ${MAX_PARTS} parts` };
    return undefined;
  }
}
