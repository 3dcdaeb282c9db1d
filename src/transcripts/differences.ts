/**
 * What differs between two JSON objects, told by path. Order of members and white space are free; what else is taken
 * as equal is said by who asks.
 */

/** A JSON object. */
export type Frame = Readonly<Record<string, unknown>>;

/** One difference. */
export interface Divergence {
  /** `params.input[0].text`. */
  readonly path: string;
  /** What was recorded; null where nothing was. */
  readonly expected: unknown;
  /** What came instead; null where nothing did. */
  readonly received: unknown;
  /** What the two values do not tell: that a member is missing or too much, or which pair is broken. */
  readonly note: string | null;
}

/** What is taken as equal. */
export interface Judge {
  /** Of two values that are both there: true for equal, the reason why they are not, or undefined to compare them. */
  value(path: string, expected: unknown, received: unknown): true | string | undefined;
  /** Whether a member may be there on one side alone. */
  optional(path: string): boolean;
  /** Whether two values that are neither both objects nor both lists are equal. */
  same(expected: unknown, received: unknown): boolean;
}

/** All that differs, in the order of the expected members. */
export function differences(expected: Frame, received: Frame, judge: Judge): Divergence[] {
  const out: Divergence[] = [];
  compareMembers(expected, received, "", { judge, out });
  return out;
}

interface Context {
  readonly judge: Judge;
  readonly out: Divergence[];
}

function compareMembers(expected: Frame, received: Frame, path: string, context: Context): void {
  const { judge, out } = context;
  for (const name of Object.keys(expected)) {
    const at = memberPath(path, name);
    if (Object.hasOwn(received, name)) compare(expected[name], received[name], at, context);
    else if (!judge.optional(at))
      out.push({ path: at, expected: expected[name], received: null, note: "missing member" });
  }
  for (const name of Object.keys(received)) {
    const at = memberPath(path, name);
    if (Object.hasOwn(expected, name) || judge.optional(at)) continue;
    out.push({ path: at, expected: null, received: received[name], note: "extra member" });
  }
}

function compareItems(
  expected: readonly unknown[],
  received: readonly unknown[],
  path: string,
  context: Context,
): void {
  for (let i = 0; i < Math.max(expected.length, received.length); i++) {
    const at = `${path}[${i}]`;
    if (i >= received.length)
      context.out.push({ path: at, expected: expected[i], received: null, note: "missing item" });
    else if (i >= expected.length)
      context.out.push({ path: at, expected: null, received: received[i], note: "extra item" });
    else compare(expected[i], received[i], at, context);
  }
}

function compare(expected: unknown, received: unknown, path: string, context: Context): void {
  const { judge, out } = context;
  const verdict = judge.value(path, expected, received);
  if (verdict === true) return;
  if (verdict !== undefined) out.push({ path, expected, received, note: verdict });
  else if (isObject(expected) && isObject(received)) compareMembers(expected, received, path, context);
  else if (Array.isArray(expected) && Array.isArray(received))
    compareItems(expected, received, path, context);
  else if (!judge.same(expected, received)) out.push({ path, expected, received, note: null });
}

function memberPath(path: string, name: string): string {
  if (/^[A-Za-z_$][\w$]*$/.test(name)) return path === "" ? name : `${path}.${name}`;
  return `${path}[${JSON.stringify(name)}]`;
}

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is Frame {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
