/** How examples are made, and that what holds them to the model decides as the generated validators do. */
import { describe, expect, it } from "vitest";
import { accepts } from "../../../../codegen/emit/reference/accepts.js";
import { ExampleMaker } from "../../../../codegen/emit/reference/example.js";
import { sampleOf } from "../../../../codegen/emit/reference/pattern.js";
import type { Json, SurfacePlan } from "../../../../codegen/index.js";
import { Random } from "../../../../src/laws/random.js";
import { bundleOf, planOf, planOfFile, validatorsOf } from "../../../support/compile.js";
import { mutate } from "../../../support/mutations.js";
import { DEPOT_SCHEMA, MSP_SCHEMA, WORKSPACE_SCHEMA } from "../../../support/repo.js";
import { ValueMaker } from "../../../support/values.js";
import { HOSTILE_BUNDLE } from "./hostile.js";

const object = (properties: object, more: object = {}): object => ({ type: "object", properties, ...more });
const ref = (name: string): object => ({ $ref: `#/$defs/${name}` });
const exampleOf = (defs: object, name: string): Json | undefined =>
  new ExampleMaker(planOf(bundleOf(defs)).protocol).of(name);

/** How often a plan's model and another one's validators agree on made values. */
async function agreement(
  plan: SurfacePlan,
  judge: SurfacePlan = plan,
): Promise<{ accepted: number; refused: number; differing: number }> {
  const validators = await validatorsOf(judge);
  const { definitions } = plan.protocol;
  const random = new Random(11);
  const maker = new ValueMaker(judge.protocol.definitions, random);
  const counts = { accepted: 0, refused: 0, differing: 0 };
  for (const { name, schema } of judge.protocol.definitions.values()) {
    const own = definitions.get(name);
    for (let i = 0; i < 20; i++) {
      const made = maker.make(schema);
      if (i % 2 === 1) mutate(made, random);
      const value = JSON.parse(JSON.stringify(made.value)) as Json;
      const accepted = validators.definitions[name]?.(value) === null;
      counts[accepted ? "accepted" : "refused"]++;
      if (own === undefined || accepts(own.schema, value, definitions) !== accepted) counts.differing++;
    }
  }
  return counts;
}

describe("what holds examples to the model", () => {
  it.each([
    ["msp", planOfFile(MSP_SCHEMA)],
    ["depot", planOfFile(DEPOT_SCHEMA)],
    ["workspace", planOfFile(WORKSPACE_SCHEMA)],
    ["hostile", planOf(HOSTILE_BUNDLE)],
  ])("decides as the validators do: %s", async (_, plan) => {
    const { accepted, refused, differing } = await agreement(plan);
    expect(differing).toBe(0);
    expect(accepted).toBeGreaterThan(plan.protocol.definitions.size * 8);
    expect(refused).toBeGreaterThan(plan.protocol.definitions.size);
  });

  it("would be found out if it knew another model", async () => {
    const other = planOf(
      bundleOf({ A: object({ n: { type: "integer", minimum: 1 } }, { required: ["n"] }) }),
    );
    const plan = planOf(bundleOf({ A: object({ n: { type: "integer" } }) }));
    expect((await agreement(plan, other)).differing).toBeGreaterThan(0);
  });
});

describe("an example", () => {
  it("has what is required, a few members more, and ids that look like ids", () => {
    const value = exampleOf(
      {
        P: object(
          {
            commandId: { type: "string" },
            sessionId: { type: "string" },
            url: { type: "string" },
            a: { type: "boolean" },
            b: { type: "boolean" },
            c: { type: "boolean" },
            d: { type: "boolean" },
          },
          { required: ["commandId", "sessionId", "url"] },
        ),
      },
      "P",
    );
    expect(value).toEqual({
      a: true,
      b: true,
      c: true,
      commandId: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      sessionId: "session-1",
      url: "https://example.com/",
    });
  });

  it("shows nothing that is experimental or deprecated, unless it must", () => {
    const value = exampleOf(
      {
        E: {
          enum: ["x", "y"],
          type: "string",
          "x-msp-openness": "closed",
          "x-msp-value-stability": { x: "experimental" },
        },
        P: object({
          e: ref("E"),
          old: { type: "string", deprecated: true },
          next: { type: "string", "x-msp-stability": "experimental", "x-msp-descriptor": "P.next" },
        }),
      },
      "P",
    );
    expect(value).toEqual({ e: "y" });
  });

  it("ends where definitions go round, and is none where they cannot end", () => {
    const ring = {
      R: object({ kids: { type: "array", items: ref("R") }, up: { anyOf: [ref("R"), { type: "null" }] } }),
    };
    expect(exampleOf(ring, "R")).toEqual({ kids: [], up: null });
    const endless = {
      R: object({ next: ref("S") }, { required: ["next"] }),
      S: object({ r: ref("R") }, { required: ["r"] }),
    };
    expect(exampleOf(endless, "R")).toBeUndefined();
  });

  it("has both sides of what needs each other", () => {
    const pair = object(
      { w: { type: "integer" }, h: { type: "integer" } },
      { dependentRequired: { w: ["h"], h: ["w"] } },
    );
    expect(exampleOf({ P: pair }, "P")).toEqual({ h: 1, w: 1 });
  });

  it("satisfies a reference and what stands beside it", () => {
    const defs = {
      W: { type: "string", maxLength: 9 },
      N: { ...ref("W"), minLength: 7, pattern: "^[a-c]+$" },
    };
    expect(exampleOf(defs, "N")).toMatch(/^[a-c]{7,9}$/);
  });

  it("ends quickly on a deep nest and on a large bound", () => {
    let nest: object = { type: "string", minLength: 1 };
    for (let i = 0; i < 200; i++) nest = { anyOf: [nest] };
    expect(exampleOf({ N: nest }, "N")).toBe("n");
    expect(
      exampleOf({ L: { type: "array", items: { type: "string" }, minItems: 50, maxItems: 5_000 } }, "L"),
    ).toHaveLength(50);
    expect(exampleOf({ L: { type: "array", minItems: 1e9 } }, "L")).toBeUndefined();
  });

  it("keeps names that objects have without owning them", () => {
    const defs = bundleOf({}).replace(
      '"$defs": {}',
      '"$defs": {"__proto__": {"type": "object", "properties": {"__proto__": {"type": "string"}, "toString": {"type": "integer"}}, "required": ["__proto__", "toString"]}}',
    );
    const value = new ExampleMaker(planOf(defs).protocol).of("__proto__");
    expect(JSON.stringify(value)).toBe('{"__proto__":"proto","toString":1}');
  });
});

describe("a string for a pattern", () => {
  it.each([
    ["^[A-Z]{2}[0-9]{2,6}$", "AB23"],
    ["^[a-z0-9_]+$", "a"],
    ["^sha256:[0-9a-f]{8}$", "sha256:abcdef01"],
    ["^(?:a|b)(c)?\\.\\d$", "ac.0"],
    ["^(?<name>x)\\u{1F600}?$", undefined],
    ["^(?=.*x)[a-z]{3}$", "xyz"],
    ["^(?!x)[a-z]$", "a"],
    ["[^a-z]", "A"],
    ["^\\p{L}$", undefined],
  ])("matches it, or is none: %s", (pattern, expected) => {
    expect(sampleOf(pattern)).toBe(expected);
    if (expected !== undefined) expect(expected).toMatch(new RegExp(pattern, "u"));
  });

  it("keeps to the bounds of its length", () => {
    expect(sampleOf("^a+$", 5, 9)).toHaveLength(5);
    expect(sampleOf("^a{3}$", 4)).toBeUndefined();
    expect(sampleOf("^a{3}$", 0, 2)).toBeUndefined();
  });
});
