import { describe, expect, test } from "vitest";
import { bundleOf, planOf, textOf } from "../../../support/compile.js";
import { check, mistakesOf } from "../../../support/typescript.js";

const text = { type: "string" };

async function typesOf(definitions: object): Promise<string> {
  return textOf(planOf(bundleOf(definitions)), "types");
}

test("a large bound is a bound in words, and not a type for every length", async () => {
  const list = (minItems: number, maxItems: number): Promise<string> =>
    typesOf({ L: { type: "array", items: text, minItems, maxItems } });
  const types = await list(50, 5000);
  expect(types).toContain("/** Length from 50 to 5000 elements. */\nexport type L = string[];\n");
  expect(types.length).toBe((await list(10, 1000)).length);
  const program = `import type { L } from "./types.js";\nexport const same: Same<L, string[]> = true;\n`;
  expect(mistakesOf(types, program)).toEqual([]);
});

describe("the text grows with the bundle and no faster", () => {
  /** Lists of lists, alternately with something else, to a depth. */
  const nest = (depth: number): object => {
    let node: object = text;
    for (let i = 0; i < depth; i++) node = { anyOf: [{ type: "null" }, { type: "array", items: node }] };
    return { Nest: node };
  };
  /** Definitions of which each refers to the next, and the last to the first. */
  const ring = (size: number): object =>
    Object.fromEntries(
      Array.from({ length: size }, (_, i) => [
        `Ring${10_000 + i}`,
        {
          type: "object",
          properties: { next: { $ref: `#/$defs/Ring${10_000 + ((i + 1) % size)}` }, value: text },
        },
      ]),
    );

  test.each<[string, (size: number) => object, number]>([
    ["a deep nest", nest, 200],
    ["a long ring", ring, 2000],
  ])("%s", async (_, definitions, size) => {
    const empty = (await typesOf({})).length;
    const half = (await typesOf(definitions(size / 2))).length - empty;
    const full = await typesOf(definitions(size));
    expect((full.length - empty) / half).toBeGreaterThan(1.9);
    expect((full.length - empty) / half).toBeLessThan(2.1);
    expect(check({ "types.ts": full })).toEqual([]);
  });
});
