/** What a definition must be, beyond the form that the bundle states, to be installed. */
import type { Expression, RuleDefinition, Step } from "../../../generated/workspace/stable/types.js";
import type { JsonValue } from "../../../src/commands/app.js";
import { rejected } from "../rejections.js";
import type { Problem } from "./budget.js";
import { conditionProblem } from "./condition.js";
import { expressionProblem } from "./expression.js";

/** The most that data or a definition may have as JSON, in bytes. */
export const MAX_BYTES = 65_536;
/** The deepest that data may be nested: what reads and writes it goes down by recursion. */
export const MAX_NESTING = 128;

/**
 * Holds a definition to what the engine can run.
 * @throws a rejection: `data_too_large`, `invalid_condition`, `invalid_step` or `unknown_function`
 */
export function checkDefinition(definition: RuleDefinition, functions: ReadonlySet<string>): void {
  checkSize(definition as unknown as JsonValue, "the definition");
  if (definition.when !== undefined) {
    const problem = conditionProblem(definition.when, "/when");
    if (problem !== undefined) throw refused("invalid_condition", problem);
  }
  definition.steps.forEach((step, i) => checkStep(step, `/steps/${i}`, functions));
}

/**
 * Holds a value to {@link MAX_BYTES} and {@link MAX_NESTING}.
 * @throws a rejection: `data_too_large`
 */
export function checkSize(value: JsonValue, what: string): void {
  if (nestedDeeper(value, MAX_NESTING))
    throw rejected("data_too_large", `${what} is nested more than ${MAX_NESTING} deep`);
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > MAX_BYTES)
    throw rejected("data_too_large", `${what} has ${bytes} bytes; ${MAX_BYTES} are allowed`, {
      limitBytes: MAX_BYTES,
    });
}

function nestedDeeper(value: JsonValue, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((one) => nestedDeeper(one as JsonValue, depth - 1));
}

function checkStep(step: Step, path: string, functions: ReadonlySet<string>): void {
  const given = step as unknown as Readonly<Record<string, unknown>>;
  switch (step.do) {
    case "compute":
      checkAll(given["set"], `${path}/set`);
      return;
    case "publish":
      checkAll(given["data"], `${path}/data`);
      return;
    case "wait":
      return;
    case "call": {
      const name = given["function"] as string;
      if (!functions.has(name))
        throw rejected("unknown_function", `there is no function ${name}`, { path: `${path}/function` });
      checkAll(given["arguments"], `${path}/arguments`);
      return;
    }
    default:
      throw refused("invalid_step", { path: `${path}/do`, problem: `there is no step ${step.do}` });
  }
}

/** The names are those of members, which any text can be: they are held to the bundle's `Name`. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

function checkAll(expressions: unknown, path: string): void {
  for (const [name, expression] of Object.entries(expressions as Readonly<Record<string, Expression>>)) {
    const at = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (!NAME.test(name)) throw refused("invalid_step", { path: at, problem: "the name is none of a value" });
    const problem = expressionProblem(expression, at);
    if (problem !== undefined) throw refused("invalid_step", problem);
  }
}

function refused(reason: string, { path, problem }: Problem): Error {
  return rejected(reason, `${path}: ${problem}`, { path });
}
