/**
 * Holds a schema against several versions: what changed from each, whether the gate lets it pass, and the report.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Findings, TroubleError } from "../../../codegen/diagnostics/finding.js";
import type { Drift } from "../../../codegen/drift/change.js";
import { driftOf } from "../../../codegen/drift/drift.js";
import { type GateResult, gate, reportAcknowledgments, totalOf } from "../../../codegen/drift/gate.js";
import { DRIFT_FORMATS } from "../../../codegen/drift/report/formats.js";
import type { Comparison, DriftRun } from "../../../codegen/drift/report/run.js";
import { nextVersion } from "../../../codegen/drift/version.js";
import { isWritten, placesOf } from "../../../codegen/drift/written.js";
import type { Loaded } from "../../../codegen/load.js";
import { EXIT, type Given, type Io } from "../command.js";
import { importText } from "../module.js";
import { replaceFile } from "../replace-file.js";
import { refuse } from "../report.js";
import { readSettings } from "../settings.js";
import { text } from "../values.js";
import { NOTE_FILE } from "./baseline-note.js";
import { besideSchema } from "./beside.js";
import { acknowledgmentsFor, loadHead, type ReadAcknowledgments } from "./head.js";
import { releaseOf, rolledBackTo } from "./known-releases.js";
import { readReleaseTable } from "./release-table.js";
import { loadVersion, type Surroundings, type Version } from "./version.js";
import { againstOption, evidenceOption, type Named, type Telling, tellingOption } from "./words.js";

/** Compares, and tells. @param judged whether the gate is asked, and its answer is the exit code's */
export async function compareByWords(given: Given, io: Io, judged: boolean): Promise<number> {
  const against = againstOption(given);
  const evidence = evidenceOption(given);
  const telling = tellingOption(given, io);
  const settings = readSettings(given, io);
  if ("refused" in settings) return refuse(settings.refused, io);
  const named = text(given, "releases");
  const table = named === undefined ? undefined : readReleaseTable(named, io);
  const head = loadHead(settings);
  if ("refused" in head) return refuse(head.refused, io);
  const acknowledged = judged
    ? acknowledgmentsFor(text(given, "acknowledgments"), settings.schema, io)
    : undefined;
  if (acknowledged !== undefined && "refused" in acknowledged) return refuse(acknowledged.refused, io);

  const at: Surroundings = { io, schema: settings.schema, rules: settings.rules, table };
  const compared = new Compared(settings.schema, head.loaded, acknowledged, at);
  let trouble = false;
  for (const one of against ?? [ownBaseline(settings.schema, io)]) {
    try {
      const base = loadVersion(one.name, one.reference, at);
      compared.add(base, await driftOf(base.loaded, head.loaded, proof(evidence, io)));
    } catch (error) {
      // One base that is not there says nothing of the others.
      if (!(error instanceof TroubleError) || against === undefined || against.length === 1) throw error;
      io.err(`${io.program}: ${error.message}${error.hint === undefined ? "" : `\n${error.hint}`}\n`);
      trouble = true;
    }
  }
  if (compared.comparisons.length > 0) tell(compared.run(), telling, io);
  if (trouble) return EXIT.trouble;
  return judged && !compared.passes() ? EXIT.finding : EXIT.fine;
}

/** How changes are proved: with the fast-check of the project, or of the package. */
export function proof(
  evidence: ReturnType<typeof evidenceOption>,
  { cwd }: Io,
): Parameters<typeof driftOf>[2] & object {
  if (evidence === undefined) return {};
  const load = async (module: string): Promise<unknown> => {
    try {
      return await importText(module, cwd, ["fast-check"]);
    } catch (error) {
      if (!(error instanceof TroubleError)) throw error;
      throw new TroubleError(error.path, error.why, `${error.hint ?? ""}\n--no-evidence does without it.`);
    }
  };
  return { evidence: { load, ...evidence } };
}

/** The baseline beside a schema. */
export function ownBaseline(schema: string, { cwd }: Io): Named {
  const name = besideSchema(schema).baseline;
  const path = resolve(cwd, name);
  const none = existsSync(path) ? `has no ${NOTE_FILE}` : "there is no baseline";
  if (!existsSync(join(path, NOTE_FILE)))
    throw new TroubleError(name, none, "mspkit baseline set writes it; --against names another version.");
  return { name, reference: { kind: "path", path } };
}

function tell(run: DriftRun, { format, file }: Telling, io: Io): void {
  if (file !== undefined) replaceFile(file, DRIFT_FORMATS[format](run));
  io.out(DRIFT_FORMATS[file === undefined ? format : "text"](run));
}

/** The comparisons of one head, as they come. */
class Compared {
  readonly comparisons: Comparison[] = [];
  readonly #head: { readonly name: string; readonly loaded: Loaded };
  readonly #acknowledged: ReadAcknowledgments | undefined;
  readonly #at: Surroundings;
  readonly #results: GateResult[] = [];
  readonly #findings = new Findings();

  constructor(name: string, loaded: Loaded, acknowledged: ReadAcknowledgments | undefined, at: Surroundings) {
    this.#head = { name, loaded };
    this.#acknowledged = acknowledged;
    this.#at = at;
  }

  add(base: Version, drift: Drift): void {
    const release = releaseOf(base, drift.fingerprints.base, this.#at.table);
    const { source } = this.#head.loaded.bundle;
    const from = base.loaded.bundle;
    const known = release === undefined ? {} : { release };
    const judged =
      this.#acknowledged === undefined
        ? undefined
        : gate(drift, this.#acknowledged.file, {
            ...known,
            has: (pointer, value) => [from.source, source].some((one) => isWritten(one, pointer, value)),
          });
    if (judged !== undefined) this.#results.push(judged);
    this.comparisons.push({
      base: base.name,
      head: this.#head.name,
      drift,
      ...(judged === undefined ? {} : { gate: judged }),
      ...(release === undefined ? {} : { nextVersion: nextVersion(release, drift) }),
      places: placesOf(from.source, source),
    });
    const again = rolledBackTo(
      drift.fingerprints.head,
      { fingerprint: drift.fingerprints.base, release },
      this.#at,
    );
    if (again !== undefined)
      this.#findings.report("schema-rolled-back", source, "", { release: again, base: base.name });
  }

  run(): DriftRun {
    const { file, source } = this.#acknowledged ?? {};
    const findings = new Findings();
    if (file !== undefined && source !== undefined)
      reportAcknowledgments(this.#results, file, source, findings);
    return { comparisons: this.comparisons, findings: [...this.#findings.sorted(), ...findings.sorted()] };
  }

  passes(): boolean {
    return totalOf(this.#results).passes && !this.#findings.hasErrors;
  }
}
