/**
 * Whether transcripts were written for the schema of today: their pin against the stable surface's fingerprint.
 */
import { fingerprintState, type Release } from "../releases/releases.js";
import type { Transcript } from "./transcript.js";

/** How a pin stands. */
export interface Pin {
  readonly transcript: string;
  readonly fingerprint: string;
  /** `different`: the pin of another release that is known. `unknown`: of no schema that is. */
  readonly state: "same" | "different" | "unknown";
  /** The release that the pin names, where it names one. */
  readonly release?: string;
}

/** How the pins of transcripts stand against a stable fingerprint. */
export function pinsOf(
  transcripts: readonly Pick<Transcript, "scenario" | "manifest">[],
  current: string,
  releases: readonly Release[],
): Pin[] {
  return transcripts.map(({ scenario, manifest: { fingerprint } }) => {
    const { state, release } = fingerprintState(fingerprint, current, releases);
    const pin = { transcript: scenario, fingerprint, state };
    return release === undefined ? pin : { ...pin, release: release.release };
  });
}
