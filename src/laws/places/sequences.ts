/** Sequences of steps against a model. One that breaks it is cut down to the steps that are needed. */
import { LawBroken } from "../broken.js";

/** A trial, as far as its counts go. */
interface Counting {
  readonly counts: Record<string, number>;
  count(what: string, times?: number): void;
}

/**
 * Tries sequences, each on an empty place, and adds their counts up.
 * @param failure says what is not as the model has it when steps are taken; undefined where all is
 */
export async function trySequences<T extends Counting, S>(
  begin: () => Promise<T>,
  sequences: readonly (readonly S[])[],
  failure: (trial: T, steps: readonly S[]) => Promise<string | undefined>,
): Promise<void> {
  const counts: Record<string, number> = {};
  for (const steps of sequences) {
    const trial = await begin();
    if ((await failure(trial, steps)) !== undefined) return breakWith(begin, steps, failure);
    trial.count("sequences");
    trial.count("steps", steps.length);
    for (const [what, count] of Object.entries(trial.counts)) counts[what] = (counts[what] ?? 0) + count;
    Object.assign(trial.counts, counts);
  }
}

/** Leaves out steps for as long as it still breaks, and breaks with what is left. */
async function breakWith<T, S>(
  begin: () => Promise<T>,
  steps: readonly S[],
  failure: (trial: T, steps: readonly S[]) => Promise<string | undefined>,
): Promise<never> {
  let least = steps;
  for (let size = Math.ceil(least.length / 2); size >= 1; ) {
    let shorter: S[] | undefined;
    for (let at = 0; at < least.length && shorter === undefined; at += size) {
      const tried = [...least.slice(0, at), ...least.slice(at + size)];
      if ((await failure(await begin(), tried)) !== undefined) shorter = tried;
    }
    if (shorter === undefined) size = size === 1 ? 0 : Math.ceil(size / 2);
    else least = shorter;
  }
  throw new LawBroken(
    (await failure(await begin(), least)) ?? "it broke, and did not when it was tried again",
  );
}
