/**
 * The releases of a protocol, by the fingerprints of their stable surfaces.
 */

/** The table of releases that the package carries as `mspkit/schema/msp/releases.json`. */
export interface Releases {
  readonly releases: readonly Release[];
}

/** A release of the protocol. */
export interface Release {
  readonly release: string;
  /** What its owners publish. */
  readonly published: { readonly stable: string; readonly experimental?: string };
  /** Our own fingerprint of its stable surface, with the parts that it is made of, where its bundle was at hand. */
  readonly stable?: {
    readonly fingerprint: string;
    readonly parts: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
}

/** How a fingerprint stands against the surface of today. */
export interface FingerprintState {
  /** `different`: of another release that is known. `unknown`: of no schema that is. */
  readonly state: "same" | "different" | "unknown";
  /** The release that it names, where it names one. */
  readonly release: Release | undefined;
}

/**
 * What a fingerprint names, ours or the owners'. Releases that are one protocol have one fingerprint of ours each, so
 * that of any of them is the same.
 * @param current our fingerprint of the stable surface of today
 */
export function fingerprintState(
  fingerprint: string,
  current: string,
  releases: readonly Release[],
): FingerprintState {
  const named = releases.filter(
    ({ published, stable }) => published.stable === fingerprint || stable?.fingerprint === fingerprint,
  );
  const same = named.find(({ stable }) => stable?.fingerprint === current);
  const release = same ?? named[0];
  if (fingerprint === current || same !== undefined) return { state: "same", release };
  return { state: release === undefined ? "unknown" : "different", release };
}
