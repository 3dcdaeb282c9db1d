/** Tries one case of a law on a stand, and judges all that passed. */

import { isCaseVoid, isLawBroken } from "../broken.js";
import { isDriverError } from "../driver/driver.js";
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

/** How a case is tried. */
export interface TryOptions {
  /**
   * Whether nothing is sent before the host has said all that it has to say: then what passes is in an order in which it
   * can be played again. Default: false, as fast as it goes.
   */
  readonly calm?: boolean;
  /** Called where the case broke a law, while its host is still there. */
  readonly onBroken?: (trial: Trial, broken: NonNullable<Tried["broken"]>) => Promise<void>;
}

/**
 * Tries a case. What the host did against the protocol, and what the model of commands and turns does not allow, breaks
 * the law that it belongs to, whatever law is being tried.
 * @param seed chooses the ids that clients mint
 * @throws {DriverError} where the surroundings fail
 */
export async function tryCase(
  law: AnyLaw,
  stand: Stand,
  of: unknown,
  seed: number,
  { calm = false, onBroken }: TryOptions = {},
): Promise<Tried> {
  const trial = new Trial(stand, seed, { calm });
  const { history, counts } = trial;
  history.durable = stand.driver.abilities.has("durable");
  let broken: Tried["broken"];
  let cause: string | undefined;
  try {
    await law.run(trial, of as never);
  } catch (error) {
    if (isLawBroken(error))
      broken = { law: error.law ?? law.id, what: error.message, details: error.details };
    else if (isCaseVoid(error)) cause = error.message;
    // What is not valid may be more than a law can read; that it is not valid is noted.
    else if (history.faults.length > 0 && !isDriverError(error)) cause = "what the host said is not valid";
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
  else {
    await onBroken?.(trial, broken);
    await stand.clear();
  }
  return {
    history,
    counts,
    ...(broken === undefined ? {} : { broken }),
    ...(cause === undefined || broken !== undefined ? {} : { void: cause }),
  };
}
