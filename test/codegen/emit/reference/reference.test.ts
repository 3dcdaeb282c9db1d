/** The pages have all that the model has, link to nothing that is not there, and show examples that are valid. */
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { emitReference } from "../../../../codegen/emit/reference/emit.js";
import type { JsonObject } from "../../../../codegen/index.js";
import { anchorName } from "../../../../codegen/plan/names.js";
import { planOf, planOfFile, validatorsOf } from "../../../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA, WORKSPACE_SCHEMA } from "../../../support/repo.js";
import { lawOf } from "./completeness.js";
import { HOSTILE_BUNDLE } from "./hostile.js";
import { entriesOf, linksOf, type Pages } from "./pages.js";

const cases = [
  { name: "msp stable", plan: planOfFile(MSP_SCHEMA, "stable") },
  { name: "msp experimental", plan: planOfFile(MSP_SCHEMA) },
  { name: "depot stable", plan: planOfFile(DEPOT_SCHEMA, "stable") },
  { name: "depot experimental", plan: planOfFile(DEPOT_SCHEMA) },
  { name: "workspace stable", plan: planOfFile(WORKSPACE_SCHEMA, "stable") },
  { name: "hostile", plan: planOf(HOSTILE_BUNDLE) },
].map((one) => ({ ...one, pages: emitReference(one.plan) }));

/** Links of some pages that lead nowhere, and anchors that stand twice on a page. */
function brokenLinks(pages: Pages): { readonly broken: string[]; readonly links: number } {
  const anchors = new Map(
    Object.entries(pages).map(([page, text]) => [
      page,
      [...text.matchAll(/<a id="([^"]*)">/g)].map(([, id]) => id),
    ]),
  );
  const broken: string[] = [];
  let links = 0;
  for (const [page, text] of Object.entries(pages)) {
    const own = anchors.get(page) ?? [];
    if (new Set(own).size !== own.length) broken.push(`${page} has an anchor twice`);
    for (const target of linksOf(text)) {
      links++;
      const [path = "", hash] = target.split("#");
      const to = path === "" ? page : join(dirname(page), path).replaceAll("\\", "/");
      const there = anchors.get(to);
      if (there === undefined || (hash !== undefined && !there.includes(hash)))
        broken.push(`${page}: ${target}`);
    }
  }
  return { broken, links };
}

describe.each(cases)("the reference of $name", ({ plan, pages }) => {
  const { protocol } = plan;

  it("has every definition, member, limit, value, message and row", () => {
    const { missing, looked } = lawOf(protocol, pages);
    expect(missing).toEqual([]);
    expect(looked.definitions).toBe(protocol.definitions.size);
    expect(looked.messages).toBe(
      protocol.methods.length + protocol.notifications.length + protocol.requests.length,
    );
    expect(looked.members).toBeGreaterThan(protocol.definitions.size);
    expect(looked.limits).toBeGreaterThan(3);
    expect(looked.values).toBeGreaterThan(3);
    expect(looked.rows).toBeGreaterThan(2);
  });

  it("has no link that leads nowhere", () => {
    const { broken, links } = brokenLinks(pages);
    expect(broken).toEqual([]);
    expect(links).toBeGreaterThan(protocol.definitions.size);
  });

  it("shows an example of every definition, and each is valid", async () => {
    const validators = await validatorsOf(plan);
    const entries = entriesOf(pages);
    let examples = 0;
    for (const name of protocol.definitions.keys()) {
      const [entry] = entries.get(anchorName("type", name)) ?? [];
      const values = [...(entry?.parts.values() ?? [])].flatMap((part) => part.examples);
      expect({ name, examples: values.length > 0 }).toEqual({ name, examples: true });
      for (const value of values) {
        expect({ name, value, refused: validators.definitions[name]?.(value, { all: true }) }).toEqual({
          name,
          value,
          refused: null,
        });
        examples++;
      }
    }
    expect(examples).toBeGreaterThanOrEqual(protocol.definitions.size);
  });

  it("shows an example of every error, and its data is valid", async () => {
    const validators = await validatorsOf(plan);
    const entries = entriesOf(pages);
    for (const { kind, code } of protocol.errors) {
      const [value] = entries.get(anchorName("error", kind))?.[0]?.parts.get("")?.examples ?? [];
      expect(value).toMatchObject({ code });
      const { data } = value as JsonObject;
      const validate = validators.errors[kind];
      if (validate !== undefined) expect({ kind, refused: validate(data) }).toEqual({ kind, refused: null });
    }
  });
});

describe("the pages of the second bundle", () => {
  const { plan, pages } = cases.find(({ name }) => name === "depot experimental")!;
  const isFact = (line: string): boolean =>
    /^\| (?:`|<code>)/.test(line) ||
    /^- (?:`|<code>)/.test(line) ||
    /^- \*\*(?:Limits|Kind|Code|Direction)/.test(line);

  it("cannot lose a row, a value or a fact without notice", () => {
    let removed = 0;
    for (const [page, text] of Object.entries(pages)) {
      const lines = text.split("\n");
      lines.forEach((line, i) => {
        if (!isFact(line)) return;
        const without = [...lines.slice(0, i), ...lines.slice(i + 1)].join("\n");
        const { missing } = lawOf(plan.protocol, { ...pages, [page]: without });
        expect({ page, line, noticed: missing.length > 0 }).toEqual({ page, line, noticed: true });
        removed++;
      });
    }
    expect(removed).toBeGreaterThan(70);
  });

  it("cannot lose an entry without notice", () => {
    const anchors = [...entriesOf(pages).keys()];
    for (const anchor of anchors) {
      const poisoned = Object.fromEntries(
        Object.entries(pages).map(([page, text]) => [page, text.replace(`<a id="${anchor}"></a>`, "")]),
      );
      expect({ anchor, noticed: lawOf(plan.protocol, poisoned).missing.length > 0 }).toEqual({
        anchor,
        noticed: true,
      });
      expect(brokenLinks(poisoned).broken.length).toBeGreaterThan(0);
    }
    expect(anchors.length).toBeGreaterThan(plan.protocol.definitions.size);
  });

  it.each([
    ["a limit", "minLength 1, maxLength 40", "minLength 1"],
    ["a badge", "`dryRun` <kbd>experimental</kbd>", "`dryRun`"],
    ["a badge of a value", '`"urgent"` <kbd>experimental</kbd>', '`"urgent"`'],
    [
      "a presence",
      "| string | required | minLength 1, maxLength 40 |",
      "| string | optional | minLength 1, maxLength 40 |",
    ],
    ["an openness", "string, an open enum", "string, a closed enum"],
    ["what a member needs", "needs `width`", ""],
    ["a description", "What stands on the door.", ""],
    ["a default", 'default `""`', ""],
    ["a pattern", "`^[A-Z]{2}[0-9]{2,6}$`", "`^[A-Z]{2}$`"],
    ["a target", "[Sku](s.md#type.Sku)", "[Sku](l.md#type.Line)"],
  ])("cannot lose %s without notice", (_, from, to) => {
    const poisoned = Object.fromEntries(
      Object.entries(pages).map(([page, text]) => [page, text.replace(from, () => to)]),
    );
    expect(poisoned).not.toEqual(pages);
    expect(lawOf(plan.protocol, poisoned).missing).not.toEqual([]);
  });

  it("cannot show a stale example without notice", async () => {
    const validators = await validatorsOf(plan);
    const [entry] = entriesOf(pages).get("type.Place") ?? [];
    const example = entry?.parts.get("")?.examples[0] as JsonObject;
    expect(validators.definitions["Place"]?.(example)).toBeNull();
    const { label: _, ...stale } = example;
    expect(validators.definitions["Place"]?.(stale)).not.toBeNull();
  });
});
