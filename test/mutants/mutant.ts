/** What a mutant is: the embedded host with one plausible fault, and the law that must find it. */

/** A change of the text of one file, made while the host is bundled: the tree itself is never touched. */
export interface Patch {
  /** From the root of the repository. */
  readonly file: string;
  /** Stands in the file exactly once, else the mutant cannot be built. */
  readonly find: string;
  readonly replace: string;
}

/** A host with a fault. */
export interface Mutant {
  /** Short, of small letters and hyphens. */
  readonly id: string;
  /** What the host does wrong, in one sentence. */
  readonly fault: string;
  /** The id of the law that must find it. */
  readonly law: string;
  /** Which profile of the host shows the fault. Default: durable. */
  readonly needs?: "durable" | "ephemeral";
  readonly patches: readonly Patch[];
  /** Whether the fault must be found in a real process as well, killed by the system. */
  readonly process?: true;
  /** Patches of the program, where its store is another than that of the simulation. Default: those of the host. */
  readonly programPatches?: readonly Patch[];
}

const IS_PATCH_ERROR = Symbol.for("mspkit.patchError");

/** A mutant could not be made. Told by its mark. */
export class PatchError extends Error {
  readonly [IS_PATCH_ERROR] = true;
  override readonly name = "PatchError";
}

/** Whether a value is a {@link PatchError}. */
export function isPatchError(value: unknown): value is PatchError {
  return typeof value === "object" && value !== null && IS_PATCH_ERROR in value;
}

/**
 * The text of a file after the patches that are for it.
 * @throws {PatchError} where what is to be replaced does not stand there exactly once
 */
export function patched(file: string, text: string, patches: readonly Patch[]): string {
  let out = text;
  for (const patch of patches) {
    if (patch.file !== file) continue;
    const pieces = out.split(patch.find);
    if (pieces.length !== 2)
      throw new PatchError(
        `what is to be replaced stands ${pieces.length - 1} times in ${file}: ${patch.find}`,
      );
    out = pieces.join(patch.replace);
  }
  return out;
}
