/**
 * Whether the schema of today takes what was recorded for another: what changed since a pin.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { driftOf } from "../../../codegen/drift/drift.js";
import { needsAcknowledgment } from "../../../codegen/drift/gate.js";
import { fingerprintOf } from "../../../codegen/fingerprint/fingerprint.js";
import type { Loaded } from "../../../codegen/load.js";
import { project } from "../../../codegen/model/project.js";
import { knownReleases } from "../../releases/known.js";
import type { Pin } from "../../transcripts/staleness.js";
import type { Io } from "../command.js";
import { NOTE_FILE, readBaselineNote } from "../drift/baseline-note.js";
import { besideSchema } from "../drift/beside.js";
import type { ReleaseTable } from "../drift/release-table.js";
import { loadVersion, type Surroundings } from "../drift/version.js";
import { packagedSchema } from "../package.js";
import { addedOnly, type Parts } from "./parts.js";

/** What changed since a pin. */
export interface PinChange {
  /** `undecided`: the bundle that would tell is not at hand. */
  readonly change: "additive" | "non-additive" | "undecided";
  /** What is not additive, or what is not known; each in a few words. */
  readonly because: readonly string[];
}

/** Tells what changed since a pin. Bundles are read when one is asked for, each once. */
export class PinChanges {
  readonly #at: Surroundings;
  readonly #known = new Map<string, Promise<PinChange>>();
  #today: Loaded | undefined;

  /** @param table a table of releases with their bundles */
  constructor(io: Io, table: ReleaseTable | undefined) {
    this.#at = { io, schema: packagedSchema(), rules: {}, table };
  }

  /** @throws {TroubleError} when a bundle that is named cannot be used */
  of(pin: Pin): Promise<PinChange> {
    const known = this.#known.get(pin.fingerprint) ?? this.#decide(pin);
    this.#known.set(pin.fingerprint, known);
    return known;
  }

  async #decide(pin: Pin): Promise<PinChange> {
    const pinned = this.#bundleOf(pin);
    if (pinned !== undefined) {
      const { changes } = await driftOf(pinned, this.#loaded());
      const grave = changes.filter(needsAcknowledgment);
      if (grave.length === 0) return { change: "additive", because: [] };
      return { change: "non-additive", because: grave.map(({ rule, subject }) => `${rule} ${subject}`) };
    }
    const parts = knownReleases().releases.find(({ release }) => release === pin.release)?.stable?.parts;
    if (parts === undefined)
      return { change: "undecided", because: ["the bundle that it was recorded for is not at hand"] };
    return addedOnly(
      parts as unknown as Parts,
      fingerprintOf(project(this.#loaded().protocol, "stable")).parts,
    );
  }

  /** The bundle that a pin is of: in the table, or the baseline. */
  #bundleOf({ fingerprint, release }: Pin): Loaded | undefined {
    const row = this.#at.table?.rows.find(
      (one) =>
        one.bundle !== undefined && (one.release === release || one.fingerprints.includes(fingerprint)),
    );
    if (row !== undefined)
      return loadVersion(`release:${row.release}`, { kind: "release", release: row.release }, this.#at)
        .loaded;
    const { baseline } = besideSchema(this.#at.schema);
    if (!existsSync(join(baseline, NOTE_FILE))) return undefined;
    const note = readBaselineNote(join(baseline, NOTE_FILE));
    if (note?.fingerprint !== fingerprint && (release === undefined || note?.release !== release))
      return undefined;
    return loadVersion(baseline, { kind: "path", path: baseline }, this.#at).loaded;
  }

  #loaded(): Loaded {
    const { schema } = this.#at;
    this.#today ??= loadVersion(schema, { kind: "path", path: schema }, this.#at).loaded;
    return this.#today;
  }
}
