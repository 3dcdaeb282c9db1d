/** The drift gate on stable surfaces, with rules that say something else than they should. */
import type { Change, Difference, Effect } from "../../../../codegen/drift/change.js";
import { compareSurfaces } from "../../../../codegen/drift/compare/compare.js";
import { evidenceFor } from "../../../../codegen/drift/evidence/evidence.js";
import { changeOf } from "../../../../codegen/drift/verdict.js";
import type { Loaded } from "../../../../codegen/index.js";
import { project } from "../../../../codegen/model/project.js";
import { loadGenerated } from "../../../support/samples.js";

/** Which ways of a difference are changed, and to what. */
export interface Poison {
  readonly from: Effect;
  readonly to: Effect;
}

/** A change by a poisoned rule, beside the same one by the rule as it is. */
export interface Poisoned {
  readonly sound: Change;
  readonly poisoned: Change;
}

/** The changes that a poison does something to. */
export async function poisonedChanges(base: Loaded, head: Loaded, { from, to }: Poison): Promise<Poisoned[]> {
  const side = ({ protocol, bundle }: Loaded) => ({
    protocol: project(protocol, "stable"),
    root: bundle.root,
  });
  const [b, h] = [side(base), side(head)];
  const sound = compareSurfaces(b, h, true).filter(
    ({ pair, isolated }) => pair !== undefined && isolated !== undefined,
  );
  const poisoned = sound.map((one): Difference => {
    const put = (effect: Effect): Effect => (effect === from ? to : effect);
    return { ...one, narrows: put(one.narrows), widens: put(one.widens) };
  });
  const options = { load: loadGenerated };
  const found = await evidenceFor([...sound, ...poisoned], b.protocol, h.protocol, options);
  const judged = (one: Difference): Change => {
    const evidence = found.get(one);
    return changeOf(one, { surface: "stable", ...(evidence === undefined ? {} : { evidence }) });
  };
  return sound.flatMap((one, i) => {
    const other = poisoned[i] as Difference;
    const isSame = other.narrows === one.narrows && other.widens === one.widens;
    return isSame ? [] : [{ sound: judged(one), poisoned: judged(other) }];
  });
}
