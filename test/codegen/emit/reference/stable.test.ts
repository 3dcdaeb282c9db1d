/** What the pages of a stable surface may not tell, and on what their bytes may not depend. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { emitReference } from "../../../../codegen/emit/reference/emit.js";
import type { Json, Protocol } from "../../../../codegen/index.js";
import { bundleOf, planOf, planOfFile } from "../../../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA } from "../../../support/repo.js";
import { reversed } from "../../../support/reversed.js";
import { lawOf } from "./completeness.js";
import type { Pages } from "./pages.js";

const isMarked = ({ stability }: { readonly stability?: string }): boolean => stability !== undefined;

/** The names and descriptors of all that is experimental. */
function experimentalNames(protocol: Protocol): string[] {
  const { definitions, capabilities, methods, notifications, requests, errors } = protocol;
  const named = [...definitions.values(), ...capabilities, ...methods, ...notifications, ...requests];
  const descriptors = [...definitions.values()].flatMap(({ schema }) =>
    (schema.members ?? []).flatMap((member) => member.schema.descriptor ?? []),
  );
  const kinds = errors.filter(isMarked).map(({ kind }) => kind);
  return [...named.filter(isMarked).map(({ name }) => name), ...kinds, ...descriptors];
}

/** The experimental names in some pages that no stable thing has in its own names and texts. */
function leaks(whole: Protocol, stable: Protocol, pages: Pages): string[] {
  const wordsOf = (text: string): Set<string> => new Set(text.match(/[\w/.]*\w/g));
  const said = wordsOf(Object.values(pages).join("\n"));
  const own = wordsOf(JSON.stringify({ ...stable, definitions: [...stable.definitions.values()] }));
  return experimentalNames(whole).filter((name) => said.has(name) && !own.has(name));
}

describe("the pages of a stable surface", () => {
  it.each([
    ["msp", MSP_SCHEMA, 100],
    ["depot", DEPOT_SCHEMA, 3],
  ] as const)("tell nothing that is experimental: %s", (_, schema, least) => {
    const whole = planOfFile(schema);
    const { protocol: stable } = planOfFile(schema, "stable");
    const pages = emitReference(planOfFile(schema, "stable"));
    expect(Object.values(pages).join("\n")).not.toContain("<kbd>experimental</kbd>");
    expect(leaks(whole.protocol, stable, pages)).toEqual([]);
    // The same search finds them where they are.
    expect(leaks(whole.protocol, stable, emitReference(whole)).length).toBeGreaterThanOrEqual(least);
    // Members and values are looked up where they would stand: none of what is missing is there.
    const lacking = lawOf(whole.protocol, pages).missing;
    expect(lacking.length).toBeGreaterThanOrEqual(experimentalNames(whole.protocol).length);
  });
});

describe("the bytes of the pages", () => {
  it("do not depend on the order in which a bundle has its keys", () => {
    const bundle = JSON.parse(readFileSync(DEPOT_SCHEMA, "utf8")) as Json;
    const turned = planOf(JSON.stringify(reversed(bundle)));
    expect(emitReference(turned)).toEqual(emitReference(planOfFile(DEPOT_SCHEMA)));
  });

  it("are there for a protocol that has next to nothing", () => {
    const pages = emitReference(planOf(bundleOf({}, {})));
    expect(Object.keys(pages)).toContain("reference/index.md");
    expect(Object.values(pages).every((text) => text.endsWith("\n"))).toBe(true);
  });
});
