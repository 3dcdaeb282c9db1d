/**
 * Whether transcripts were written for the schema of today: their pin against the stable surface's fingerprint.
 */
import { readText, type Transcript } from "./transcript.js";

/** A known release, with the fingerprint that its owners publish and, where its bundle is known, our own of it. */
export interface Release {
  readonly release: string;
  readonly published: { readonly stable: string };
  readonly stable?: { readonly fingerprint: string };
}

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
  return transcripts.map(({ scenario, manifest: { fingerprint } }) => ({
    transcript: scenario,
    fingerprint,
    ...stateOf(fingerprint, current, releases),
  }));
}

function stateOf(pin: string, current: string, releases: readonly Release[]): Pick<Pin, "state" | "release"> {
  // Releases that are one protocol have one fingerprint of ours each, so the pin of any of them is the same.
  const named = releases.filter(
    ({ published, stable }) => published.stable === pin || stable?.fingerprint === pin,
  );
  const same = named.find(({ stable }) => stable?.fingerprint === current);
  const release = (same ?? named[0])?.release;
  const state =
    pin === current || same !== undefined ? "same" : release === undefined ? "unknown" : "different";
  return release === undefined ? { state } : { state, release };
}

/**
 * The releases that a file lists, as `schema/msp/releases.json` does.
 * @throws {TranscriptError} when it cannot be read
 */
export function loadReleases(file: string): readonly Release[] {
  return (JSON.parse(readText(file)) as { readonly releases: readonly Release[] }).releases;
}
