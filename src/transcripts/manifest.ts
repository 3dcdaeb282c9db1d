/**
 * The manifest of a transcript: where it comes from and under which conditions it was recorded.
 */
import { isObject } from "./differences.js";

/** Where frames come from. `sdk-tolerance`: shapes that no real host of the surface can emit. */
export const PROVENANCES = ["hand-authored", "host-generated", "sdk-tolerance"] as const;

/** The paths that a replay may normalize; no other may be named. */
export const NORMALIZABLE = [
  "id",
  "params.commandId",
  "params.turnId",
  "params.itemId",
  "result.session.sessionId",
] as const;

/** Which lines show which promise. */
export interface Source {
  /** `"4"`, or `"4-6"`. */
  readonly lines: string;
  readonly cite: string;
}

/** What `manifest.json` says. Members beside these are allowed and kept out of the way. */
export interface Manifest {
  readonly kind: "mspTranscript";
  readonly schemaVersion: 1;
  /** The name of the folder. */
  readonly scenario: string;
  readonly provenance: (typeof PROVENANCES)[number];
  /** The schema that the transcript was written for; frames may carry another. */
  readonly fingerprint: string;
  readonly viewSchemaVersion: 1;
  readonly serverConfig: { readonly frameLimitBytes: number };
  readonly transports: readonly string[];
  readonly normalize: readonly (typeof NORMALIZABLE)[number][];
  readonly seeds: { readonly idSeed: number; readonly clockStartMs: number };
  readonly source: readonly Source[];
}

/** What is wrong with a member of a manifest. */
export interface ManifestProblem {
  /** `serverConfig.frameLimitBytes`; empty for the manifest itself. */
  readonly path: string;
  readonly why: string;
}

type Json = Readonly<Record<string, unknown>>;

/** The manifest that a JSON value is, or the first thing that it lacks. */
export function readManifest(
  value: unknown,
  scenario: string,
): { readonly manifest: Manifest } | { readonly problem: ManifestProblem } {
  const problem = firstProblem(value, scenario);
  return problem === undefined ? { manifest: value as Manifest } : { problem };
}

function firstProblem(value: unknown, scenario: string): ManifestProblem | undefined {
  if (!isObject(value)) return { path: "", why: "is not an object" };
  for (const [path, why] of problems(value, scenario)) return { path, why };
  return undefined;
}

function* problems(manifest: Json, scenario: string): Generator<[path: string, why: string]> {
  const { serverConfig, seeds } = manifest;
  if (manifest["kind"] !== "mspTranscript") yield ["kind", 'is not "mspTranscript"'];
  if (manifest["schemaVersion"] !== 1) yield ["schemaVersion", "is not 1"];
  if (manifest["scenario"] !== scenario)
    yield ["scenario", `is not the folder's name, ${JSON.stringify(scenario)}`];
  if (!includes(PROVENANCES, manifest["provenance"]))
    yield ["provenance", `is none of ${PROVENANCES.join(", ")}`];
  if (!isText(manifest["fingerprint"]) || !/^sha256:[0-9a-f]{64}$/.test(manifest["fingerprint"]))
    yield ["fingerprint", 'is not "sha256:" and 64 digits'];
  if (manifest["viewSchemaVersion"] !== 1) yield ["viewSchemaVersion", "is not 1"];
  if (!isObject(serverConfig)) yield ["serverConfig", "is not an object"];
  else if (!isCount(serverConfig["frameLimitBytes"]) || serverConfig["frameLimitBytes"] < 1)
    yield ["serverConfig.frameLimitBytes", "is not a positive integer"];
  yield* list(manifest["transports"], "transports", (entry) =>
    isText(entry) && entry !== "" ? undefined : "is not the name of a transport",
  );
  yield* list(manifest["normalize"], "normalize", (entry) =>
    includes(NORMALIZABLE, entry) ? undefined : `is none of ${NORMALIZABLE.join(", ")}`,
  );
  if (!isObject(seeds)) yield ["seeds", "is not an object"];
  else
    for (const name of ["idSeed", "clockStartMs"])
      if (!isCount(seeds[name])) yield [`seeds.${name}`, "is not a non-negative integer"];
  yield* list(manifest["source"], "source", (entry) =>
    isObject(entry) && isText(entry["lines"]) && isText(entry["cite"])
      ? undefined
      : "has not the texts lines and cite",
  );
}

function* list(
  value: unknown,
  path: string,
  why: (entry: unknown) => string | undefined,
): Generator<[string, string]> {
  if (!Array.isArray(value)) {
    yield [path, "is not a list"];
    return;
  }
  for (const [i, entry] of value.entries()) {
    const problem = why(entry);
    if (problem !== undefined) yield [`${path}[${i}]`, problem];
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function includes(words: readonly string[], value: unknown): boolean {
  return isText(value) && words.includes(value);
}
