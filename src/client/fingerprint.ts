/**
 * Whether a host serves the schema that this client was made from, and what is known of the one that it serves.
 */
import { protocol } from "../../generated/msp/stable/tables.js";
import { fingerprintState, type Release, type Releases } from "../releases/releases.js";

/** What a client does about another fingerprint than its own: tell, refuse the host, or nothing. */
export type FingerprintPolicy = "warn" | "fail" | "ignore";

/** What was found about the fingerprint that a host serves. */
export interface FingerprintVerdict {
  /** `same`: the client's own. `release`: another release's. `unknown`: nothing is known of it. */
  readonly kind: "same" | "release" | "unknown";
  /** The fingerprint of the schema that this client was made from. */
  readonly pinned: string;
  readonly served: string;
  /** The release, where it is one. */
  readonly release?: string;
  /** Names of what differs, by part (`methods`, `notifications` ...); undefined where the table does not say. */
  readonly differences?: Readonly<Record<string, readonly string[]>>;
  /** For people. */
  readonly message: string;
}

/** Judges the fingerprint that a host serves. Without a table only the client's own is known. */
export function judgeFingerprint(served: string, table?: Releases): FingerprintVerdict {
  const pinned = protocol.fingerprints.stable;
  const entries = table?.releases ?? [];
  const { state, release: entry } = fingerprintState(served, pinned, entries);
  if (state === "same")
    return { kind: "same", pinned, served, message: "the host serves the schema of this client" };
  if (entry === undefined) {
    const message = `the host serves a schema that is not known here (${served}); this client was made from ${pinned}`;
    return { kind: "unknown", pinned, served, message };
  }
  const { release } = entry;
  const ours = entries.find(({ stable }) => stable?.fingerprint === pinned)?.stable?.parts;
  const theirs = entry.stable?.parts;
  const base = { kind: "release", pinned, served, release } as const;
  if (ours === undefined || theirs === undefined)
    return { ...base, message: `the host serves release ${release}; what differs is not known here` };
  const differences = differencesOf(ours, theirs);
  const methods = differences["methods"] ?? [];
  const what = methods.length === 0 ? "no method differs" : `methods that differ: ${methods.join(", ")}`;
  return { ...base, differences, message: `the host serves release ${release}; ${what}` };
}

type Parts = NonNullable<NonNullable<Release["stable"]>["parts"]>;

/** Names that only one of two tables has, or for which they have different values, by part; parts that agree are left out. */
function differencesOf(ours: Parts, theirs: Parts): Record<string, readonly string[]> {
  const out: Record<string, readonly string[]> = {};
  for (const part of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const [a = {}, b = {}] = [ours[part], theirs[part]];
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    const different = names.filter((name) => a[name] !== b[name]).sort();
    if (different.length > 0) out[part] = different;
  }
  return out;
}
