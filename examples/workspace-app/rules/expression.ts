/** The language of expressions: what may be written, and what it comes to. */
import type { Expression } from "../../../generated/workspace/stable/types.js";
import type { JsonValue } from "../../../src/commands/app.js";
import { Budget, type Problem } from "./budget.js";
import { isObject, type Subject, valueAt } from "./subject.js";

/** The most characters of a string that an expression makes. */
const MAX_TEXT = 65_536;

/** Why an expression came to nothing. */
export interface ExpressionFailure {
  /** One of the reasons that the bundle lists for `Expression`. */
  readonly reason: string;
  readonly message: string;
}

/** What an expression comes to. */
export type Evaluated = { readonly value: JsonValue } | { readonly failure: ExpressionFailure };

const ARITHMETIC: Readonly<Record<string, (left: number, right: number) => number>> = {
  add: (left, right) => left + right,
  subtract: (left, right) => left - right,
  multiply: (left, right) => left * right,
  divide: (left, right) => left / right,
};

/** An expression as it was checked at install; the types of an open union cannot carry that. */
interface Given {
  readonly op: string;
  readonly path: string;
  readonly value: JsonValue;
  readonly left: Expression;
  readonly right: Expression;
  readonly parts: readonly Expression[];
  readonly of: Expression;
}

/** What is wrong with an expression; nothing where it may be installed. */
export function expressionProblem(expression: Expression, path: string): Problem | undefined {
  return check(expression, path, 1, new Budget());
}

function check(expression: Expression, path: string, depth: number, budget: Budget): Problem | undefined {
  const over = budget.spend(path, depth);
  if (over !== undefined) return over;
  const parts = partsOf(expression as unknown as Given);
  if (parts === undefined)
    return { path: `${path}/op`, problem: `there is no operator ${JSON.stringify(expression.op)}` };
  for (const [name, part] of parts) {
    const problem = check(part, `${path}/${name}`, depth + 1, budget);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The expressions inside one; nothing where its operator is not known. */
function partsOf(given: Given): [string, Expression][] | undefined {
  if (given.op === "get" || given.op === "value") return [];
  if (given.op === "count") return [["of", given.of]];
  if (given.op === "concat") return given.parts.map((part, i) => [`parts/${i}`, part]);
  if (!Object.hasOwn(ARITHMETIC, given.op)) return undefined;
  return [
    ["left", given.left],
    ["right", given.right],
  ];
}

/** Works an expression out. */
export function evaluate(expression: Expression, subject: Subject): Evaluated {
  const given = expression as unknown as Given;
  switch (given.op) {
    case "get": {
      const value = valueAt(subject, given.path);
      return value === undefined ? failure("missing_value", `there is nothing at ${given.path}`) : { value };
    }
    case "value":
      return { value: given.value };
    case "concat":
      return concat(given.parts, subject);
    case "count": {
      const of = evaluate(given.of, subject);
      return "failure" in of ? of : count(of.value);
    }
    default:
      return arithmetic(given, subject);
  }
}

function concat(parts: readonly Expression[], subject: Subject): Evaluated {
  let text = "";
  for (const part of parts) {
    const one = evaluate(part, subject);
    if ("failure" in one) return one;
    text += typeof one.value === "string" ? one.value : JSON.stringify(one.value);
    if (text.length > MAX_TEXT) return failure("value_too_large", `a string of more than ${MAX_TEXT}`);
  }
  return { value: text };
}

function count(value: JsonValue): Evaluated {
  if (typeof value === "string") return { value: [...value].length };
  if (Array.isArray(value)) return { value: value.length };
  if (isObject(value)) return { value: Object.keys(value).length };
  return failure("not_countable", "only arrays, objects and strings have a count");
}

function arithmetic({ op, left, right }: Given, subject: Subject): Evaluated {
  const operation = Object.hasOwn(ARITHMETIC, op) ? ARITHMETIC[op] : undefined;
  if (operation === undefined) return failure("unknown_operator", `there is no operator ${op}`);
  const [a, b] = [evaluate(left, subject), evaluate(right, subject)];
  if ("failure" in a) return a;
  if ("failure" in b) return b;
  if (typeof a.value !== "number" || typeof b.value !== "number")
    return failure("not_a_number", `${op} takes numbers`);
  if (op === "divide" && b.value === 0) return failure("division_by_zero", "the divisor is 0");
  const value = operation(a.value, b.value);
  return Number.isFinite(value) ? { value } : failure("not_finite", "the number is too large");
}

function failure(reason: string, message: string): Evaluated {
  return { failure: { reason, message } };
}
