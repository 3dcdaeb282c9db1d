/** Sequences of steps against a model. One that breaks it is cut down to the steps that are needed. */
import { isLawBroken, LawBroken } from "../broken.js";

/** A trial, as far as sequences are tried on it. */
interface Counting {
  readonly counts: Record<string, number>;
  count(what: string, times?: number): void;
  end(): Promise<void>;
}

/** Takes steps on an empty place; throws where something is not as the model has it. */
type Take<T, S> = (trial: T, steps: readonly S[]) => Promise<void>;

/** Tries sequences, each on an empty place, and adds their counts up. */
export async function trySequences<T extends Counting, S>(
  begin: () => Promise<T>,
  sequences: readonly (readonly S[])[],
  take: Take<T, S>,
): Promise<void> {
  const counts: Record<string, number> = {};
  for (const steps of sequences) {
    const trial = await begin();
    if ((await failure(trial, steps, take)) !== undefined) return breakWith(begin, steps, take);
    trial.count("sequences");
    trial.count("steps", steps.length);
    for (const [what, count] of Object.entries(trial.counts)) counts[what] = (counts[what] ?? 0) + count;
    Object.assign(trial.counts, counts);
  }
}

/** Leaves out steps for as long as it still breaks, and breaks with what is left. */
async function breakWith<T extends Counting, S>(
  begin: () => Promise<T>,
  steps: readonly S[],
  take: Take<T, S>,
): Promise<never> {
  let least = steps;
  for (let size = Math.ceil(least.length / 2); size >= 1; ) {
    let shorter: S[] | undefined;
    for (let at = 0; at < least.length && shorter === undefined; at += size) {
      const tried = [...least.slice(0, at), ...least.slice(at + size)];
      if ((await failure(await begin(), tried, take)) !== undefined) shorter = tried;
    }
    if (shorter === undefined) size = size === 1 ? 0 : Math.ceil(size / 2);
    else least = shorter;
  }
  throw new LawBroken(
    (await failure(await begin(), least, take)) ?? "it broke, and did not when it was tried again",
  );
}

/** What is not as the model has it when steps are taken; undefined where all is. The trial ends. */
async function failure<T extends Counting, S>(
  trial: T,
  steps: readonly S[],
  take: Take<T, S>,
): Promise<string | undefined> {
  try {
    await take(trial, steps);
    return undefined;
  } catch (error) {
    if (isLawBroken(error)) return error.message;
    throw error;
  } finally {
    await trial.end();
  }
}
