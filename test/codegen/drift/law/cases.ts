/** Cases of the law: random bundles with one edit, or with several that do not meet. */
import fc from "fast-check";
import { type Bundle, bundles } from "./bundle.js";
import { EDITS } from "./edits/all.js";
import type { Edit, Site } from "./edits/edit.js";
import type { Case } from "./law.js";
import { sendersOf, stableOf } from "./places.js";

/** A site of an edit; four times in five one that a message comes to, where there is one. */
function siteOf(edit: Edit, bundle: Bundle, choice: number): Site | undefined {
  const all = edit.sites(bundle);
  const stable = stableOf(bundle);
  const isMet = ({ about: [name] }: Site): boolean =>
    name === undefined || bundle.$defs[name] === undefined || sendersOf(stable, name).size > 0;
  const met = choice % 5 === 0 ? [] : all.filter(isMet);
  const list = met.length > 0 ? met : all;
  return list[choice % Math.max(1, list.length)];
}

/** Cases of one edit. */
export function casesOf(edit: Edit): fc.Arbitrary<Case> {
  return fc
    .tuple(
      bundles.filter((bundle) => edit.sites(bundle).length > 0),
      fc.nat(9_999),
    )
    .map(([base, choice]) => ({ base, edits: [edit.name], sites: [siteOf(edit, base, choice) as Site] }));
}

/**
 * Cases of several edits, each about other definitions and messages than the ones before.
 * @param among the edits that are chosen from
 */
export function casesOfMany(most: number, among: readonly Edit[] = EDITS): fc.Arbitrary<Case> {
  const choices = fc.array(fc.tuple(fc.constantFrom(...among), fc.nat(9_999)), {
    minLength: 2,
    maxLength: most,
  });
  return fc
    .noBias(fc.tuple(bundles, choices))
    .map(([base, chosen]): Case => {
      const about = new Set<string>();
      const made: { readonly name: string; readonly site: Site }[] = [];
      for (const [edit, choice] of chosen) {
        const site = siteOf(edit, base, choice);
        if (site === undefined || site.about.some((name) => about.has(name))) continue;
        for (const name of site.about) about.add(name);
        made.push({ name: edit.name, site });
      }
      // What is about everything moves what the others are about: it comes last.
      const isLast = ({ site }: (typeof made)[number]): number => Number(site.about.includes("everything"));
      made.sort((a, b) => isLast(a) - isLast(b));
      const sites = made.map(({ site }) => site);
      const edits = made.map(({ name }) => name);
      return { base, edits, sites };
    })
    .filter(({ sites }) => sites.length > 1);
}
