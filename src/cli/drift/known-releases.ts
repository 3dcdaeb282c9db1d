/**
 * The releases whose stable fingerprints are known: those that the package carries, and those of a table.
 */

import { compareReleases } from "../../../codegen/drift/version.js";
import { stableFingerprint } from "../../../codegen/load.js";
import { knownReleases } from "../../releases/known.js";
import type { ReleaseTable } from "./release-table.js";
import { loadVersion, type Surroundings, type Version } from "./version.js";

/** A release and our fingerprint of its stable surface. */
export interface KnownRelease {
  readonly release: string;
  readonly fingerprint: string;
}

/** The releases that are known by their fingerprints alone; no bundle is read for it. */
export function releasesByFingerprint(table: ReleaseTable | undefined): KnownRelease[] {
  const carried = knownReleases().releases.flatMap(({ release, stable }) =>
    stable === undefined ? [] : [{ release, fingerprint: stable.fingerprint }],
  );
  const told = (table?.rows ?? []).flatMap(({ release, stable }) =>
    stable === undefined ? [] : [{ release, fingerprint: stable }],
  );
  return [...carried, ...told];
}

/** A stable surface, and the release that it is of, where that is known. */
export interface Released {
  readonly fingerprint: string;
  readonly release: string | undefined;
}

/**
 * The release that a head is again, though its base is past it.
 * @returns nothing where the head is of no earlier release
 * @throws {TroubleError} when a bundle of the table that has to be read cannot be
 */
export function rolledBackTo(head: string, base: Released, at: Surroundings): string | undefined {
  if (head === base.fingerprint) return undefined;
  const known = [...releasesByFingerprint(at.table), ...readFromTable(base.release, at)];
  const named = known.filter(({ fingerprint }) => fingerprint === head).map(({ release }) => release);
  const newest = named.sort(compareReleases).at(-1);
  if (newest === undefined) return undefined;
  // A base whose release nobody knows is one that is being made: the known releases are before it.
  return base.release === undefined || compareReleases(newest, base.release) < 0 ? newest : undefined;
}

/** The earlier releases of a table whose fingerprints only their bundles tell. */
function readFromTable(before: string | undefined, at: Surroundings): KnownRelease[] {
  return (at.table?.rows ?? []).flatMap(({ release, bundle, fingerprints }) => {
    if (bundle === undefined || (before !== undefined && compareReleases(release, before) >= 0)) return [];
    if (isCarried(fingerprints)) return [];
    const { loaded } = loadVersion(`release:${release}`, { kind: "release", release }, at);
    return [{ release, fingerprint: stableFingerprint(loaded) }];
  });
}

/** Whether the package knows our fingerprint of the surface that one of these names. */
function isCarried(fingerprints: readonly string[]): boolean {
  return knownReleases().releases.some(
    ({ published, stable }) =>
      stable !== undefined &&
      (fingerprints.includes(published.stable) || fingerprints.includes(stable.fingerprint)),
  );
}

/**
 * The release of a version: what its place says, else the known one with its fingerprint, else what its tag or its
 * package says. A fingerprint that several releases have is of the one that the tag names, or of the latest.
 */
export function releaseOf(
  { release, tagged, packaged }: Pick<Version, "release" | "tagged" | "packaged">,
  fingerprint: string,
  table: ReleaseTable | undefined,
): string | undefined {
  if (release !== undefined) return release;
  const said = tagged ?? packaged;
  const named = releasesByFingerprint(table)
    .filter((one) => one.fingerprint === fingerprint)
    .map((one) => one.release);
  if (said !== undefined && named.includes(said)) return said;
  return named.sort(compareReleases).at(-1) ?? said;
}
