/**
 * The whole way, for one schema and one folder: load, project, print, compare, write.
 */
import { join } from "node:path";
import type { JsonObject } from "./bundle/json.js";
import { compareNames } from "./bundle/pointer.js";
import { CannotEmit, Findings, type RuleSettings, TroubleError } from "./diagnostics/finding.js";
import { planJson } from "./emit/plan-json.js";
import { emitProducts } from "./emit/products.js";
import { type Fingerprint, fingerprintOf } from "./fingerprint/fingerprint.js";
import { type Loaded, loadSchema, surfaceOf } from "./load.js";
import { project } from "./model/project.js";
import type { Protocol, Surface } from "./model/protocol.js";
import { MANIFEST } from "./output/manifest.js";
import {
  applyDifferences,
  compareFolder,
  type Difference,
  isCurrent,
  reportDifference,
  reportForeign,
} from "./output/output.js";
import {
  type GeneratedFile,
  PRODUCTS,
  type Product,
  SURFACES,
  type SurfacePlan,
  withNeeds,
} from "./plan/plan.js";

/** The command that generated files name. */
export const GENERATE_COMMAND = "mspkit generate";

/** What to generate. */
export interface GenerateOptions {
  /** A bundle file, or the folder of a pair. */
  readonly schema: string;
  /** The folder that gets `stable/` and `experimental/`. */
  readonly out: string;
  /** Default: both. */
  readonly surfaces?: readonly Surface[];
  /** Default: all. Products that these refer to are made with them. */
  readonly products?: readonly Product[];
  /** Makers of further files, each with a name for the manifest; they get the plan as JSON. */
  readonly emitters?: readonly {
    readonly name: string;
    emit(plan: JsonObject): Promise<Readonly<Record<string, string>>>;
  }[];
  /** Write nothing; report what differs. */
  readonly check?: boolean;
  readonly rules?: RuleSettings;
}

/** What was generated for one surface. */
export interface GeneratedSurface {
  readonly protocol: Protocol;
  readonly fingerprint: Fingerprint;
  readonly files: readonly GeneratedFile[];
  readonly difference: Difference;
}

/** What came of it. With an error among the findings, nothing was written. */
export interface GenerateResult {
  readonly findings: Findings;
  readonly surfaces: readonly GeneratedSurface[];
  /** Paths that were written, and owned files that were removed. */
  readonly written: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Generates bindings.
 * @throws {TroubleError} when the schema cannot be read or the folder cannot be written
 */
export async function generate(options: GenerateOptions): Promise<GenerateResult> {
  const findings = new Findings(options.rules);
  const nothing = { findings, surfaces: [], written: [], removed: [] };
  const loaded = loadSchema(options.schema, findings);
  if (loaded === undefined) return nothing;
  const surfaces: GeneratedSurface[] = [];
  const products = withNeeds(options.products ?? PRODUCTS);
  const fingerprints = fingerprintsOf(loaded);
  for (const surface of options.surfaces ?? SURFACES) {
    const plan = planSurface(loaded, surface, findings, fingerprints);
    if (plan === undefined) return nothing;
    const files = await emitOrReport(plan, products, loaded, findings);
    if (files === undefined) return nothing;
    for (const emitter of options.emitters ?? []) files.push(...(await emitOwn(emitter, plan, files)));
    const makers = [...products, ...(options.emitters ?? []).map(({ name }) => name)];
    const difference = compareFolder(join(options.out, surface), files, makers, plan.fingerprint);
    surfaces.push({ protocol: plan.protocol, fingerprint: plan.fingerprints[surface], files, difference });
  }
  if (options.check === true) {
    for (const { difference, files } of surfaces) {
      reportDifference(difference, GENERATE_COMMAND, findings);
      reportForeign(difference, files, findings);
    }
    return { ...nothing, surfaces };
  }
  for (const { difference, files } of surfaces) reportForeign(difference, files, findings);
  if (findings.hasErrors) return { ...nothing, surfaces };
  const changed = surfaces.map(({ difference }) => difference).filter((difference) => !isCurrent(difference));
  return { findings, surfaces, ...applyDifferences(changed) };
}

/** The plan of one surface; nothing, and a finding, where the surface cannot be told. */
export function planSurface(
  loaded: Loaded,
  surface: Surface,
  findings: Findings,
  fingerprints: SurfacePlan["fingerprints"] = fingerprintsOf(loaded),
): SurfacePlan | undefined {
  const protocol = surfaceOf(loaded, surface, findings);
  if (protocol === undefined) return undefined;
  return {
    protocol,
    fingerprint: fingerprints[surface].fingerprint,
    fingerprints,
    command: GENERATE_COMMAND,
  };
}

/** The files of some products; nothing, and a finding, where a product cannot be made of some node. */
export async function emitOrReport(
  plan: SurfacePlan,
  products: readonly Product[],
  { bundle }: Loaded,
  findings: Findings,
): Promise<GeneratedFile[] | undefined> {
  try {
    return await emitProducts(plan, products);
  } catch (error) {
    if (!(error instanceof CannotEmit)) throw error;
    findings.report("cannot-emit", bundle.source, error.pointer, {
      product: error.product,
      problem: error.message,
    });
    return undefined;
  }
}

/** The files of an emitter that is not ours; they may not stand where others do. */
async function emitOwn(
  { name, emit }: NonNullable<GenerateOptions["emitters"]>[number],
  plan: SurfacePlan,
  others: readonly GeneratedFile[],
): Promise<GeneratedFile[]> {
  const files = Object.entries(await emit(planJson(plan))).map(([path, text]) => ({
    product: name,
    name: path,
    text,
  }));
  const taken = files.find(
    (file) => file.name === MANIFEST || others.some((other) => other.name === file.name),
  );
  if (taken !== undefined)
    throw new TroubleError(taken.name, `is written by ${name} and by mspkit or another emitter`);
  return files.sort((a, b) => compareNames(a.name, b.name));
}

/** The fingerprints of both surfaces, each worked out when it is asked for. */
function fingerprintsOf({ protocol }: Loaded): SurfacePlan["fingerprints"] {
  let stable: Fingerprint | undefined;
  let experimental: Fingerprint | undefined;
  return {
    get stable() {
      return (stable ??= fingerprintOf(project(protocol, "stable")));
    },
    get experimental() {
      // What the stable surface has been digested for already is not digested again.
      return (experimental ??= fingerprintOf(protocol, project(protocol, "stable")));
    },
  };
}
