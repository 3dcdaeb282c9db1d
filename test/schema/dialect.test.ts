/** `schema/dialect.schema.json` says what the dialect check does: held together by ajv over mutated bundles. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../codegen/bundle/json.js";
import {
  ANNOTATIONS,
  ENTRY_ANNOTATIONS,
  KEYWORDS,
  MARKS,
  type Place,
} from "../../codegen/bundle/keywords.js";
import { child } from "../../codegen/bundle/pointer.js";
import { Findings, parseBundle } from "../../codegen/index.js";
import { DEPOT_SCHEMA, hasReference, MSP_SCHEMA, REFERENCE, WORKSPACE_SCHEMA } from "../support/repo.js";
import { at, mutants, SEED } from "./mutants.js";
import {
  BEYOND,
  compile,
  compilePoisoned,
  dialect,
  disagreement,
  type Verdict,
  verdictOf,
} from "./verdicts.js";

describe("bundles", () => {
  const validate = compile(dialect);
  const files = [MSP_SCHEMA, DEPOT_SCHEMA, WORKSPACE_SCHEMA];

  test.each(files)("%s is valid", (file) => {
    expect(validate(JSON.parse(readFileSync(file, "utf8"))), JSON.stringify(validate.errors)).toBe(true);
  });

  test("the seed of the mutants is valid and sound", () => {
    expect(validate(SEED)).toBe(true);
    expect(verdictOf("seed", JSON.stringify(SEED, null, 2))).toMatchObject({
      accepted: true,
      beyond: new Set(),
    });
  });

  describe.skipIf(!hasReference)("of the protocol's owners", () => {
    test("all are valid", () => {
      const released = readdirSync(join(REFERENCE, "releases")).map((name) =>
        join(REFERENCE, "releases", name),
      );
      const all = [join(REFERENCE, "surface.json"), join(REFERENCE, "stable.json"), ...released];
      expect(all).toHaveLength(10);
      for (const file of all) expect(validate(JSON.parse(readFileSync(file, "utf8"))), file).toBe(true);
    });
  });
});

describe("mutated bundles", () => {
  let verdicts: readonly Verdict[] = [];
  beforeAll(() => {
    verdicts = [...mutants()].map(({ name, text }) => verdictOf(name, text));
  }, 400_000);

  test("get the same verdict from the schema and from the dialect check", () => {
    expect(disagreement(compile(dialect), verdicts)).toBeUndefined();
  });

  test("are many, are valid and invalid, and break every rule of the form", () => {
    expect(verdicts.length).toBeGreaterThan(20_000);
    expect(verdicts.filter(({ accepted }) => accepted).length).toBeGreaterThan(1_500);
    const broken = new Set(verdicts.flatMap(({ rules }) => [...rules]));
    expect([...broken].sort()).toEqual([
      "dangling-ref",
      "invalid-value",
      "unknown-dialect",
      "unknown-keyword",
      "unknown-mark",
      "unknown-top-level-key",
      "unknown-type",
    ]);
    const beyond = new Set(verdicts.flatMap((verdict) => [...verdict.beyond]));
    expect([...beyond].sort()).toEqual(Object.keys(BEYOND).sort());
  });

  test("show a schema that allows too much", () => {
    // Every assertion of the schema is tried in test/campaigns/dialect-poisons.campaign.ts.
    const poisons: readonly (readonly [string, string])[] = [
      ["", "additionalProperties"],
      ["/$defs/node", "additionalProperties"],
      ["/$defs/node/dependentSchemas", "x-msp-openness"],
      ["/$defs/inner/properties", "x-msp-role"],
      ["/$defs/method", "required"],
      ["/$defs/names", "uniqueItems"],
      ["/$defs/x-msp-strict", "const"],
    ];
    for (const [place, key] of poisons) {
      const poisoned = structuredClone(dialect);
      delete (at(poisoned, place) as JsonObject)[key];
      expect(disagreement(compilePoisoned(poisoned), verdicts), `${place}/${key}`).toBeDefined();
    }
  });

  test("show a schema that forbids too much", () => {
    const accepted = verdicts.filter((verdict) => verdict.accepted);
    for (const keyword of ["type", "const", "$ref", "maxItems"]) {
      const poisoned = structuredClone(dialect);
      (at(poisoned, "/$defs/node/properties") as JsonObject)[keyword] = false;
      expect(disagreement(compilePoisoned(poisoned), accepted), keyword).toBeDefined();
    }
  });
});

test("a key that stands twice is beyond JSON Schema, and refused by the dialect check", () => {
  const text = '{"$defs": {}, "$defs": {}}';
  expect(compile(dialect)(JSON.parse(text))).toBe(true);
  const findings = new Findings();
  expect(parseBundle(text, "bundle.json", findings)).toBeUndefined();
  expect(findings.sorted().map(({ rule }) => rule)).toContain("duplicate-key");
});

const NODES: readonly Place[] = ["definition", "member", "inner"];
const PLACES: readonly Place[] = [...NODES, "method", "notification", "request", "error"];

describe("descriptions", () => {
  const defs = dialect["$defs"] as Record<string, { description: string; properties: JsonObject }>;
  const node = defs["node"]!.properties as Record<string, { description?: string; $ref?: string }>;

  test.each(Object.keys(MARKS))("of the mark %s names the places where it may stand", (mark) => {
    expect(defs[mark]!.description).toMatch(new RegExp(`. Stands on: ${MARKS[mark]!.on.join(", ")}\\.$`));
    const places = PLACES.filter((place) => {
      const known = NODES.includes(place) ? defs["node"]! : defs[place]!;
      return Object.hasOwn(known.properties, mark) && defs[place]!.properties[mark] !== false;
    });
    expect(places.sort()).toEqual([...MARKS[mark]!.on].sort());
  });

  test.each([...KEYWORDS.keys()])("of the keyword %s says where it stands", (keyword) => {
    expect(node[keyword]!.description).toMatch(/. Stands on: any node\.$/);
  });

  test.each(Object.keys(ANNOTATIONS))("of the annotation %s names the places where it may stand", (key) => {
    const everywhere = (ENTRY_ANNOTATIONS as readonly string[]).includes(key);
    const places = everywhere ? "any node, method, notification, request, error" : "any node";
    expect(defs[key]!.description).toMatch(new RegExp(`. Stands on: ${places}\\.$`));
  });

  test("stand beside every key of every object", () => {
    const bare: string[] = [];
    let seen = 0;
    const visit = (value: Json, pointer: string): void => {
      if (!isJsonObject(value)) return;
      for (const [name, inner] of Object.entries(value)) {
        const place = child(pointer, name);
        if (
          /\/properties$/.test(pointer) &&
          !/\/(then|if)\/properties$/.test(pointer) &&
          isJsonObject(inner)
        ) {
          seen++;
          const target = at(dialect, String(inner["$ref"] ?? "").slice(1)) as JsonObject;
          if (inner["description"] === undefined && target["description"] === undefined) bare.push(place);
        }
        visit(inner, place);
      }
    };
    visit(dialect, "");
    expect(bare).toEqual([]);
    expect(seen).toBeGreaterThan(80);
  });
});
