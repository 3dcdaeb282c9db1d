/** Every assertion of `schema/dialect.schema.json` is needed: without it, some mutated bundle gets another verdict. */
import { expect, test } from "vitest";
import { mutants } from "../schema/mutants.js";
import { compilePoisoned, dialect, disagreement, poisons, verdictOf } from "../schema/verdicts.js";

test("a dialect schema without any one of its assertions disagrees with the dialect check", () => {
  const validate = compilePoisoned(dialect);
  const all = [...mutants()].map(({ name, text }) => {
    const verdict = verdictOf(name, text);
    return { verdict, broken: validate(verdict.value) ? undefined : validate.errors?.[0] };
  });
  const passed = all.filter(({ verdict }) => verdict.accepted);
  const refused = all.filter(({ verdict }) => !verdict.accepted);
  const unnoticed: string[] = [];
  let removed = 0;
  for (const { pointer, poisoned } of poisons()) {
    removed++;
    // A mutant that is refused for the assertion, or in the place of the instance that it speaks of, is tried first.
    const member = /.*\/properties\/([^/]+)/.exec(pointer)?.[1] ?? "";
    const likely = refused.filter(({ broken }) =>
      /\/(\$ref|additionalProperties)$/.test(pointer)
        ? broken?.instancePath.includes(`/${member}`)
        : broken?.schemaPath.slice(1).startsWith(pointer),
    );
    const candidates = [...likely, ...passed, ...refused].map(({ verdict }) => verdict);
    if (disagreement(compilePoisoned(poisoned), candidates) === undefined) unnoticed.push(pointer);
  }
  expect(unnoticed).toEqual([]);
  expect(removed).toBeGreaterThan(200);
});
