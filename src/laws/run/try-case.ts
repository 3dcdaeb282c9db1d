/** Tries one case of a law on a stand, and judges all that passed. */

import { isCaseVoid, isLawBroken } from "../broken.js";
import type { AnyLaw, Counts } from "../law.js";
import type { History } from "../model/history.js";
import { judge } from "../model/judge.js";
import type { Stand } from "../stand.js";
import { Trial } from "../trial.js";

/** What one case came to. */
export interface Tried {
  readonly history: History;
  readonly counts: Counts;
  /** The promise that was broken, by the id of its law: the one that was tried, or another that was seen broken. */
  readonly broken?: { readonly law: string; readonly what: string; readonly details: unknown };
  /** Why the case says nothing. */
  readonly void?: string;
}

/**
 * Tries a case. What the host did against the protocol, and what the model of commands and turns does not allow, breaks
 * the law that it belongs to, whatever law is being tried.
 * @param seed chooses the ids that clients mint
 * @throws {DriverError} where the surroundings fail
 */
export async function tryCase(law: AnyLaw, stand: Stand, of: unknown, seed: number): Promise<Tried> {
  const trial = new Trial(stand, seed);
  const { history, counts } = trial;
  let broken: Tried["broken"];
  let cause: string | undefined;
  try {
    await law.run(trial, of as never);
  } catch (error) {
    if (isLawBroken(error))
      broken = { law: error.law ?? law.id, what: error.message, details: error.details };
    else if (isCaseVoid(error)) cause = error.message;
    else {
      await stand.clear();
      throw error;
    }
  }
  const [found] = [...history.faults, ...judge(history)];
  // What was seen on the wire goes before what a law made of it: it is the cause as a rule.
  if (found !== undefined && (broken === undefined || broken.law !== law.id))
    broken = { law: found.law, what: found.what, details: found.details };
  if (broken === undefined) await trial.end();
  else await stand.clear();
  return {
    history,
    counts,
    ...(broken === undefined ? {} : { broken }),
    ...(cause === undefined || broken !== undefined ? {} : { void: cause }),
  };
}
