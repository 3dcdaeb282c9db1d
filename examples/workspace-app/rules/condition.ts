/** The language of conditions: what may be written, and when it holds. It has no loops and no calls, so it always ends. */
import type { Condition } from "../../../generated/workspace/stable/types.js";
import type { JsonValue } from "../../../src/commands/app.js";
import { Budget, type Problem } from "./budget.js";
import { compareText, type Subject, sameValue, valueAt } from "./subject.js";

/**
 * What is wrong with a condition; nothing where it may be installed. The form was checked before, by the bundle: left
 * are operators that are not known, and the limits of {@link Budget}.
 */
export function conditionProblem(condition: Condition, path: string): Problem | undefined {
  return check(condition, path, 1, new Budget());
}

function check(condition: Condition, path: string, depth: number, budget: Budget): Problem | undefined {
  const over = budget.spend(path, depth);
  if (over !== undefined) return over;
  switch (condition.op) {
    case "and":
    case "or": {
      const { conditions } = condition as { conditions: Condition[] };
      for (const [i, part] of conditions.entries()) {
        const problem = check(part, `${path}/conditions/${i}`, depth + 1, budget);
        if (problem !== undefined) return problem;
      }
      return undefined;
    }
    case "not":
      return check((condition as { condition: Condition }).condition, `${path}/condition`, depth + 1, budget);
    case "exists":
    case "eq":
    case "in":
    case "lt":
    case "le":
    case "gt":
    case "ge":
      return undefined;
    default:
      return { path: `${path}/op`, problem: `there is no operator ${JSON.stringify(condition.op)}` };
  }
}

/** Whether a condition holds. Total: an operator that is not known does not hold. */
export function holds(condition: Condition, subject: Subject): boolean {
  // The form was checked when the rule was installed; the types of an open union cannot carry that.
  const given = condition as unknown as {
    readonly op: string;
    readonly path: string;
    readonly value: JsonValue;
    readonly values: readonly JsonValue[];
    readonly conditions: readonly Condition[];
    readonly condition: Condition;
  };
  switch (given.op) {
    case "and":
      return given.conditions.every((part) => holds(part, subject));
    case "or":
      return given.conditions.some((part) => holds(part, subject));
    case "not":
      return !holds(given.condition, subject);
    case "exists":
      return valueAt(subject, given.path) !== undefined;
    case "eq":
      return equals(valueAt(subject, given.path), given.value);
    case "in":
      return given.values.some((value) => equals(valueAt(subject, given.path), value));
    case "lt":
    case "le":
    case "gt":
    case "ge": {
      const order = compare(valueAt(subject, given.path), given.value);
      return order !== undefined && ORDERS[given.op](order);
    }
    default:
      return false;
  }
}

const ORDERS = {
  lt: (order: number) => order < 0,
  le: (order: number) => order <= 0,
  gt: (order: number) => order > 0,
  ge: (order: number) => order >= 0,
};

function equals(found: JsonValue | undefined, value: JsonValue): boolean {
  return found !== undefined && sameValue(found, value);
}

/** How two values stand to each other; nothing where they cannot be compared. */
function compare(found: JsonValue | undefined, value: JsonValue): number | undefined {
  if (typeof found === "number" && typeof value === "number") return found - value;
  if (typeof found === "string" && typeof value === "string") return compareText(found, value);
  return undefined;
}
