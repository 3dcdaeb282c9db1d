/**
 * Compares the frame that a client sent with the one that was recorded. JSON is compared, so order of members, white
 * space and a trailing CR are free. Taken as equal besides: request ids and command ids that pair one to one, and who
 * the client says it is. All else is exact.
 */
import { type Divergence, differences, type Frame } from "./differences.js";
import type { Pairing } from "./pairing.js";

/** What a comparison goes by. */
export interface Matching {
  readonly ids: Pairing;
  readonly commandIds: Pairing;
  /** A text of the client in the words of the recording; undefined where texts are compared as they are. */
  readonly recorded?: (text: string) => string;
}

/** What differs between a recorded frame and a received one. Pairs what is seen for the first time. */
export function divergencesOf(expected: Frame, received: Frame, matching: Matching): Divergence[] {
  const unified = unifiedPaths(expected, matching);
  return differences(expected, received, {
    value: (path, recorded, given) => unified.get(path)?.(recorded, given),
    optional: (path) => path === OPTIONAL && unified.has(OPTIONAL),
    same: (recorded, given) => sameScalar(recorded, given, matching),
  });
}

/** Compares two values that both are there. */
type Unify = (expected: unknown, received: unknown) => string | undefined | true;

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

function sameScalar(expected: unknown, received: unknown, { recorded, commandIds }: Matching): boolean {
  if (recorded === undefined || typeof received !== "string") return expected === received;
  // A text that is one of the client's own command ids means that command, whatever else it could mean.
  const own = commandIds.recordedOf(received);
  if (own !== undefined) return expected === own;
  return expected === received || expected === recorded(received);
}

function isId(value: unknown): boolean {
  return typeof value === "string" || Number.isInteger(value);
}
