/** The known failures of a host: laws that are broken, why, and until when that is an excuse. */

/** A known failure. */
export interface KnownFailure {
  readonly law: string;
  readonly reason: string;
  /** The last day on which it is an excuse: YYYY-MM-DD. */
  readonly until: string;
  /** Where it is followed up. */
  readonly issue?: string;
}

const MEMBERS = ["law", "reason", "until", "issue"];

/**
 * Reads a list of known failures.
 * @param laws the ids that there are
 * @returns the list, or what is wrong with it and where
 */
export function readKnownFailures(
  text: string,
  laws: readonly string[],
): { readonly known: readonly KnownFailure[] } | { readonly wrong: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { wrong: `is not JSON: ${(error as Error).message}` };
  }
  if (!Array.isArray(value)) return { wrong: "is not a list" };
  const seen = new Set<string>();
  for (const [i, entry] of value.entries()) {
    const wrong = wrongInEntry(entry, laws);
    if (wrong !== undefined) return { wrong: `[${i}] ${wrong}` };
    const { law } = entry as KnownFailure;
    if (seen.has(law)) return { wrong: `[${i}] names ${law} a second time` };
    seen.add(law);
  }
  return { known: value as KnownFailure[] };
}

function wrongInEntry(entry: unknown, laws: readonly string[]): string | undefined {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return "is not an object";
  const { law, reason, until, issue } = entry as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(entry).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) return `has a member ${JSON.stringify(unknown)} that is not known`;
  if (typeof law !== "string" || !laws.includes(law)) return `names no law: ${JSON.stringify(law)}`;
  if (typeof reason !== "string" || reason.trim() === "") return "has no reason";
  if (typeof until !== "string" || !isDay(until)) return "has no last day: until is not YYYY-MM-DD";
  if (issue !== undefined && typeof issue !== "string") return "has an issue that is no text";
  return undefined;
}

/** Whether a text is a day that exists. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text;
}
