/** Releases by Semantic Versioning 2.0.0, and which one comes after a drift. */
import { type Drift, worst } from "./change.js";

const NUMBER = "(?:0|[1-9]\\d{0,14})";
const WORD = "(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)";

/** The pattern of a release: `1.4.13`, `2.0.0-rc.1`. No `v` before it; numbers have at most 15 digits. */
export const RELEASE_PATTERN = `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${WORD}(?:\\.${WORD})*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`;

const RELEASE = new RegExp(RELEASE_PATTERN);

/** A release in its parts; what stands behind a plus sign orders nothing and is left out. */
export interface Release {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** The words of a pre-release; none for a release proper. */
  readonly before: readonly string[];
}

/** The parts of a release; undefined where the text is none. */
export function parseRelease(text: string): Release | undefined {
  if (!RELEASE.test(text)) return undefined;
  const [plain = ""] = text.split("+");
  const dash = plain.indexOf("-");
  const core = dash === -1 ? plain : plain.slice(0, dash);
  const [major = 0, minor = 0, patch = 0] = core.split(".").map(Number);
  return { major, minor, patch, before: dash === -1 ? [] : plain.slice(dash + 1).split(".") };
}

/** Whether a text is a release. */
export function isRelease(text: string): boolean {
  return RELEASE.test(text);
}

/**
 * Orders releases: negative where the first is the earlier one.
 * @throws {RangeError} where a text is no release
 */
export function compareReleases(a: string, b: string): number {
  const [x, y] = [parts(a), parts(b)];
  const core = x.major - y.major || x.minor - y.minor || x.patch - y.patch;
  if (core !== 0) return core;
  // A release proper is later than what came before it.
  if (x.before.length === 0 || y.before.length === 0) return y.before.length - x.before.length;
  for (let i = 0; i < Math.min(x.before.length, y.before.length); i++) {
    const order = compareWords(x.before[i]!, y.before[i]!);
    if (order !== 0) return order;
  }
  return x.before.length - y.before.length;
}

function compareWords(a: string, b: string): number {
  const [x, y] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (x !== y) return x ? -1 : 1;
  // Numbers have no leading zeros, so the longer one is the larger.
  if (x && a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What a release has to move for a drift. */
export type Step = "major" | "minor" | "patch" | "none";

/**
 * What a release after another has to move. Only stable changes count as breaking, unknown or additive; any other
 * change is a patch.
 */
export function stepOf(base: Release, { changes }: Pick<Drift, "changes">): Step {
  if (changes.length === 0) return "none";
  const stable = changes.filter(({ surface }) => surface === "stable");
  const promised = base.major >= 1;
  switch (worst(stable.map(({ verdict }) => verdict))) {
    case "breaking":
    case "unknown":
      return promised ? "major" : "minor";
    case "additive":
      return promised ? "minor" : "patch";
    case "none":
      return "patch";
  }
}

/**
 * The earliest release that may carry a drift. A pre-release is followed by its own release where that moves enough.
 * @throws {RangeError} where `base` is no release
 */
export function nextVersion(base: string, drift: Pick<Drift, "changes">): string {
  const { major, minor, patch, before } = parts(base);
  const pending = before.length > 0;
  switch (stepOf({ major, minor, patch, before }, drift)) {
    case "none":
      return base;
    case "major":
      return pending && minor === 0 && patch === 0 ? `${major}.0.0` : `${major + 1}.0.0`;
    case "minor":
      return pending && patch === 0 ? `${major}.${minor}.0` : `${major}.${minor + 1}.0`;
    case "patch":
      return pending ? `${major}.${minor}.${patch}` : `${major}.${minor}.${patch + 1}`;
  }
}

function parts(text: string): Release {
  const found = parseRelease(text);
  if (found === undefined) throw new RangeError(`"${text}" is no release`);
  return found;
}
