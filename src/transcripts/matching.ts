/**
 * Compares the frame that a client sent with the one that was recorded. JSON is compared, so order of members, white
 * space and a trailing CR are free. Taken as equal besides: request ids and command ids that pair one to one, and who
 * the client says it is. All else is exact.
 */
import type { Pairing } from "./pairing.js";

/** A JSON object. */
export type Frame = Readonly<Record<string, unknown>>;

/** One difference. */
export interface Divergence {
  /** `params.input[0].text`. */
  readonly path: string;
  /** What was recorded; null where nothing was. */
  readonly expected: unknown;
  /** What the client sent; null where it sent nothing. */
  readonly received: unknown;
  /** What the two values do not tell: that a member is missing or too much, or which pair is broken. */
  readonly note: string | null;
}

/** What a comparison goes by. */
export interface Matching {
  readonly ids: Pairing;
  readonly commandIds: Pairing;
  /** A text of the client in the words of the recording; undefined where texts are compared as they are. */
  readonly recorded?: (text: string) => string;
}

/** What differs between a recorded frame and a received one. Pairs what is seen for the first time. */
export function divergencesOf(expected: Frame, received: Frame, matching: Matching): Divergence[] {
  const out: Divergence[] = [];
  compareMembers(expected, received, "", { ...matching, out, unified: unifiedPaths(expected, matching) });
  return out;
}

/** Compares two values that both are there. */
type Unify = (expected: unknown, received: unknown) => string | undefined | true;

interface Context extends Matching {
  readonly out: Divergence[];
  readonly unified: ReadonlyMap<string, Unify>;
}

/** Free: any value. */
const FREE: Unify = () => true;

/** The paths that are not compared exactly, by what the recorded frame is. */
function unifiedPaths(expected: Frame, { ids, commandIds }: Matching): ReadonlyMap<string, Unify> {
  const paths = new Map<string, Unify>();
  if (typeof expected["method"] !== "string") return paths;
  // The id of an answer to the host is the host's own and stays exact.
  if (Object.hasOwn(expected, "id"))
    paths.set("id", (recorded, received) =>
      isId(received) ? (ids.pair(recorded, received) ?? true) : "an id is a string or an integer",
    );
  paths.set("params.commandId", (recorded, received) =>
    typeof recorded === "string" && typeof received === "string"
      ? (commandIds.pair(recorded, received) ?? true)
      : undefined,
  );
  if (expected["method"] === "initialize") {
    for (const name of ["name", "version", "title"]) paths.set(`params.clientInfo.${name}`, FREE);
  }
  return paths;
}

/** The only member that may be there on one side alone. */
const OPTIONAL = "params.clientInfo.title";

function compareMembers(expected: Frame, received: Frame, path: string, context: Context): void {
  for (const name of Object.keys(expected)) {
    const at = memberPath(path, name);
    if (Object.hasOwn(received, name)) compare(expected[name], received[name], at, context);
    else if (at !== OPTIONAL || !context.unified.has(OPTIONAL))
      context.out.push({ path: at, expected: expected[name], received: null, note: "missing member" });
  }
  for (const name of Object.keys(received)) {
    const at = memberPath(path, name);
    if (Object.hasOwn(expected, name) || (at === OPTIONAL && context.unified.has(OPTIONAL))) continue;
    context.out.push({ path: at, expected: null, received: received[name], note: "extra member" });
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
  const verdict = context.unified.get(path)?.(expected, received);
  if (verdict === true) return;
  if (verdict !== undefined) {
    context.out.push({ path, expected, received, note: verdict });
    return;
  }
  if (isObject(expected) && isObject(received)) compareMembers(expected, received, path, context);
  else if (Array.isArray(expected) && Array.isArray(received))
    compareItems(expected, received, path, context);
  else if (!sameScalar(expected, received, context))
    context.out.push({ path, expected, received, note: null });
}

function sameScalar(expected: unknown, received: unknown, { recorded, commandIds }: Context): boolean {
  if (recorded === undefined || typeof received !== "string") return expected === received;
  // A text that is one of the client's own command ids means that command, whatever else it could mean.
  const own = commandIds.recordedOf(received);
  if (own !== undefined) return expected === own;
  return expected === received || expected === recorded(received);
}

function memberPath(path: string, name: string): string {
  if (/^[A-Za-z_$][\w$]*$/.test(name)) return path === "" ? name : `${path}.${name}`;
  return `${path}[${JSON.stringify(name)}]`;
}

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is Frame {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isId(value: unknown): boolean {
  return typeof value === "string" || Number.isInteger(value);
}
