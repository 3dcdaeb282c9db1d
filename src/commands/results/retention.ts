/** How long results are kept, checked. */
import type { Retention } from "../results.js";

/** The retention as it was given. Throws a RangeError where it keeps nothing, or is no number. */
export function retentionOf(retention: Retention): Retention {
  const { newest, ageMs } = retention;
  if ((newest === undefined) === (ageMs === undefined))
    throw new RangeError("a retention is either the newest ones or an age");
  if (newest !== undefined && !(Number.isSafeInteger(newest) && newest >= 1))
    throw new RangeError(`a retention of the newest ${newest} keeps nothing that can be counted`);
  if (ageMs !== undefined && !(ageMs > 0)) throw new RangeError(`a retention of ${ageMs} ms keeps nothing`);
  return retention;
}
